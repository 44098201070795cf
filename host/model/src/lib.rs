//! Screens as states, and what has been covered of an app.

mod abstraction;
pub mod actions;
pub mod ape;
mod coverage;
mod rules;
pub mod texts;
mod way;
mod widget_tree;

pub use abstraction::abstract_screen;
pub use coverage::{Coverage, CoveragePoint, Gain};
pub use rules::{Abstraction, Attribute, Like, PathBy, States, Which, WidgetRules};
pub use way::{numbered, shortest};
pub use widget_tree::widget_tree;

/// Two hashes as one, in this order: a strong mix without the cost of hashing them as bytes.
pub fn mixed(one: u64, other: u64) -> u64 {
    let wide = u128::from(one ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(other.rotate_left(23) ^ 0xd6e8_feb8_6659_fd93);
    (wide as u64) ^ ((wide >> 64) as u64).rotate_left(32) ^ other
}
