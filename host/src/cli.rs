//! The command line: what can be typed, and where it goes. One file per command; the help is its doc comment.

mod abstraction;
mod arguments;
mod bench;
mod check;
mod demo;
mod devices;
mod doctor;
mod explore;
mod explorer_arguments;
pub mod import;
mod install;
mod phone;
mod policy;
mod reduce;
mod reduce_suite;
mod replay;
mod screen;

use arguments::GlobalArguments;
use clap::{Parser, Subcommand};

use crate::adb;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::report::console::Console;

/// Drives Android apps, finds the ways to make them crash, and cuts each down to the few events that matter.
///
/// New here? `retap demo` shows on simulated phones what Retap is for.
#[derive(Debug, Parser)]
#[command(
    name = "retap",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
struct CliArguments {
    #[command(flatten)]
    global: GlobalArguments,
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Demo(demo::DemoCommand),
    Devices(devices::DevicesCommand),
    Doctor(doctor::DoctorCommand),
    Install(install::InstallCommand),
    Explore(Box<explore::ExploreCommand>),
    Reduce(reduce::ReduceCommand),
    ReduceSuite(reduce_suite::ReduceSuiteCommand),
    Replay(replay::ReplayCommand),
    Screen(screen::ScreenCommand),
    Import(import::ImportCommand),
    Policy(policy::PolicyCommand),
    Phone(phone::PhoneCommand),
    Check(check::CheckCommand),
    Bench(bench::BenchCommand),
}

/// The whole program.
pub fn run() -> CommandExit {
    let CliArguments { global, command } = match CliArguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // The words are clap's; a terminal that is gone cannot be told.
            let _ = error.print();
            return if error.use_stderr() {
                CommandExit::Usage
            } else {
                CommandExit::Done
            };
        }
    };
    let shell = CommandContext::new(Console::new(global.color, global.plain || global.verbose));
    if global.verbose {
        Console::enable_tracing();
    }
    let ready = || -> Result<(), CommandError> {
        global.adb.as_deref().map_or(Ok(()), adb::use_server)?;
        Ok(shell.install_signal_handlers()?)
    };
    let done = ready().and_then(|()| match &command {
        CliCommand::Demo(command) => command.run(&shell),
        CliCommand::Devices(command) => command.run(&shell),
        CliCommand::Doctor(command) => command.run(&shell),
        CliCommand::Install(command) => command.run(&global, &shell),
        CliCommand::Explore(command) => command.run(&global, &shell),
        CliCommand::Reduce(command) => command.run(&global, &shell),
        CliCommand::ReduceSuite(command) => command.run(&global, &shell),
        CliCommand::Replay(command) => command.run(&global, &shell),
        CliCommand::Screen(command) => command.run(&global, &shell),
        CliCommand::Import(command) => command.run(&shell),
        CliCommand::Policy(command) => command.run(&global, &shell),
        CliCommand::Phone(command) => command.run(&shell),
        CliCommand::Check(command) => command.run(&global, &shell),
        CliCommand::Bench(command) => command.run(&shell),
    });
    done.unwrap_or_else(|failure| {
        shell.console.print_error(&failure);
        failure.exit()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CliArguments::command().debug_assert();
    }
}
