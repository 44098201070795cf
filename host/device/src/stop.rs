//! How a job is asked to end before it is done. It then ends cleanly, with `Outcome::Interrupted`.

use std::sync::Arc;

use tokio::sync::watch;

/// A flag that all clones share.
#[derive(Clone, Debug)]
pub struct Stop {
    asked: Arc<watch::Sender<bool>>,
}

impl Stop {
    pub fn new() -> Stop {
        Stop {
            asked: Arc::new(watch::Sender::new(false)),
        }
    }

    pub fn ask(&self) {
        self.asked.send_replace(true);
    }

    pub fn asked(&self) -> bool {
        *self.asked.borrow()
    }

    /// Returns as soon as somebody has asked.
    pub async fn wait(&self) {
        // An error would mean that the sender is gone, and `self` is holding it.
        let _ = self.asked.subscribe().wait_for(|asked| *asked).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Stop::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_clone_that_asks_ends_every_wait() {
        let stop = Stop::new();
        let waiting = stop.clone();
        let asking = stop.clone();
        assert!(!stop.asked());
        tokio::join!(waiting.wait(), async { asking.ask() });
        assert!(stop.asked());
        stop.wait().await;
    }
}
