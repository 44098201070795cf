//! Reduction from outside, in virtual time: with formulas as oracles, scripted phones and simulated phones.

mod formula;
mod fresh_phones;
mod journal;
mod named_choice;
mod oracle;
mod phones;
mod reached_targets;
mod simulated;
mod suite;
mod trace_reduction;
