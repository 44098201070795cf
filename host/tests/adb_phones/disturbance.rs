//! Reductions on two phones while adbd or the agent is taken away. The result must be that of an undisturbed reduction.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::names;
use crate::lab::AdbLab;
use crate::phone::PhoneBehindAdb;
use crate::running_program::RunningProgram;

/// What happens to the phones of a reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Disturbance {
    Undisturbed,
    /// The phone is unplugged, and plugged in again.
    AdbdKilled,
    AgentKilled,
    /// Both phones lose both.
    AdbdAndAgentKilled,
    /// Both phones are back on adb before they have started.
    Rebooted,
}

impl Disturbance {
    /// Reduces a trace on both phones while this happens, and returns the reduced trace.
    pub(crate) fn reduce(self, lab: &AdbLab, trace: &Path) -> PathBuf {
        let out = format!("{self:?}");
        let both = lab.both();
        let line =
            format!("reduce --device {both} --verbose --store {out}.sqlite --out {out} --plain");
        let mut command = lab.command(&line);
        command.arg(trace);
        let mut running = lab.start_run(&mut command, &out, 3);
        let phones = self.disturbed_phones(lab);
        for phone in phones {
            let what = format!("{} had an agent", phone.serial());
            running.wait_until(&what, || phone.agent_process().is_some());
            // The reduction must not finish before it is disturbed.
            phone.signal_agent("STOP");
        }
        self.disturb(lab, phones, &mut running);
        running.wait(&[0]);
        assert!(
            phones.is_empty() || running.log().contains("the link broke"),
            "{self:?}: it came too late to disturb anything: {}",
            running.log()
        );
        lab.assert_nothing_left();
        reduced_trace(&lab.environment.path(&out))
    }

    /// Panics unless this leads to the expected reduced trace.
    pub(crate) fn check(self, lab: &AdbLab, trace: &Path, expected: &Path) {
        let reduced = self.reduce(lab, trace);
        assert_eq!(
            steps(&reduced),
            steps(expected),
            "{self:?}: another trace came out"
        );
    }

    fn disturbed_phones(self, lab: &AdbLab) -> &[PhoneBehindAdb] {
        match self {
            Disturbance::Undisturbed => &[],
            Disturbance::AdbdKilled | Disturbance::AgentKilled => &lab.phones[..1],
            Disturbance::AdbdAndAgentKilled | Disturbance::Rebooted => &lab.phones,
        }
    }

    fn disturb(self, lab: &AdbLab, phones: &[PhoneBehindAdb], running: &mut RunningProgram) {
        for phone in phones {
            match self {
                Disturbance::Undisturbed => {}
                Disturbance::AdbdKilled => {
                    phone.kill_daemon();
                    phone.signal_agent("CONT");
                }
                Disturbance::AgentKilled => phone.signal_agent("KILL"),
                Disturbance::AdbdAndAgentKilled => {
                    phone.signal_agent("KILL");
                    phone.kill_daemon();
                }
                Disturbance::Rebooted => {
                    phone.write("booting", "");
                    phone.signal_agent("KILL");
                    phone.kill_daemon();
                    lab.start_daemon(phone);
                }
            }
        }
        match self {
            Disturbance::Undisturbed | Disturbance::AgentKilled => {}
            Disturbance::AdbdKilled | Disturbance::AdbdAndAgentKilled => {
                phones.iter().for_each(|phone| lab.start_daemon(phone));
            }
            Disturbance::Rebooted => {
                let log = running.log_path().to_owned();
                running.wait_for_text(&log, "the phone is still starting", 1);
                phones.iter().for_each(|phone| phone.remove("booting"));
            }
        }
    }
}

/// The only reduced trace of a run.
pub(crate) fn reduced_trace(run: &Path) -> PathBuf {
    let mut found = Vec::new();
    let mut folders = vec![run.to_owned()];
    while let Some(folder) = folders.pop() {
        for name in names(&folder) {
            let path = folder.join(&name);
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with("reduced") && name.ends_with(".retap") {
                found.push(path);
            }
        }
    }
    assert_eq!(found.len(), 1, "reduced traces: {found:?}");
    found.remove(0)
}

/// The steps of a trace: its first line names the phone.
pub(crate) fn steps(trace: &Path) -> Vec<String> {
    let text = fs::read_to_string(trace).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}
