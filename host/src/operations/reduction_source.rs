//! What a reduction starts from: one trace, or the crashes of a run. Copied into the reduction's own run, so that it
//! can be gone on with whatever becomes of the original.

use std::path::{Path, PathBuf};

use retap_reduce::oracle::{ActivityMachine, ActivityMachineSettings};
use retap_reduce::trace_reduction::ReduceSettings;
use retap_shared::target::Target;
use retap_shared::trace::Trace;

use crate::command_error::{CommandError, UserError};
use crate::devices::{self, DevicesError};
use crate::exit::CommandExit;
use crate::options::{OracleKind, ReduceOptions};
use crate::run::directory::{self, RunDirectory, RunDirectoryError};
use crate::run::findings::{self, StoredFinding, StoredFindingError};
use crate::wording::quoted_list;

/// Where a trace that is no crash of a run is kept.
const ORIGINAL: &str = "traces/original.retap";

#[derive(Clone, Debug)]
pub enum ReductionSource {
    Trace(Box<Trace>),
    Findings(Vec<StoredFinding>),
}

#[derive(Debug, thiserror::Error)]
pub enum ReductionSourceError {
    #[error(transparent)]
    Crash(#[from] StoredFindingError),
    #[error("there is no `{}`", .path.display())]
    Missing { path: PathBuf },
    #[error("the run `{}` has no crash to cut down", .path.display())]
    NoCrash { path: PathBuf },
    #[error("the run `{}` has no crash `{id}`", .path.display())]
    OtherCrash {
        path: PathBuf,
        id: String,
        known: Vec<String>,
    },
    #[error("`{}` is a trace, and `--crash` chooses among the crashes of a run", .path.display())]
    CrashOfTrace { path: PathBuf },
}

impl ReductionSource {
    /// `id` chooses one crash of a run by the first digits of its fingerprint.
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

    fn read_findings(
        run: &Path,
        id: Option<&str>,
    ) -> Result<ReductionSource, ReductionSourceError> {
        let mut crashes: Vec<StoredFinding> = findings::read_all(run)?.into_values().collect();
        if crashes.is_empty() {
            return Err(ReductionSourceError::NoCrash {
                path: run.to_owned(),
            });
        }
        let known = crashes
            .iter()
            .map(|crash| crash.fingerprint.to_string())
            .collect();
        if let Some(id) = id {
            crashes.retain(|crash| crash.fingerprint.to_string().starts_with(id));
        }
        match (crashes.is_empty(), id) {
            (true, Some(id)) => Err(ReductionSourceError::OtherCrash {
                path: run.to_owned(),
                id: id.to_owned(),
                known,
            }),
            _ => Ok(ReductionSource::Findings(crashes)),
        }
    }

    pub fn copy_into(&self, run: &RunDirectory) -> Result<(), StoredFindingError> {
        match self {
            ReductionSource::Trace(trace) => Ok(run.write(ORIGINAL, trace.to_text().as_bytes())?),
            ReductionSource::Findings(crashes) => {
                crashes.iter().try_for_each(|crash| crash.write(run))
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
        ReductionSource::read_findings(run.path(), None)
    }

    /// Each trace, with the crash that it is the way to if that is known.
    pub fn items(&self) -> Vec<(Trace, Option<StoredFinding>)> {
        match self {
            ReductionSource::Trace(trace) => vec![(Trace::clone(trace), None)],
            ReductionSource::Findings(crashes) => crashes
                .iter()
                .map(|crash| (crash.trace.clone(), Some(crash.clone())))
                .collect(),
        }
    }

    /// Whether the settings make sense and every trace has a target and a phone, before anything is made for it.
    pub fn check(&self, settings: &ReduceOptions) -> Result<(), CommandError> {
        let ReduceOptions {
            runs,
            successes,
            original_successes,
            nd3min,
            ..
        } = *settings;
        let parts = nd3min.parts as usize;
        ReduceSettings {
            runs,
            successes,
            original_successes,
            parts,
            ..ReduceSettings::default()
        }
        .validate()?;
        for (trace, _) in self.items() {
            Target::resolve(settings.target.as_deref(), trace.header.target.as_ref())?;
            if settings.oracle == OracleKind::Recording {
                ActivityMachine::of(&trace, ActivityMachineSettings::default())?;
                continue;
            }
            devices::check(&device_for(&trace, settings.device.as_deref())?)?;
        }
        Ok(())
    }
}

/// The phone that was named, or else the simulated one that has the trace's app.
pub fn device_for(trace: &Trace, named: Option<&str>) -> Result<String, DevicesError> {
    let own = || devices::simulated_with(&trace.header.app.package);
    named
        .map(str::to_owned)
        .or_else(own)
        .ok_or(DevicesError::NoneNamed)
}

impl UserError for ReductionSourceError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ReductionSourceError::Crash(error) => error.help(),
            ReductionSourceError::Missing { .. } | ReductionSourceError::NoCrash { .. } => {
                "name a `.retap` file, or a run in which `retap explore` found a crash".into()
            }
            ReductionSourceError::OtherCrash { known, .. } => {
                format!("it has {}", quoted_list(known.iter().map(String::as_str)))
            }
            ReductionSourceError::CrashOfTrace { .. } => {
                "leave `--crash` away, or name the run".into()
            }
        }
    }
}
