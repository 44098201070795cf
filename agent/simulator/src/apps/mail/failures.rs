//! Planted crashes of this app, and the shortest trace to each.

use retap_shared::action::SystemEvent;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Rotation;

use crate::framework::{Exception, FrameworkCaller, Stall, Tombstone};
use crate::planted_crash::PlantedCrashScript;
use crate::planted_crash::ScriptedAction::{self, Back, Home, Launch, Rotate, Tap, Type};

const CALL: ScriptedAction = ScriptedAction::System(SystemEvent::Call);
const LOW_MEMORY: ScriptedAction = ScriptedAction::System(SystemEvent::LowMemory);

pub(super) const PLANTED: &[PlantedCrashScript] = &[
    PlantedCrashScript {
        name: "selection in rotation",
        kind: FindingKind::Crash,
        shortest: &[Tap("select"), Rotate(Rotation::Left)],
    },
    PlantedCrashScript {
        name: "bad archive",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("Pictures of our trip"),
            Tap("attachments"),
            Tap("photos.zip"),
        ],
    },
    PlantedCrashScript {
        name: "bad address in the outbox",
        kind: FindingKind::Crash,
        shortest: &[Tap("compose"), Type("to", "hello"), Tap("send")],
    },
    PlantedCrashScript {
        name: "half a character",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("search"),
            Type("query", "🎈 O'Neil"),
            Tap("go"),
        ],
    },
    PlantedCrashScript {
        name: "sync blocks",
        kind: FindingKind::Anr,
        shortest: &[
            Tap("More options"),
            Tap("settings"),
            Tap("keep"),
            Tap("All of it"),
            Tap("sync"),
            Tap("sync"),
        ],
    },
    PlantedCrashScript {
        name: "three videos",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("compose"),
            Tap("attach"),
            Tap("video.mov"),
            Tap("attach"),
            Tap("video.mov"),
            Tap("attach"),
            Tap("video.mov"),
        ],
    },
    PlantedCrashScript {
        name: "folder without an id",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("folders"),
            Tap("new_folder"),
            Type("folder_field", "hello"),
            Tap("button1"),
            Back,
            Tap("Lunch on Friday?"),
            Tap("move"),
            Tap("hello"),
        ],
    },
    PlantedCrashScript {
        name: "phrase forgotten",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("keys"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    PlantedCrashScript {
        name: "call in a meeting",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("calendar"),
            Tap("plan"),
            CALL,
        ],
    },
    PlantedCrashScript {
        name: "words run over",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("spam"),
            Tap("learn"),
            Tap("learn"),
            Tap("learn"),
        ],
    },
    PlantedCrashScript {
        name: "sign-in expired",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("more"),
            Tap("accounts"),
            Tap("check"),
            Tap("check"),
            Tap("check"),
            Tap("check"),
            Tap("check"),
        ],
    },
];

pub(super) static SELECTION_LOST: Exception = Exception {
    class: "java.lang.IndexOutOfBoundsException",
    frames: &[
        "androidx.recyclerview.widget.RecyclerView$Recycler.getViewForPosition(RecyclerView.java:6148)",
        "com.example.mail.SelectionBar.restore(SelectionBar.java:64)",
        "com.example.mail.InboxActivity.onCreate(InboxActivity.java:88)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static BAD_ARCHIVE: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)",
    library: "libpreview.so",
    frames: &[
        ("zip_read_entry", 156),
        ("preview_archive", 72),
        ("Java_com_example_mail_Preview_render", 120),
    ],
    called_from: "com.example.mail.Preview.render",
};

pub(super) static BAD_ADDRESS: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "com.example.mail.Address.parse(Address.java:52)",
        "com.example.mail.Outbox.deliver(Outbox.java:117)",
        "com.example.mail.Outbox$1.run(Outbox.java:40)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static HIGHLIGHT: Exception = Exception {
    class: "java.lang.StringIndexOutOfBoundsException",
    frames: &[
        "java.lang.String.substring(String.java:2060)",
        "com.example.mail.Highlighter.mark(Highlighter.kt:31)",
        "com.example.mail.SearchActivity.onGo(SearchActivity.kt:59)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static SYNC: Stall = Stall {
    frames: &[
        "java.util.TimSort.mergeHi(TimSort.java:893)",
        "com.example.mail.Threads.sort(Threads.java:140)",
        "com.example.mail.SettingsActivity.onSync(SettingsActivity.java:101)",
    ],
};

pub(super) static OUT_OF_MEMORY: Exception = Exception {
    class: "java.lang.OutOfMemoryError",
    frames: &[
        "java.util.Arrays.copyOf(Arrays.java:3161)",
        "com.example.mail.Encoder.encode(Encoder.java:77)",
        "com.example.mail.ComposeActivity.onAttach(ComposeActivity.java:205)",
    ],
    called_by: FrameworkCaller::DialogButton,
    cause: None,
};

pub(super) static FOLDER_WITHOUT_ID: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.mail.Folder.id(Folder.java:20)",
        "com.example.mail.MessageActivity.lambda$onMove$7(MessageActivity.java:171)",
    ],
    called_by: FrameworkCaller::DialogButton,
    cause: None,
};
