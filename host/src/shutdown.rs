//! What is still to be done for phones when the work on them is over: it runs beside whatever else happens, and the
//! runtime does not end before it.

use std::cell::RefCell;
use std::future::Future;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

thread_local! {
    /// Of this thread's runtime: it has only one thread.
    static CLEANUP_TASKS: RefCell<Vec<JoinHandle<()>>> = const { RefCell::new(Vec::new()) };
}

/// Begins with it at once. Without a runtime nobody could do it any more.
pub fn spawn(farewell: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = Handle::try_current() {
        let task = runtime.spawn(farewell);
        CLEANUP_TASKS.with_borrow_mut(|tasks| tasks.push(task));
    }
}

/// Returns when all of them are done; each has a limit of its own.
pub async fn wait_for_all() {
    loop {
        let Some(task) = CLEANUP_TASKS.with_borrow_mut(Vec::pop) else {
            return;
        };
        // One that failed has said so, or is a phone that is gone.
        let _ = task.await;
    }
}
