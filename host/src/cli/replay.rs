//! `retap replay`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use retap_device::event::RunEvent;
use retap_device::seed::Seed;
use retap_shared::protocol::Played;
use retap_shared::trace::Trace;
use retap_shared::verdict::Verdict;
use serde_json::json;

use crate::cli::arguments::{self, Global, Phones};
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{self, verdict_in_words};
use crate::report::narrator::Narrator;
use crate::report::{self, Reporter};
use crate::run::crashes::read_trace;
use crate::settings::{DEFAULT_TIMES, Devices};
use crate::shell::Shell;
use crate::words::counted;
use crate::{devices, target};

/// Play traces again and see whether they still do what they did
///
/// Ends with 0 if every run reached what its trace is for, with 3 if not.
#[derive(Debug, Args)]
pub struct Replay {
    /// `.retap` files, such as `crashes/ID/reduced.retap` of a run; all of them on the same phones
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    phones: Phones,
    /// How often each; 3 times if not said
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
#[error(
    "{}: {reached} of {} reached it",
    if *.traces == 1 { "the trace does not reproduce" } else { "not every trace reproduces" },
    counted(u64::from(*.runs), "run")
)]
struct NotReached {
    traces: usize,
    reached: u32,
    runs: u32,
}

impl Replay {
    pub fn run(&self, global: &Global, shell: &Shell) -> Result<Exit, Failure> {
        let config = global.config()?;
        let traces = self
            .traces
            .iter()
            .map(|path| read_trace(path))
            .collect::<Result<Vec<_>, _>>()?;
        let named = self.phones.device(&config)?;
        let device = match traces.first() {
            Some(first) => job::phone_for(first, named.as_deref())?,
            None => return Ok(Exit::Done),
        };
        devices::check(&device)?;
        let phones = Devices {
            device,
            count: self.phones.count(&config),
        };
        let times = self.times.or(config.replay.times).unwrap_or(DEFAULT_TIMES);
        let seed = Seed(arguments::seed(self.seed, &config));
        let reached = job::block_on(
            job::Clock::of(&phones.device),
            self.replay(&traces, &phones, times, seed, shell),
        )??;
        if shell.stop.asked() {
            return Ok(Exit::Interrupted);
        }
        let runs = times.saturating_mul(u32::try_from(traces.len()).unwrap_or(u32::MAX));
        if reached < runs {
            return Err(NotReached {
                traces: traces.len(),
                reached,
                runs,
            }
            .into());
        }
        Ok(Exit::Done)
    }

    /// How many of the runs did it.
    async fn replay(
        &self,
        traces: &[Trace],
        phones: &Devices,
        times: u32,
        seed: Seed,
        shell: &Shell,
    ) -> Result<u32, Failure> {
        let phones = devices::Phones::connect(phones, seed).await?;
        let narrator = Arc::new(Narrator::new(Arc::clone(&shell.console)));
        let sink = report::tell(vec![narrator as Arc<dyn Reporter>], Instant::now());
        let mut reached = 0;
        for (trace, path) in traces.iter().zip(&self.traces) {
            phones.app_of(trace, &sink)?;
            for run in 1..=times {
                if shell.stop.asked() {
                    return Ok(reached);
                }
                let played = job::play(&phones.pool, trace, false, &sink).await?;
                let did_it = has_done_it(trace, &played);
                reached += u32::from(did_it);
                let verdict = in_words(trace, &played);
                let took = played.took;
                sink(RunEvent::Replayed {
                    run,
                    runs: times,
                    reached: did_it,
                    verdict,
                    took,
                });
                shell
                    .console
                    .result(&self.line(path, trace, &played, run, times))?;
            }
        }
        Ok(reached)
    }

    fn line(&self, path: &Path, trace: &Trace, played: &Played, run: u32, runs: u32) -> String {
        let verdict = in_words(trace, played);
        let took = played.took;
        if self.json {
            return json!({
                "result": "replay", "trace": path.display().to_string(), "run": run,
                "reached": has_done_it(trace, played), "verdict": verdict, "played": played.played,
                "steps": trace.steps.len(), "phone_seconds": took.0 as f64 / 1e6,
            })
            .to_string();
        }
        let of = if self.traces.len() == 1 {
            String::new()
        } else {
            format!("{}: ", path.display())
        };
        format!(
            "{of}run {run} of {runs}: {verdict}, after {} and {took} of phone time",
            steps_of(trace, played)
        )
    }
}

/// A trace that is for nothing in particular has done it when it was played to its end.
fn has_done_it(trace: &Trace, played: &Played) -> bool {
    match &trace.header.target {
        Some(_) => played.verdict == Verdict::TargetReached,
        None => {
            played.played as usize == trace.steps.len()
                && played.verdict == Verdict::TargetNotReached
        }
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
