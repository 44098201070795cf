//! The command line: what can be typed, and where it goes. One file per command; the help is its doc comment.

mod abstraction;
mod arguments;
mod baseline;
mod bench;
mod check;
mod claim_json;
mod demo;
mod devices;
mod doctor;
mod explore;
mod explorer_arguments;
mod export;
pub mod import;
mod install;
mod named_choice;
mod phone;
mod policy;
mod reduce;
mod reduce_suite;
mod replay;
mod report;
mod resume_conflicts;
mod runs;
mod screen;

use arguments::GlobalArguments;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::adb;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::report::console::Console;

/// Filter of the log with `-v`, unless `RUST_LOG` has another.
const VERBOSE_LOG: &str = "debug";
/// Filter of the log of `retap phone`: which hosts came and went. To quinn the end of a byte stream is an error of its
/// endpoint, also when the host was done.
const PHONE_LOG: &str = "warn,quinn::endpoint=off,retap=info,retap_agent=info";

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
    Baseline(baseline::BaselineCommand),
    Report(report::ReportCommand),
    Runs(runs::RunsCommand),
    Screen(screen::ScreenCommand),
    Export(export::ExportCommand),
    Import(import::ImportCommand),
    Policy(policy::PolicyCommand),
    Phone(phone::PhoneCommand),
    Check(check::CheckCommand),
    Bench(bench::BenchCommand),
}

/// The whole program.
pub fn run() -> CommandExit {
    let parsed = cli_command()
        .try_get_matches()
        .and_then(|matches| CliArguments::from_arg_matches(&matches));
    let CliArguments { global, command } = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // The message is clap's. An error of writing it cannot be reported.
            let _ = error.print();
            return if error.use_stderr() {
                CommandExit::Usage
            } else {
                CommandExit::Done
            };
        }
    };
    let context = CommandContext::new(Console::new(global.color, global.plain || global.verbose));
    enable_tracing(&global, &command);
    let done = prepare(&global, &context).and_then(|()| command.run(&global, &context));
    done.unwrap_or_else(|failure| {
        // The user knows who stopped it.
        if !failure.is_interruption() {
            context.console.print_error(&failure);
        }
        failure.exit()
    })
}

/// The command line as clap knows it.
fn cli_command() -> Command {
    resume_conflicts::add_resume_conflicts(CliArguments::command())
}

fn enable_tracing(global: &GlobalArguments, command: &CliCommand) {
    match command {
        _ if global.verbose => Console::enable_tracing(VERBOSE_LOG),
        CliCommand::Phone(_) => Console::enable_tracing(PHONE_LOG),
        _ => {}
    }
}

fn prepare(global: &GlobalArguments, context: &CommandContext) -> Result<(), CommandError> {
    global.adb.as_deref().map_or(Ok(()), adb::use_server)?;
    Ok(context.install_signal_handlers()?)
}

impl CliCommand {
    fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        match self {
            CliCommand::Demo(command) => command.run(context),
            CliCommand::Devices(command) => command.run(context),
            CliCommand::Doctor(command) => command.run(context),
            CliCommand::Install(command) => command.run(global, context),
            CliCommand::Explore(command) => command.run(global, context),
            CliCommand::Reduce(command) => command.run(global, context),
            CliCommand::ReduceSuite(command) => command.run(global, context),
            CliCommand::Replay(command) => command.run(global, context),
            CliCommand::Baseline(command) => command.run(context),
            CliCommand::Report(command) => command.run(global, context),
            CliCommand::Runs(command) => command.run(global, context),
            CliCommand::Screen(command) => command.run(global, context),
            CliCommand::Export(command) => command.run(context),
            CliCommand::Import(command) => command.run(context),
            CliCommand::Policy(command) => command.run(global, context),
            CliCommand::Phone(command) => command.run(context),
            CliCommand::Check(command) => command.run(global, context),
            CliCommand::Bench(command) => command.run(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        cli_command().debug_assert();
    }
}
