//! Cutting a trace down to the steps that matter. What is asked is the oracle's business; this decides what to ask.

mod dd;
mod judge;
mod sweep;

use std::fmt;
use std::str::FromStr;

use retap_shared::micros::Micros;
use retap_shared::protocol::Target;
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Verdict};

use crate::event::{Checked, RunEvent, Sink};
use crate::oracle::{Candidate, Oracle, OracleError};
use crate::stop::Stop;
use judge::{Halt, Judge};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Plain delta debugging.
    Dd,
    /// Delta debugging, then a sweep that also removes steps that only go together.
    #[default]
    Auto,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReduceSettings {
    /// A candidate passes if at least `successes` of `runs` runs reach the target.
    pub runs: u32,
    pub successes: u32,
    /// How many runs may be under way at once: the number of phones.
    pub parallel: usize,
    /// How many fresh runs of the result are made at the end.
    pub check_runs: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    pub outcome: Outcome,
    /// The smallest trace that passed; the original if that did not.
    pub trace: Trace,
    /// Which steps of the original are in it.
    pub kept: Vec<u32>,
    pub original: Check,
    /// Fresh runs of the result; none if it did not come to that.
    pub result: Option<Check>,
    /// All runs that came to an end, the recalled ones included, with the events they played and the phones' time.
    pub runs: u64,
    pub events: u64,
    pub took: Micros,
}

/// How often a trace did it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    pub successes: u32,
    pub runs: u32,
    /// How the first run that did not reach the target ended.
    pub failure: Option<Verdict>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    #[error(
        "{successes} successes of {runs} runs cannot decide anything; ask for 1 up to the number of runs"
    )]
    Settings { successes: u32, runs: u32 },
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// Proves that the trace reproduces, reduces it, and proves the result. The answer is the same for any number of
/// phones, and a smaller trace never passes for the result unless the oracle said so.
pub async fn reduce(
    trace: &Trace,
    algorithm: Algorithm,
    settings: &ReduceSettings,
    oracle: &dyn Oracle,
    sink: &Sink,
    stop: &Stop,
) -> Result<Reduction, ReduceError> {
    settings.check()?;
    let target = target_name(trace.header.target.as_ref());
    let whole = Candidate::from(trace.steps.clone());
    let from = steps_of(&whole);
    sink(RunEvent::ReductionStarted {
        target: target.clone(),
        algorithm: algorithm.to_string(),
        steps: from,
    });

    let mut work =
        Work { judge: Judge::new(settings, oracle, sink, stop), best: whole, original: Check::default() };
    let (outcome, result) = match work.run(algorithm).await {
        Ok(None) => (Outcome::DoesNotReproduce, None),
        Ok(Some(check)) => (Outcome::Done, Some(check)),
        Err(Halt::Stopped) => (Outcome::Interrupted, None),
        Err(Halt::Oracle(error)) => return Err(error.into()),
    };

    let Work { judge, best, original } = work;
    let judge::Spent { runs, events, took } = judge.spent();
    sink(RunEvent::ReductionEnded { target, from, to: steps_of(&best), runs, events, took });
    let trace = Trace { header: trace.header.clone(), steps: best.to_steps() };
    Ok(Reduction { outcome, trace, kept: best.kept().to_vec(), original, result, runs, events, took })
}

struct Work<'a> {
    judge: Judge<'a>,
    /// The smallest that has passed: what is left if the work is stopped.
    best: Candidate,
    original: Check,
}

impl Work<'_> {
    /// The final check, or `None` if the original does not reproduce.
    async fn run(&mut self, algorithm: Algorithm) -> Result<Option<Check>, Halt> {
        let settings = self.judge.settings();
        self.original = self.judge.check(&self.best, Checked::Original, 0, settings.runs).await?;
        if self.original.successes < settings.successes {
            return Ok(None);
        }
        dd::dd(&mut self.judge, &mut self.best).await?;
        if algorithm == Algorithm::Auto {
            sweep::sweep(&mut self.judge, &mut self.best).await?;
        }
        // Attempts beyond those that any candidate has had, so that no answer of the search is counted again.
        let fresh = self.judge.check(&self.best, Checked::Result, settings.runs, settings.check_runs).await?;
        Ok(Some(fresh))
    }
}

impl ReduceSettings {
    fn check(&self) -> Result<(), ReduceError> {
        if (1..=self.runs).contains(&self.successes) {
            return Ok(());
        }
        Err(ReduceError::Settings { successes: self.successes, runs: self.runs })
    }
}

impl Default for ReduceSettings {
    fn default() -> Self {
        ReduceSettings { runs: 1, successes: 1, parallel: 1, check_runs: 3 }
    }
}

impl Algorithm {
    pub const ALL: [Algorithm; 2] = [Algorithm::Auto, Algorithm::Dd];
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Algorithm::Dd => "dd",
            Algorithm::Auto => "auto",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no algorithm `{0}`; there are `auto` and `dd`")]
pub struct UnknownAlgorithm(pub String);

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let known = Algorithm::ALL.into_iter().find(|algorithm| algorithm.to_string() == name);
        known.ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

fn target_name(target: Option<&Target>) -> String {
    match target {
        Some(Target::Problem(fingerprint)) => fingerprint.to_string(),
        Some(Target::Activity(name)) => format!("activity {name}"),
        Some(Target::Screen(widget)) => format!("screen with {widget}"),
        Some(Target::AnyProblem) | None => "any problem".to_owned(),
    }
}

fn steps_of(candidate: &Candidate) -> u32 {
    u32::try_from(candidate.len()).unwrap_or(u32::MAX)
}
