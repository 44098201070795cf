//! What a scheduler may know in advance: the prior over candidates, and the policy that is optimal for it.

mod prior;

pub use prior::{GOOD, Point, Prior, PriorError, Tally, choose, passes};
