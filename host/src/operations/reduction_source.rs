//! Source of a reduction: one trace, the findings of a run, or the traces to all that a run has reached. It is copied into the reduction's own run, so that the run can
//! be resumed without the original.

use std::path::{Path, PathBuf};

use retap_reduce::oracle::{ActivityMachine, ActivityMachineSettings};
use retap_reduce::reached_targets::{ReachedKind, reached_targets};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::target::Target;
use retap_shared::trace::Trace;

use crate::command_error::{CommandError, UserError};
use crate::device_spec::DeviceList;
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::TraceWithoutTimes;
use crate::operations::suite::{SuiteSourceError, TraceSuite};
use crate::options::{OracleKind, ReduceOptions};
use crate::run::directory::{self, RunDirectory, RunDirectoryError};
use crate::run::findings::{self, StoredFinding, StoredFindingError};
use crate::wording::quoted_list;

/// Copy of a trace that is no finding of a run.
const ORIGINAL: &str = "traces/original.retap";
/// Copies of traces to activities or screens.
const REACHED: &str = "traces/reached";

#[derive(Clone, Debug)]
pub enum ReductionSource {
    Trace(Box<Trace>),
    Findings(Vec<StoredFinding>),
    /// Prefixes of a run's traces, each to one activity or screen.
    Reached(Vec<Trace>),
}

#[derive(Debug, thiserror::Error)]
pub enum ReductionSourceError {
    #[error(transparent)]
    Crash(#[from] StoredFindingError),
    #[error("there is no `{}`", .path.display())]
    Missing { path: PathBuf },
    #[error("the run `{}` has no finding `{id}`", .path.display())]
    OtherCrash {
        path: PathBuf,
        id: String,
        known: Vec<String>,
    },
    #[error(transparent)]
    Suite(#[from] SuiteSourceError),
    #[error("no step of the {traces} traces in `{}` was made in an {kind} of the app", .path.display())]
    NothingReached {
        path: PathBuf,
        kind: ReachedKind,
        traces: usize,
    },
    #[error("`{}` is a trace; `--crash` selects a finding of a run", .path.display())]
    CrashOfTrace { path: PathBuf },
}

impl ReductionSource {
    /// Reads a trace, or the findings of a run. `id` selects one finding by the first digits of its fingerprint.
    pub fn read(path: &Path, id: Option<&str>) -> Result<ReductionSource, ReductionSourceError> {
        if !path.exists() {
            return Err(ReductionSourceError::Missing {
                path: path.to_owned(),
            });
        }
        if path.is_file() {
            return match id {
                Some(_) => Err(ReductionSourceError::CrashOfTrace {
                    path: path.to_owned(),
                }),
                None => Ok(ReductionSource::Trace(Box::new(findings::read_trace(
                    path,
                )?))),
            };
        }
        if !directory::is_run(path) {
            return Err(StoredFindingError::from(RunDirectoryError::NotARun {
                path: path.to_owned(),
            })
            .into());
        }
        ReductionSource::read_findings(path, id)
    }

    /// Reads the kept traces of a run, and takes the shortest prefix to each activity or screen.
    pub fn read_reached(
        path: &Path,
        kind: ReachedKind,
    ) -> Result<ReductionSource, ReductionSourceError> {
        let suite = TraceSuite::read(&[path.to_owned()])?;
        let traces: Vec<Trace> = suite.traces.into_iter().map(|(_, trace)| trace).collect();
        let reached = reached_targets(&traces, kind);
        if reached.is_empty() {
            return Err(ReductionSourceError::NothingReached {
                path: path.to_owned(),
                kind,
                traces: traces.len(),
            });
        }
        let prefixes = reached.iter().map(|one| one.prefix(&traces));
        Ok(ReductionSource::Reached(prefixes.collect()))
    }

    fn read_findings(
        run: &Path,
        id: Option<&str>,
    ) -> Result<ReductionSource, ReductionSourceError> {
        let mut findings: Vec<StoredFinding> = findings::read_all(run)?.into_values().collect();
        let known = findings
            .iter()
            .map(|finding| finding.fingerprint.to_string())
            .collect();
        if let Some(id) = id {
            findings.retain(|finding| is_meant(finding, id));
        }
        match (findings.is_empty(), id) {
            (true, Some(id)) => Err(ReductionSourceError::OtherCrash {
                path: run.to_owned(),
                id: id.to_owned(),
                known,
            }),
            _ => Ok(ReductionSource::Findings(findings)),
        }
    }

    pub fn copy_into(&self, run: &RunDirectory) -> Result<(), StoredFindingError> {
        match self {
            ReductionSource::Trace(trace) => Ok(run.write(ORIGINAL, trace.to_text().as_bytes())?),
            ReductionSource::Findings(findings) => {
                findings.iter().try_for_each(|finding| finding.write(run))
            }
            ReductionSource::Reached(traces) => {
                // The first one last: the copy is complete once it exists.
                for (index, trace) in traces.iter().enumerate().rev() {
                    run.write(&reached_copy(index), trace.to_text().as_bytes())?;
                }
                Ok(())
            }
        }
    }

    pub fn read_copy(run: &RunDirectory) -> Result<ReductionSource, ReductionSourceError> {
        let original = run.path().join(ORIGINAL);
        if original.is_file() {
            return Ok(ReductionSource::Trace(Box::new(findings::read_trace(
                &original,
            )?)));
        }
        let reached = (0..)
            .map(|index| run.path().join(reached_copy(index)))
            .take_while(|path| path.is_file())
            .map(|path| findings::read_trace(&path))
            .collect::<Result<Vec<Trace>, StoredFindingError>>()?;
        if !reached.is_empty() {
            return Ok(ReductionSource::Reached(reached));
        }
        ReductionSource::read_findings(run.path(), None)
    }

    /// Each trace, with its finding if it has one.
    pub fn items(&self) -> Vec<(Trace, Option<StoredFinding>)> {
        match self {
            ReductionSource::Trace(trace) => vec![(Trace::clone(trace), None)],
            ReductionSource::Findings(findings) => findings
                .iter()
                .map(|finding| (finding.trace.clone(), Some(finding.clone())))
                .collect(),
            ReductionSource::Reached(traces) => {
                traces.iter().map(|trace| (trace.clone(), None)).collect()
            }
        }
    }

    pub fn traces(&self) -> Vec<&Trace> {
        match self {
            ReductionSource::Trace(trace) => vec![trace],
            ReductionSource::Findings(findings) => {
                findings.iter().map(|finding| &finding.trace).collect()
            }
            ReductionSource::Reached(traces) => traces.iter().collect(),
        }
    }

    /// Checks the options, and the target and phone of each trace, before a run is started.
    pub fn check(&self, options: &ReduceOptions) -> Result<(), CommandError> {
        options.engine().validate()?;
        for (trace, _) in self.items() {
            Target::resolve(options.target.as_deref(), trace.header.target.as_ref())?;
            if options.oracle == OracleKind::Recording {
                ActivityMachine::of(&trace, ActivityMachineSettings::default())?;
                continue;
            }
            TraceWithoutTimes::check(&trace, options.pace.unwrap_or(trace.header.pace))?;
            devices::check(&devices_for(&trace, options.device.as_ref())?)?;
        }
        Ok(())
    }
}

/// True if the id, or its first digits, names the finding. Runs of older versions show fingerprints of version 1.
fn is_meant(finding: &StoredFinding, id: &str) -> bool {
    let of_version_1 = Fingerprint::version_1(&finding.finding);
    let mut names = [finding.fingerprint, of_version_1].into_iter();
    names.any(|name| name.to_string().starts_with(id))
}

fn reached_copy(index: usize) -> String {
    format!("{REACHED}/{:04}.retap", index + 1)
}

/// The named phones, or the simulated phone that has the trace's app.
pub fn devices_for(
    trace: &Trace,
    named: Option<&DeviceList>,
) -> Result<DeviceList, NoPhoneWithApp> {
    let app = &trace.header.app.package;
    named
        .cloned()
        .or_else(|| devices::simulated_with(app))
        .ok_or_else(|| NoPhoneWithApp {
            app: app.to_string(),
        })
}

/// No phone was named, and no simulated phone has the trace's app.
#[derive(Debug, thiserror::Error)]
#[error("no phone was named, and no simulated phone has the app `{app}`")]
pub struct NoPhoneWithApp {
    app: String,
}

impl UserError for NoPhoneWithApp {
    fn exit(&self) -> CommandExit {
        CommandExit::NoPhone
    }

    fn help(&self) -> String {
        "name a phone with `--device` that has the trace's app; `retap devices` lists them".into()
    }
}

impl UserError for ReductionSourceError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ReductionSourceError::Crash(error) => error.help(),
            ReductionSourceError::Suite(error) => error.help(),
            ReductionSourceError::NothingReached { .. } => {
                "name a run of `retap explore --keep-traces` that made steps in the app".into()
            }
            ReductionSourceError::Missing { .. } => {
                "name a `.retap` file, or a run of `retap explore` with a finding".into()
            }
            ReductionSourceError::OtherCrash { known, .. } if known.is_empty() => {
                "omit `--crash`: the run has no finding".into()
            }
            ReductionSourceError::OtherCrash { known, .. } => {
                format!("it has {}", quoted_list(known.iter().map(String::as_str)))
            }
            ReductionSourceError::CrashOfTrace { .. } => "omit `--crash`, or name the run".into(),
        }
    }
}
