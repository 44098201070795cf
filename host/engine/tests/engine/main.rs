//! The engine from outside, in virtual time: on phones of a few lines, on oracles that are a formula, and on the
//! simulated phones.

mod ape;
mod auto;
mod data_only;
mod device;
mod explore;
mod fakes;
mod guard;
mod journal;
mod model;
mod oracle;
mod pool;
mod random;
mod reduce;
mod screens;
mod simulated;
mod suite;
mod tiny;
mod trouble;
mod whole;
