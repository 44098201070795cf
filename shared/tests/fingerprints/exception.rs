//! Fingerprints of exceptions of Java and Kotlin code.

use retap_shared::finding::{Finding, FindingKind};

use super::explained;

fn crash(stack: &str) -> Finding {
    super::finding(FindingKind::Crash, stack)
}

pub(super) fn lines(stack: &str) -> Vec<String> {
    explained(&crash(stack))
}

const PLAIN: &str = "java.lang.IndexOutOfBoundsException: Index: 3, Size: 3
\tat java.util.ArrayList.get(ArrayList.java:437)
\tat com.example.shop.CartAdapter.bind(CartAdapter.kt:88)
\tat com.example.shop.CartAdapter.onBindViewHolder(CartAdapter.kt:61)
\tat androidx.recyclerview.widget.RecyclerView$Adapter.bindViewHolder(RecyclerView.java:7846)
\tat android.os.Handler.dispatchMessage(Handler.java:106)
\tat android.app.ActivityThread.main(ActivityThread.java:7660)
\tat java.lang.reflect.Method.invoke(Native Method)
\tat com.android.internal.os.ZygoteInit.main(ZygoteInit.java:947)";

#[test]
fn the_class_and_the_apps_frames_count() {
    assert_eq!(
        lines(PLAIN),
        [
            "java.lang.IndexOutOfBoundsException",
            "com.example.shop.CartAdapter.bind",
            "com.example.shop.CartAdapter.onBindViewHolder",
        ]
    );
}

#[test]
fn messages_and_line_numbers_do_not_count_but_the_class_and_the_apps_methods_do() {
    let same = PLAIN
        .replace("Index: 3, Size: 3", "Index: 12, Size: 7")
        .replace("java:437", "java:502")
        .replace("kt:88", "kt:89");
    assert_eq!(crash(&same).fingerprint(), crash(PLAIN).fingerprint());
    for other in [
        PLAIN.replace("IndexOutOf", "ArrayIndexOutOf"),
        PLAIN.replace(".bind(", ".unbind("),
        PLAIN.replace("onBindViewHolder(Cart", "onFailedToRecycleView(Cart"),
    ] {
        assert_ne!(crash(&other).fingerprint(), crash(PLAIN).fingerprint());
    }
}

#[test]
fn the_format_of_the_report_does_not_count() {
    let introduced =
        format!("FATAL EXCEPTION: main\nProcess: com.example.shop, PID: 4711\n{PLAIN}");
    let logcat = |prefix: &str| {
        introduced
            .lines()
            .map(|line| format!("{prefix}{line}\n"))
            .collect::<String>()
    };
    let reports = [
        introduced.clone(),
        introduced.replace('\n', "\r\n"),
        PLAIN.replace('\t', "    "),
        PLAIN.replace('\t', ""),
        format!("Exception in thread \"main thread\" {PLAIN}"),
        logcat("01-31 12:00:00.123  4711  4711 E AndroidRuntime: "),
        logcat("2026-01-31 12:00:00.123 10123  4711  4711 E AndroidRuntime: "),
        logcat("01-31 12:00:00.123 E/AndroidRuntime( 4711): "),
        logcat("E/AndroidRuntime( 4711): "),
        logcat("E/AndroidRuntime: "),
        PLAIN
            .replace("at java.util", "at java.base/java.util")
            .replace("at com.example", "at app//com.example"),
        PLAIN.replace("at java.util", "at java.base@17.0.1/java.util"),
    ];
    for report in reports {
        assert_eq!(lines(&report), lines(PLAIN), "{report}");
    }
}

#[test]
fn a_message_of_several_lines_does_not_count() {
    let long = PLAIN.replace(
        "Index: 3, Size: 3",
        "first\njava.lang.Other: second\n\n  third line at the end (of it)",
    );
    assert_eq!(lines(&long), lines(PLAIN));
}

#[test]
fn counters_of_compilers_do_not_count() {
    let pairs = [
        (
            "Main.lambda$onCreate$0(Main.java:7)",
            "Main.lambda$onCreate$3(Main.java:7)",
        ),
        (
            "Main.lambda$onCreate$0$com-example-shop-Main(Main.java:7)",
            "Main.lambda$onCreate$0(Main.java:7)",
        ),
        (
            "Main.onCreate$lambda$2(Main.kt:7)",
            "Main.onCreate$lambda-1(Main.kt:7)",
        ),
        (
            "Main.load$lambda$2$lambda$1(Main.kt:7)",
            "Main.load$lambda$3$lambda$0(Main.kt:7)",
        ),
        (
            "-$$Lambda$Main$kA1_x-2.onClick(Unknown Source:4)",
            "-$$Lambda$Main$zzZ9.onClick(Unknown Source:8)",
        ),
        (
            "-$$Lambda$Main$kA1.onClick(Unknown Source:4)",
            "-$$Lambda$12.onClick(lambda)",
        ),
        (
            "Main$$Lambda$14/0x0000000840066.run(Unknown Source)",
            "Main$$Lambda/1750905143.run(Unknown Source)",
        ),
        (
            "Main$$ExternalSyntheticLambda3.onClick(D8$$SyntheticClass)",
            "Main$$ExternalSyntheticLambda11.onClick(D8$$SyntheticClass:4)",
        ),
        (
            "Main.$r8$lambda$JmT3kQ-x9(Unknown Source:0)",
            "Main.$r8$lambda$aaaa_b(Unknown Source:6)",
        ),
        (
            "Main.access$000(Main.java:3)",
            "Main.access$100(Main.java:4)",
        ),
        ("Main.-wrap3(Main.java)", "Main.-wrap12(Main.java)"),
        (
            "ComposableSingletons$MainKt$lambda-1$1.invoke(Main.kt:7)",
            "ComposableSingletons$MainKt$lambda-4$1.invoke(Main.kt:7)",
        ),
    ];
    for (one, other) in pairs {
        let stack =
            |frame: &str| format!("java.lang.NullPointerException\n\tat com.example.shop.{frame}");
        assert_eq!(lines(&stack(one)), lines(&stack(other)));
        assert_eq!(lines(&stack(one)).len(), 2, "{one} is the app's");
    }
}

#[test]
fn names_that_only_look_like_counters_count() {
    for (one, other) in [
        ("Main$1.onClick(Main.java:7)", "Main$2.onClick(Main.java:7)"),
        (
            "Main$ProxyScreen1.show(Main.java:7)",
            "Main$ProxyScreen2.show(Main.java:7)",
        ),
        (
            "Main.lambda$onCreate$0(Main.java:7)",
            "Main.lambda$onStop$0(Main.java:7)",
        ),
        (
            "Main$onCreate$1.invokeSuspend(Main.kt:7)",
            "Main$onStop$1.invokeSuspend(Main.kt:7)",
        ),
        (
            "Main$load$$inlined$map$1.collect(Main.kt:7)",
            "Main$load$$inlined$filter$1.collect(Main.kt:7)",
        ),
        ("Main.step1(Main.java:7)", "Main.step2(Main.java:7)"),
    ] {
        let stack =
            |frame: &str| format!("java.lang.NullPointerException\n\tat com.example.shop.{frame}");
        assert_ne!(lines(&stack(one)), lines(&stack(other)));
    }
}

#[test]
fn methods_that_a_compiler_made_do_not_count_beside_written_ones() {
    let written = "java.lang.NullPointerException
\tat com.example.shop.Main.lambda$onCreate$0(Main.java:7)";
    for made in [
        "com.example.shop.Main$$ExternalSyntheticLambda3.onClick(D8$$SyntheticClass)",
        "com.example.shop.Main.$r8$lambda$JmT3kQ-x9(Unknown Source:0)",
        "com.example.shop.Main.access$000(Main.java:3)",
        "com.example.shop.Main.-$$Nest$mload(Unknown Source:0)",
        "com.example.shop.-$$Lambda$Main$kA1_x-2.onClick(Unknown Source:4)",
        "com.example.shop.Cart$$ExternalSyntheticOutline0.m(Cart.java:1)",
    ] {
        let stack =
            format!("{written}\n\tat {made}\n\tat android.view.View.performClick(View.java:1)");
        assert_eq!(lines(&stack), lines(written), "{made}");
    }
}

#[test]
fn a_method_that_calls_itself_counts_once() {
    let stack = |depth: usize| {
        let visit = "\tat com.example.shop.Tree.visit(Tree.java:9)\n\tat com.example.shop.Node.accept(Node.java:3)\n";
        format!(
            "java.lang.NullPointerException\n{}\tat com.example.shop.Main.open(Main.java:1)",
            visit.repeat(depth)
        )
    };
    let expected = [
        "java.lang.NullPointerException",
        "com.example.shop.Tree.visit",
        "com.example.shop.Node.accept",
        "com.example.shop.Main.open",
    ];
    assert_eq!(lines(&stack(1)), expected);
    assert_eq!(lines(&stack(40)), expected);
}

#[test]
fn generated_classes_are_not_the_apps() {
    let stack = |proxy: u32, accessor: u32| {
        format!(
            "java.lang.reflect.UndeclaredThrowableException
\tat $Proxy{proxy}.getItems(Unknown Source)
\tat sun.reflect.GeneratedMethodAccessor{accessor}.invoke(Unknown Source)
\tat com.example.shop.Catalog.load(Catalog.java:5)"
        )
    };
    assert_eq!(lines(&stack(1, 2))[1..], ["com.example.shop.Catalog.load"]);
    let without_app =
        |stack: String| stack.replace("com.example.shop.Catalog", "android.app.Catalog");
    let expected = [
        "$Proxy.getItems",
        "android.app.Catalog.load",
        "sun.reflect.GeneratedMethodAccessor.invoke",
    ];
    assert_eq!(lines(&without_app(stack(1, 2)))[1..], expected);
    assert_eq!(lines(&without_app(stack(3, 4)))[1..], expected);
}

#[test]
fn without_frames_of_the_app_the_frameworks_count_in_no_order_and_without_the_main_loop() {
    let stack = |deep: usize| {
        let touch = "\tat android.view.ViewGroup.dispatchTransformedTouchEvent(ViewGroup.java:3030)
\tat android.view.ViewGroup.dispatchTouchEvent(ViewGroup.java:2719)\n";
        format!(
            "android.view.WindowManager$BadTokenException: Unable to add window android.os.BinderProxy@1a2b3c\n{}\
             \tat android.app.ActivityThread.main(ActivityThread.java:7660)",
            touch.repeat(deep)
        )
    };
    let expected = [
        "android.view.WindowManager$BadTokenException",
        "android.view.ViewGroup.dispatchTouchEvent",
        "android.view.ViewGroup.dispatchTransformedTouchEvent",
    ];
    assert_eq!(lines(&stack(3)), expected);
    assert_eq!(lines(&stack(7)), expected);
}

#[test]
fn libraries_and_the_apps_package_are_the_apps() {
    let stack = "java.lang.NullPointerException
\tat okhttp3.Call.run(Call.kt:3)
\tat com.google.android.gms.Task.run(Task.java:4)
\tat com.google.android.notes.Main.run(Main.java:5)
\tat a.b.c.d(SourceFile:6)";
    assert_eq!(lines(stack)[1..], ["okhttp3.Call.run", "a.b.c.d"]);
    let own = Finding {
        process: "com.google.android.notes:sync".into(),
        ..crash(stack)
    };
    assert_eq!(
        explained(&own)[1..],
        [
            "okhttp3.Call.run",
            "com.google.android.notes.Main.run",
            "a.b.c.d"
        ]
    );
    let system = Finding {
        process: "android".into(),
        ..crash(PLAIN)
    };
    assert_eq!(explained(&system), lines(PLAIN));
}

#[test]
fn endless_recursion_is_one_finding_wherever_the_stack_ends() {
    let circle = ["A.a(A.java:1)", "B.b(B.java:2)", "C.c(C.java:3)"];
    let stack = |shift: usize, bottom: &str| {
        let frames = (shift..300 + shift)
            .map(|number| format!("\tat com.example.shop.{}\n", circle[number % 3]));
        format!(
            "java.lang.StackOverflowError: stack size 8MB\n{}{bottom}",
            frames.collect::<String>()
        )
    };
    let bottom = "\tat com.example.shop.Main.onCreate(Main.java:4)";
    let expected = [
        "com.example.shop.A.a",
        "com.example.shop.B.b",
        "com.example.shop.C.c",
    ];
    assert_eq!(lines(&stack(0, bottom))[1..], expected);
    assert_eq!(lines(&stack(2, ""))[1..], expected);
}

#[test]
fn an_exception_without_a_package_is_found() {
    let stack = "Process: com.example.shop, PID: 12\nOops: it went wrong\n\tat com.example.shop.A.a(A.java:1)";
    assert_eq!(lines(stack), ["Oops", "com.example.shop.A.a"]);
    assert_eq!(
        lines("java.lang.Error\n\tat a.B.c(B.java:1)\nCaused by: Oops: inner\n\t... 1 more"),
        ["Oops", "a.B.c"]
    );
}

#[test]
fn without_an_exception_in_the_stack_the_summary_names_it() {
    let summary = |summary: &str| Finding {
        summary: summary.into(),
        ..crash("\tat com.example.shop.A.a(A.java:1)")
    };
    assert_eq!(
        explained(&summary("java.lang.IllegalStateException: no cart")),
        ["java.lang.IllegalStateException", "com.example.shop.A.a"]
    );
    assert_eq!(
        explained(&summary("died after 12 ms"))[0],
        "died after # ms"
    );
}
