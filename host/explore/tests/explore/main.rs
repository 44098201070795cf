//! Exploration from outside, in virtual time: on test doubles of phones and on simulated phones.

mod ape;
mod auto;
mod canvas_app;
mod capabilities;
mod constraints;
mod data_only;
mod failing_phones;
mod fixtures;
mod random;
mod sessions;
mod sessions_disturbed;
mod setup_steps;
mod shared_run;
