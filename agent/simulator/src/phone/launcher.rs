//! The home screen: another package, in front whenever the app is not.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::geometry::{Rect, Rotation};
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window, WindowFlags, WindowKind,
};

use crate::framework::{AppManifest, display_size, is_landscape};

const PACKAGE: &str = "com.android.launcher3";

/// Bounds of the app's icon.
pub(super) fn icon(rotation: Rotation) -> Rect {
    let (left, top) = if is_landscape(rotation) {
        (240, 300)
    } else {
        (120, 900)
    };
    Rect {
        left,
        top,
        right: left + 240,
        bottom: top + 280,
    }
}

pub(super) fn screen(manifest: &AppManifest, rotation: Rotation) -> SharedScreen {
    let workspace = ExternalWidget::group("com.android.launcher3:id/workspace");
    let icon = ExternalWidget {
        id: "com.android.launcher3:id/icon",
        text: manifest.label.clone(),
        bounds: icon(rotation),
    };
    draw(
        PACKAGE,
        "com.android.launcher3/.Launcher",
        "Home",
        rotation,
        &[workspace, icon],
    )
}

/// A widget of a screen that is none of the app's.
#[derive(Clone, Default)]
pub(super) struct ExternalWidget {
    pub(super) id: &'static str,
    pub(super) text: Text,
    /// Everything, if empty.
    pub(super) bounds: Rect,
}

impl ExternalWidget {
    pub(super) fn group(id: &'static str) -> ExternalWidget {
        ExternalWidget {
            id,
            ..ExternalWidget::default()
        }
    }
}

/// A screen of another package: a group, and in it what can be tapped.
pub(super) fn draw(
    package: &'static str,
    activity: &'static str,
    title: &'static str,
    rotation: Rotation,
    widgets: &[ExternalWidget],
) -> SharedScreen {
    let size = display_size(rotation);
    let display = Rect {
        left: 0,
        top: 0,
        right: size.width as i32,
        bottom: size.height as i32,
    };
    let node = |depth, class, drawn: &ExternalWidget| {
        let taps = if drawn.bounds.is_empty() {
            NodeFlags::empty()
        } else {
            NodeFlags::CLICKABLE
        };
        Node {
            depth,
            class: Text::new_static(class),
            id: Text::new_static(drawn.id),
            text: drawn.text.clone(),
            bounds: if drawn.bounds.is_empty() {
                display
            } else {
                drawn.bounds
            },
            flags: taps | NodeFlags::ENABLED | NodeFlags::VISIBLE,
            ..Node::default()
        }
    };
    let mut nodes = vec![node(
        0,
        "android.widget.FrameLayout",
        &ExternalWidget::default(),
    )];
    for drawn in widgets {
        let (depth, class) = if drawn.bounds.is_empty() {
            (1, "android.view.ViewGroup")
        } else {
            (2, "android.widget.TextView")
        };
        nodes.push(node(depth, class, drawn));
    }
    let window = Window {
        kind: WindowKind::Application,
        package: Text::new_static(package),
        title: Text::new_static(title),
        bounds: display,
        flags: WindowFlags::FOCUSED,
        nodes: nodes.len() as u32,
    };
    let activity = Text::new_static(activity);
    let content = ScreenContent {
        size,
        rotation,
        activity,
        windows: vec![window],
        nodes,
    };
    Arc::new(Screen::new(content).expect("a group and what is in it"))
}
