//! Callbacks of the system: accessibility events, crashes, ANRs, cleared data. Binder threads store them here and return
//! at once, because the system server waits for them; the phone's thread takes them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_shared::finding::{Finding, FindingKind};
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};

/// Maximum number of stored events, so that repeated crashes do not fill the memory.
const MAX_EVENTS: usize = 1_000;

/// The callbacks of this process. JNI callbacks are static, so their state is too.
pub(crate) static SYSTEM_CALLBACKS: SystemCallbacks = SystemCallbacks::new();

/// The state that the callbacks fill.
#[derive(Debug)]
pub(crate) struct SystemCallbacks {
    last_screen_change: AtomicU64,
    events: Mutex<VecDeque<PhoneEvent>>,
    cleared: Mutex<Option<(String, bool)>>,
    clearing: Condvar,
}

impl SystemCallbacks {
    const fn new() -> Self {
        SystemCallbacks {
            last_screen_change: AtomicU64::new(0),
            events: Mutex::new(VecDeque::new()),
            cleared: Mutex::new(None),
            clearing: Condvar::new(),
        }
    }

    pub(crate) fn screen_changed(&self, at: Micros) {
        self.last_screen_change.fetch_max(at.0, Ordering::Relaxed);
    }

    pub(crate) fn last_screen_change(&self) -> Micros {
        Micros(self.last_screen_change.load(Ordering::Relaxed))
    }

    /// `IActivityController.appCrashed`, also for native crashes.
    pub(crate) fn crashed(&self, at: Micros, process: &str, short: &str, long: &str, stack: &str) {
        let kind = if short.starts_with("Native crash") || long.starts_with("Native crash") {
            FindingKind::NativeCrash
        } else {
            FindingKind::Crash
        };
        let summary = if long.is_empty() { short } else { long };
        self.push_finding(at, kind, process, summary, stack);
    }

    pub(crate) fn not_responding(&self, at: Micros, process: &str, statistics: &str) {
        let summary = format!("ANR in {process}");
        self.push_finding(at, FindingKind::Anr, process, &summary, statistics);
    }

    fn push_finding(
        &self,
        at: Micros,
        kind: FindingKind,
        process: &str,
        summary: &str,
        stack: &str,
    ) {
        let finding = Finding {
            kind,
            process: process.into(),
            summary: summary.to_owned(),
            stack: stack.to_owned(),
        };
        let mut events = locked(&self.events);
        if events.len() == MAX_EVENTS {
            events.pop_front();
        }
        events.push_back(PhoneEvent {
            at,
            kind: PhoneEventKind::Finding(finding),
        });
    }

    /// Takes the events of `package`, or all if it is empty. Other events are dropped.
    pub(crate) fn take_events(&self, package: &str, into: &mut Vec<PhoneEvent>) {
        let all = std::mem::take(&mut *locked(&self.events));
        into.extend(all.into_iter().filter(|event| concerns(event, package)));
    }

    pub(crate) fn forget_cleared(&self) {
        *locked(&self.cleared) = None;
    }

    pub(crate) fn cleared(&self, package: &str, succeeded: bool) {
        *locked(&self.cleared) = Some((package.to_owned(), succeeded));
        self.clearing.notify_all();
    }

    /// Waits for the result of clearing the data of `package`; `None` after the limit.
    pub(crate) fn wait_cleared(&self, package: &str, limit: Duration) -> Option<bool> {
        let is_open = |cleared: &mut Option<(String, bool)>| {
            cleared
                .as_ref()
                .is_none_or(|(cleared, _)| cleared != package)
        };
        let cleared = self
            .clearing
            .wait_timeout_while(locked(&self.cleared), limit, is_open);
        let (cleared, timeout) = cleared.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            None
        } else {
            cleared.as_ref().map(|(_, succeeded)| *succeeded)
        }
    }
}

/// True if the event is the package's. A process has the package's name, with `:name` for further processes.
fn concerns(event: &PhoneEvent, package: &str) -> bool {
    let PhoneEventKind::Finding(finding) = &event.kind else {
        return true;
    };
    let rest = finding.process.strip_prefix(package);
    package.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_processes_of_the_watched_package_are_reported() {
        let callbacks = SystemCallbacks::new();
        for process in ["com.app", "com.app:sync", "com.apple", "other"] {
            callbacks.crashed(
                Micros(1),
                process,
                "java.lang.Error",
                "java.lang.Error: no",
                "at x",
            );
        }
        let mut taken = Vec::new();
        callbacks.take_events("com.app", &mut taken);
        let processes: Vec<_> = taken.iter().map(process).collect();
        assert_eq!(processes, ["com.app", "com.app:sync"]);
    }

    #[test]
    fn a_native_crash_is_distinguished_from_an_exception_and_an_anr() {
        let callbacks = SystemCallbacks::new();
        callbacks.crashed(
            Micros(1),
            "a",
            "Native crash",
            "Native crash: Segmentation fault",
            "tombstone",
        );
        callbacks.crashed(Micros(2), "a", "java.lang.Error", "", "at x");
        callbacks.not_responding(Micros(3), "a", "CPU usage");
        let mut taken = Vec::new();
        callbacks.take_events("", &mut taken);
        let kinds: Vec<_> = taken
            .iter()
            .filter_map(|event| match &event.kind {
                PhoneEventKind::Finding(finding) => Some((finding.kind, finding.summary.as_str())),
                PhoneEventKind::Activity(_) => None,
            })
            .collect();
        let expected = [
            (FindingKind::NativeCrash, "Native crash: Segmentation fault"),
            (FindingKind::Crash, "java.lang.Error"),
            (FindingKind::Anr, "ANR in a"),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn waiting_for_cleared_data_ends_with_the_result_of_that_package() {
        let callbacks = SystemCallbacks::new();
        callbacks.cleared("other", true);
        assert_eq!(
            callbacks.wait_cleared("app", Duration::from_millis(1)),
            None
        );
        callbacks.cleared("app", false);
        assert_eq!(
            callbacks.wait_cleared("app", Duration::from_secs(60)),
            Some(false)
        );
    }

    fn process(event: &PhoneEvent) -> &str {
        match &event.kind {
            PhoneEventKind::Finding(finding) => &finding.process,
            PhoneEventKind::Activity(activity) => activity,
        }
    }
}
