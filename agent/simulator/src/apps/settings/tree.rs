//! The screens, each with its switches, and what leads to what.

use super::HOME;
use crate::plan::{Look, Screen, Then, Var, Widget, go, note, radio, row, rule, screen, toggle};

/// A screen: its class, its title, the number of the screen that leads to it, and its switches.
struct Branch {
    class: &'static str,
    title: &'static str,
    above: u8,
    switches: &'static [&'static str],
}

pub(super) fn screens() -> Vec<Screen> {
    let widgets = |number: u8, branch: &Branch| -> Vec<Widget> {
        let below = TREE
            .iter()
            .zip(0_u8..)
            .filter(|(other, place)| other.above == number && *place != number);
        let ways = below.map(|(other, place)| go(&id(other.title), other.title, place).columns(2));
        let switches = branch.switches.iter().map(|label| switch(number, label));
        ways.chain(switches).collect()
    };
    let mut screens: Vec<Screen> = TREE
        .iter()
        .zip(0_u8..)
        .map(|(branch, number)| screen(branch.class, branch.title, widgets(number, branch)))
        .collect();
    screens[usize::from(HOME)].menu = vec![
        row(
            "help",
            "Help",
            vec![rule(&[], &[Then::Leave(crate::kit::Elsewhere::Browser)])],
        ),
        go("search", "Search settings", SEARCH),
    ];
    screens[usize::from(SEARCH)]
        .widgets
        .insert(0, note("words", "What are you looking for?"));
    screens
}

/// `Only on Wi-Fi` becomes `only_on_wi_fi`.
pub(super) fn id(label: &str) -> String {
    label.to_lowercase().replace([' ', '-'], "_")
}

/// A label with `|` in it is a choice, all others are switches.
fn switch(number: u8, label: &str) -> Widget {
    match label.split_once('|') {
        Some((value, label)) => {
            let chosen = Var::Inert(256 + u16::from(number));
            radio(&id(label), label, chosen, value.parse().unwrap_or_default())
        }
        None if label.starts_with('~') => Widget::of(&id(&label[1..]), &label[1..], Look::Restless),
        None => toggle(&id(label), label),
    }
}

pub(super) const NETWORK: u8 = 1;
pub(super) const HOTSPOTS: u8 = 3;
pub(super) const VPNS: u8 = 4;
pub(super) const BLUETOOTH: u8 = 6;
pub(super) const BATTERY: u8 = 9;
pub(super) const STORAGE: u8 = 10;
pub(super) const LAYERED: u8 = 17;
pub(super) const SECURITY: u8 = 20;
pub(super) const PINNING: u8 = 22;
pub(super) const ACCOUNT_LIST: u8 = 24;
pub(super) const DATE: u8 = 27;
pub(super) const RESETS: u8 = 28;
pub(super) const ABOUT: u8 = 29;
pub(super) const DEVELOPERS: u8 = 30;
pub(super) const TRACING: u8 = 31;
const SEARCH: u8 = 35;

const TREE: &[Branch] = &[
    Branch {
        class: "HomeActivity",
        title: "Settings",
        above: 0,
        switches: &[],
    },
    Branch {
        class: "NetworkActivity",
        title: "Network",
        above: 0,
        switches: &[
            "Wi-Fi",
            "Mobile data",
            "Roaming",
            "Wi-Fi calling",
            "Data saver",
        ],
    },
    Branch {
        class: "WifiActivity",
        title: "Wi-Fi networks",
        above: 1,
        switches: &[
            "Ask to join",
            "Wake up near home",
            "Prefer fast",
            "Share passwords",
            "Private address",
            "Metered",
            "~Searching",
        ],
    },
    Branch {
        class: "HotspotActivity",
        title: "Hotspot",
        above: 1,
        switches: &[
            "Turn off by itself",
            "Extend compatibility",
            "Hide its name",
            "0|2.4 GHz",
            "1|5 GHz",
            "2|6 GHz",
        ],
    },
    Branch {
        class: "VpnActivity",
        title: "VPN",
        above: 1,
        switches: &["Always on", "Block without VPN", "Local network"],
    },
    Branch {
        class: "DevicesActivity",
        title: "Connected devices",
        above: 0,
        switches: &["Nearby share", "Android Beam", "Printing", "Driving mode"],
    },
    Branch {
        class: "BluetoothActivity",
        title: "Bluetooth",
        above: 5,
        switches: &[
            "Visible",
            "Absolute volume",
            "Share contacts",
            "~Looking for devices",
        ],
    },
    Branch {
        class: "NfcActivity",
        title: "NFC",
        above: 5,
        switches: &["Use NFC", "Only unlocked", "Pay at once", "Sound"],
    },
    Branch {
        class: "SoundActivity",
        title: "Sound",
        above: 0,
        switches: &[
            "Vibrate",
            "Dial tones",
            "Charging sounds",
            "Touch sounds",
            "Lock sounds",
            "Live caption",
            "0|Ring",
            "1|Silent",
            "2|Vibrate only",
        ],
    },
    Branch {
        class: "BatteryActivity",
        title: "Battery",
        above: 0,
        switches: &["Percentage", "Adaptive", "Share power"],
    },
    Branch {
        class: "StorageActivity",
        title: "Storage",
        above: 0,
        switches: &["Smart storage", "Free up by itself", "Show system"],
    },
    Branch {
        class: "AppsActivity",
        title: "Apps",
        above: 0,
        switches: &["Hibernate", "Show all", "Instant apps"],
    },
    Branch {
        class: "DefaultsActivity",
        title: "Default apps",
        above: 11,
        switches: &[
            "Open links",
            "Ask each time",
            "0|Browser",
            "1|Reader",
            "2|None",
        ],
    },
    Branch {
        class: "SpecialActivity",
        title: "Special access",
        above: 11,
        switches: &[
            "All files",
            "Over other apps",
            "Usage data",
            "Alarms",
            "Picture in picture",
            "Do not disturb",
            "Install unknown",
        ],
    },
    Branch {
        class: "DisplayActivity",
        title: "Display",
        above: 0,
        switches: &[
            "Adaptive brightness",
            "Rotate by itself",
            "Smooth",
            "Raise to wake",
        ],
    },
    Branch {
        class: "NightActivity",
        title: "Night light",
        above: 14,
        switches: &[
            "Scheduled",
            "At sunset",
            "Warmer",
            "0|Low",
            "1|Middle",
            "2|High",
        ],
    },
    Branch {
        class: "FontActivity",
        title: "Letters",
        above: 14,
        switches: &[
            "Bold",
            "High contrast",
            "0|Small",
            "1|Normal",
            "2|Large",
            "3|Largest",
        ],
    },
    Branch {
        class: "LayersActivity",
        title: "Layers",
        above: 14,
        switches: &["Show edges", "Blur"],
    },
    Branch {
        class: "SaverActivity",
        title: "Screen saver",
        above: 14,
        switches: &[
            "Clock",
            "Photos",
            "Colours",
            "While charging",
            "While docked",
        ],
    },
    Branch {
        class: "AccessibilityActivity",
        title: "Accessibility",
        above: 0,
        switches: &[
            "Reader",
            "Magnify",
            "Mono",
            "Captions",
            "Flash on ring",
            "Sound notes",
            "Large pointer",
            "No animations",
            "Invert",
            "Remove colour",
        ],
    },
    Branch {
        class: "SecurityActivity",
        title: "Security",
        above: 0,
        switches: &[
            "Find my phone",
            "Scan apps",
            "Smart unlock",
            "Lock now with power",
        ],
    },
    Branch {
        class: "PrivacyActivity",
        title: "Privacy",
        above: 20,
        switches: &[
            "Camera",
            "Microphone",
            "Show passwords",
            "Clipboard notices",
            "Personal ads",
            "Usage",
            "Location history",
        ],
    },
    Branch {
        class: "PinningActivity",
        title: "App pinning",
        above: 20,
        switches: &["Ask for PIN", "Screen lock too"],
    },
    Branch {
        class: "CertificatesActivity",
        title: "Certificates",
        above: 20,
        switches: &["Trust users", "Check revoked", "Show system ones"],
    },
    Branch {
        class: "AccountsActivity",
        title: "Accounts",
        above: 0,
        switches: &["Sync by itself", "Sync on Wi-Fi only", "Work profile"],
    },
    Branch {
        class: "SystemActivity",
        title: "System",
        above: 0,
        switches: &["Update by itself", "Backup", "Gestures"],
    },
    Branch {
        class: "LanguagesActivity",
        title: "Languages",
        above: 25,
        switches: &[
            "Translate",
            "Spell check",
            "Dictionary",
            "Speech",
            "Pointer speed",
        ],
    },
    Branch {
        class: "DateActivity",
        title: "Date and time",
        above: 25,
        switches: &["Set by itself", "Zone by itself", "Zone by location"],
    },
    Branch {
        class: "ResetActivity",
        title: "Reset options",
        above: 25,
        switches: &["Keep eSIM", "Keep downloads"],
    },
    Branch {
        class: "AboutActivity",
        title: "About phone",
        above: 0,
        switches: &["Legal", "Regulatory", "Safety"],
    },
    Branch {
        class: "DeveloperActivity",
        title: "Developer options",
        above: 25,
        switches: &[
            "Stay awake",
            "USB debugging",
            "Wi-Fi debugging",
            "Show taps",
            "Pointer location",
            "Strict mode",
            "Force GPU",
            "Profile rendering",
        ],
    },
    Branch {
        class: "TracingActivity",
        title: "System tracing",
        above: 30,
        switches: &["Memory", "CPU", "Long traces", "Attach to reports"],
    },
    Branch {
        class: "QuickActivity",
        title: "Quick settings tiles",
        above: 30,
        switches: &["Sensors off", "Show layout", "Window speed", "Force dark"],
    },
    Branch {
        class: "NotificationsActivity",
        title: "Notifications",
        above: 0,
        switches: &[
            "Bubbles",
            "History",
            "On the lock screen",
            "Snooze",
            "Dots",
            "Enhanced",
            "Brief",
        ],
    },
    Branch {
        class: "EmergencyActivity",
        title: "Emergency",
        above: 0,
        switches: &[
            "SOS",
            "Crisis alerts",
            "Car crash",
            "Earthquakes",
            "Share location",
        ],
    },
    Branch {
        class: "SearchActivity",
        title: "Search",
        above: 35,
        switches: &["In apps", "In help"],
    },
    Branch {
        class: "WellbeingActivity",
        title: "Wellbeing",
        above: 0,
        switches: &["Bedtime", "Focus", "Timers", "Heads up", "Grey at night"],
    },
    Branch {
        class: "LocationActivity",
        title: "Location",
        above: 0,
        switches: &[
            "Use location",
            "Scan for Wi-Fi",
            "Scan for Bluetooth",
            "Accuracy",
            "Time zone",
        ],
    },
];
