//! The program `retap`.
#![expect(
    unreachable_pub,
    reason = "in a program `pub` says which module may use it, nobody outside can"
)]

mod adb;
mod agent_files;
mod bench;
mod care;
mod cli;
mod config;
mod devices;
mod doctor;
mod exit;
mod failure;
mod farewell;
mod fault;
mod format;
mod job;
mod link;
mod os;
mod plain;
mod report;
mod run;
mod settings;
mod shell;
mod target;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    fault::install();
    cli::run().into()
}
