//! `retap bench crash` and `retap bench oracle`: recorded crash traces on an activity machine.

use std::path::PathBuf;

use clap::Args;
use retap_reduce::oracle::Invented;
use retap_reduce::trace;
use serde_json::json;

use crate::bench::crash;
use crate::cli::arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job::{self, Clock};
use crate::run::directory;
use crate::shell::Shell;

/// What cutting down recorded crash traces costs, on an activity machine and no phone
#[derive(Debug, Args)]
pub struct Crash {
    /// A directory of recorded traces: `.retap` files, or JSON files of SimplyDroid
    #[arg(long, value_name = "DIR")]
    traces: PathBuf,
    #[command(flatten)]
    machine: Machine,
    /// Only these algorithms
    #[arg(long, value_name = "NAME")]
    algorithm: Vec<trace::Algorithm>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Ask the activity machine of a recorded trace about some of its events: ends with 0 if they crash, with 3 if not
///
/// For other reducers, which are programs that ask a program.
#[derive(Debug, Args)]
pub struct Oracle {
    /// A recorded trace: a `.retap` file, or a JSON file of SimplyDroid
    #[arg(long, value_name = "FILE")]
    recording: PathBuf,
    /// A file with the numbers of the events, one a line, the launch being 0
    #[arg(value_name = "EVENTS")]
    events: PathBuf,
    #[command(flatten)]
    machine: Machine,
}

/// What is made up beside a recording
#[derive(Clone, Copy, Debug, Args)]
struct Machine {
    /// How many events that lead nowhere are needed for the crash all the same
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=1_000), default_value_t = 0)]
    hidden: u32,
    /// How probably an event that is played elsewhere than it was recorded leads somewhere, 0 to 1
    #[arg(long, value_name = "Q", allow_negative_numbers = true, value_parser = parse_share, default_value_t = 0.0)]
    stray: f64,
    /// The number that makes what is made up
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
}

impl Crash {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let traces = crash::traces(&self.traces)?;
        let algorithms: &[trace::Algorithm] = if self.algorithm.is_empty() {
            &crash::ALGORITHMS
        } else {
            &self.algorithm
        };
        let invented = self.machine.invented();
        let mut cuts = Vec::new();
        for &algorithm in algorithms {
            for (name, trace) in &traces {
                let run = crash::run(name, trace, algorithm, invented, &shell.stop);
                let Some(cut) = job::block_on(Clock::Jumping, run)?? else {
                    return Ok(Exit::Interrupted);
                };
                if self.json {
                    shell.console.result(&cut.to_json())?;
                }
                cuts.push(cut);
            }
        }
        if !self.json {
            shell
                .console
                .result("on an activity machine, which is a recording and no phone:")?;
            for line in crash::in_words(&cuts, algorithms) {
                shell.console.result(&line)?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Oracle {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let recording = crash::recording(&self.recording, self.machine.invented())?;
        let text = directory::read(&self.events)?;
        // What another reducer has cut in the middle of a number is no event of the recording.
        let numbers = text
            .lines()
            .filter_map(|line| line.trim().parse::<u32>().ok()?.checked_sub(1));
        let mut steps: Vec<u32> = numbers
            .filter(|step| (*step as usize) < recording.len())
            .collect();
        steps.sort_unstable();
        steps.dedup();
        let (crashes, played) = recording.play(&steps);
        shell
            .console
            .result(&json!({ "crashes": crashes, "played": played }).to_string())?;
        Ok(if crashes {
            Exit::Done
        } else {
            Exit::DoesNotReproduce
        })
    }
}

impl Machine {
    fn invented(self) -> Invented {
        let Machine {
            hidden,
            stray,
            seed,
        } = self;
        Invented {
            hidden,
            stray,
            seed,
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}
