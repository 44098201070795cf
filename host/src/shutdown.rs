//! Clean-up of phones after the work on them. It runs beside other tasks, and the runtime waits for it at its end.

use std::cell::RefCell;
use std::future::Future;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

thread_local! {
    /// Tasks of this thread's runtime, which has only one thread.
    static CLEANUP_TASKS: RefCell<Vec<JoinHandle<()>>> = const { RefCell::new(Vec::new()) };
}

/// Starts a clean-up at once. Without a runtime it is dropped: nothing could run it.
pub fn spawn(cleanup: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = Handle::try_current() {
        let task = runtime.spawn(cleanup);
        CLEANUP_TASKS.with_borrow_mut(|tasks| tasks.push(task));
    }
}

/// Waits for all clean-ups. Each has its own timeout.
pub async fn wait_for_all() {
    loop {
        let Some(task) = CLEANUP_TASKS.with_borrow_mut(Vec::pop) else {
            return;
        };
        // A clean-up that failed has reported it, or its phone is gone.
        let _ = task.await;
    }
}
