//! What the phone's log says of an app: its failures and its activities, in the words in which Android logs them.

use std::iter::once;

use crate::protocol::What;
use crate::verdict::{Problem, ProblemKind};

/// The lines that something leaves in the log: level, tag, and what it says.
pub fn lines(what: &What) -> Box<dyn Iterator<Item = String> + '_> {
    match what {
        What::Activity(activity) => {
            Box::new(once(format!("I/ActivityTaskManager: Displayed {activity}")))
        }
        What::Problem(problem) => Box::new(failure(problem)),
    }
}

fn failure(problem: &Problem) -> impl Iterator<Item = String> + '_ {
    let Problem {
        kind,
        process,
        stack,
        ..
    } = problem;
    let (tag, first) = match kind {
        ProblemKind::Crash => ("E/AndroidRuntime", "FATAL EXCEPTION: main".to_owned()),
        ProblemKind::NativeCrash => ("F/DEBUG", "*** *** *** *** *** *** *** ***".to_owned()),
        ProblemKind::Anr => ("E/ActivityManager", format!("ANR in {process}")),
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
        let problem = Problem {
            kind: ProblemKind::Crash,
            process: "com.example".into(),
            summary: "java.lang.Error: no".into(),
            stack: "java.lang.Error: no\n\tat a.B.c(B.java:1)".into(),
        };
        let logged: Vec<String> = lines(&What::Problem(problem)).collect();
        let expected = [
            "E/AndroidRuntime: FATAL EXCEPTION: main",
            "E/AndroidRuntime: Process: com.example",
            "E/AndroidRuntime: java.lang.Error: no",
            "E/AndroidRuntime: \tat a.B.c(B.java:1)",
        ];
        assert_eq!(logged, expected);
    }
}
