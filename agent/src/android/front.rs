//! What is in front of the display after an app was started, by the activity in front and the windows.

use std::collections::BTreeSet;

use retap_shared::Text;
use retap_shared::obstacle::Obstacle;
use retap_shared::screen::{WindowFlags, WindowKind};

use super::windows::ReadWindow;

/// The system's own package, whose windows over apps are dialogs about failures.
const SYSTEM: &str = "android";
/// Endings of the packages that ask for permissions: older than API level 29, and newer.
const PERMISSION_PACKAGES: [&str; 2] = ["packageinstaller", "permissioncontroller"];
/// Parts of the names of activities that ask for permissions, with packages of vendors' own.
const PERMISSION_ACTIVITY: &str = "GrantPermissions";

/// What is in front instead of a window of `package`. `top` is the activity in front as `package/class`.
pub(crate) fn obstacle(
    package: &str,
    top: &str,
    windows: &[ReadWindow],
    launchers: &BTreeSet<Text>,
) -> Option<Obstacle> {
    let is_failure = |read: &ReadWindow| {
        let window = &read.window;
        window.package == SYSTEM
            && window.kind == WindowKind::System
            && window.flags.contains(WindowFlags::FOCUSED)
    };
    if windows.iter().any(is_failure) {
        return Some(Obstacle::FailureDialog);
    }
    let (top_package, class) = top.split_once('/').unwrap_or((top, ""));
    let in_front = windows
        .iter()
        .rev()
        .find(|read| read.window.kind == WindowKind::Application);
    let has_window =
        in_front.is_some_and(|read| read.window.package == top_package && !read.nodes.is_empty());
    match top_package {
        top if top == package && has_window => None,
        top if top == package => Some(Obstacle::NoWindow),
        "" => Some(Obstacle::NoWindow),
        top if launchers.contains(top) => Some(Obstacle::Launcher),
        top if PERMISSION_PACKAGES.iter().any(|name| top.ends_with(name))
            || class.contains(PERMISSION_ACTIVITY) =>
        {
            Some(Obstacle::PermissionDialog)
        }
        other => Some(Obstacle::OtherApp(other.into())),
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::screen::{Node, Window};

    use super::*;

    const APP: &str = "org.example.app";

    fn window(package: &str, kind: WindowKind, nodes: usize) -> ReadWindow {
        ReadWindow {
            layer: 0,
            number: 0,
            window: Window {
                package: package.into(),
                kind,
                flags: WindowFlags::FOCUSED,
                ..Window::default()
            },
            nodes: vec![Node::default(); nodes],
        }
    }

    fn found(top: &str, windows: &[ReadWindow]) -> Option<Obstacle> {
        obstacle(
            APP,
            top,
            windows,
            &BTreeSet::from(["org.example.home".into()]),
        )
    }

    #[test]
    fn an_app_is_in_front_once_the_window_in_front_is_that_of_its_activity() {
        let main = "org.example.app/.Main";
        let bar = || window("com.android.systemui", WindowKind::System, 9);
        let shown = [window(APP, WindowKind::Application, 3), bar()];
        assert_eq!(found(main, &shown), None);
        // The launcher's window is still there, or the app's has no content yet.
        for package in ["org.example.home", APP] {
            let nodes = usize::from(package != APP);
            let windows = [window(package, WindowKind::Application, nodes), bar()];
            assert_eq!(found(main, &windows), Some(Obstacle::NoWindow));
        }
        assert_eq!(found(main, &[bar()]), Some(Obstacle::NoWindow));
        assert_eq!(found("", &shown), Some(Obstacle::NoWindow));
    }

    #[test]
    fn what_is_in_front_instead_is_named() {
        let named = |top: &str| {
            let package = top.split('/').next().unwrap_or_default();
            found(top, &[window(package, WindowKind::Application, 3)])
        };
        assert_eq!(named("org.example.home/.Home"), Some(Obstacle::Launcher));
        for permission in [
            "com.google.android.permissioncontroller/.permission.ui.GrantPermissionsActivity",
            "com.android.packageinstaller/.permission.ui.GrantPermissionsActivity",
            "com.vendor.security/.permission.GrantPermissionsActivity",
        ] {
            assert_eq!(named(permission), Some(Obstacle::PermissionDialog));
        }
        let other = Obstacle::OtherApp("org.example.other".into());
        assert_eq!(named("org.example.other/.Main"), Some(other));
        let dialog = [
            window(APP, WindowKind::Application, 3),
            window("android", WindowKind::System, 5),
        ];
        assert_eq!(
            found("org.example.app/.Main", &dialog),
            Some(Obstacle::FailureDialog)
        );
    }
}
