//! Logs and drop boxes with the output of Android's sources.

use std::cell::RefCell;
use std::io;

use super::super::program::ProgramOutput;
use super::*;

const BEFORE: &str = "11-18 20:13:00.000  1000  1020 I PowerManager: awake\n";
const LOG: &str = "\
--------- beginning of main
11-18 20:13:00.000  1000  1020 I PowerManager: awake
11-18 20:13:01.100  1000  1020 I am_proc_start: [0,4242,10123,com.example,next-top-activity,{com.example/.Main}]
11-18 20:13:01.100  1000  1020 I am_proc_start: [10,5000,1010123,com.example,next-top-activity,{com.example/.Main}]
11-18 20:13:01.200  4242  4242 D Example : ready: 3 notes
11-18 20:13:01.200  5000  5000 D Example : of another user
11-18 20:13:01.300  4300  4300 D Other   : com.example is a neighbour
11-18 20:13:01.400  1000  1020 I ActivityManager: Start proc 4243:com.example:sync/u0a123 for service
11-18 20:13:01.500  4243  4250 W Sync    : late
11-18 20:13:01.600  1000  1020 I ActivityTaskManager: Displayed com.example/.Main: +231ms
11-18 20:13:01.600  1000  1020 I ActivityTaskManager: Displayed com.example.other/.Main: +231ms
11-18 20:13:01.700  4400  4400 F DEBUG   : *** *** ***
11-18 20:13:01.700  4400  4400 F DEBUG   : pid: 4242, tid: 4242, name: m.example  >>> com.example <<<
11-18 20:13:01.700  4401  4401 F DEBUG   : pid: 9, tid: 9, name: other  >>> other <<<
";
const DROP_BOX: &str = "\
Drop box contents: 900 entries

========================================
2026-11-18 20:12:59 data_app_anr (compressed text, 4000 bytes)
Process: com.example
Subject: an old one

========================================
2026-11-18 20:13:09 data_app_anr (compressed text, 4000 bytes)
Process: com.example
PID: 4242
Subject: Input dispatching timed out

\"main\" prio=5 tid=1 Sleeping
  at com.example.Notes.save(Notes.java:3)

========================================
2026-11-18 20:13:10 data_app_anr (compressed text, 4000 bytes)
Process: com.example.other
Subject: not ours
";

/// `logcat` with a log that grows, and `dumpsys dropbox`.
#[derive(Default)]
struct FakeLog {
    log: RefCell<String>,
    drop_box: &'static str,
}

impl ProgramRunner for &FakeLog {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        let log = self.log.borrow();
        let text = match words {
            ["logcat", .., "-t", "1"] => log.lines().last().unwrap_or_default().to_owned(),
            ["logcat", .., "-T", time] => {
                let since = |line: &&str| line.get(..18).is_some_and(|at| at >= *time);
                log.lines()
                    .filter(since)
                    .map(|line| line.to_owned() + "\n")
                    .collect()
            }
            ["logcat", ..] => log.clone(),
            ["dumpsys", "dropbox", "--print", tag] if self.drop_box.contains(tag) => {
                self.drop_box.to_owned()
            }
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(ProgramOutput {
            text,
            succeeded: true,
        })
    }
}

fn messages(log: &str) -> Vec<&str> {
    log.lines()
        .map(|line| LogLine::parse(line).unwrap().message)
        .collect()
}

fn launched<'a>(phone: &'a FakeLog, log: &str) -> AppLogReader<&'a FakeLog> {
    BEFORE.clone_into(&mut phone.log.borrow_mut());
    let mut reader = AppLogReader::new(phone, 0);
    reader.mark_launch();
    log.clone_into(&mut phone.log.borrow_mut());
    reader
}

#[test]
fn the_log_has_the_processes_of_the_app_and_of_no_other_and_what_the_system_says_of_it() {
    let phone = FakeLog::default();
    let mut reader = launched(&phone, LOG);
    let read = reader.read("com.example", ReadLog::default());
    let expected = [
        "ready: 3 notes",
        "Start proc 4243:com.example:sync/u0a123 for service",
        "late",
        "Displayed com.example/.Main: +231ms",
        "*** *** ***",
        "pid: 4242, tid: 4242, name: m.example  >>> com.example <<<",
    ];
    assert_eq!(messages(&read.log), expected);
}

#[test]
fn only_new_lines_are_read_again_also_of_the_same_millisecond() {
    let phone = FakeLog::default();
    let mut reader = launched(&phone, LOG);
    let new = ReadLog {
        only_new: true,
        failure: None,
    };
    assert!(!reader.read("com.example", new).log.is_empty());
    assert_eq!(reader.read("com.example", new).log, "");
    phone.log.borrow_mut().push_str(
        "11-18 20:13:01.700  4242  4242 E Example : one more\n11-18 20:13:01.800  7  7 E Else: no\n",
    );
    assert_eq!(messages(&reader.read("com.example", new).log), ["one more"]);
    assert_eq!(reader.read("com.example", new).log, "");
}

#[test]
fn the_report_of_an_anr_is_the_newest_one_of_the_process_since_the_launch() {
    let phone = FakeLog {
        drop_box: DROP_BOX,
        ..FakeLog::default()
    };
    let mut reader = launched(&phone, LOG);
    let wanted = ReadLog {
        only_new: false,
        failure: Some(FindingKind::Anr),
    };
    let report = reader.read("com.example", wanted).report;
    assert!(
        report.starts_with("Process: com.example\nPID: 4242\n"),
        "{report}"
    );
    assert!(
        report.ends_with("at com.example.Notes.save(Notes.java:3)"),
        "{report}"
    );
    assert_eq!(reader.anr_report("org.absent"), None);
}

#[test]
fn damaged_output_and_missing_programs_give_an_empty_log() {
    let odd = "\n11-18\n11-18 20:13:01.200\n11-18 20:13:01.200 é é é é: é\n11-18 20:13:01.200 1 1 I :\n\u{0}";
    let phone = FakeLog {
        drop_box: "data_app_anr\n========================================\né\n\
                   ========================================\n2026-11-18 20:13 data_app_anr\n",
        ..FakeLog::default()
    };
    let mut reader = launched(&phone, odd);
    for failure in [
        FindingKind::Anr,
        FindingKind::NativeCrash,
        FindingKind::Crash,
    ] {
        let wanted = ReadLog {
            only_new: false,
            failure: Some(failure),
        };
        assert_eq!(reader.read("com.example", wanted), ReadLogReply::default());
    }
}
