//! The home screen: another package, in front whenever the app is not.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::geometry::{Rect, Rotation};
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window, WindowFlags, WindowKind,
};

use crate::framework::{AppManifest, display_bounds, display_size, is_landscape};

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

/// A widget on a screen of another app.
#[derive(Clone, Default)]
pub(super) struct ExternalWidget {
    pub(super) id: &'static str,
    pub(super) text: Text,
    /// Empty for a group that fills the display.
    pub(super) bounds: Rect,
}

impl ExternalWidget {
    pub(super) fn group(id: &'static str) -> ExternalWidget {
        ExternalWidget {
            id,
            ..ExternalWidget::default()
        }
    }

    /// A group that fills the display, or within it something that can be tapped.
    fn node(&self, display: Rect) -> Node {
        let always = NodeFlags::ENABLED | NodeFlags::VISIBLE;
        let (depth, class, bounds, flags) = if self.bounds.is_empty() {
            (1, "android.view.ViewGroup", display, always)
        } else {
            let flags = always | NodeFlags::CLICKABLE;
            (2, "android.widget.TextView", self.bounds, flags)
        };
        Node {
            depth,
            class: Text::new_static(class),
            id: Text::new_static(self.id),
            text: self.text.clone(),
            bounds,
            flags,
            ..Node::default()
        }
    }
}

/// A screen of another package: a group, and in it the widgets that can be tapped.
pub(super) fn draw(
    package: &'static str,
    activity: &'static str,
    title: &'static str,
    rotation: Rotation,
    widgets: &[ExternalWidget],
) -> SharedScreen {
    let display = display_bounds(rotation);
    let frame = Node {
        class: Text::new_static("android.widget.FrameLayout"),
        bounds: display,
        flags: NodeFlags::ENABLED | NodeFlags::VISIBLE,
        ..Node::default()
    };
    let mut nodes = vec![frame];
    nodes.extend(widgets.iter().map(|widget| widget.node(display)));
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
        size: display_size(rotation),
        rotation,
        activity,
        windows: vec![window],
        nodes,
    };
    Arc::new(Screen::new(content).expect("nodes are nested as they are drawn"))
}
