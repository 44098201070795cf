//! Templates of the crashes of generated apps. Kinds and frequencies follow those that TimeMachine's authors found:
//! null pointers before all others.

use crate::framework::{Exception, FrameworkCaller, Stall, Tombstone};

macro_rules! exceptions {
    ($name:ident, $beneath:ident, $($class:literal at $frame:literal),* $(,)?) => {
        pub(super) static $name: &[Exception] = &[$(Exception {
            class: $class,
            frames: &[concat!("com.example.forge.", $frame)],
            called_by: FrameworkCaller::$beneath,
            cause: None,
        }),*];
    };
}

exceptions![
    TOUCHED,
    Click,
    "java.lang.NullPointerException" at "Row.bind(Row.java:31)",
    "java.lang.NullPointerException" at "Page.show(Page.java:77)",
    "java.lang.NullPointerException" at "Session.user(Session.kt:12)",
    "java.lang.NullPointerException" at "Cache.get(Cache.java:45)",
    "java.lang.IllegalStateException" at "Player.prepare(Player.java:150)",
    "java.lang.IllegalStateException" at "Form.send(Form.kt:66)",
    "java.lang.IllegalArgumentException" at "Chart.scale(Chart.kt:23)",
    "java.lang.IndexOutOfBoundsException" at "Tabs.select(Tabs.java:58)",
    "java.lang.ClassCastException" at "Adapter.item(Adapter.java:91)",
    "java.lang.ArithmeticException" at "Average.of(Average.java:19)",
    "android.content.ActivityNotFoundException" at "Links.open(Links.java:40)",
    "java.lang.SecurityException" at "Contacts.read(Contacts.java:37)",
];

exceptions![
    TYPED,
    Click,
    "java.lang.NumberFormatException" at "Amount.parse(Amount.java:28)",
    "android.database.sqlite.SQLiteException" at "Store.find(Store.java:102)",
    "java.lang.StringIndexOutOfBoundsException" at "Names.initials(Names.kt:15)",
    "java.util.regex.PatternSyntaxException" at "Filter.compile(Filter.kt:33)",
];

exceptions![
    CREATED,
    Create,
    "java.lang.NullPointerException" at "Saved.restore(Saved.java:21)",
    "android.view.InflateException" at "Wide.inflate(Wide.java:64)",
    "java.lang.IllegalStateException" at "Fragments.attach(Fragments.kt:80)",
    "java.util.MissingResourceException" at "Words.of(Words.kt:17)",
    "android.os.BadParcelableException" at "Saved.unpack(Saved.java:55)",
    "java.lang.ClassCastException" at "Saved.cast(Saved.java:60)",
];

exceptions![
    TOLD,
    Handler,
    "java.lang.NullPointerException" at "Receiver.onReceive(Receiver.java:29)",
    "java.lang.IllegalStateException" at "Call.pause(Call.java:48)",
    "java.lang.OutOfMemoryError" at "Images.trim(Images.java:93)",
    "java.util.ConcurrentModificationException" at "Queue.drain(Queue.kt:71)",
    "java.net.UnknownHostException" at "Sync.run(Sync.java:118)",
    "java.lang.IllegalArgumentException" at "Late.run(Late.java:36)",
];

pub(super) static SIGNALLED: &[Tombstone] = &[
    Tombstone {
        signal: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)",
        library: "libforge.so",
        frames: &[("decode(unsigned char const*)", 60), ("Image::load()", 128)],
        called_from: "com.example.forge.Image.load",
    },
    Tombstone {
        signal: "signal 6 (SIGABRT), code -1 (SI_QUEUE)",
        library: "libforge.so",
        frames: &[("check(bool)", 16), ("Codec::flush()", 244)],
        called_from: "com.example.forge.Codec.flush",
    },
];

pub(super) static STALLED: &[Stall] = &[
    Stall {
        frames: &["com.example.forge.Index.build(Index.java:140)"],
    },
    Stall {
        frames: &["com.example.forge.Backup.write(Backup.java:88)"],
    },
];
