//! Reductions of recorded crash traces on an activity machine: runs and played events of each algorithm.

use std::path::{Path, PathBuf};

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{ActivityMachine, ActivityMachineSettings};
use retap_reduce::trace_reduction::{ReduceSettings, ReductionAlgorithm, reduce};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::json;

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::format::import;
use crate::run::findings;

/// Algorithms for targets that are always reached, in the order of the paper's Table 6, and `auto`.
pub const ALGORITHMS: [ReductionAlgorithm; 6] = [
    ReductionAlgorithm::Dd,
    ReductionAlgorithm::Hdd,
    ReductionAlgorithm::Bhdd,
    ReductionAlgorithm::LhddNoPreselection,
    ReductionAlgorithm::Lhdd,
    ReductionAlgorithm::Auto,
];

/// Reduction of one trace by one algorithm. Events are numbered as in the recording: the launch is 0 and always kept.
#[derive(Clone, Debug)]
pub struct RecordedCrashMeasurement {
    pub trace: String,
    pub algorithm: ReductionAlgorithm,
    pub hidden: Vec<u32>,
    pub machine: ActivityMachineSettings,
    pub runs: u64,
    pub played: u64,
    /// Events of `played` that were for the check of the original.
    pub proof: u64,
    pub kept: Vec<u32>,
    pub crashes: bool,
    /// True if the result is 1-minimal.
    pub minimal: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum RecordedTracesError {
    #[error("could not list `{}`", .path.display())]
    List {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("`{}` has no `.retap` file and no JSON file of SimplyDroid", .path.display())]
    Empty { path: PathBuf },
    #[error("`{}` is not a recording: {why}", .path.display())]
    NotRecorded { path: PathBuf, why: String },
}

/// Reads the traces of a directory, with their names.
pub fn traces(directory: &Path) -> Result<Vec<(String, Trace)>, CommandError> {
    let list = |source| RecordedTracesError::List {
        path: directory.to_owned(),
        source,
    };
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(list)? {
        let path = entry.map_err(list)?.path();
        if let Some(trace) = read(&path)? {
            let name = path
                .file_stem()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            traces.push((name, trace));
        }
    }
    if traces.is_empty() {
        return Err(RecordedTracesError::Empty {
            path: directory.to_owned(),
        }
        .into());
    }
    traces.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(traces)
}

/// Reads a trace; none for a file of another kind.
fn read(path: &Path) -> Result<Option<Trace>, CommandError> {
    let trace = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => import::read(path)?,
        Some("retap") => findings::read_trace(path)?,
        _ => return Ok(None),
    };
    ActivityMachine::of(&trace, ActivityMachineSettings::default()).map_err(|why| {
        RecordedTracesError::NotRecorded {
            path: path.to_owned(),
            why: why.to_string(),
        }
    })?;
    Ok(Some(trace))
}

/// Reads a recording from a file.
pub fn recording(
    path: &Path,
    machine: ActivityMachineSettings,
) -> Result<ActivityMachine, CommandError> {
    let not_recorded = |why: String| RecordedTracesError::NotRecorded {
        path: path.to_owned(),
        why,
    };
    let trace = read(path)?
        .ok_or_else(|| not_recorded("its name ends neither with .retap nor with .json".into()))?;
    Ok(ActivityMachine::of(&trace, machine).map_err(|why| not_recorded(why.to_string()))?)
}

/// Reduces one trace. None if it is cancelled.
pub async fn run(
    name: &str,
    trace: &Trace,
    algorithm: ReductionAlgorithm,
    machine: ActivityMachineSettings,
    cancellation: &CancellationToken,
) -> Result<Option<RecordedCrashMeasurement>, CommandError> {
    let oracle =
        ActivityMachine::of(trace, machine).map_err(|why| RecordedTracesError::NotRecorded {
            path: name.into(),
            why: why.to_string(),
        })?;
    // The published algorithms play each candidate to its end.
    let oracle = if algorithm == ReductionAlgorithm::Auto {
        oracle.ending_early()
    } else {
        oracle
    };
    let settings = ReduceSettings {
        check_runs: 0,
        ..ReduceSettings::default()
    };
    let reduction = reduce(
        trace,
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        cancellation,
    )
    .await?;
    if reduction.outcome == Outcome::Interrupted {
        return Ok(None);
    }
    let kept = reduction.kept;
    let without = |place: usize| [&kept[..place], &kept[place + 1..]].concat();
    let numbered = |steps: &[u32]| steps.iter().map(|step| step + 1).collect::<Vec<u32>>();
    Ok(Some(RecordedCrashMeasurement {
        trace: name.to_owned(),
        algorithm,
        hidden: numbered(oracle.hidden_events()),
        machine,
        runs: reduction.runs,
        played: reduction.events,
        proof: u64::from(reduction.original.runs) * trace.steps.len() as u64,
        crashes: oracle.crashes(&kept),
        minimal: (0..kept.len()).all(|place| !oracle.crashes(&without(place))),
        kept: std::iter::once(0).chain(numbered(&kept)).collect(),
    }))
}

impl RecordedCrashMeasurement {
    pub fn to_json(&self) -> String {
        let ActivityMachineSettings {
            stray_probability: stray,
            seed,
            ..
        } = self.machine;
        json!({
            "bench": "crash", "oracle": retap_reduce::oracle::ACTIVITY_MACHINE, "trace": self.trace,
            "algorithm": self.algorithm.to_string(), "hidden": self.hidden, "stray": stray, "seed": seed,
            "runs": self.runs, "played": self.played, "proof": self.proof, "kept": self.kept,
            "crashes": self.crashes, "minimal": self.minimal,
        })
        .to_string()
    }
}

/// A line for each algorithm, with the number of traces on which it played less than each of those before it.
pub fn in_words(
    measured: &[RecordedCrashMeasurement],
    algorithms: &[ReductionAlgorithm],
) -> Vec<String> {
    let of = |algorithm: ReductionAlgorithm| {
        measured
            .iter()
            .filter(move |one| one.algorithm == algorithm)
    };
    let line = |(place, &algorithm): (usize, &ReductionAlgorithm)| {
        let sum = |what: fn(&RecordedCrashMeasurement) -> u64| of(algorithm).map(what).sum::<u64>();
        let count = of(algorithm).count();
        let share = |what: fn(&RecordedCrashMeasurement) -> bool| {
            of(algorithm).filter(|one| what(one)).count()
        };
        let ahead = algorithms[..place].iter().map(|&other| {
            let better = of(algorithm)
                .zip(of(other))
                .filter(|(own, other)| own.played < other.played)
                .count();
            format!(", less than {other} on {better}")
        });
        format!(
            "{:<22}{:>8} runs {:>10} events played ({} to check the original), {} events left; {} of {count} crash, {} 1-minimal{}",
            algorithm.to_string(),
            sum(|one| one.runs),
            sum(|one| one.played),
            sum(|one| one.proof),
            sum(|one| one.kept.len() as u64),
            share(|one| one.crashes),
            share(|one| one.minimal),
            ahead.collect::<String>(),
        )
    };
    algorithms.iter().enumerate().map(line).collect()
}

impl UserError for RecordedTracesError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            RecordedTracesError::List { .. } | RecordedTracesError::Empty { .. } => {
                "name a directory with recorded traces with `--traces`".into()
            }
            RecordedTracesError::NotRecorded { .. } => {
                "name traces with the activity of each step, as `retap explore` writes them".into()
            }
        }
    }
}
