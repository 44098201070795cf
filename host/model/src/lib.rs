//! Screens as states: abstractions, the model that APE learns, the candidate actions of a screen, and coverage.
//! Knows no devices and no strategies.
#![warn(missing_docs)]

pub mod actions;
pub mod ape;
mod configured_abstraction;
mod coverage;
mod hash_mix;
pub mod input_texts;
mod shortest_path;
mod structural_state;
mod weighted_draw;
mod widget_tree_state;

pub use configured_abstraction::{
    Abstraction, CountedWidgets, PreparedAbstraction, StateAttribute, WidgetAbstraction,
    WidgetPathKind, WidgetPattern,
};
pub use coverage::{Coverage, CoverageGain, CoveragePoint};
pub use hash_mix::mixed;
pub use shortest_path::{numbered, shortest};
pub use structural_state::abstract_screen;
pub use weighted_draw::{DrawWeight, draw_weighted};
pub use widget_tree_state::widget_tree;
