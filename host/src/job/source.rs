//! What a reduction starts from: one trace, or the crashes of a run. Copied into the reduction's own run, so that it
//! can be gone on with whatever becomes of the original.

use std::path::{Path, PathBuf};

use retap_reduce::oracle::{Invented, Recording};
use retap_reduce::trace::ReduceSettings;
use retap_shared::trace::Trace;

use crate::devices::{self, DevicesError};
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::run::crashes::{self, Crash, CrashError};
use crate::run::directory::{self, Directory, DirectoryError};
use crate::settings::{Oracle, Reduce};
use crate::target;
use crate::words::listed;

/// Where a trace that is no crash of a run is kept.
const ORIGINAL: &str = "traces/original.retap";

#[derive(Clone, Debug)]
pub enum Source {
    Trace(Box<Trace>),
    Crashes(Vec<Crash>),
}

#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    Crash(#[from] CrashError),
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

impl Source {
    /// `id` chooses one crash of a run by the first digits of its fingerprint.
    pub fn read(path: &Path, id: Option<&str>) -> Result<Source, SourceError> {
        if !path.exists() {
            return Err(SourceError::Missing {
                path: path.to_owned(),
            });
        }
        if path.is_file() {
            return match id {
                Some(_) => Err(SourceError::CrashOfTrace {
                    path: path.to_owned(),
                }),
                None => Ok(Source::Trace(Box::new(crashes::read_trace(path)?))),
            };
        }
        if !directory::is_run(path) {
            return Err(CrashError::from(DirectoryError::NotARun {
                path: path.to_owned(),
            })
            .into());
        }
        Source::crashes(path, id)
    }

    fn crashes(run: &Path, id: Option<&str>) -> Result<Source, SourceError> {
        let mut crashes: Vec<Crash> = crashes::read_all(run)?.into_values().collect();
        if crashes.is_empty() {
            return Err(SourceError::NoCrash {
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
            (true, Some(id)) => Err(SourceError::OtherCrash {
                path: run.to_owned(),
                id: id.to_owned(),
                known,
            }),
            _ => Ok(Source::Crashes(crashes)),
        }
    }

    pub fn keep_in(&self, run: &Directory) -> Result<(), CrashError> {
        match self {
            Source::Trace(trace) => Ok(run.write(ORIGINAL, trace.to_text().as_bytes())?),
            Source::Crashes(crashes) => crashes.iter().try_for_each(|crash| crash.write(run)),
        }
    }

    pub fn kept_in(run: &Directory) -> Result<Source, SourceError> {
        let original = run.path().join(ORIGINAL);
        if original.is_file() {
            return Ok(Source::Trace(Box::new(crashes::read_trace(&original)?)));
        }
        Source::crashes(run.path(), None)
    }

    /// Each trace, with the crash that it is the way to if that is known.
    pub fn items(&self) -> Vec<(Trace, Option<Crash>)> {
        match self {
            Source::Trace(trace) => vec![(Trace::clone(trace), None)],
            Source::Crashes(crashes) => crashes
                .iter()
                .map(|crash| (crash.trace.clone(), Some(crash.clone())))
                .collect(),
        }
    }

    /// Whether the settings make sense and every trace has a target and a phone, before anything is made for it.
    pub fn check(&self, settings: &Reduce) -> Result<(), Failure> {
        let Reduce {
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
        .check()?;
        for (trace, _) in self.items() {
            target::of(&trace, settings.target.as_deref())?;
            if settings.oracle == Oracle::Recording {
                Recording::of(&trace, Invented::default())?;
                continue;
            }
            devices::check(&phone_for(&trace, settings.device.as_deref())?)?;
        }
        Ok(())
    }
}

/// The phone that was named, or else the simulated one that has the trace's app.
pub fn phone_for(trace: &Trace, named: Option<&str>) -> Result<String, DevicesError> {
    let own = || devices::simulated_with(&trace.header.app.package);
    named
        .map(str::to_owned)
        .or_else(own)
        .ok_or(DevicesError::NoneNamed)
}

impl Explained for SourceError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            SourceError::Crash(error) => error.help(),
            SourceError::Missing { .. } | SourceError::NoCrash { .. } => {
                "name a `.retap` file, or a run in which `retap explore` found a crash".into()
            }
            SourceError::OtherCrash { known, .. } => {
                format!("it has {}", listed(known.iter().map(String::as_str)))
            }
            SourceError::CrashOfTrace { .. } => "leave `--crash` away, or name the run".into(),
        }
    }
}
