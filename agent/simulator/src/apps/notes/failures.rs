//! Planted crashes of this app, and the shortest trace to each.

use retap_shared::Text;
use retap_shared::action::SystemEvent;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Rotation;

use crate::framework::{Exception, ExceptionCause, FrameworkCaller, Stall, Tombstone};
use crate::planted_crash::PlantedCrashScript;
use crate::planted_crash::ScriptedAction::{
    self, Back, Home, Launch, LongPress, Rotate, Tap, Type,
};

const CALL: ScriptedAction = ScriptedAction::System(SystemEvent::Call);
const LOW_MEMORY: ScriptedAction = ScriptedAction::System(SystemEvent::LowMemory);
const ARABIC: ScriptedAction = ScriptedAction::System(SystemEvent::Locale(Text::new_static("ar")));

pub(super) const PLANTED: &[PlantedCrashScript] = &[
    PlantedCrashScript {
        name: "template missing",
        kind: FindingKind::Crash,
        shortest: &[LongPress("new")],
    },
    PlantedCrashScript {
        name: "results lost in rotation",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("search"),
            Type("query", "hello"),
            Rotate(Rotation::Left),
        ],
    },
    PlantedCrashScript {
        name: "purge after undo",
        kind: FindingKind::Crash,
        shortest: &[
            LongPress("Shopping"),
            Tap("Delete"),
            Tap("button1"),
            Tap("undo"),
        ],
    },
    PlantedCrashScript {
        name: "quote in a tag",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("tags"),
            Type("tag_name", "O'Neil"),
            Tap("add_tag"),
        ],
    },
    PlantedCrashScript {
        name: "export blocks",
        kind: FindingKind::Anr,
        shortest: &[
            Tap("More options"),
            Tap("settings"),
            Tap("backup"),
            Tap("export"),
            Tap("export"),
        ],
    },
    PlantedCrashScript {
        name: "copy of a copy of a copy",
        kind: FindingKind::NativeCrash,
        shortest: &[
            LongPress("Shopping"),
            Tap("Duplicate"),
            LongPress("Copy of Shopping"),
            Tap("Duplicate"),
            LongPress("Copy of Copy of Shopping"),
            Tap("Duplicate"),
        ],
    },
    PlantedCrashScript {
        name: "statistics of a deleted tag",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("Shopping"),
            Tap("tag"),
            Tap("home"),
            Tap("save"),
            Tap("More options"),
            Tap("tags"),
            LongPress("home"),
            Tap("button1"),
            Back,
            Tap("More options"),
            Tap("statistics"),
        ],
    },
    PlantedCrashScript {
        name: "notebooks gone",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("notebooks"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    PlantedCrashScript {
        name: "plural missing",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("reminders"),
            Tap("remind"),
            Tap("remind"),
            ARABIC,
        ],
    },
    PlantedCrashScript {
        name: "lock without a dialog",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("lock"),
            Tap("digit"),
            Tap("digit"),
            Tap("digit"),
            Tap("digit"),
            Tap("enter"),
            Tap("digit"),
            Tap("digit"),
            Tap("digit"),
            Tap("digit"),
            Tap("digit"),
            Tap("digit"),
            CALL,
        ],
    },
];

pub(super) static NO_TEMPLATE: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.notes.ListActivity.newFromTemplate(ListActivity.java:118)",
        "com.example.notes.ListActivity.lambda$onCreate$2(ListActivity.java:64)",
    ],
    called_by: FrameworkCaller::LongClick,
    cause: None,
};

pub(super) static RESULTS_LOST: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.notes.ResultAdapter.<init>(ResultAdapter.java:21)",
        "com.example.notes.SearchActivity.onCreate(SearchActivity.java:47)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static PURGED_NOTHING: Exception = Exception {
    class: "java.util.NoSuchElementException",
    frames: &[
        "java.util.Optional.get(Optional.java:135)",
        "com.example.notes.Deleter.purge(Deleter.java:58)",
        "com.example.notes.Deleter.$r8$lambda$Qm3k(Unknown Source:0)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static UNQUOTED: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "com.example.notes.TagStore.add(TagStore.java:33)",
        "com.example.notes.TagsActivity.onAdd(TagsActivity.java:72)",
    ],
    called_by: FrameworkCaller::Click,
    cause: Some(&ExceptionCause {
        class: "android.database.sqlite.SQLiteException",
        message: "near \"Neil\": syntax error (code 1 SQLITE_ERROR): , while compiling: INSERT INTO tags VALUES ('O'Neil')",
        frames: &[
            "android.database.sqlite.SQLiteConnection.nativePrepareStatement(Native Method)",
            "android.database.sqlite.SQLiteDatabase.execSQL(SQLiteDatabase.java:2112)",
            "com.example.notes.TagStore.insert(TagStore.java:51)",
        ],
    }),
};

pub(super) static EXPORT: Stall = Stall {
    frames: &[
        "java.util.zip.Deflater.deflateBytesBytes(Native method)",
        "com.example.notes.Exporter.compress(Exporter.java:90)",
        "com.example.notes.SettingsActivity.onExport(SettingsActivity.java:112)",
    ],
};

pub(super) static BROKEN_COPY: Tombstone = Tombstone {
    signal: "signal 6 (SIGABRT), code -1 (SI_QUEUE)",
    library: "libnotes.so",
    frames: &[
        ("rope_release", 88),
        ("rope_clone", 212),
        ("Java_com_example_notes_Rope_copy", 64),
    ],
    called_from: "com.example.notes.Rope.copy",
};

pub(super) static UNKNOWN_TAG: Exception = Exception {
    class: "java.util.NoSuchElementException",
    frames: &[
        "kotlin.collections.MapsKt__MapWithDefaultKt.getOrImplicitDefaultNullable(MapWithDefault.kt:24)",
        "com.example.notes.Counter.add(Counter.kt:19)",
        "com.example.notes.StatisticsActivity.onCreate(StatisticsActivity.kt:38)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};
