//! The work of commands: options become phones, engine calls and reporters, and results become files and a page.
//! Every command that works on phones goes through here. Printing results is left to the commands.

mod active_run;
mod baseline;
mod clock;
mod demo;
mod exploration_run;
mod explore;
pub mod explorer;
mod failure_guard;
mod play;
mod policy;
mod reduce;
mod reduction_source;
mod reductions;
mod report_page;
mod report_run;
mod suite;
pub mod summary;
mod widget_correction;

pub use active_run::{ActiveRun, ActiveRunError, CommandResult, RunLocation};
pub use baseline::{BaselineUpdate, update_baseline};
pub use clock::{ClockKind, block_on};
pub use demo::{DemoApp, run_demo};
pub use exploration_run::run_exploration;
pub use explore::{ExplorationPlan, ExploreResult, explore};
pub use play::{PlayError, describe_verdict, play};
pub use policy::{load_or_solve_policy, load_prior, solve_policy};
pub use reduce::{ReductionOracle, ReductionPlan, TraceWithoutTimes, reduce};
#[cfg(any(test, fuzzing))]
pub use reduction_source::CopiedInputs;
pub use reduction_source::{ReductionSource, devices_for};
pub use reductions::{ReducedTrace, reduce_all, reduce_one};
pub use report_page::{exploration_section, render_report};
pub use report_run::report_run;
pub use suite::{TraceSuite, check_suite, run_suite_reduction};
