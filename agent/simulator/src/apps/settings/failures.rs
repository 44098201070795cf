//! Planted crashes of this app, and the shortest trace to each.

use retap_shared::Text;
use retap_shared::action::SystemEvent;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Rotation;

use crate::framework::{Exception, FrameworkCaller, Stall, Tombstone};
use crate::planted_crash::PlantedCrashScript;
use crate::planted_crash::ScriptedAction::{self, Back, Home, Launch, Rotate, Tap, Type};

const CALL: ScriptedAction = ScriptedAction::System(SystemEvent::Call);
const OFFLINE: ScriptedAction = ScriptedAction::System(SystemEvent::Offline);
const LOW_MEMORY: ScriptedAction = ScriptedAction::System(SystemEvent::LowMemory);
const ARABIC: ScriptedAction = ScriptedAction::System(SystemEvent::Locale(Text::new_static("ar")));
const TURN: ScriptedAction = Rotate(Rotation::Left);

pub(super) const PLANTED: &[PlantedCrashScript] = &[
    PlantedCrashScript {
        name: "airplane mode with a hotspot",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("network"),
            Tap("hotspot"),
            Tap("Use hotspot"),
            Back,
            Tap("airplane"),
        ],
    },
    PlantedCrashScript {
        name: "VPN goes offline",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("network"),
            Tap("vpn"),
            Tap("connect"),
            Tap("OK"),
            OFFLINE,
        ],
    },
    PlantedCrashScript {
        name: "pairing interrupted",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("connected_devices"),
            Tap("bluetooth"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    PlantedCrashScript {
        name: "saver told twice",
        kind: FindingKind::Crash,
        shortest: &[Tap("battery"), Tap("saver"), LOW_MEMORY, LOW_MEMORY],
    },
    PlantedCrashScript {
        name: "cache gone",
        kind: FindingKind::Crash,
        shortest: &[Tap("storage"), Tap("clear_cache"), Tap("Clear"), TURN],
    },
    PlantedCrashScript {
        name: "clock of another language",
        kind: FindingKind::Crash,
        shortest: &[Tap("system"), Tap("date_and_time"), Tap("hours"), ARABIC],
    },
    PlantedCrashScript {
        name: "layers too deep",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("display"),
            Tap("layers"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
            Tap("add_layer"),
        ],
    },
    PlantedCrashScript {
        name: "pin without a lock",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("security"),
            Tap("screen_lock"),
            Tap("app_pinning"),
            Tap("pin"),
            Back,
            Tap("screen_lock"),
            Tap("app_pinning"),
            Tap("pin"),
        ],
    },
    PlantedCrashScript {
        name: "quoted account",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("accounts"),
            Type("name", "🎈 O'Neil"),
            Tap("add"),
            Tap("add"),
            Tap("add"),
        ],
    },
    PlantedCrashScript {
        name: "reset blocks",
        kind: FindingKind::Anr,
        shortest: &[
            Tap("system"),
            Tap("reset_options"),
            Tap("reset_all"),
            Back,
            Tap("reset_all"),
            Tap("Reset"),
            Tap("Yes"),
            Back,
        ],
    },
    PlantedCrashScript {
        name: "build number tapped on",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("about_phone"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
        ],
    },
    PlantedCrashScript {
        name: "demo mode leaks",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("about_phone"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Back,
            Tap("system"),
            Tap("developer_options"),
            Tap("demo"),
            CALL,
        ],
    },
    PlantedCrashScript {
        name: "trace runs over",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("about_phone"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Tap("build"),
            Back,
            Tap("system"),
            Tap("developer_options"),
            Tap("system_tracing"),
            Tap("record"),
            Tap("stop"),
            Tap("record"),
            Tap("stop"),
            Tap("record"),
            LOW_MEMORY,
        ],
    },
];

pub(super) static AIRPLANE_WITH_HOTSPOT: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "com.example.settings.network.Tethering.stop(Tethering.java:88)",
        "com.example.settings.network.NetworkActivity.onAirplane(NetworkActivity.java:61)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static CACHE_GONE: Exception = Exception {
    class: "org.json.JSONException",
    frames: &[
        "org.json.JSONObject.get(JSONObject.java:399)",
        "com.example.settings.storage.FileList.read(FileList.kt:40)",
        "com.example.settings.storage.StorageActivity.onCreate(StorageActivity.kt:28)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static PAIRING_INTERRUPTED: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.settings.bluetooth.BluetoothActivity.onCreate(BluetoothActivity.java:53)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static SAVER_TOLD_TWICE: Exception = Exception {
    class: "java.util.ConcurrentModificationException",
    frames: &[
        "java.util.ArrayList$Itr.next(ArrayList.java:860)",
        "com.example.settings.battery.Saver.trim(Saver.java:34)",
        "com.example.settings.battery.BatteryActivity.onTrimMemory(BatteryActivity.java:70)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static PIN_WITHOUT_LOCK: Exception = Exception {
    class: "java.lang.SecurityException",
    frames: &[
        "com.example.settings.security.Pin.start(Pin.java:25)",
        "com.example.settings.security.PinningActivity.onPin(PinningActivity.java:47)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static QUOTED_ACCOUNT: Exception = Exception {
    class: "android.database.sqlite.SQLiteException",
    frames: &[
        "android.database.sqlite.SQLiteConnection.nativePrepareStatement(Native Method)",
        "com.example.settings.accounts.Store.merge(Store.java:91)",
        "com.example.settings.accounts.AccountsActivity.onAdd(AccountsActivity.java:55)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static CLOCK_OF_ANOTHER_LANGUAGE: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "java.text.SimpleDateFormat.compile(SimpleDateFormat.java:826)",
        "com.example.settings.date.DateActivity.onCreate(DateActivity.kt:37)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static BUILD_TAPPED_ON: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &["com.example.settings.about.BuildNumber.onTap(BuildNumber.kt:42)"],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static DEMO_LEAK: Exception = Exception {
    class: "android.view.WindowManager$BadTokenException",
    frames: &[
        "android.view.ViewRootImpl.setView(ViewRootImpl.java:1401)",
        "com.example.settings.developer.DemoOverlay.show(DemoOverlay.java:66)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static TRACE_OVERRUN: Exception = Exception {
    class: "java.nio.BufferOverflowException",
    frames: &[
        "java.nio.HeapByteBuffer.put(HeapByteBuffer.java:216)",
        "com.example.settings.developer.Trace.append(Trace.java:120)",
        "com.example.settings.developer.TracingActivity.onTrimMemory(TracingActivity.java:84)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static RESET_BLOCKS: Stall = Stall {
    frames: &[
        "java.io.FileDescriptor.sync(Native Method)",
        "com.example.settings.system.Defaults.write(Defaults.java:140)",
        "com.example.settings.system.ResetActivity.onYes(ResetActivity.java:77)",
    ],
};

pub(super) static VPN_OFFLINE: Tombstone = Tombstone {
    signal: "signal 6 (SIGABRT), code -1 (SI_QUEUE)",
    library: "libtunnel.so",
    frames: &[("fdsan_error(char const*)", 12), ("Tunnel::down()", 220)],
    called_from: "com.example.settings.network.Tunnel.down",
};

pub(super) static LAYERS_DEEP: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 2 (SEGV_ACCERR)",
    library: "liblayers.so",
    frames: &[
        ("Layer::draw(Canvas&)", 64),
        ("Layer::draw(Canvas&)", 64),
        ("Layers::render()", 180),
    ],
    called_from: "com.example.settings.display.Layers.render",
};
