//! Turns on the machine: each JVM takes a gigabyte, so that all tests together run at most two.

use std::sync::{Condvar, Mutex, PoisonError};

/// JVMs that may run at once.
const JVM_LIMIT: usize = 2;

static FREE: Mutex<usize> = Mutex::new(JVM_LIMIT);
static RETURNED: Condvar = Condvar::new();

/// The right to run some JVMs, given back at the end of the test.
#[derive(Debug)]
pub(crate) struct JvmTurn {
    count: usize,
}

impl JvmTurn {
    /// Waits until so many more JVMs may run.
    pub(crate) fn wait_for(count: usize) -> JvmTurn {
        assert!(count <= JVM_LIMIT);
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = RETURNED
            .wait_while(free, |free| *free < count)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= count;
        JvmTurn { count }
    }
}

impl Drop for JvmTurn {
    fn drop(&mut self) {
        *FREE.lock().unwrap_or_else(PoisonError::into_inner) += self.count;
        RETURNED.notify_all();
    }
}
