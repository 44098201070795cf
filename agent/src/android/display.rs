//! DisplayManagerGlobal: size, density and rotation of the display.

use jni::Env;
use retap_shared::geometry::{Rotation, Size};

use super::java::{JavaBridge, JavaError, JavaResult};
use super::table::JavaName;

/// Display.DEFAULT_DISPLAY.
pub(crate) const DISPLAY: i32 = 0;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DisplayInfo {
    pub(crate) size: Size,
    pub(crate) density: u32,
    pub(crate) rotation: Rotation,
}

impl DisplayInfo {
    /// DisplayManagerGlobal.getInstance().getDisplayInfo(DEFAULT_DISPLAY)
    pub(crate) fn read(java: &JavaBridge, env: &mut Env) -> JavaResult<DisplayInfo> {
        let displays = java
            .call_static(env, JavaName::Displays, &[])?
            .into_object()?;
        let info = java
            .call(env, JavaName::DisplayOf, &displays, &[DISPLAY.into()])?
            .into_object()?;
        let mut number = |name| Ok::<_, JavaError>(java.get(env, name, &info)?.into_int()?);
        Ok(DisplayInfo {
            size: Size {
                width: pixels(number(JavaName::DisplayWidth)?),
                height: pixels(number(JavaName::DisplayHeight)?),
            },
            density: pixels(number(JavaName::DisplayDensity)?),
            rotation: rotation(number(JavaName::DisplayRotation)?),
        })
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
