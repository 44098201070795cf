//! Apps that draw everything themselves and show no nodes: a raster over the display stands for what could be touched, and a
//! coarse look at the pixels for the state. As soon as an app has shown something to aim at, it is taken at its nodes.

use std::io::Cursor;
use std::sync::Arc;

use retap_device::{Device, DeviceError};
use retap_model::actions::{self, ActionKind};
use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::geometry::Rect;
use retap_shared::screen::{
    Node, NodeFlags, Screen, SharedScreen, Window, WindowFlags, WindowKind,
};
use retap_shared::trace::Step;
use xxhash_rust::xxh3::xxh3_64;

/// The class of a part of the raster. It is on no phone: steps go by their place.
const RASTER_CLASS: Text = Text::new_static("retap.Cell");
const COLUMNS: i32 = 4;
const ROWS: i32 = 6;
/// How finely pixels are looked at: so many fields, and so many shades of each. A blinking cursor is no other state.
const PIXEL_GRID: (usize, usize) = (12, 20);
const SHADES: u64 = 16;
/// The clock of the status bar is no other state either: so much of the height, from the top, is not looked at.
const STATUS_BAR: f64 = 0.04;

/// What a walker knows of the app's screens so far.
#[derive(Debug, Default)]
pub(super) struct CanvasRaster {
    has_shown_nodes: bool,
}

impl CanvasRaster {
    /// The screen as explorers are to see it. `inside`: it is the app's own. `shown`: as the phone shows it, whatever is hidden
    /// from explorers: an app of which nothing may be touched does not draw itself.
    pub(super) async fn explorer_screen(
        &mut self,
        device: &mut Device,
        shown: &Screen,
        screen: SharedScreen,
        inside: bool,
    ) -> Result<SharedScreen, DeviceError> {
        if self.has_shown_nodes || !inside {
            return Ok(screen);
        }
        if has_actionable_node(shown) {
            self.has_shown_nodes = true;
            return Ok(screen);
        }
        let look = match device.description().capabilities.screenshots {
            true => match device.screenshot().await {
                Ok(picture) => pixel_hash(&picture),
                Err(error) if error.is_interruption() => return Err(error),
                Err(_) => 0,
            },
            false => 0,
        };
        Ok(raster(&screen, look).map_or(screen, Arc::new))
    }
}

/// A finger on the raster is meant for a place, not for a widget.
pub(super) fn without_raster_widget(mut step: Step) -> Step {
    step.widget = step.widget.filter(|widget| widget.class != RASTER_CLASS);
    step
}

fn has_actionable_node(screen: &Screen) -> bool {
    let mut listed = Vec::new();
    actions::list_candidate_actions(screen, &mut listed);
    listed
        .iter()
        .any(|one| one.node.is_some() && one.kind != ActionKind::TapAnywhere)
}

/// The screen with nothing but the raster on it, in a window that is called as the pixels look.
fn raster(screen: &Screen, look: u64) -> Option<Screen> {
    let mut content = screen.content().clone();
    let width = i32::try_from(content.size.width).ok()?;
    let height = i32::try_from(content.size.height).ok()?;
    let display = Rect {
        left: 0,
        top: 0,
        right: width,
        bottom: height,
    };
    let seen = NodeFlags::VISIBLE | NodeFlags::ENABLED;
    let id = Text::from(format!("retap:pixels/{look:016x}"));
    let root = Node {
        class: RASTER_CLASS,
        id,
        bounds: display,
        flags: seen | NodeFlags::SCROLLABLE,
        ..Node::default()
    };
    let cells = (0..ROWS * COLUMNS).map(|number| {
        let row = number / COLUMNS;
        let column = number % COLUMNS;
        let bounds = Rect {
            left: width * column / COLUMNS,
            top: height * row / ROWS,
            right: width * (column + 1) / COLUMNS,
            bottom: height * (row + 1) / ROWS,
        };
        let flags = seen | NodeFlags::CLICKABLE | NodeFlags::LONG_CLICKABLE;
        Node {
            depth: 1,
            class: RASTER_CLASS,
            bounds,
            flags,
            ..Node::default()
        }
    });
    content.nodes = std::iter::once(root).chain(cells).collect();
    content.windows = vec![Window {
        kind: WindowKind::Application,
        package: screen
            .activity()
            .split('/')
            .next()
            .unwrap_or_default()
            .into(),
        title: Text::default(),
        bounds: display,
        flags: WindowFlags::FOCUSED,
        nodes: u32::try_from(content.nodes.len()).ok()?,
    }];
    Screen::new(content).ok()
}

/// A number for how a picture looks from afar; of what is no picture, for its bytes.
fn pixel_hash(picture: &Png) -> u64 {
    pixel_shades(&picture.0).map_or_else(|| xxh3_64(&picture.0), |fields| xxh3_64(&fields))
}

/// The shade of each field.
fn pixel_shades(file: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let width = info.width as usize;
    let height = info.height as usize;
    let each = info.color_type.samples();
    let top = (height as f64 * STATUS_BAR) as usize;
    let (columns, rows) = PIXEL_GRID;
    let mut sums = vec![(0_u64, 0_u64); columns * rows];
    for y in top..height {
        for x in 0..width {
            let pixel = pixels.get((y * width + x) * each..)?.get(..each)?;
            let bright: u64 = pixel.iter().take(3).map(|sample| u64::from(*sample)).sum();
            let (sum, count) =
                &mut sums[(y - top) * rows / (height - top) * columns + x * columns / width];
            *sum += bright;
            *count += pixel.len().min(3) as u64;
        }
    }
    let shade = |(sum, count): (u64, u64)| (sum * SHADES / (count.max(1) * 256)) as u8;
    Some(sums.into_iter().map(shade).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grey, with a white square of this size at a place.
    fn picture(square: usize, at: (usize, usize)) -> Png {
        let width = 240;
        let height = 400;
        let mut pixels = vec![100_u8; width * height];
        for y in at.1..at.1 + square {
            pixels[y * width + at.0..y * width + at.0 + square].fill(255);
        }
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&pixels)
            .unwrap();
        Png(file)
    }

    #[test]
    fn other_pictures_look_other_and_a_cursor_or_a_clock_does_not_matter() {
        let plain = pixel_hash(&picture(0, (0, 0)));
        assert_eq!(plain, pixel_hash(&picture(2, (100, 200))));
        assert_eq!(plain, pixel_hash(&picture(14, (10, 0))));
        let left = pixel_hash(&picture(60, (20, 200)));
        let right = pixel_hash(&picture(60, (150, 200)));
        assert!(left != plain && right != plain && left != right);
        assert_ne!(pixel_hash(&Png(vec![1, 2])), pixel_hash(&Png(vec![1, 3])));
    }
}
