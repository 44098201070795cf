//! The command line: what can be typed, and where it goes. One file per command; the help is its doc comment.

mod abstraction;
mod arguments;
mod bench;
mod check;
mod demo;
mod devices;
mod doctor;
mod explore;
pub mod import;
mod install;
mod phone;
mod policy;
mod reduce;
mod reduce_suite;
mod replay;
mod screen;
mod tuning;

use arguments::Global;
use clap::{Parser, Subcommand};

use crate::adb;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::console::Console;
use crate::shell::Shell;

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
struct Arguments {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    Devices(devices::Devices),
    Doctor(doctor::Doctor),
    Install(install::Install),
    Explore(Box<explore::Explore>),
    Reduce(reduce::Reduce),
    ReduceSuite(reduce_suite::ReduceSuite),
    Replay(replay::Replay),
    Screen(screen::ShowScreen),
    Import(import::Import),
    Policy(policy::Policy),
    Phone(phone::Phone),
    Check(check::Check),
    Bench(bench::Bench),
}

/// The whole program.
pub fn run() -> Exit {
    let Arguments { global, command } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // The words are clap's; a terminal that is gone cannot be told.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            };
        }
    };
    let shell = Shell::new(Console::new(global.color, global.plain || global.verbose));
    if global.verbose {
        Console::trace();
    }
    let ready = || -> Result<(), Failure> {
        global.adb.as_deref().map_or(Ok(()), adb::use_server)?;
        Ok(shell.listen()?)
    };
    let done = ready().and_then(|()| match &command {
        Command::Demo(command) => command.run(&shell),
        Command::Devices(command) => command.run(&shell),
        Command::Doctor(command) => command.run(&shell),
        Command::Install(command) => command.run(&global, &shell),
        Command::Explore(command) => command.run(&global, &shell),
        Command::Reduce(command) => command.run(&global, &shell),
        Command::ReduceSuite(command) => command.run(&global, &shell),
        Command::Replay(command) => command.run(&global, &shell),
        Command::Screen(command) => command.run(&global, &shell),
        Command::Import(command) => command.run(&shell),
        Command::Policy(command) => command.run(&global, &shell),
        Command::Phone(command) => command.run(&shell),
        Command::Check(command) => command.run(&global, &shell),
        Command::Bench(command) => command.run(&shell),
    });
    done.unwrap_or_else(|failure| {
        shell.console.failure(&failure);
        failure.exit()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
