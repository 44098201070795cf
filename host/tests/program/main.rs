//! The real program, started as a user starts it.

mod adb;
mod bad_input;
mod bench;
mod check;
mod constraints;
mod crash;
mod demo;
mod devices;
mod doctor;
mod environment;
mod explore;
mod explorers;
mod flaky;
mod full_disk;
mod interrupt;
mod kill;
mod link;
mod link_flood;
mod link_kill;
mod link_phone;
mod reduce;
mod replay;
mod screen;
mod suite;

/// The environment under the names that `bad_input`, `check` and `devices` use.
mod retap {
    pub(crate) use crate::environment::{ProgramOutput as Ended, TestEnvironment as Desk};
}
