//! Commands of a phone's shell that tests need: start the app, turn the display, send system events, look for problems.
//! They are those that the agent uses, where it uses commands.

use retap_shared::action::{Action, SystemEvent};
use retap_shared::geometry::Rotation;
use retap_shared::trace::StartMode;

use super::literal;
use super::source::ExportSource;

/// Names of the events that Android logs when an app crashes or hangs, natively too.
pub(super) const PROBLEM_LOG: &str = "logcat -b events -d -v brief -s am_crash am_anr";
/// Empties that log.
pub(super) const CLEAR_PROBLEM_LOG: &str = "logcat -b events -c";

/// Commands that bring the app to its start.
pub(super) fn start(source: &ExportSource<'_>) -> Vec<String> {
    let package = literal::shell(source.package());
    match source.trace.header.start {
        StartMode::Clean => vec![format!("pm clear {package}"), launch(source)],
        StartMode::Restart => vec![format!("am force-stop {package}"), launch(source)],
        StartMode::Continue => Vec::new(),
    }
}

/// The command that brings the app to the front.
pub(super) fn launch(source: &ExportSource<'_>) -> String {
    match source.component() {
        Some(component) => format!("am start -W -n {}", literal::shell(&component)),
        None => format!(
            "monkey -p {} -c android.intent.category.LAUNCHER 1",
            literal::shell(source.package())
        ),
    }
}

/// The commands of an action that is no gesture; none if the shell has none.
pub(super) fn of_action(action: &Action, source: &ExportSource<'_>) -> Option<Vec<String>> {
    let package = literal::shell(source.package());
    let commands = match action {
        Action::Key(key) => vec![format!("input keyevent {}", key.code())],
        Action::Rotate(rotation) => vec![
            "settings put system accelerometer_rotation 0".to_owned(),
            format!(
                "settings put system user_rotation {}",
                quarter_turns(*rotation)
            ),
        ],
        Action::Launch => vec![launch(source)],
        Action::System(event) => match event {
            SystemEvent::Offline => vec!["svc wifi disable".into(), "svc data disable".into()],
            SystemEvent::Online => vec!["svc wifi enable".into(), "svc data enable".into()],
            SystemEvent::LowMemory => {
                vec![format!("am send-trim-memory {package} RUNNING_CRITICAL")]
            }
            SystemEvent::Broadcast(action) => {
                vec![format!(
                    "am broadcast -a {} -p {package}",
                    literal::shell(action)
                )]
            }
            SystemEvent::Doze => vec!["dumpsys deviceidle force-idle".into()],
            SystemEvent::Wake => vec!["dumpsys deviceidle unforce".into()],
            SystemEvent::Call
            | SystemEvent::Message
            | SystemEvent::Locale(_)
            | SystemEvent::TimeZone(_) => return None,
        },
        Action::Tap(_)
        | Action::LongPress(_)
        | Action::Swipe { .. }
        | Action::Pinch { .. }
        | Action::Text { .. }
        | Action::Wait { .. } => return None,
    };
    Some(commands)
}

/// `Surface.ROTATION_*` as a number.
pub(super) fn quarter_turns(rotation: Rotation) -> u8 {
    match rotation {
        Rotation::Natural => 0,
        Rotation::Left => 1,
        Rotation::UpsideDown => 2,
        Rotation::Right => 3,
    }
}
