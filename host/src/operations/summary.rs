//! Results of operations in words for people and as JSON for programs. Commands print them; nothing here prints.

mod claim;
mod exploration;
mod reached_table;
mod reduced_trace;
mod suite;

pub use claim::trace_claim;
pub use exploration::{exploration_json, exploration_line, exploration_table, starts, travel};
pub use reached_table::reached_table;
pub use reduced_trace::{confidence, reduced_trace, reduced_trace_name, success_rate};
use retap_shared::finding::Finding;
pub use suite::suite_table;

use crate::report::headline::FindingHeadline;
use crate::sanitise_terminal::{self, INLINE_WIDTH};

/// `IllegalStateException in Editor.save: no title`, for a line of the terminal.
pub fn headline(finding: &Finding) -> String {
    sanitise_terminal::sanitise_line(&FindingHeadline::of(finding).to_string(), INLINE_WIDTH)
}
