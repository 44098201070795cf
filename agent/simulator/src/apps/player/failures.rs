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
const OFFLINE: ScriptedAction = ScriptedAction::System(SystemEvent::Offline);
const ONLINE: ScriptedAction = ScriptedAction::System(SystemEvent::Online);
const LOW_MEMORY: ScriptedAction = ScriptedAction::System(SystemEvent::LowMemory);
const ARABIC: ScriptedAction = ScriptedAction::System(SystemEvent::Locale(Text::new_static("ar")));
const TURN: ScriptedAction = Rotate(Rotation::Left);

pub(super) const PLANTED: &[PlantedCrashScript] = &[
    PlantedCrashScript {
        name: "logo without a listener",
        kind: FindingKind::Crash,
        shortest: &[LongPress("logo")],
    },
    PlantedCrashScript {
        name: "welcome in another language",
        kind: FindingKind::Crash,
        shortest: &[ARABIC],
    },
    PlantedCrashScript {
        name: "call takes the focus",
        kind: FindingKind::Crash,
        shortest: &[Tap("skip"), Tap("now_playing"), Tap("play"), CALL],
    },
    PlantedCrashScript {
        name: "stream is lost",
        kind: FindingKind::NativeCrash,
        shortest: &[Tap("skip"), Tap("radio"), Tap("listen"), OFFLINE],
    },
    PlantedCrashScript {
        name: "queue not read",
        kind: FindingKind::Crash,
        shortest: &[Tap("skip"), Tap("queue"), Home, LOW_MEMORY, Launch],
    },
    PlantedCrashScript {
        name: "scan blocks",
        kind: FindingKind::Anr,
        shortest: &[Tap("skip"), Tap("folders"), Tap("scan"), Tap("scan"), Back],
    },
    PlantedCrashScript {
        name: "quoted playlist",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("playlists"),
            Tap("new_playlist"),
            Type("name", "🎈 O'Neil"),
            Tap("save"),
        ],
    },
    PlantedCrashScript {
        name: "artwork too large",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("albums"),
            Tap("album"),
            Tap("cover"),
            LOW_MEMORY,
        ],
    },
    PlantedCrashScript {
        name: "car video sideways",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            LongPress("play"),
            Tap("video"),
            TURN,
        ],
    },
    PlantedCrashScript {
        name: "sleep timer outlives its screen",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            Tap("sleep"),
            Tap("start"),
            Back,
        ],
    },
    PlantedCrashScript {
        name: "equalizer of the developers",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            LongPress("play"),
            LongPress("next"),
            LongPress("previous"),
            Tap("equalizer"),
            Tap("reset"),
        ],
    },
    PlantedCrashScript {
        name: "consent asked thrice",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("next"),
            Tap("ask"),
            Tap("Cancel"),
            Tap("ask"),
            Tap("Cancel"),
            Tap("ask"),
            Tap("Cancel"),
            Tap("ask"),
        ],
    },
    PlantedCrashScript {
        name: "headset registered twice",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("More options"),
            Tap("settings"),
            Tap("headset"),
            Tap("listen"),
            TURN,
            ARABIC,
            Tap("test"),
        ],
    },
    PlantedCrashScript {
        name: "cast to nowhere",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("More options"),
            Tap("cast"),
            Tap("local"),
            Tap("cellar"),
            OFFLINE,
            ONLINE,
        ],
    },
    PlantedCrashScript {
        name: "sync after the sign-in has expired",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("More options"),
            Tap("settings"),
            Tap("account"),
            Type("user", "user@example.com"),
            Tap("sign_in"),
            Tap("sync"),
            Tap("sync"),
            Tap("sync"),
            Tap("sync"),
        ],
    },
    PlantedCrashScript {
        name: "gapless overrun",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            Tap("play"),
            Tap("speed"),
            LongPress("speed"),
            LongPress("play"),
            LongPress("next"),
            Tap("next"),
            LongPress("previous"),
            Tap("next"),
            Tap("next"),
            TURN,
            Tap("next"),
        ],
    },
];

pub(super) static LOGO_WITHOUT_LISTENER: Exception = Exception {
    class: "kotlin.UninitializedPropertyAccessException",
    frames: &["com.example.player.start.WelcomeActivity.onLogoHeld(WelcomeActivity.kt:44)"],
    called_by: FrameworkCaller::LongClick,
    cause: None,
};

pub(super) static FORMAT_OF_WELCOME: Exception = Exception {
    class: "java.util.FormatFlagsConversionMismatchException",
    frames: &[
        "java.util.Formatter.format(Formatter.java:2528)",
        "com.example.player.start.WelcomeActivity.onCreate(WelcomeActivity.kt:21)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static CALL_TAKES_FOCUS: Exception = Exception {
    class: "java.util.EmptyStackException",
    frames: &[
        "java.util.Stack.peek(Stack.java:103)",
        "com.example.player.audio.Focus.onLoss(Focus.java:71)",
        "com.example.player.audio.Focus$1.onAudioFocusChange(Focus.java:30)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static STREAM_LOST: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)",
    library: "libstream.so",
    frames: &[
        ("Ring::read(void*, unsigned long)", 88),
        ("Stream::pump()", 312),
    ],
    called_from: "com.example.player.radio.Stream.pump",
};

pub(super) static QUEUE_NOT_READ: Exception = Exception {
    class: "kotlin.UninitializedPropertyAccessException",
    frames: &[
        "com.example.player.queue.QueueActivity.getQueue(QueueActivity.kt:19)",
        "com.example.player.queue.QueueActivity.onCreate(QueueActivity.kt:33)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static SCAN_BLOCKS: Stall = Stall {
    frames: &[
        "java.io.UnixFileSystem.list(UnixFileSystem.java:410)",
        "com.example.player.library.Scanner.walk(Scanner.java:58)",
        "com.example.player.library.FoldersActivity.onScan(FoldersActivity.java:90)",
    ],
};

pub(super) static QUOTED_PLAYLIST: Exception = Exception {
    class: "android.database.sqlite.SQLiteException",
    frames: &[
        "android.database.sqlite.SQLiteConnection.nativePrepareStatement(Native Method)",
        "com.example.player.library.Playlists.named(Playlists.java:63)",
        "com.example.player.library.PlaylistActivity.onSave(PlaylistActivity.java:102)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static ARTWORK_TOO_LARGE: Exception = Exception {
    class: "java.lang.OutOfMemoryError",
    frames: &[
        "android.graphics.Bitmap.createBitmap(Bitmap.java:1127)",
        "com.example.player.library.Cover.redraw(Cover.kt:77)",
        "com.example.player.library.AlbumActivity.onTrimMemory(AlbumActivity.kt:58)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static CAR_VIDEO_SIDEWAYS: Tombstone = Tombstone {
    signal: "signal 6 (SIGABRT), code -1 (SI_QUEUE)",
    library: "libsurface.so",
    frames: &[
        ("abort_with(char const*)", 24),
        ("Surface::attach(ANativeWindow*)", 140),
    ],
    called_from: "com.example.player.video.Surface.attach",
};

pub(super) static SLEEP_OUTLIVES: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "androidx.fragment.app.FragmentManager.checkStateLoss(FragmentManager.java:1844)",
        "com.example.player.sleep.SleepActivity.lambda$start$0(SleepActivity.java:52)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static EQUALIZER_OF_DEVELOPERS: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.media.audiofx.AudioEffect.checkStatus(AudioEffect.java:1272)",
        "com.example.player.audio.EqualizerActivity.onReset(EqualizerActivity.java:118)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static TAPE_OF_RADIO: Exception = Exception {
    class: "java.lang.SecurityException",
    frames: &[
        "com.example.player.start.Consent.ask(Consent.kt:27)",
        "com.example.player.start.ConsentsActivity.onAsk(ConsentsActivity.kt:39)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static HEADSET_TWICE: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.app.LoadedApk.forgetReceiverDispatcher(LoadedApk.java:1629)",
        "com.example.player.settings.HeadsetActivity.onTest(HeadsetActivity.java:66)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static CAST_TO_NOWHERE: Exception = Exception {
    class: "java.lang.RuntimeException",
    frames: &["com.example.player.cast.Session$Reconnect.run(Session.java:201)"],
    called_by: FrameworkCaller::Handler,
    cause: Some(&ExceptionCause {
        class: "java.net.NoRouteToHostException",
        message: "No route to host",
        frames: &["com.example.player.cast.Channel.open(Channel.java:45)"],
    }),
};

pub(super) static SYNC_AFTER_EXPIRY: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.player.account.Token.header(Token.java:18)",
        "com.example.player.account.AccountActivity.onSync(AccountActivity.java:80)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static GAPLESS_OVERRUN: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 2 (SEGV_ACCERR)",
    library: "libdecode.so",
    frames: &[
        ("Decoder::splice(short*, int)", 404),
        ("Decoder::next()", 96),
    ],
    called_from: "com.example.player.audio.Decoder.next",
};
