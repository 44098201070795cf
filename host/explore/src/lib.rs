//! Exploration: one driver, one worker per phone, and the strategies that decide what the workers do.
//!
//! A strategy decides and observes. All that it knows comes from what it observed, so that an interrupted run is resumed by
//! replaying the journal, in which each step is recorded before the next one is done.

#![warn(missing_docs)]

mod canvas_raster;
mod confirm;
mod constraints;
mod driver;
mod error;
mod exploration;
mod explorer;
mod finding_record;
pub mod journal;
mod observation;
mod recent_log;
mod result;
mod settings;
mod step_path;
mod strategies;
mod system_events;
mod worker;

pub use constraints::{Constraints, WidgetSelector};
pub use driver::{ExplorationEnd, explore_to_end, run_exploration};
pub use error::ExploreError;
pub use explorer::{ChosenAction, Decision, Explorer, WorkerView};
pub use finding_record::{FindingContext, FindingRecord};
pub use observation::{CoverageGainCount, StepObservation};
pub use result::{ExplorationCounts, ExplorationResult, FindingPoint};
pub use settings::ExploreSettings;
pub use step_path::StepPath;
pub use strategies::{
    ApeExplorer, ApeParameterError, ApeParameters, AutoExplorer, EventMix, EventMixError,
    MonkeyExplorer, RandomExplorer, RandomSessions, StuckDetector, StuckParameters,
    TimeTravelExplorer, TimeTravelParameters, TraceSeededExplorer,
};
