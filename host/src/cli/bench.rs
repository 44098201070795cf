//! `retap bench`: one file per benchmark.

mod crash;
mod deterministic;
mod device;
mod event_numbers;
mod explore;
mod link;
mod model;
mod noisy;
mod noisy_oracle;
mod own_cost;
mod policy;
mod simulated;
mod suite;

use clap::{Args, Subcommand};

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;

/// Measure how fast Retap is
#[derive(Debug, Args)]
pub struct BenchCommand {
    #[command(subcommand)]
    what: BenchSubcommand,
}

#[derive(Debug, Subcommand)]
enum BenchSubcommand {
    Simulated(simulated::BenchSimulatedCommand),
    Link(link::BenchLinkCommand),
    Policy(policy::BenchPolicyCommand),
    Noisy(noisy::BenchNoisyCommand),
    NoisyOracle(noisy_oracle::BenchNoisyOracleCommand),
    OwnCost(own_cost::BenchOwnCostCommand),
    Deterministic(deterministic::BenchDeterministicCommand),
    Crash(crash::BenchCrashCommand),
    Oracle(crash::BenchOracleCommand),
    Suite(suite::BenchSuiteCommand),
    Explore(Box<explore::BenchExploreCommand>),
    Model(model::BenchModelCommand),
    Device(device::BenchDeviceCommand),
}

impl BenchCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        match &self.what {
            BenchSubcommand::Simulated(simulated) => simulated.run(context),
            BenchSubcommand::Link(link) => link.run(context),
            BenchSubcommand::Policy(policy) => policy.run(context),
            BenchSubcommand::Noisy(noisy) => noisy.run(context),
            BenchSubcommand::NoisyOracle(oracle) => oracle.run(context),
            BenchSubcommand::OwnCost(own_cost) => own_cost.run(context),
            BenchSubcommand::Deterministic(deterministic) => deterministic.run(context),
            BenchSubcommand::Crash(crash) => crash.run(context),
            BenchSubcommand::Oracle(oracle) => oracle.run(context),
            BenchSubcommand::Suite(suite) => suite.run(context),
            BenchSubcommand::Explore(explore) => explore.run(context),
            BenchSubcommand::Model(model) => model.run(context),
            BenchSubcommand::Device(device) => device.run(context),
        }
    }
}
