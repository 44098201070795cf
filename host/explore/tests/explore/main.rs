//! Exploration from outside, in virtual time: on phones of a few lines and on simulated phones.

mod ape;
mod auto;
mod data_only;
mod guard;
mod random;
mod sessions;
mod trouble;
mod whole;
