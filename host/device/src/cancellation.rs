//! How a job is asked to end before it is done. It then ends cleanly, with `Outcome::Interrupted`.

use std::sync::Arc;

use tokio::sync::watch;

/// A flag that all clones share.
#[derive(Clone, Debug)]
pub struct Cancellation {
    flag: Arc<watch::Sender<bool>>,
}

impl Cancellation {
    pub fn new() -> Cancellation {
        Cancellation {
            flag: Arc::new(watch::Sender::new(false)),
        }
    }

    pub fn cancel(&self) {
        self.flag.send_replace(true);
    }

    pub fn is_cancelled(&self) -> bool {
        *self.flag.borrow()
    }

    /// Returns as soon as somebody has asked.
    pub async fn cancelled(&self) {
        // An error would mean that the sender is gone, and `self` is holding it.
        let _ = self.flag.subscribe().wait_for(|asked| *asked).await;
    }
}

impl Default for Cancellation {
    fn default() -> Self {
        Cancellation::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_clone_that_asks_ends_every_wait() {
        let stop = Cancellation::new();
        let waiting = stop.clone();
        let asking = stop.clone();
        assert!(!stop.is_cancelled());
        tokio::join!(waiting.cancelled(), async { asking.cancel() });
        assert!(stop.is_cancelled());
        stop.cancelled().await;
    }
}
