//! DisplayManagerGlobal: size, density and rotation of the display.

use jni::Env;
use retap_shared::screen::{Rotation, Size};

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

impl Display {
    /// DisplayManagerGlobal.getInstance().getDisplayInfo(DEFAULT_DISPLAY)
    pub(crate) fn read(java: &Java, env: &mut Env) -> Result<Display> {
        let displays = java.call_static(env, Name::Displays, &[])?.into_object()?;
        let info = java
            .call(env, Name::DisplayOf, &displays, &[DISPLAY.into()])?
            .into_object()?;
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
