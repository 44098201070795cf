//! Bitmap: the display's pixels as a PNG, taken on a thread of its own.

use jni::Env;
use jni::objects::{JObject, JValue};
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};
use retap_shared::bytes::Png;
use retap_shared::protocol::RequestFailure;

use super::accessibility::Accessibility;
use super::java::{JavaBridge, JavaError, JavaResult};
use super::table::JavaName;

/// Maximum number of pixels, so that a wrong size does not fill the memory. No display has more.
const MAX_PIXELS: usize = 1 << 26;

/// A screenshot row by row; each pixel is `0xAARRGGBB`.
#[derive(Debug)]
pub(crate) struct RawScreenshot {
    width: u32,
    height: u32,
    pixels: Vec<i32>,
}

/// Takes a screenshot. A secure window is black, or the phone refuses the screenshot.
pub(crate) fn take_png(
    java: &JavaBridge,
    accessibility: &Accessibility,
) -> std::result::Result<Png, RequestFailure> {
    let screenshot = java.with(|env| RawScreenshot::take(java, env, accessibility))?;
    let encoded = screenshot.encode();
    encoded
        .map_err(|error| RequestFailure::Phone(format!("could not encode the screenshot: {error}")))
}

impl RawScreenshot {
    fn take(
        java: &JavaBridge,
        env: &mut Env,
        accessibility: &Accessibility,
    ) -> JavaResult<RawScreenshot> {
        let taken = accessibility.screenshot(java, env)?;
        if taken.is_null() {
            return refused("the phone returned no picture: a secure window may be in front");
        }
        // From 26 on the picture may be in graphics memory, which a copy as Bitmap.Config.ARGB_8888 is not.
        let config = java.get_static(env, JavaName::BitmapPlain)?.into_object()?;
        // bitmap = taken.copy(Bitmap.Config.ARGB_8888, false); taken.recycle()
        let arguments = [(&config).into(), JValue::Bool(false)];
        let bitmap = java
            .call(env, JavaName::BitmapCopy, &taken, &arguments)?
            .into_object()?;
        java.call(env, JavaName::BitmapRecycle, &taken, &[])?;
        if bitmap.is_null() {
            return refused("the phone has no memory for a copy of the picture");
        }
        let screenshot = Self::read(java, env, &bitmap);
        java.call(env, JavaName::BitmapRecycle, &bitmap, &[])?;
        screenshot
    }

    pub(crate) fn read(
        java: &JavaBridge,
        env: &mut Env,
        bitmap: &JObject,
    ) -> JavaResult<RawScreenshot> {
        let width = java
            .call(env, JavaName::BitmapWidth, bitmap, &[])?
            .into_int()?;
        let height = java
            .call(env, JavaName::BitmapHeight, bitmap, &[])?
            .into_int()?;
        let length = usize::try_from(width)
            .ok()
            .zip(usize::try_from(height).ok());
        let length = length.and_then(|(width, height)| width.checked_mul(height));
        let Some(length) = length.filter(|length| *length <= MAX_PIXELS) else {
            return refused("the phone returned a picture of a size that no display has");
        };
        let array = env.new_int_array(length)?;
        let target: &JObject = array.as_ref();
        // bitmap.getPixels(array, 0, width, 0, 0, width, height)
        let mut arguments = vec![JValue::Object(target)];
        arguments.extend([0, width, 0, 0, width, height].map(JValue::Int));
        java.call(env, JavaName::BitmapPixels, bitmap, &arguments)?;
        let mut pixels = vec![0; length];
        array.get_region(env, 0, &mut pixels)?;
        Ok(RawScreenshot {
            width: width.unsigned_abs(),
            height: height.unsigned_abs(),
            pixels,
        })
    }

    /// Encodes the screenshot. Fast rather than small, because the phone's time costs more than the cable's.
    pub(crate) fn encode(&self) -> std::result::Result<Png, EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let colours = self.pixels.iter().flat_map(|pixel| {
            let [_, red, green, blue] = pixel.to_be_bytes();
            [red, green, blue]
        });
        encoder
            .write_header()?
            .write_image_data(&colours.collect::<Vec<_>>())?;
        Ok(Png(bytes))
    }
}

fn refused<T>(why: &'static str) -> JavaResult<T> {
    Err(JavaError::Refused {
        call: "takeScreenshot",
        why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screenshot_keeps_its_colours_and_loses_its_transparency() {
        let pixels = vec![
            0xff01_0203_u32,
            0x0000_00ff,
            0x80ff_0000,
            0xff00_ff00,
            0,
            0xffff_ffff,
        ];
        let pixels = pixels.into_iter().map(u32::cast_signed).collect();
        let Png(bytes) = RawScreenshot {
            width: 3,
            height: 2,
            pixels,
        }
        .encode()
        .unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut read = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut read).unwrap();
        assert_eq!(
            (info.width, info.height, info.color_type),
            (3, 2, ColorType::Rgb)
        );
        assert_eq!(
            read,
            [
                1, 2, 3, 0, 0, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255
            ]
        );
    }

    #[test]
    fn a_screenshot_without_pixels_is_an_error() {
        assert!(
            RawScreenshot {
                width: 0,
                height: 0,
                pixels: Vec::new()
            }
            .encode()
            .is_err()
        );
    }
}
