//! Source of a reduction: one trace, the findings of a run, or the traces to all that a run has reached. It is copied into
//! the reduction's own run, so that the run can be resumed without the original.

use std::path::{Path, PathBuf};

use retap_reduce::oracle::{ActivityMachine, ActivityMachineSettings};
use retap_reduce::reached_targets::{ReachedKind, reached_targets};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::target::Target;
use retap_shared::trace::Trace;
use serde::{Deserialize, Serialize};

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
/// List of the copies. Once it exists, they are complete.
const INPUTS: &str = "inputs.json";

#[derive(Clone, Debug)]
pub enum ReductionSource {
    Trace(Box<Trace>),
    Findings(Vec<StoredFinding>),
    /// Prefixes of a run's traces, each to one activity or screen.
    Reached(Vec<Trace>),
}

/// Content of `inputs.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopiedInputs {
    Trace,
    Findings(Vec<Fingerprint>),
    /// Number of traces.
    Reached(usize),
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
    #[error("the list of the run's inputs in `{}` is damaged", .path.display())]
    List {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("the run `{}` has lost its copy of the finding `{fingerprint}`", .path.display())]
    LostFinding {
        path: PathBuf,
        fingerprint: Fingerprint,
    },
    #[error("could not put the list of inputs into `{INPUTS}`")]
    UnwritableList(#[source] serde_json::Error),
}

impl ReductionSource {
    /// Reads a trace, or the findings of a run. `id` selects one finding by the first digits of its fingerprint; `every`
    /// takes the traces to all that the run has reached instead.
    pub fn read(
        path: &Path,
        id: Option<&str>,
        every: Option<ReachedKind>,
    ) -> Result<ReductionSource, ReductionSourceError> {
        if let Some(kind) = every {
            return ReductionSource::read_reached(path, kind);
        }
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
    fn read_reached(
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

    /// Copies the source into a run: the traces first, the list of them last.
    pub fn copy_into(&self, run: &RunDirectory) -> Result<(), ReductionSourceError> {
        let list = match self {
            ReductionSource::Trace(trace) => {
                run.write(ORIGINAL, trace.to_text().as_bytes())
                    .map_err(StoredFindingError::from)?;
                CopiedInputs::Trace
            }
            ReductionSource::Findings(findings) => {
                for finding in findings {
                    finding.write(run)?;
                }
                let fingerprints = findings.iter().map(|finding| finding.fingerprint);
                CopiedInputs::Findings(fingerprints.collect())
            }
            ReductionSource::Reached(traces) => {
                for (index, trace) in traces.iter().enumerate() {
                    run.write(&reached_copy(index), trace.to_text().as_bytes())
                        .map_err(StoredFindingError::from)?;
                }
                CopiedInputs::Reached(traces.len())
            }
        };
        let text = serde_json::to_vec(&list).map_err(ReductionSourceError::UnwritableList)?;
        Ok(run.write(INPUTS, &text).map_err(StoredFindingError::from)?)
    }

    /// Reads the copy. Without the list of its traces the copy may be incomplete: earlier versions wrote none, and copied
    /// after the run had begun. Then the source is copied again. If the source is gone, what is there is returned, with
    /// the name of the source.
    pub fn read_copy(
        run: &RunDirectory,
        options: &ReduceOptions,
    ) -> Result<(ReductionSource, Option<PathBuf>), ReductionSourceError> {
        let path = run.path().join(INPUTS);
        if path.is_file() {
            let text = directory::read(&path).map_err(StoredFindingError::from)?;
            let list = serde_json::from_str(&text)
                .map_err(|source| ReductionSourceError::List { path, source })?;
            return Ok((ReductionSource::read_listed(run, list)?, None));
        }
        let source = &options.source;
        if source.exists() {
            let read = ReductionSource::read(source, options.crash.as_deref(), options.every)?;
            read.copy_into(run)?;
            return Ok((read, None));
        }
        Ok((
            ReductionSource::read_unlisted(run)?,
            Some(options.source.clone()),
        ))
    }

    fn read_listed(
        run: &RunDirectory,
        list: CopiedInputs,
    ) -> Result<ReductionSource, ReductionSourceError> {
        Ok(match list {
            CopiedInputs::Trace => {
                let trace = findings::read_trace(&run.path().join(ORIGINAL))?;
                ReductionSource::Trace(Box::new(trace))
            }
            CopiedInputs::Findings(listed) => {
                let mut all = findings::read_all(run.path())?;
                let found = listed.into_iter().map(|fingerprint| {
                    all.remove(&fingerprint)
                        .ok_or_else(|| ReductionSourceError::LostFinding {
                            path: run.path().to_owned(),
                            fingerprint,
                        })
                });
                ReductionSource::Findings(found.collect::<Result<_, _>>()?)
            }
            CopiedInputs::Reached(count) => {
                let traces = (0..count)
                    .map(|index| findings::read_trace(&run.path().join(reached_copy(index))));
                ReductionSource::Reached(traces.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Reads a copy of an earlier version.
    fn read_unlisted(run: &RunDirectory) -> Result<ReductionSource, ReductionSourceError> {
        let original = run.path().join(ORIGINAL);
        if original.is_file() {
            let trace = findings::read_trace(&original)?;
            return Ok(ReductionSource::Trace(Box::new(trace)));
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
            ReductionSourceError::List { .. } | ReductionSourceError::LostFinding { .. } => {
                "start a new run: the files of this one were changed".into()
            }
            ReductionSourceError::UnwritableList(_) => {
                "please report this with the run's directory".into()
            }
        }
    }
}
