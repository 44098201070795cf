//! Properties of crashes' fingerprints: what a new build or another phone changes does not count, other code does.

use proptest::prelude::*;
use retap_shared::finding::{Finding, FindingKind};

const EXCEPTIONS: [&str; 3] = [
    "java.lang.NullPointerException",
    "java.lang.IllegalStateException",
    "com.example.shop.CartException",
];
const METHODS: [&str; 7] = [
    "Cart.add(Cart.java",
    "Cart.remove(Cart.java",
    "Main.onCreate(Main.kt",
    "Main$1.onClick(Main.kt",
    "Main$load$1.invokeSuspend(Main.kt",
    "Main.lambda$onCreate$0(Main.java",
    "net.Client.send(Client.java",
];
const FRAMEWORK: [&str; 5] = [
    "android.view.View.performClick(View.java",
    "android.os.Handler.dispatchMessage(Handler.java",
    "androidx.fragment.app.Fragment.performCreate(Fragment.java",
    "java.util.ArrayList.get(ArrayList.java",
    "kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt",
];

/// A crash: the class and methods of its exceptions, from the outermost to the root cause.
#[derive(Clone, Debug)]
struct Crash(Vec<(&'static str, Vec<&'static str>)>);

fn crashes() -> impl Strategy<Value = Crash> {
    let methods = prop::collection::vec(prop::sample::select(METHODS.to_vec()), 1..6);
    let exception = (prop::sample::select(EXCEPTIONS.to_vec()), methods);
    prop::collection::vec(exception, 1..4).prop_map(Crash)
}

/// Differences between two reports of one crash.
#[derive(Clone, Debug)]
struct Circumstances {
    lines_above: u32,
    message: String,
    /// Frames of the framework above and below the app's, as numbers in `FRAMEWORK`.
    above: Vec<usize>,
    below: Vec<usize>,
}

fn circumstances() -> impl Strategy<Value = Circumstances> {
    let frames = || prop::collection::vec(0..FRAMEWORK.len(), 0..6);
    (0..5_000_u32, "[a-z0-9 ]{0,20}", frames(), frames()).prop_map(
        |(lines_above, message, above, below)| Circumstances {
            lines_above,
            message,
            above,
            below,
        },
    )
}

fn report(crash: &Crash, circumstances: &Circumstances) -> Finding {
    let Circumstances {
        lines_above,
        message,
        above,
        below,
    } = circumstances;
    let mut stack = String::new();
    for (number, (class, methods)) in crash.0.iter().enumerate() {
        let cause = if number > 0 { "Caused by: " } else { "" };
        stack += &format!("{cause}{class}: {message}\n");
        let mut frame = |text: &str, line: u32| stack += &format!("\tat {text}:{line})\n");
        above
            .iter()
            .for_each(|number| frame(FRAMEWORK[*number], 3 + lines_above));
        for (line, method) in (10..).zip(methods) {
            frame(&format!("com.example.shop.{method}"), line + lines_above);
        }
        below
            .iter()
            .for_each(|number| frame(FRAMEWORK[*number], 7 + lines_above));
    }
    super::finding(FindingKind::Crash, &stack)
}

/// The part of a crash that is its identity.
fn identity(crash: &Crash) -> (&'static str, Vec<&'static str>) {
    let (class, methods) = crash.0.last().unwrap();
    let mut once = Vec::new();
    for method in methods {
        if !once.contains(method) {
            once.push(*method);
        }
    }
    (class, once)
}

proptest! {
    #[test]
    fn lines_above_messages_and_frames_of_the_framework_do_not_count(
        crash in crashes(), one in circumstances(), other in circumstances(),
    ) {
        prop_assert_eq!(report(&crash, &one).fingerprint(), report(&crash, &other).fingerprint());
    }

    #[test]
    fn other_methods_or_another_exception_are_another_finding(
        one in crashes(), other in crashes(), circumstances in circumstances(),
    ) {
        let is_same = identity(&one) == identity(&other);
        let fingerprint = |crash| report(crash, &circumstances).fingerprint();
        prop_assert_eq!(fingerprint(&one) == fingerprint(&other), is_same);
    }
}
