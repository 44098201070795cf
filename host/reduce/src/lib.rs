//! Reduction: of one trace to the steps that matter (`trace`), and of a whole suite to few and short traces that cover
//! the same (`suite`). Both ask, and do not know who answers: an oracle, or a replayer.

pub mod journal;
pub mod oracle;
pub mod policy;
pub mod suite;
pub mod trace;
