//! Apps that draw everything themselves and have no nodes: strategies see a raster of touchable cells instead, and a coarse hash
//! of the pixels stands for the state. An app that has shown an actionable node once is explored by its nodes.

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

/// Class of a cell. No phone has it: steps on cells are located by their place.
const RASTER_CLASS: Text = Text::new_static("retap.Cell");
const COLUMNS: i32 = 4;
const ROWS: i32 = 6;
/// Resolution of the pixel hash: columns and rows of fields, each with its mean shade. A blinking cursor does not change it.
const PIXEL_GRID: (usize, usize) = (12, 20);
const SHADES: u64 = 16;
/// Share of the height, from the top, that is left out of the pixel hash: the clock of the status bar.
const STATUS_BAR: f64 = 0.04;

/// Decides per worker whether the app needs a raster.
#[derive(Debug, Default)]
pub(super) struct CanvasRaster {
    has_shown_nodes: bool,
}

impl CanvasRaster {
    /// The screen as strategies see it. `shown` is the phone's own screen: an app whose nodes are all forbidden still has nodes.
    pub(super) async fn explorer_screen(
        &mut self,
        device: &mut Device,
        shown: &Screen,
        screen: SharedScreen,
        in_app: bool,
    ) -> Result<SharedScreen, DeviceError> {
        if self.has_shown_nodes || !in_app {
            return Ok(screen);
        }
        if has_actionable_node(shown) {
            self.has_shown_nodes = true;
            return Ok(screen);
        }
        let hash = match device.description().capabilities.screenshots {
            true => match device.screenshot().await {
                Ok(screenshot) => pixel_hash(&screenshot),
                Err(error) if error.is_interruption() => return Err(error),
                Err(_) => 0,
            },
            false => 0,
        };
        Ok(raster(&screen, hash).map_or(screen, Arc::new))
    }
}

/// Removes a cell as the widget of a step: it is meant for a place.
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

/// Flags of everything in the raster.
const SHOWN: NodeFlags = NodeFlags::VISIBLE.union(NodeFlags::ENABLED);

/// The screen with nothing but the raster. Its root is named after the pixel hash.
fn raster(screen: &Screen, hash: u64) -> Option<Screen> {
    let mut content = screen.content().clone();
    let width = i32::try_from(content.size.width).ok()?;
    let height = i32::try_from(content.size.height).ok()?;
    let display = Rect {
        left: 0,
        top: 0,
        right: width,
        bottom: height,
    };
    let id = Text::from(format!("retap:pixels/{hash:016x}"));
    let root = Node {
        class: RASTER_CLASS,
        id,
        bounds: display,
        flags: SHOWN | NodeFlags::SCROLLABLE,
        ..Node::default()
    };
    content.nodes = std::iter::once(root)
        .chain(raster_cells(width, height))
        .collect();
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

/// The cells of the raster, row by row.
fn raster_cells(width: i32, height: i32) -> impl Iterator<Item = Node> {
    (0..ROWS * COLUMNS).map(move |number| {
        let row = number / COLUMNS;
        let column = number % COLUMNS;
        let bounds = Rect {
            left: width * column / COLUMNS,
            top: height * row / ROWS,
            right: width * (column + 1) / COLUMNS,
            bottom: height * (row + 1) / ROWS,
        };
        Node {
            depth: 1,
            class: RASTER_CLASS,
            bounds,
            flags: SHOWN | NodeFlags::CLICKABLE | NodeFlags::LONG_CLICKABLE,
            ..Node::default()
        }
    })
}

/// Coarse hash of a screenshot; of its bytes if it cannot be decoded.
fn pixel_hash(picture: &Png) -> u64 {
    pixel_shades(&picture.0).map_or_else(|| xxh3_64(&picture.0), |fields| xxh3_64(&fields))
}

/// The mean shade of each field.
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

    /// A grey picture with a white square of this size at a place.
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
    fn other_pictures_have_other_hashes_and_a_cursor_or_a_clock_does_not_matter() {
        let plain = pixel_hash(&picture(0, (0, 0)));
        assert_eq!(plain, pixel_hash(&picture(2, (100, 200))));
        assert_eq!(plain, pixel_hash(&picture(14, (10, 0))));
        let left = pixel_hash(&picture(60, (20, 200)));
        let right = pixel_hash(&picture(60, (150, 200)));
        assert!(left != plain && right != plain && left != right);
        assert_ne!(pixel_hash(&Png(vec![1, 2])), pixel_hash(&Png(vec![1, 3])));
    }
}
