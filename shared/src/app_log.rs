//! What the phone's log says of an app: its failures and its activities, in the words in which Android logs them.

use std::iter::once;

use crate::protocol::PhoneEventKind;
use crate::verdict::{Finding, FindingKind};

/// The lines that something leaves in the log: level, tag, and what it says.
pub fn log_lines(what: &PhoneEventKind) -> Box<dyn Iterator<Item = String> + '_> {
    match what {
        PhoneEventKind::Activity(activity) => {
            Box::new(once(format!("I/ActivityTaskManager: Displayed {activity}")))
        }
        PhoneEventKind::Finding(problem) => Box::new(finding_lines(problem)),
    }
}

fn finding_lines(problem: &Finding) -> impl Iterator<Item = String> + '_ {
    let Finding {
        kind,
        process,
        summary,
        stack,
    } = problem;
    let (tag, first) = match kind {
        FindingKind::Crash => ("E/AndroidRuntime", "FATAL EXCEPTION: main".to_owned()),
        FindingKind::NativeCrash => ("F/DEBUG", "*** *** *** *** *** *** *** ***".to_owned()),
        FindingKind::Anr => ("E/ActivityManager", format!("ANR in {process}")),
        FindingKind::Rule => ("E/Retap", format!("rule broken: {summary}")),
    };
    let whose = format!("Process: {process}");
    let said = [first, whose]
        .into_iter()
        .chain(stack.lines().map(str::to_owned));
    said.map(move |line| format!("{tag}: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_logged_with_its_process_and_every_line_of_its_stack() {
        let problem = Finding {
            kind: FindingKind::Crash,
            process: "com.example".into(),
            summary: "java.lang.Error: no".into(),
            stack: "java.lang.Error: no\n\tat a.B.c(B.java:1)".into(),
        };
        let logged: Vec<String> = log_lines(&PhoneEventKind::Finding(problem)).collect();
        let expected = [
            "E/AndroidRuntime: FATAL EXCEPTION: main",
            "E/AndroidRuntime: Process: com.example",
            "E/AndroidRuntime: java.lang.Error: no",
            "E/AndroidRuntime: \tat a.B.c(B.java:1)",
        ];
        assert_eq!(logged, expected);
    }
}
