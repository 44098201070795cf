//! A picture of a simulated screen: its widgets as boxes, a quarter of the display's size, and no letters.

use png::{BitDepth, ColorType, Encoder};
use retap_shared::bytes::Png;
use retap_shared::geometry::Rect;
use retap_shared::protocol::RequestFailure;
use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};

const SCALE: i32 = 4;
const BACKGROUND: u8 = 250;
const BORDER: u8 = 120;

pub(super) fn draw(screen: &Screen) -> Result<Png, RequestFailure> {
    let mut canvas = PixelCanvas::new(screen);
    for (window, _, nodes) in screen.windows_with_nodes() {
        if window.kind == WindowKind::Dialog {
            canvas.dim();
        }
        canvas.fill(window.bounds, BACKGROUND);
        nodes
            .iter()
            .filter(|node| node.is(NodeFlags::VISIBLE))
            .for_each(|node| canvas.node(node));
    }
    canvas
        .into_png()
        .map_err(|error| RequestFailure::Phone(format!("the picture could not be packed: {error}")))
}

struct PixelCanvas {
    width: i32,
    height: i32,
    pixels: Vec<u8>,
}

impl PixelCanvas {
    fn new(screen: &Screen) -> PixelCanvas {
        let size = screen.size();
        let width = size.width as i32 / SCALE;
        let height = size.height as i32 / SCALE;
        PixelCanvas {
            width,
            height,
            pixels: vec![BACKGROUND; (width * height) as usize],
        }
    }

    fn node(&mut self, node: &Node) {
        let shade = match node.flags {
            flags if flags.contains(NodeFlags::CHECKED) => 90,
            flags if flags.contains(NodeFlags::EDITABLE) => 255,
            flags if flags.contains(NodeFlags::CLICKABLE) => 205,
            _ => return self.text(node),
        };
        self.fill(node.bounds, BORDER);
        let Rect {
            left,
            top,
            right,
            bottom,
        } = node.bounds;
        let inner = Rect {
            left: left + SCALE,
            top: top + SCALE,
            right: right - SCALE,
            bottom: bottom - SCALE,
        };
        self.fill(inner, shade);
        self.text(node);
    }

    /// A bar as long as the text would be.
    fn text(&mut self, node: &Node) {
        let middle = node.bounds.center();
        let half = (node.label().chars().count().min(100) as i32 * 10).min(node.bounds.width() / 2);
        let bar = Rect {
            left: middle.x - half,
            top: middle.y - 8,
            right: middle.x + half,
            bottom: middle.y + 8,
        };
        self.fill(bar, 60);
    }

    fn dim(&mut self) {
        for pixel in &mut self.pixels {
            *pixel /= 2;
        }
    }

    fn fill(&mut self, area: Rect, shade: u8) {
        let column = |x: i32| (x / SCALE).clamp(0, self.width) as usize;
        let left = column(area.left);
        let right = column(area.right);
        let rows =
            (area.top / SCALE).clamp(0, self.height)..(area.bottom / SCALE).clamp(0, self.height);
        for row in rows.map(|row| row as usize * self.width as usize) {
            if left < right {
                self.pixels[row + left..row + right].fill(shade);
            }
        }
    }

    fn into_png(self) -> Result<Png, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::Eight);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(Png(bytes))
    }
}
