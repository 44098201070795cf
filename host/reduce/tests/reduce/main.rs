//! Reduction from outside, in virtual time: on oracles that are a formula, on phones of a few lines and on simulated phones.

mod formula;
mod journal;
mod named_choice;
mod oracle;
mod simulated;
mod suite;
mod trace_reduction;
