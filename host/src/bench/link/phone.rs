//! A phone without work of its own: many nodes, one text that each tap changes, and large screenshots.

use std::sync::Arc;

use retap_agent::phone::{Phone, PhoneError, ScreenshotTask};
use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::bytes::Png;
use retap_shared::geometry::{Rect, Size};
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{AppInfo, Capabilities, RequestFailure, SnapshotId};
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window};
use retap_shared::trace::App;

/// Bytes of a screenshot.
const PICTURE: usize = 5 << 20;

#[derive(Debug)]
pub(super) struct BenchPhone {
    content: ScreenContent,
    taps: u32,
    /// Made once: only its transfer is measured.
    picture: Arc<Vec<u8>>,
}

impl BenchPhone {
    pub(super) fn new(nodes: usize) -> BenchPhone {
        let side = |node: usize, step: usize| (node % step) as i32 * 20;
        let nodes: Vec<Node> = (0..nodes)
            .map(|number| Node {
                depth: u16::from(number > 0),
                class: Text::new_static("android.widget.TextView"),
                id: format!("com.example.bench:id/row_{}", number % 40).into(),
                text: format!("row number {number}").into(),
                description: Text::default(),
                bounds: Rect {
                    left: side(number, 50),
                    top: side(number, 90),
                    right: side(number, 50) + 20,
                    bottom: side(number, 90) + 20,
                },
                flags: NodeFlags::ENABLED | NodeFlags::CLICKABLE | NodeFlags::VISIBLE,
            })
            .collect();
        let bounds = Rect {
            left: 0,
            top: 0,
            right: 1080,
            bottom: 1920,
        };
        let package = Text::new_static("com.example.bench");
        let window = Window {
            package,
            bounds,
            nodes: nodes.len() as u32,
            ..Window::default()
        };
        let size = Size {
            width: 1080,
            height: 1920,
        };
        BenchPhone {
            content: ScreenContent {
                size,
                windows: vec![window],
                nodes,
                ..Default::default()
            },
            taps: 0,
            picture: Arc::new((0..PICTURE).map(|byte| (byte * 31 % 251) as u8).collect()),
        }
    }
}

impl Phone for BenchPhone {
    fn info(&self) -> PhoneInfo {
        PhoneInfo {
            kind: Text::new_static("simulated"),
            ..PhoneInfo::default()
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            screenshots: true,
            ..Capabilities::default()
        }
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        Ok(Vec::new())
    }

    fn now(&self) -> Micros {
        Micros::ZERO
    }

    fn sleep(&mut self, _: Micros) {}

    fn inject(&mut self, _: &Action) -> Result<(), PhoneError> {
        self.taps += 1;
        let middle = self.content.nodes.len() / 2;
        self.content.nodes[middle].text = format!("tapped {} times", self.taps).into();
        Ok(())
    }

    fn last_change(&mut self) -> Micros {
        Micros::ZERO
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        let screen = Screen::new(self.content.clone())
            .map_err(|error| RequestFailure::Phone(error.to_string()))?;
        Ok(Arc::new(screen))
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        let picture = self.picture.clone();
        Ok(Box::new(move || Ok(Png(picture.to_vec()))))
    }

    fn launch(&mut self, _: &App) -> Result<(), PhoneError> {
        Ok(())
    }

    fn stop(&mut self, _: &App) -> Result<(), PhoneError> {
        Ok(())
    }

    fn clear_data(&mut self, _: &App) -> Result<(), PhoneError> {
        Ok(())
    }

    fn grant(&mut self, _: &App) -> Result<(), PhoneError> {
        Ok(())
    }

    fn watch(&mut self, _: &Text) {}

    fn take_events(&mut self, _: &mut Vec<PhoneEvent>) {}

    fn take_branches(&mut self, _: &mut Vec<u32>) {}

    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        Err(RequestFailure::Unsupported("take snapshots".into()).into())
    }

    fn restore_snapshot(&mut self, _: SnapshotId) -> Result<u64, PhoneError> {
        Err(RequestFailure::Unsupported("restore snapshots".into()).into())
    }

    fn discard_snapshot(&mut self, _: SnapshotId) -> Result<u64, PhoneError> {
        Err(RequestFailure::Unsupported("discard snapshots".into()).into())
    }
}
