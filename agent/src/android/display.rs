//! DisplayManagerGlobal and Bitmap: size, density and rotation of the display, and its pixels.

use jni::Env;
use jni::objects::{JObject, JValue};
use retap_shared::screen::{Rotation, Size};

use super::accessibility::Accessibility;
use super::java::{Java, JavaError, Result};
use super::table::Name;

/// Display.DEFAULT_DISPLAY.
pub(crate) const DISPLAY: i32 = 0;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Display {
    pub(crate) size: Size,
    pub(crate) density: u32,
    pub(crate) rotation: Rotation,
}

/// Pixels, row by row, each `0xAARRGGBB`.
#[derive(Clone, Debug)]
pub struct Screenshot {
    pub size: Size,
    pub pixels: Vec<i32>,
}

impl Display {
    /// DisplayManagerGlobal.getInstance().getDisplayInfo(DEFAULT_DISPLAY)
    pub(crate) fn read(java: &Java, env: &mut Env) -> Result<Display> {
        let displays = java.call_static(env, Name::Displays, &[])?.into_object()?;
        let info = java.call(env, Name::DisplayOf, &displays, &[DISPLAY.into()])?.into_object()?;
        let mut number = |name| Ok::<_, JavaError>(java.get(env, name, &info)?.into_int()?);
        Ok(Display {
            size: Size {
                width: pixels(number(Name::DisplayWidth)?),
                height: pixels(number(Name::DisplayHeight)?),
            },
            density: pixels(number(Name::DisplayDensity)?),
            rotation: rotation(number(Name::DisplayRotation)?),
        })
    }
}

impl Screenshot {
    /// What is on the display. Secure windows are black or make the whole picture fail: that is the phone's choice.
    pub(crate) fn take(java: &Java, env: &mut Env, accessibility: &Accessibility) -> Result<Screenshot> {
        let bitmap = accessibility.screenshot(java, env)?;
        if bitmap.is_null() {
            let why = "the phone gave no picture: a secure window may be in front";
            return Err(JavaError::Refused { call: "takeScreenshot", why });
        }
        let width = java.call(env, Name::BitmapWidth, &bitmap, &[])?.into_int()?;
        let height = java.call(env, Name::BitmapHeight, &bitmap, &[])?.into_int()?;
        let size = Size { width: pixels(width), height: pixels(height) };
        let array = env.new_int_array(size.width as usize * size.height as usize)?;
        let target: &JObject = array.as_ref();
        // bitmap.getPixels(array, 0, width, 0, 0, width, height)
        let mut arguments = vec![JValue::Object(target)];
        arguments.extend([0, width, 0, 0, width, height].map(JValue::Int));
        java.call(env, Name::BitmapPixels, &bitmap, &arguments)?;
        let mut pixels = vec![0; array.len(env)?];
        array.get_region(env, 0, &mut pixels)?;
        java.call(env, Name::BitmapRecycle, &bitmap, &[])?;
        Ok(Screenshot { size, pixels })
    }
}

fn pixels(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// Surface.ROTATION_*.
fn rotation(number: i32) -> Rotation {
    match number {
        1 => Rotation::Left,
        2 => Rotation::UpsideDown,
        3 => Rotation::Right,
        _ => Rotation::Natural,
    }
}

pub(crate) fn rotation_number(rotation: Rotation) -> i32 {
    match rotation {
        Rotation::Natural => 0,
        Rotation::Left => 1,
        Rotation::UpsideDown => 2,
        Rotation::Right => 3,
    }
}
