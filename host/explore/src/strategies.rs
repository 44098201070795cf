//! The strategies: each decides what a worker does next, and learns from what that led to.

mod ape;
mod auto;
mod model_actions;
mod monkey;
mod plan_follower;
mod random;
mod random_sessions;
mod snapshot_keeper;
mod stuck_detector;
mod time_travel;
mod trace_seeds;
mod travel_costs;

pub use ape::{ApeExplorer, ApeParameterError, ApeParameters};
pub use auto::AutoExplorer;
pub use monkey::{EventMix, EventMixError, MonkeyExplorer};
pub use random::RandomExplorer;
pub use random_sessions::RandomSessions;
pub use stuck_detector::{StuckDetector, StuckParameters};
pub use time_travel::{TimeTravelExplorer, TimeTravelParameters};
pub use trace_seeds::TraceSeededExplorer;
