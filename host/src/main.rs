//! The program `retap`.
#![expect(
    unreachable_pub,
    reason = "in a program `pub` says which module may use it, nobody outside can"
)]

mod adb;
mod agent_files;
mod bench;
mod cli;
mod command_context;
mod command_error;
mod config;
mod constraints;
mod device_spec;
mod devices;
mod doctor;
mod exit;
mod format;
mod input_file;
mod link;
mod operations;
mod options;
mod os;
mod panic_hook;
mod report;
mod run;
mod sanitise_terminal;
mod shell_command;
mod shutdown;
mod target;
mod wording;

use std::process::ExitCode;

fn main() -> ExitCode {
    panic_hook::install();
    cli::run().into()
}
