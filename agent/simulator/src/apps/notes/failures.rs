//! What is wrong with this app, and the shortest way to each of it.

use retap_shared::Text;
use retap_shared::action::System;
use retap_shared::screen::Rotation;
use retap_shared::verdict::ProblemKind;

use crate::apps::Planted;
use crate::kit::{Beneath, Cause, Exception, Stall, Tombstone};
use crate::truth::Do::{self, Back, Home, Launch, Long, Rotate, Tap, Type};

const CALL: Do = Do::System(System::Call);
const LOW_MEMORY: Do = Do::System(System::LowMemory);
const ARABIC: Do = Do::System(System::Locale(Text::new_static("ar")));

pub(super) const PLANTED: &[Planted] = &[
    Planted {
        name: "template missing",
        kind: ProblemKind::Crash,
        shortest: &[Long("new")],
    },
    Planted {
        name: "results lost in rotation",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("search"),
            Type("query", "hello"),
            Rotate(Rotation::Left),
        ],
    },
    Planted {
        name: "purge after undo",
        kind: ProblemKind::Crash,
        shortest: &[Long("Shopping"), Tap("Delete"), Tap("button1"), Tap("undo")],
    },
    Planted {
        name: "quote in a tag",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("tags"),
            Type("tag_name", "O'Neil"),
            Tap("add_tag"),
        ],
    },
    Planted {
        name: "export blocks",
        kind: ProblemKind::Anr,
        shortest: &[
            Tap("More options"),
            Tap("settings"),
            Tap("backup"),
            Tap("export"),
            Tap("export"),
        ],
    },
    Planted {
        name: "copy of a copy of a copy",
        kind: ProblemKind::NativeCrash,
        shortest: &[
            Long("Shopping"),
            Tap("Duplicate"),
            Long("Copy of Shopping"),
            Tap("Duplicate"),
            Long("Copy of Copy of Shopping"),
            Tap("Duplicate"),
        ],
    },
    Planted {
        name: "statistics of a deleted tag",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("Shopping"),
            Tap("tag"),
            Tap("home"),
            Tap("save"),
            Tap("More options"),
            Tap("tags"),
            Long("home"),
            Tap("button1"),
            Back,
            Tap("More options"),
            Tap("statistics"),
        ],
    },
    Planted {
        name: "notebooks gone",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("notebooks"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    Planted {
        name: "plural missing",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("reminders"),
            Tap("remind"),
            Tap("remind"),
            ARABIC,
        ],
    },
    Planted {
        name: "lock without a dialog",
        kind: ProblemKind::Crash,
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
    beneath: Beneath::LongClick,
    cause: None,
};

pub(super) static RESULTS_LOST: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.notes.ResultAdapter.<init>(ResultAdapter.java:21)",
        "com.example.notes.SearchActivity.onCreate(SearchActivity.java:47)",
    ],
    beneath: Beneath::Create,
    cause: None,
};

pub(super) static PURGED_NOTHING: Exception = Exception {
    class: "java.util.NoSuchElementException",
    frames: &[
        "java.util.Optional.get(Optional.java:135)",
        "com.example.notes.Deleter.purge(Deleter.java:58)",
        "com.example.notes.Deleter.$r8$lambda$Qm3k(Unknown Source:0)",
    ],
    beneath: Beneath::Handler,
    cause: None,
};

pub(super) static UNQUOTED: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "com.example.notes.TagStore.add(TagStore.java:33)",
        "com.example.notes.TagsActivity.onAdd(TagsActivity.java:72)",
    ],
    beneath: Beneath::Click,
    cause: Some(&Cause {
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
    beneath: Beneath::Create,
    cause: None,
};
