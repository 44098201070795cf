//! Screens as states, and what has been covered of an app.

pub mod actions;
pub mod ape;
mod configured_abstraction;
mod coverage;
pub mod input_texts;
mod shortest_path;
mod structural_state;
mod widget_tree_state;

pub use configured_abstraction::{
    Abstraction, CountedWidgets, PreparedAbstraction, StateAttribute, WidgetAbstraction,
    WidgetPathKind, WidgetPattern,
};
pub use coverage::{Coverage, CoverageGain, CoveragePoint};
pub use shortest_path::{numbered, shortest};
pub use structural_state::abstract_screen;
pub use widget_tree_state::widget_tree;

/// Two hashes as one, in this order: a strong mix without the cost of hashing them as bytes.
pub fn mixed(one: u64, other: u64) -> u64 {
    let wide = u128::from(one ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(other.rotate_left(23) ^ 0xd6e8_feb8_6659_fd93);
    (wide as u64) ^ ((wide >> 64) as u64).rotate_left(32) ^ other
}
