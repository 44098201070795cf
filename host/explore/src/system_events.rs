//! System events to draw from, as the phone supports them, and the system's permission dialog.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_shared::Text;
use retap_shared::action::{SystemEvent, SystemEventKinds};
use retap_shared::geometry::Point;
use retap_shared::screen::{Node, Screen};

const LANGUAGES: [&str; 5] = ["ar", "de", "ja", "ru", "en"];
/// Broadcasts that any app may send. Those of the system itself are refused to the shell.
const BROADCASTS: [&str; 3] = [
    "android.intent.action.MEDIA_BUTTON",
    "android.intent.action.PROVIDER_CHANGED",
    "com.android.vending.INSTALL_REFERRER",
];
/// Time zones with unusual offsets: quarters of an hour, half an hour behind, and the next day.
const TIME_ZONES: [&str; 3] = ["Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"];
/// One event of each kind, in the order in which they are drawn. New kinds come last, so that phones without them draw the same.
static KINDS: [SystemEvent; 10] = [
    SystemEvent::Call,
    SystemEvent::Offline,
    SystemEvent::Online,
    SystemEvent::LowMemory,
    SystemEvent::Locale(Text::new_static("ar")),
    SystemEvent::Message,
    SystemEvent::Broadcast(Text::new_static("android.intent.action.MEDIA_BUTTON")),
    SystemEvent::TimeZone(Text::new_static("Asia/Kathmandu")),
    SystemEvent::Doze,
    SystemEvent::Wake,
];

/// Draws a system event that the phone supports; all kinds are equally likely.
pub(super) fn draw_system_event(supported: SystemEventKinds, rng: &mut Rng) -> Option<SystemEvent> {
    let possible: Vec<&SystemEvent> = KINDS
        .iter()
        .filter(|event| supported.contains(event.kind()))
        .collect();
    let kinds = u32::try_from(possible.len())
        .ok()
        .filter(|kinds| *kinds > 0)?;
    let kind = possible.get(rng.random_range(0..kinds) as usize)?;
    let one_of = |names: &[&'static str], rng: &mut Rng| {
        Text::new_static(names[rng.random_range(0..names.len())])
    };
    Some(match kind {
        SystemEvent::Locale(_) => SystemEvent::Locale(one_of(&LANGUAGES, rng)),
        SystemEvent::Broadcast(_) => SystemEvent::Broadcast(one_of(&BROADCASTS, rng)),
        SystemEvent::TimeZone(_) => SystemEvent::TimeZone(one_of(&TIME_ZONES, rng)),
        other => (*other).clone(),
    })
}

/// True for events of the same kind. Each broadcast is a kind of its own, since each is allowed or refused by itself.
pub(super) fn is_same_kind(one: &SystemEvent, other: &SystemEvent) -> bool {
    match (one, other) {
        (SystemEvent::Broadcast(one), SystemEvent::Broadcast(other)) => one == other,
        _ => one.kind() == other.kind(),
    }
}

/// The point that grants the permission, if the system's permission dialog is shown.
pub(super) fn permission_button(screen: &Screen) -> Option<Point> {
    let package = screen.activity().split('/').next().unwrap_or_default();
    if !package.ends_with("permissioncontroller") && !package.ends_with("packageinstaller") {
        return None;
    }
    let ids = [
        "permission_allow_foreground_only_button",
        "permission_allow_button",
    ];
    let is = |node: &&Node| ids.iter().any(|id| node.id.ends_with(id));
    screen
        .nodes()
        .iter()
        .find(is)
        .map(|node| node.bounds.center())
}

#[cfg(test)]
mod tests {
    use retap_device::seed::Seed;

    use super::*;

    #[test]
    fn exactly_the_supported_system_events_are_drawn() {
        let kinds = |can: SystemEventKinds| {
            let mut rng = Seed(7).rng();
            let events = (0..400).filter_map(|_| draw_system_event(can, &mut rng));
            events.fold(SystemEventKinds::default(), |kinds, event| {
                kinds | event.kind()
            })
        };
        for can in [
            SystemEventKinds::SIMULATED,
            SystemEventKinds::all(),
            SystemEventKinds::DOZE | SystemEventKinds::TIME_ZONE,
        ] {
            assert_eq!(kinds(can), can);
        }
        assert_eq!(
            kinds(SystemEventKinds::default()),
            SystemEventKinds::default()
        );
    }

    #[test]
    fn draws_on_simulated_phones_are_stable() {
        let mut rng = Seed(3).rng();
        let now: Vec<String> = (0..8)
            .filter_map(|_| draw_system_event(SystemEventKinds::SIMULATED, &mut rng))
            .map(|event| event.to_string())
            .collect();
        let mut rng = Seed(3).rng();
        let before = (0..8).map(|_| match rng.random_range(0..5) {
            0 => SystemEvent::Call,
            1 => SystemEvent::Offline,
            2 => SystemEvent::Online,
            3 => SystemEvent::LowMemory,
            _ => SystemEvent::Locale(LANGUAGES[rng.random_range(0..LANGUAGES.len())].into()),
        });
        assert_eq!(
            now,
            before.map(|event| event.to_string()).collect::<Vec<_>>()
        );
    }
}
