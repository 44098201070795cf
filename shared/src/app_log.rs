//! Log lines of an app's failures and activities, worded as Android logs them.

use std::iter::once;

use crate::finding::{Finding, FindingKind};
use crate::phone_event::PhoneEventKind;

/// The lines that an event leaves in the log: level, tag and message.
pub fn log_lines(event: &PhoneEventKind) -> Box<dyn Iterator<Item = String> + '_> {
    match event {
        PhoneEventKind::Activity(activity) => {
            Box::new(once(format!("I/ActivityTaskManager: Displayed {activity}")))
        }
        PhoneEventKind::Finding(finding) => Box::new(finding_lines(finding)),
    }
}

fn finding_lines(finding: &Finding) -> impl Iterator<Item = String> + '_ {
    let Finding {
        kind,
        process,
        summary,
        stack,
    } = finding;
    let (tag, first) = match kind {
        FindingKind::Crash => ("E/AndroidRuntime", "FATAL EXCEPTION: main".to_owned()),
        FindingKind::NativeCrash => ("F/DEBUG", "*** *** *** *** *** *** *** ***".to_owned()),
        FindingKind::Anr => ("E/ActivityManager", format!("ANR in {process}")),
        FindingKind::Rule => ("E/Retap", format!("rule broken: {summary}")),
    };
    let messages = [first, format!("Process: {process}")]
        .into_iter()
        .chain(stack.lines().map(str::to_owned));
    messages.map(move |message| format!("{tag}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_logged_with_its_process_and_every_line_of_its_stack() {
        let finding = Finding {
            kind: FindingKind::Crash,
            process: "com.example".into(),
            summary: "java.lang.Error: no".into(),
            stack: "java.lang.Error: no\n\tat a.B.c(B.java:1)".into(),
        };
        let logged: Vec<String> = log_lines(&PhoneEventKind::Finding(finding)).collect();
        let expected = [
            "E/AndroidRuntime: FATAL EXCEPTION: main",
            "E/AndroidRuntime: Process: com.example",
            "E/AndroidRuntime: java.lang.Error: no",
            "E/AndroidRuntime: \tat a.B.c(B.java:1)",
        ];
        assert_eq!(logged, expected);
    }
}
