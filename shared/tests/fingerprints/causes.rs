//! Fingerprints of exceptions with causes and suppressed exceptions.

use super::exception::lines;

#[test]
fn the_root_cause_counts_with_its_shared_frames() {
    let stack =
        "java.lang.RuntimeException: Unable to start activity ComponentInfo{com.example.shop/.Main}
\tat android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3449)
\tat com.example.shop.Launcher.launch(Launcher.java:9)
\tat android.app.ActivityThread.main(ActivityThread.java:7660)
Caused by: com.example.shop.ConfigException: bad
\tat com.example.shop.Config.load(Config.java:20)
\tat com.example.shop.Main.onCreate(Main.java:30)
\tat android.app.Activity.performCreate(Activity.java:8000)
\t... 2 more
Caused by: java.io.FileNotFoundException: /data/user/0/com.example.shop/files/config.json
\tat java.io.FileInputStream.open0(Native Method)
\tat com.example.shop.Config.open(Config.java:12)
\t... 5 more";
    assert_eq!(
        lines(stack),
        [
            "java.io.FileNotFoundException",
            "com.example.shop.Config.open",
            "com.example.shop.Config.load",
            "com.example.shop.Main.onCreate",
            "com.example.shop.Launcher.launch",
        ]
    );
    let fewer = stack.replace("... 5 more", "... 3 more");
    assert_eq!(lines(&fewer)[2..], ["com.example.shop.Launcher.launch"]);
}

#[test]
fn a_cycle_of_causes_ends_where_it_closes() {
    for end in [
        "\t[CIRCULAR REFERENCE: java.lang.IllegalStateException: outer]",
        "\t[CIRCULAR REFERENCE:java.lang.IllegalStateException: outer]",
        "Caused by: [CIRCULAR REFERENCE: java.lang.IllegalStateException: outer]",
    ] {
        let stack = format!(
            "java.lang.IllegalStateException: outer\n\tat com.example.shop.A.a(A.java:1)\n\
             Caused by: java.io.IOException: inner\n\tat com.example.shop.B.b(B.java:2)\n\t... 1 more\n{end}"
        );
        assert_eq!(
            lines(&stack),
            [
                "java.io.IOException",
                "com.example.shop.B.b",
                "com.example.shop.A.a"
            ],
            "{end}"
        );
    }
}

const SUPPRESSED: &str = "java.lang.IllegalStateException: outer
\tat com.example.shop.A.a(A.java:1)
\tSuppressed: java.io.IOException: while closing
\t\tat com.example.shop.Closer.close(Closer.java:5)
\t\t... 1 more
\tCaused by: java.net.SocketException: of the suppressed one
\t\tat com.example.shop.Closer.reset(Closer.java:9)
\t\t... 2 more
Caused by: java.lang.ArithmeticException: divide by zero
\tat com.example.shop.B.b(B.java:2)
\t... 1 more";

#[test]
fn suppressed_exceptions_and_their_causes_do_not_count() {
    let expected = [
        "java.lang.ArithmeticException",
        "com.example.shop.B.b",
        "com.example.shop.A.a",
    ];
    assert_eq!(lines(SUPPRESSED), expected);
    let without_cause = SUPPRESSED.split("Caused by: java.lang").next().unwrap();
    assert_eq!(
        lines(without_cause),
        ["java.lang.IllegalStateException", "com.example.shop.A.a"]
    );
}

#[test]
fn without_indents_a_suppressed_exception_keeps_the_cause_that_follows_it() {
    let not_found = "java.lang.ClassNotFoundException: Didn't find class
at com.example.shop.A.a(A.java:1)
Suppressed: java.lang.ClassNotFoundException: again
at java.lang.Class.classForName(Native Method)
... 1 more
Caused by: java.lang.NoClassDefFoundError: Class not found using the boot class loader";
    assert_eq!(
        lines(not_found),
        ["java.lang.ClassNotFoundException", "com.example.shop.A.a"]
    );
    let of_coroutine = "java.lang.RuntimeException: outer
at com.example.shop.A.a(A.java:1)
Suppressed: kotlinx.coroutines.internal.DiagnosticCoroutineContextException: [StandaloneCoroutine{Cancelling}@1b2c3d4]
Caused by: java.io.IOException: inner
at com.example.shop.B.b(B.java:2)";
    assert_eq!(
        lines(of_coroutine),
        ["java.io.IOException", "com.example.shop.B.b"]
    );
}
