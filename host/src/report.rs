//! Consumers of a run's events, and the page at its end.

pub mod console;
pub mod data;
pub mod event_log;
pub mod html;
pub mod progress;
pub mod suite;
pub mod summary;

use std::sync::Arc;
use std::time::{Duration, Instant};

use retap_device::run_event::{EventSink, RunEvent};

/// Somebody who wants to know what happens in a run.
pub trait Reporter: Send + Sync {
    /// `at` is real time since the run was started.
    fn event(&self, event: &RunEvent, at: Duration);
}

/// One sink that tells all of them, in this order.
pub fn event_sink(reporters: Vec<Arc<dyn Reporter>>, began: Instant) -> EventSink {
    Arc::new(move |event| {
        let at = began.elapsed();
        tracing::debug!(?event);
        for reporter in &reporters {
            reporter.event(&event, at);
        }
    })
}
