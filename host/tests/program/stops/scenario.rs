//! The commands that are stopped: what they need, how they are resumed, and what must be the same in the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use super::{STOPPED, StopKind};
use crate::environment::{ProgramOutput, TestEnvironment, names};

/// A command to stop.
pub(crate) struct Scenario {
    /// The command, with `--out run` if it is a run.
    pub(crate) start: &'static str,
    /// The command that resumes it; without one it is started again.
    pub(crate) resume: Option<&'static str>,
    /// Its exit code.
    pub(crate) code: i32,
    /// Paths of the results.
    pub(crate) results: &'static [&'static str],
    /// Prepares the working directory, once for all stops.
    pub(crate) prepare: fn(&TestEnvironment),
    pub(crate) prepared: OnceLock<TestEnvironment>,
}

/// Files whose content a run determines. Stacks have addresses and process ids, pages have times.
const COMPARED: [&str; 5] = [
    ".retap",
    "problem.json",
    "names.json",
    "known.json",
    "test.txt",
];
/// Keys of `problem.json` that differ from run to run.
const CHANGING: [&str; 3] = ["status", "summary", "made_of"];

pub(crate) static REDUCE: Scenario = Scenario {
    start: "reduce found --seed 11 --out run",
    resume: Some("reduce --resume run"),
    code: 0,
    results: &["run"],
    prepare: |environment| {
        let line =
            "explore --device sim:notes --explorer random --events 1200 --seed 7 --out found";
        assert_eq!(environment.run(line).code, 1);
        assert!(
            environment.crashes("found").len() > 1,
            "one crash is too few"
        );
    },
    prepared: OnceLock::new(),
};

pub(crate) static EXPLORE: Scenario = Scenario {
    start: "explore --device sim:notes?flaky=0.05 --explorer auto --events 250 --seed 3 --keep-traces --out run",
    resume: Some("explore --resume run"),
    code: 1,
    results: &["run"],
    prepare: |_| {},
    prepared: OnceLock::new(),
};

pub(crate) static REDUCE_SUITE: Scenario = Scenario {
    start: "reduce-suite found --seed 11 --out run",
    resume: Some("reduce-suite --resume run"),
    code: 0,
    results: &["run"],
    prepare: |environment| {
        let line = "explore --device sim:notes --explorer random --events 90 --session-events 30 --seed 7 \
                    --keep-traces --out found";
        assert!(environment.run(line).code < 2);
    },
    prepared: OnceLock::new(),
};

/// A demo cannot be resumed. It is made again, elsewhere if it had begun.
pub(crate) static DEMO: Scenario = Scenario {
    start: "demo --out run",
    resume: Some("demo --out again"),
    code: 0,
    results: &["run", "again"],
    prepare: |_| {},
    prepared: OnceLock::new(),
};

pub(crate) static BASELINE: Scenario = Scenario {
    start: "baseline found --out known.json",
    resume: None,
    code: 0,
    results: &["known.json"],
    prepare: REDUCE.prepare,
    prepared: OnceLock::new(),
};

pub(crate) static IMPORT: Scenario = Scenario {
    start: "import simplydroid foreign.json --out own",
    resume: None,
    code: 0,
    results: &["own"],
    prepare: |environment| environment.write("foreign.json", crate::crash::FOREIGN),
    prepared: OnceLock::new(),
};

pub(crate) static EXPORT: Scenario = Scenario {
    start: "export trace.retap --to monkey --out test.txt",
    resume: None,
    code: 0,
    results: &["test.txt"],
    prepare: |environment| {
        (REDUCE.prepare)(environment);
        let id = environment.crashes("found").remove(0);
        let trace = environment.read(&format!("found/crashes/{id}/trace.retap"));
        environment.write("trace.retap", &trace);
    },
    prepared: OnceLock::new(),
};

impl Scenario {
    /// A new environment with what the command needs.
    pub(crate) fn environment(&self) -> TestEnvironment {
        let prepared = self.prepared.get_or_init(|| {
            let environment = TestEnvironment::new();
            (self.prepare)(&environment);
            environment
        });
        let environment = TestEnvironment::new();
        copy(&prepared.path(""), &environment.path(""));
        environment
    }

    /// What must be the same: the exit code, and the contents of the results.
    pub(crate) fn result(
        &self,
        environment: &TestEnvironment,
        ended: &ProgramOutput,
    ) -> BTreeMap<String, String> {
        let mut found = BTreeMap::from([("exit code".to_owned(), ended.code.to_string())]);
        // What was begun twice counts where it was ended.
        let is_there = |result: &&&str| environment.path(result).exists();
        if let Some(result) = self.results.iter().rfind(is_there) {
            collect(&environment.path(result), "result", &mut found);
        }
        found
    }
}

/// A run that was stopped.
pub(crate) struct StoppedRun<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) environment: &'a TestEnvironment,
    pub(crate) place: &'a str,
}

impl StoppedRun<'_> {
    /// A full disk is said to be one. A stopped program says nothing.
    pub(crate) fn check_words(&self, stopped: &ProgramOutput, kind: StopKind) {
        if kind == StopKind::FullDisk && stopped.code != self.scenario.code {
            assert_eq!(stopped.code, 2, "{}: {}", self.place, stopped.err);
            let words = ["No space left on device", "disk is full"];
            assert!(
                words.iter().any(|words| stopped.err.contains(words)),
                "{}: {}",
                self.place,
                stopped.err
            );
        } else if kind != StopKind::FullDisk {
            assert_eq!(stopped.code, STOPPED, "{}: {}", self.place, stopped.err);
        }
    }

    /// Resumes the run, or starts it again, and returns what it ends with.
    pub(crate) fn finish(&self, stopped: &ProgramOutput) -> BTreeMap<String, String> {
        let has_begun = self.environment.path("run/run.json").exists();
        let line = match self.scenario.resume {
            Some(resume) if has_begun => resume,
            _ => self.scenario.start,
        };
        let ended = self.environment.run(line);
        assert_eq!(
            ended.code, self.scenario.code,
            "{}: `{line}` after {}: {}{}",
            self.place, stopped.code, ended.out, ended.err
        );
        self.assert_no_leftovers(&self.environment.path("run"));
        self.scenario.result(self.environment, &ended)
    }

    fn assert_no_leftovers(&self, directory: &Path) {
        for name in names(directory) {
            assert!(!name.ends_with(".tmp"), "{}: {name} is left", self.place);
            let path = directory.join(&name);
            if path.is_dir() {
                self.assert_no_leftovers(&path);
            }
        }
    }
}

fn collect(path: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    if path.is_dir() {
        for inside in names(path) {
            collect(&path.join(&inside), &format!("{name}/{inside}"), found);
        }
    } else if COMPARED
        .iter()
        .any(|end| path.to_string_lossy().ends_with(end))
    {
        let text = fs::read_to_string(path).unwrap();
        let text = match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(mut value) if name.ends_with("problem.json") => {
                for key in CHANGING {
                    value.as_object_mut().unwrap().remove(key);
                }
                value.to_string()
            }
            _ => text,
        };
        found.insert(name.to_owned(), text);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}
