//! Consumers of run events, and the page of a run.

pub mod console;
pub mod data;
pub mod event_log;
pub mod headline;
pub mod html;
pub mod progress;
pub mod recalled_events;
pub(crate) mod stack;

use std::sync::Arc;
use std::time::{Duration, Instant};

use retap_device::run_event::{EventSink, RunEvent};

/// A consumer of run events.
pub trait Reporter: Send + Sync {
    /// Consumes an event. `at` is the real time since this process started or resumed the run.
    fn event(&self, event: &RunEvent, at: Duration);
}

/// Returns a sink that passes events to all reporters, in this order.
pub fn event_sink(reporters: Vec<Arc<dyn Reporter>>, began: Instant) -> EventSink {
    Arc::new(move |event| {
        let at = began.elapsed();
        tracing::debug!(?event);
        for reporter in &reporters {
            reporter.event(&event, at);
        }
    })
}
