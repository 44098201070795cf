//! The program `retap`. A library only so that fuzz targets reach what reads files.
#![expect(
    unreachable_pub,
    reason = "in a program `pub` says which module may use it, nobody outside can"
)]

mod adb;
mod agent_files;
#[cfg(any(test, fuzzing))]
pub mod any_bytes;
mod bench;
mod cli;
mod command_context;
mod command_error;
mod config;
mod constraints;
mod containment;
mod device_spec;
mod devices;
mod doctor;
mod exit;
mod export;
mod format;
mod input_file;
mod lab_file;
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
mod vendors;
mod wording;

use std::process::ExitCode;

use containment::LaunchRequest;

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    panic_hook::install();
    // First of all, because a launcher must have one thread only.
    match LaunchRequest::from_arguments(std::env::args_os()) {
        Some(request) => request.launch(),
        None => cli::run().into(),
    }
}
