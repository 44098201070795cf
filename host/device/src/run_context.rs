//! The context of a run: everything that exploration and reduction need besides phones and settings.

use crate::CancellationToken;
use crate::run_event::EventSink;
use crate::seed::Seed;

/// Seed, event sink, journal and cancellation of one run. `J` is the journal of the algorithm at work.
pub struct RunContext<'a, J: ?Sized> {
    /// All random choices of the run derive from it.
    pub seed: Seed,
    /// Receives everything that happens in the run.
    pub events: &'a EventSink,
    /// Survives the process, so that the run can be resumed.
    pub journal: &'a J,
    /// Asks the run to end early. It then ends cleanly, with `Outcome::Interrupted`.
    pub cancellation: &'a CancellationToken,
}

// Derived, these would ask the same of the journal.
impl<J: ?Sized> Clone for RunContext<'_, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<J: ?Sized> Copy for RunContext<'_, J> {}

impl<J: ?Sized> std::fmt::Debug for RunContext<'_, J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunContext")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
