//! The table of the screens. Their order is the order of their numbers.

/// A screen: its class, its title, the number of the screen that leads to it, and its switches.
pub(super) struct SettingsScreen {
    pub(super) class: &'static str,
    pub(super) title: &'static str,
    pub(super) parent: u8,
    pub(super) switches: &'static [&'static str],
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
pub(super) const SEARCH: u8 = 35;

pub(super) const SCREENS: &[SettingsScreen] = &[
    SettingsScreen {
        class: "HomeActivity",
        title: "Settings",
        parent: 0,
        switches: &[],
    },
    SettingsScreen {
        class: "NetworkActivity",
        title: "Network",
        parent: 0,
        switches: &[
            "Wi-Fi",
            "Mobile data",
            "Roaming",
            "Wi-Fi calling",
            "Data saver",
        ],
    },
    SettingsScreen {
        class: "WifiActivity",
        title: "Wi-Fi networks",
        parent: 1,
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
    SettingsScreen {
        class: "HotspotActivity",
        title: "Hotspot",
        parent: 1,
        switches: &[
            "Turn off by itself",
            "Extend compatibility",
            "Hide its name",
            "0|2.4 GHz",
            "1|5 GHz",
            "2|6 GHz",
        ],
    },
    SettingsScreen {
        class: "VpnActivity",
        title: "VPN",
        parent: 1,
        switches: &["Always on", "Block without VPN", "Local network"],
    },
    SettingsScreen {
        class: "DevicesActivity",
        title: "Connected devices",
        parent: 0,
        switches: &["Nearby share", "Android Beam", "Printing", "Driving mode"],
    },
    SettingsScreen {
        class: "BluetoothActivity",
        title: "Bluetooth",
        parent: 5,
        switches: &[
            "Visible",
            "Absolute volume",
            "Share contacts",
            "~Looking for devices",
        ],
    },
    SettingsScreen {
        class: "NfcActivity",
        title: "NFC",
        parent: 5,
        switches: &["Use NFC", "Only unlocked", "Pay at once", "Sound"],
    },
    SettingsScreen {
        class: "SoundActivity",
        title: "Sound",
        parent: 0,
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
    SettingsScreen {
        class: "BatteryActivity",
        title: "Battery",
        parent: 0,
        switches: &["Percentage", "Adaptive", "Share power"],
    },
    SettingsScreen {
        class: "StorageActivity",
        title: "Storage",
        parent: 0,
        switches: &["Smart storage", "Free up by itself", "Show system"],
    },
    SettingsScreen {
        class: "AppsActivity",
        title: "Apps",
        parent: 0,
        switches: &["Hibernate", "Show all", "Instant apps"],
    },
    SettingsScreen {
        class: "DefaultsActivity",
        title: "Default apps",
        parent: 11,
        switches: &[
            "Open links",
            "Ask each time",
            "0|Browser",
            "1|Reader",
            "2|None",
        ],
    },
    SettingsScreen {
        class: "SpecialActivity",
        title: "Special access",
        parent: 11,
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
    SettingsScreen {
        class: "DisplayActivity",
        title: "Display",
        parent: 0,
        switches: &[
            "Adaptive brightness",
            "Rotate by itself",
            "Smooth",
            "Raise to wake",
        ],
    },
    SettingsScreen {
        class: "NightActivity",
        title: "Night light",
        parent: 14,
        switches: &[
            "Scheduled",
            "At sunset",
            "Warmer",
            "0|Low",
            "1|Middle",
            "2|High",
        ],
    },
    SettingsScreen {
        class: "FontActivity",
        title: "Letters",
        parent: 14,
        switches: &[
            "Bold",
            "High contrast",
            "0|Small",
            "1|Normal",
            "2|Large",
            "3|Largest",
        ],
    },
    SettingsScreen {
        class: "LayersActivity",
        title: "Layers",
        parent: 14,
        switches: &["Show edges", "Blur"],
    },
    SettingsScreen {
        class: "SaverActivity",
        title: "Screen saver",
        parent: 14,
        switches: &[
            "Clock",
            "Photos",
            "Colours",
            "While charging",
            "While docked",
        ],
    },
    SettingsScreen {
        class: "AccessibilityActivity",
        title: "Accessibility",
        parent: 0,
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
    SettingsScreen {
        class: "SecurityActivity",
        title: "Security",
        parent: 0,
        switches: &[
            "Find my phone",
            "Scan apps",
            "Smart unlock",
            "Lock now with power",
        ],
    },
    SettingsScreen {
        class: "PrivacyActivity",
        title: "Privacy",
        parent: 20,
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
    SettingsScreen {
        class: "PinningActivity",
        title: "App pinning",
        parent: 20,
        switches: &["Ask for PIN", "Screen lock too"],
    },
    SettingsScreen {
        class: "CertificatesActivity",
        title: "Certificates",
        parent: 20,
        switches: &["Trust users", "Check revoked", "Show system ones"],
    },
    SettingsScreen {
        class: "AccountsActivity",
        title: "Accounts",
        parent: 0,
        switches: &["Sync by itself", "Sync on Wi-Fi only", "Work profile"],
    },
    SettingsScreen {
        class: "SystemActivity",
        title: "System",
        parent: 0,
        switches: &["Update by itself", "Backup", "Gestures"],
    },
    SettingsScreen {
        class: "LanguagesActivity",
        title: "Languages",
        parent: 25,
        switches: &[
            "Translate",
            "Spell check",
            "Dictionary",
            "Speech",
            "Pointer speed",
        ],
    },
    SettingsScreen {
        class: "DateActivity",
        title: "Date and time",
        parent: 25,
        switches: &["Set by itself", "Zone by itself", "Zone by location"],
    },
    SettingsScreen {
        class: "ResetActivity",
        title: "Reset options",
        parent: 25,
        switches: &["Keep eSIM", "Keep downloads"],
    },
    SettingsScreen {
        class: "AboutActivity",
        title: "About phone",
        parent: 0,
        switches: &["Legal", "Regulatory", "Safety"],
    },
    SettingsScreen {
        class: "DeveloperActivity",
        title: "Developer options",
        parent: 25,
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
    SettingsScreen {
        class: "TracingActivity",
        title: "System tracing",
        parent: 30,
        switches: &["Memory", "CPU", "Long traces", "Attach to reports"],
    },
    SettingsScreen {
        class: "QuickActivity",
        title: "Quick settings tiles",
        parent: 30,
        switches: &["Sensors off", "Show layout", "Window speed", "Force dark"],
    },
    SettingsScreen {
        class: "NotificationsActivity",
        title: "Notifications",
        parent: 0,
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
    SettingsScreen {
        class: "EmergencyActivity",
        title: "Emergency",
        parent: 0,
        switches: &[
            "SOS",
            "Crisis alerts",
            "Car crash",
            "Earthquakes",
            "Share location",
        ],
    },
    SettingsScreen {
        class: "SearchActivity",
        title: "Search",
        parent: 35,
        switches: &["In apps", "In help"],
    },
    SettingsScreen {
        class: "WellbeingActivity",
        title: "Wellbeing",
        parent: 0,
        switches: &["Bedtime", "Focus", "Timers", "Heads up", "Grey at night"],
    },
    SettingsScreen {
        class: "LocationActivity",
        title: "Location",
        parent: 0,
        switches: &[
            "Use location",
            "Scan for Wi-Fi",
            "Scan for Bluetooth",
            "Accuracy",
            "Time zone",
        ],
    },
];
