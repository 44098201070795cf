//! The home screen: another package, in front whenever the app is not.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::screen::{
    Node, NodeFlags, Rect, Rotation, Screen, ScreenContent, SharedScreen, Window, WindowFlags, WindowKind,
};

use crate::kit::{Manifest, display_size, is_landscape};

const PACKAGE: &str = "com.android.launcher3";

/// Where the app's icon is.
pub(super) fn icon(rotation: Rotation) -> Rect {
    let (left, top) = if is_landscape(rotation) { (240, 300) } else { (120, 900) };
    Rect { left, top, right: left + 240, bottom: top + 280 }
}

pub(super) fn screen(manifest: &Manifest, rotation: Rotation) -> SharedScreen {
    let size = display_size(rotation);
    let display = Rect { left: 0, top: 0, right: size.width as i32, bottom: size.height as i32 };
    let node = |depth, class, id, text, bounds, flags| Node {
        depth,
        class: Text::new_static(class),
        id: Text::new_static(id),
        text,
        bounds,
        flags: flags | NodeFlags::ENABLED | NodeFlags::VISIBLE,
        ..Node::default()
    };
    let inert = NodeFlags::empty();
    let workspace = "com.android.launcher3:id/workspace";
    let icon_id = "com.android.launcher3:id/icon";
    let nodes = vec![
        node(0, "android.widget.FrameLayout", "", Text::default(), display, inert),
        node(1, "android.view.ViewGroup", workspace, Text::default(), display, inert),
        node(
            2,
            "android.widget.TextView",
            icon_id,
            manifest.label.clone(),
            icon(rotation),
            NodeFlags::CLICKABLE,
        ),
    ];
    let window = Window {
        kind: WindowKind::Application,
        package: Text::new_static(PACKAGE),
        title: Text::new_static("Home"),
        bounds: display,
        flags: WindowFlags::FOCUSED,
        nodes: nodes.len() as u32,
    };
    let content = ScreenContent {
        size,
        rotation,
        activity: Text::new_static("com.android.launcher3/.Launcher"),
        windows: vec![window],
        nodes,
    };
    Arc::new(Screen::new(content).expect("the launcher is three nodes, one in the other"))
}
