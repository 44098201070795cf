//! Processes that another one has started, itself or through others, as this system lists them.

use std::fs;
use std::time::{Duration, Instant};

const POLL_PAUSE: Duration = Duration::from_millis(10);
/// A killed process needs a moment to be gone, on a loaded machine a long one.
const GIVE_UP: Duration = Duration::from_secs(60);

/// A process in the system's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedProcess {
    pub(crate) id: u32,
    name: String,
    pub(crate) parent: u32,
    /// Tells it from a later one with the same number.
    started: u64,
}

impl ListedProcess {
    /// None if it has ended, also if nobody has asked for its exit code.
    fn read(id: u32) -> Option<ListedProcess> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The number, the name in brackets, the state, the parent, and from there the 18th: when it began.
        let (name, rest) = stat.split_once(" (")?.1.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let has_ended = matches!(*fields.first()?, "Z" | "X");
        (!has_ended).then_some(ListedProcess {
            id,
            name: name.to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    fn runs(&self) -> bool {
        ListedProcess::read(self.id).is_some_and(|now| now.started == self.started)
    }

    /// True if the kernel filters its system calls, as it does those of contained programs.
    pub(crate) fn is_contained(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).unwrap_or_default();
        status.lines().any(|line| line == "Seccomp:\t2")
    }

    /// Panics if it goes on.
    pub(crate) fn assert_ends(&self) {
        let begin = Instant::now();
        while self.runs() {
            assert!(begin.elapsed() < GIVE_UP, "{self:?} is left");
            std::thread::sleep(POLL_PAUSE);
        }
    }
}

/// All processes below another one.
pub(crate) fn descendants(ancestor: u32) -> Vec<ListedProcess> {
    let listed: Vec<ListedProcess> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| ListedProcess::read(entry.file_name().to_str()?.parse().ok()?))
        .collect();
    let mut found: Vec<ListedProcess> = Vec::new();
    let mut parents = vec![ancestor];
    while let Some(parent) = parents.pop() {
        let children = listed.iter().filter(|process| process.parent == parent);
        for child in children {
            parents.push(child.id);
            found.push(child.clone());
        }
    }
    found
}

/// The process with this name below another one.
pub(crate) fn descendant(ancestor: u32, name: &str) -> Option<ListedProcess> {
    descendants(ancestor)
        .into_iter()
        .find(|process| process.name == name)
}
