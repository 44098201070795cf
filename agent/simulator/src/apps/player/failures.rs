//! What is wrong with this app, and the shortest way to each of it.

use retap_shared::Text;
use retap_shared::action::System;
use retap_shared::screen::Rotation;
use retap_shared::verdict::ProblemKind;

use crate::apps::Planted;
use crate::kit::{Beneath, Cause, Exception, Stall, Tombstone};
use crate::truth::Do::{self, Back, Home, Launch, Long, Rotate, Tap, Type};

const CALL: Do = Do::System(System::Call);
const OFFLINE: Do = Do::System(System::Offline);
const ONLINE: Do = Do::System(System::Online);
const LOW_MEMORY: Do = Do::System(System::LowMemory);
const ARABIC: Do = Do::System(System::Locale(Text::new_static("ar")));
const TURN: Do = Rotate(Rotation::Left);

pub(super) const PLANTED: &[Planted] = &[
    Planted {
        name: "logo without a listener",
        kind: ProblemKind::Crash,
        shortest: &[Long("logo")],
    },
    Planted {
        name: "welcome in another language",
        kind: ProblemKind::Crash,
        shortest: &[ARABIC],
    },
    Planted {
        name: "call takes the focus",
        kind: ProblemKind::Crash,
        shortest: &[Tap("skip"), Tap("now_playing"), Tap("play"), CALL],
    },
    Planted {
        name: "stream is lost",
        kind: ProblemKind::NativeCrash,
        shortest: &[Tap("skip"), Tap("radio"), Tap("listen"), OFFLINE],
    },
    Planted {
        name: "queue not read",
        kind: ProblemKind::Crash,
        shortest: &[Tap("skip"), Tap("queue"), Home, LOW_MEMORY, Launch],
    },
    Planted {
        name: "scan blocks",
        kind: ProblemKind::Anr,
        shortest: &[Tap("skip"), Tap("folders"), Tap("scan"), Tap("scan"), Back],
    },
    Planted {
        name: "quoted playlist",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("playlists"),
            Tap("new_playlist"),
            Type("name", "🎈 O'Neil"),
            Tap("save"),
        ],
    },
    Planted {
        name: "artwork too large",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("albums"),
            Tap("album"),
            Tap("cover"),
            LOW_MEMORY,
        ],
    },
    Planted {
        name: "car video sideways",
        kind: ProblemKind::NativeCrash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            Long("play"),
            Tap("video"),
            TURN,
        ],
    },
    Planted {
        name: "sleep timer outlives its screen",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            Tap("sleep"),
            Tap("start"),
            Back,
        ],
    },
    Planted {
        name: "equalizer of the developers",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            Long("play"),
            Long("next"),
            Long("previous"),
            Tap("equalizer"),
            Tap("reset"),
        ],
    },
    Planted {
        name: "consent asked thrice",
        kind: ProblemKind::Crash,
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
    Planted {
        name: "headset registered twice",
        kind: ProblemKind::Crash,
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
    Planted {
        name: "cast to nowhere",
        kind: ProblemKind::Crash,
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
    Planted {
        name: "sync after the sign-in has expired",
        kind: ProblemKind::Crash,
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
    Planted {
        name: "gapless overrun",
        kind: ProblemKind::NativeCrash,
        shortest: &[
            Tap("skip"),
            Tap("now_playing"),
            Tap("play"),
            Tap("speed"),
            Long("speed"),
            Long("play"),
            Long("next"),
            Tap("next"),
            Long("previous"),
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
    beneath: Beneath::LongClick,
    cause: None,
};

pub(super) static FORMAT_OF_WELCOME: Exception = Exception {
    class: "java.util.FormatFlagsConversionMismatchException",
    frames: &[
        "java.util.Formatter.format(Formatter.java:2528)",
        "com.example.player.start.WelcomeActivity.onCreate(WelcomeActivity.kt:21)",
    ],
    beneath: Beneath::Create,
    cause: None,
};

pub(super) static CALL_TAKES_FOCUS: Exception = Exception {
    class: "java.util.EmptyStackException",
    frames: &[
        "java.util.Stack.peek(Stack.java:103)",
        "com.example.player.audio.Focus.onLoss(Focus.java:71)",
        "com.example.player.audio.Focus$1.onAudioFocusChange(Focus.java:30)",
    ],
    beneath: Beneath::Handler,
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
    beneath: Beneath::Create,
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
    beneath: Beneath::Click,
    cause: None,
};

pub(super) static ARTWORK_TOO_LARGE: Exception = Exception {
    class: "java.lang.OutOfMemoryError",
    frames: &[
        "android.graphics.Bitmap.createBitmap(Bitmap.java:1127)",
        "com.example.player.library.Cover.redraw(Cover.kt:77)",
        "com.example.player.library.AlbumActivity.onTrimMemory(AlbumActivity.kt:58)",
    ],
    beneath: Beneath::Handler,
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
    beneath: Beneath::Handler,
    cause: None,
};

pub(super) static EQUALIZER_OF_DEVELOPERS: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.media.audiofx.AudioEffect.checkStatus(AudioEffect.java:1272)",
        "com.example.player.audio.EqualizerActivity.onReset(EqualizerActivity.java:118)",
    ],
    beneath: Beneath::Click,
    cause: None,
};

pub(super) static TAPE_OF_RADIO: Exception = Exception {
    class: "java.lang.SecurityException",
    frames: &[
        "com.example.player.start.Consent.ask(Consent.kt:27)",
        "com.example.player.start.ConsentsActivity.onAsk(ConsentsActivity.kt:39)",
    ],
    beneath: Beneath::Click,
    cause: None,
};

pub(super) static HEADSET_TWICE: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.app.LoadedApk.forgetReceiverDispatcher(LoadedApk.java:1629)",
        "com.example.player.settings.HeadsetActivity.onTest(HeadsetActivity.java:66)",
    ],
    beneath: Beneath::Click,
    cause: None,
};

pub(super) static CAST_TO_NOWHERE: Exception = Exception {
    class: "java.lang.RuntimeException",
    frames: &["com.example.player.cast.Session$Reconnect.run(Session.java:201)"],
    beneath: Beneath::Handler,
    cause: Some(&Cause {
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
    beneath: Beneath::Click,
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
