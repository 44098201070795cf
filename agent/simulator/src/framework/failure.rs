//! Failures of an app, written as Android writes them: stack traces with the framework's frames beneath the app's
//! own, tombstones, ANR traces.

use std::fmt::Write;

use retap_shared::Text;
use retap_shared::finding::{Finding, FindingKind};

/// An exception that an app throws. Frames are as in a stack trace, without `at`.
#[derive(Debug)]
pub(crate) struct Exception {
    pub(crate) class: &'static str,
    pub(crate) frames: &'static [&'static str],
    pub(crate) called_by: FrameworkCaller,
    pub(crate) cause: Option<&'static ExceptionCause>,
}

/// The cause of an exception.
#[derive(Debug)]
pub(crate) struct ExceptionCause {
    pub(crate) class: &'static str,
    pub(crate) message: &'static str,
    pub(crate) frames: &'static [&'static str],
}

/// A crash in native code.
#[derive(Debug)]
pub(crate) struct Tombstone {
    pub(crate) signal: &'static str,
    pub(crate) library: &'static str,
    /// Function and offset in it, innermost first.
    pub(crate) frames: &'static [(&'static str, u32)],
    /// The Java method that called into the library.
    pub(crate) called_from: &'static str,
}

/// A main thread that is kept busy.
#[derive(Debug)]
pub(crate) struct Stall {
    pub(crate) frames: &'static [&'static str],
}

/// The part of the framework that called the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameworkCaller {
    Click,
    LongClick,
    DialogButton,
    Handler,
    /// Creating an activity: its exceptions are wrapped in a `RuntimeException`.
    Create,
}

pub(super) enum AppFailure {
    Thrown(&'static Exception, String),
    NativeSignal(&'static Tombstone),
}

/// The process that failed, and its front activity.
pub(super) struct FailedProcess<'a> {
    pub(super) package: &'a Text,
    pub(super) activity: &'a str,
    pub(super) pid: u32,
}

impl AppFailure {
    pub(super) fn finding(self, failed: &FailedProcess<'_>) -> Finding {
        match self {
            AppFailure::Thrown(exception, message) => thrown(exception, &message, failed),
            AppFailure::NativeSignal(tombstone) => signalled(tombstone, failed),
        }
    }
}

fn thrown(exception: &Exception, message: &str, failed: &FailedProcess<'_>) -> Finding {
    let mut own = format!("{}: {message}", exception.class);
    if message.is_empty() {
        own.truncate(exception.class.len());
    }
    let created = exception.called_by == FrameworkCaller::Create;
    let summary = if created {
        unable_to_start(failed, &own)
    } else {
        own.clone()
    };
    let mut stack = summary.clone();
    if created {
        frames(&mut stack, PERFORM_LAUNCH);
        frames(&mut stack, MAIN_LOOP);
        stack.push_str("\nCaused by: ");
        stack.push_str(&own);
    }
    frames(&mut stack, exception.frames);
    frames(&mut stack, exception.called_by.frames());
    if created {
        stack.push_str("\n\t... 11 more");
    } else {
        frames(&mut stack, MAIN_LOOP);
    }
    if let Some(cause) = exception.cause {
        let _ = write!(stack, "\nCaused by: {}: {}", cause.class, cause.message);
        frames(&mut stack, cause.frames);
        let _ = write!(
            stack,
            "\n\t... {} more",
            exception.called_by.frames().len() + MAIN_LOOP.len()
        );
    }
    Finding {
        kind: FindingKind::Crash,
        process: failed.package.clone(),
        summary,
        stack,
    }
}

fn unable_to_start(failed: &FailedProcess<'_>, own: &str) -> String {
    let activity = failed
        .activity
        .replace("/.", &format!("/{}.", failed.package));
    format!(
        "java.lang.RuntimeException: Unable to start activity ComponentInfo{{{activity}}}: {own}"
    )
}

fn signalled(tombstone: &Tombstone, failed: &FailedProcess<'_>) -> Finding {
    let package = failed.package;
    let pid = failed.pid;
    let base = 0x7000_0000_0000_u64 + u64::from(pid) * 0x1000;
    let directory = format!("/data/app/~~{pid:x}==/{package}/lib/arm64");
    let summary = format!("{}, fault addr {:#018x}", tombstone.signal, base + 0x10);
    let mut stack = format!(
        "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n\
         Build fingerprint: 'retap/simulated/simulated:14/UPB5/1:userdebug/test-keys'\n\
         ABI: 'arm64'\n\
         pid: {pid}, tid: {pid}, name: main  >>> {package} <<<\n\
         {summary}\n\
         backtrace:"
    );
    let library = tombstone.library;
    for (number, (function, offset)) in tombstone.frames.iter().enumerate() {
        let pc = u64::from(pid % 64) * 0x1000 + u64::from(*offset) * 4;
        let _ = write!(
            stack,
            "\n      #{number:02} pc {pc:016x}  {directory}/{library} ({function}+{offset})"
        );
    }
    let below = tombstone.frames.len();
    let trampoline = "/apex/com.android.art/lib64/libart.so (art_quick_generic_jni_trampoline+148)";
    let _ = write!(
        stack,
        "\n      #{below:02} pc {:016x}  {trampoline}",
        0x33_4764
    );
    let _ = write!(
        stack,
        "\n      #{:02} pc {:016x}  {}",
        below + 1,
        pid,
        tombstone.called_from
    );
    Finding {
        kind: FindingKind::NativeCrash,
        process: package.clone(),
        summary,
        stack,
    }
}

/// Input has waited too long for a main thread that is busy at `stall`.
pub(super) fn not_responding(stall: &Stall, waiting: &str, failed: &FailedProcess<'_>) -> Finding {
    let package = failed.package;
    let activity = failed.activity;
    let summary = format!(
        "Input dispatching timed out ({activity} is not responding. Waited 5000ms for {waiting})"
    );
    let mut stack = format!(
        "ANR in {package} ({activity})\n\
         PID: {}\n\
         Reason: {summary}\n\
         \"main\" prio=5 tid=1 Native",
        failed.pid
    );
    frames(&mut stack, stall.frames);
    frames(&mut stack, FrameworkCaller::Click.frames());
    frames(&mut stack, MAIN_LOOP);
    Finding {
        kind: FindingKind::Anr,
        process: package.clone(),
        summary,
        stack,
    }
}

fn frames(stack: &mut String, frames: &[&str]) {
    for frame in frames {
        stack.push_str("\n\tat ");
        stack.push_str(frame);
    }
}

const PERFORM_LAUNCH: &[&str] = &[
    "android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3782)",
    "android.app.ActivityThread.handleLaunchActivity(ActivityThread.java:3922)",
    "android.app.servertransaction.TransactionExecutor.execute(TransactionExecutor.java:95)",
    "android.app.ActivityThread$H.handleMessage(ActivityThread.java:2443)",
];

const MAIN_LOOP: &[&str] = &[
    "android.os.Handler.dispatchMessage(Handler.java:106)",
    "android.os.Looper.loopOnce(Looper.java:205)",
    "android.os.Looper.loop(Looper.java:294)",
    "android.app.ActivityThread.main(ActivityThread.java:8177)",
    "java.lang.reflect.Method.invoke(Native Method)",
    "com.android.internal.os.RuntimeInit$MethodAndArgsCaller.run(RuntimeInit.java:552)",
    "com.android.internal.os.ZygoteInit.main(ZygoteInit.java:971)",
];

impl FrameworkCaller {
    fn frames(self) -> &'static [&'static str] {
        match self {
            FrameworkCaller::Click => &[
                "android.view.View.performClick(View.java:7659)",
                "android.view.View$PerformClick.run(View.java:30134)",
                "android.os.Handler.handleCallback(Handler.java:958)",
            ],
            FrameworkCaller::LongClick => &[
                "android.view.View.performLongClickInternal(View.java:7735)",
                "android.view.View$CheckForLongPress.run(View.java:30106)",
                "android.os.Handler.handleCallback(Handler.java:958)",
            ],
            FrameworkCaller::DialogButton => &[
                "android.app.AlertController$ButtonHandler.handleMessage(AlertController.java:184)",
            ],
            FrameworkCaller::Handler => &["android.os.Handler.handleCallback(Handler.java:958)"],
            FrameworkCaller::Create => &[
                "android.app.Activity.performCreate(Activity.java:8595)",
                "android.app.Instrumentation.callActivityOnCreate(Instrumentation.java:1456)",
                "android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3764)",
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static THROWN: Exception = Exception {
        class: "java.lang.IllegalStateException",
        frames: &["com.example.a.Saver.save(Saver.java:10)"],
        called_by: FrameworkCaller::Create,
        cause: Some(&ExceptionCause {
            class: "java.io.IOException",
            message: "no space",
            frames: &["com.example.a.Disk.write(Disk.java:7)"],
        }),
    };

    static SIGNALLED: Tombstone = Tombstone {
        signal: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)",
        library: "liba.so",
        frames: &[("decode", 40)],
        called_from: "com.example.a.Decoder.decode",
    };

    fn failed(package: &Text, pid: u32) -> FailedProcess<'_> {
        FailedProcess {
            package,
            activity: "com.example.a/.Main",
            pid,
        }
    }

    #[test]
    fn an_exception_in_on_create_arrives_wrapped_with_its_causes() {
        let package = Text::new_static("com.example.a");
        let finding =
            AppFailure::Thrown(&THROWN, "cannot save".into()).finding(&failed(&package, 7));
        let lines: Vec<&str> = finding
            .stack
            .lines()
            .filter(|line| !line.starts_with('\t'))
            .collect();
        assert_eq!(
            lines,
            [
                "java.lang.RuntimeException: Unable to start activity \
                 ComponentInfo{com.example.a/com.example.a.Main}: java.lang.IllegalStateException: cannot save",
                "Caused by: java.lang.IllegalStateException: cannot save",
                "Caused by: java.io.IOException: no space",
            ]
        );
    }

    #[test]
    fn a_tombstone_differs_from_process_to_process_and_its_fingerprint_does_not() {
        let package = Text::new_static("com.example.a");
        let one = AppFailure::NativeSignal(&SIGNALLED).finding(&failed(&package, 1_000));
        let other = AppFailure::NativeSignal(&SIGNALLED).finding(&failed(&package, 1_001));
        assert_ne!(one.stack, other.stack);
        assert_eq!(one.fingerprint(), other.fingerprint());
    }
}
