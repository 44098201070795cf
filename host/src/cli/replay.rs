//! `retap replay`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use retap_engine::event::RunEvent;
use retap_engine::seed::Seed;
use retap_shared::protocol::Played;
use retap_shared::trace::Trace;
use retap_shared::verdict::Verdict;
use serde_json::json;

use crate::cli::arguments::{self, Global, Phones};
use crate::devices;
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{self, verdict_in_words};
use crate::report::narrator::Narrator;
use crate::report::{self, Reporter};
use crate::run::crashes::read_trace;
use crate::settings::{DEFAULT_TIMES, Devices};
use crate::shell::Shell;
use crate::target;
use crate::words::counted;

/// Play a trace again and see whether it still does what it did
///
/// Ends with 0 if every run reached what the trace is for, with 3 if not.
#[derive(Debug, Args)]
pub struct Replay {
    /// A `.retap` file, such as `crashes/ID/reduced.retap` of a run
    trace: PathBuf,
    #[command(flatten)]
    phones: Phones,
    /// How often; 3 times if not said
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    times: Option<u32>,
    /// The number that makes the noise of simulated phones
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed)]
    seed: Option<u64>,
    /// One JSON object a run
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("the trace does not reproduce: {reached} of {} reached it", counted(u64::from(*.runs), "run"))]
struct NotReached {
    reached: u32,
    runs: u32,
}

impl Replay {
    pub fn run(&self, global: &Global, shell: &Shell) -> Result<Exit, Failure> {
        let config = global.config()?;
        let trace = read_trace(&self.trace)?;
        let device = job::phone_for(&trace, self.phones.device(&config).as_deref())?;
        devices::check(&device)?;
        let phones = Devices { device, count: self.phones.count(&config) };
        let runs = self.times.or(config.replay.times).unwrap_or(DEFAULT_TIMES);
        let seed = Seed(arguments::seed(self.seed, &config));
        let reached =
            job::block_on(job::Clock::of(&phones.device), self.replay(&trace, &phones, runs, seed, shell))??;
        if shell.stop.asked() {
            return Ok(Exit::Interrupted);
        }
        if reached < runs { Err(NotReached { reached, runs }.into()) } else { Ok(Exit::Done) }
    }

    /// How many of the runs did it.
    async fn replay(
        &self,
        trace: &Trace,
        phones: &Devices,
        runs: u32,
        seed: Seed,
        shell: &Shell,
    ) -> Result<u32, Failure> {
        let phones = devices::Phones::connect(phones, seed).await?;
        let narrator = Arc::new(Narrator::new(Arc::clone(&shell.console)));
        let sink = report::tell(vec![narrator as Arc<dyn Reporter>], Instant::now());
        phones.app_of(trace, &sink)?;
        let mut reached = 0;
        for run in 1..=runs {
            if shell.stop.asked() {
                break;
            }
            let played = job::play(&phones.pool, trace, false, &sink).await?;
            let did_it = has_done_it(trace, &played);
            reached += u32::from(did_it);
            let (verdict, took) = (in_words(trace, &played), played.took);
            sink(RunEvent::Replayed { run, runs, reached: did_it, verdict: verdict.clone(), took });
            let line = if self.json {
                json!({
                    "result": "replay", "run": run, "reached": did_it, "verdict": verdict,
                    "played": played.played, "steps": trace.steps.len(), "phone_seconds": took.0 as f64 / 1e6,
                })
                .to_string()
            } else {
                format!(
                    "run {run} of {runs}: {verdict}, after {} and {took} of phone time",
                    steps_of(trace, &played)
                )
            };
            shell.console.result(&line)?;
        }
        Ok(reached)
    }
}

/// A trace that is for nothing in particular has done it when it was played to its end.
fn has_done_it(trace: &Trace, played: &Played) -> bool {
    match &trace.header.target {
        Some(_) => played.verdict == Verdict::TargetReached,
        None => played.played as usize == trace.steps.len() && played.verdict == Verdict::TargetNotReached,
    }
}

fn in_words(trace: &Trace, played: &Played) -> String {
    match (&trace.header.target, &played.verdict) {
        (Some(target), Verdict::TargetReached) => format!("reached {}", target::in_words(target)),
        (None, Verdict::TargetNotReached) => "played to its end".to_owned(),
        (_, verdict) => verdict_in_words(verdict),
    }
}

fn steps_of(trace: &Trace, played: &Played) -> String {
    match (played.played as usize, trace.steps.len()) {
        (all, steps) if all == steps => counted(steps as u64, "step"),
        (played, steps) => format!("{played} of {}", counted(steps as u64, "step")),
    }
}

impl Explained for NotReached {
    fn exit(&self) -> Exit {
        Exit::DoesNotReproduce
    }

    fn help(&self) -> String {
        "see whether app and phone are those that the trace was made with; it may also work only sometimes"
            .into()
    }
}
