//! `crashes/ID/` of a run: the trace that was found, what it was cut down to, the stack, and the screens on the way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use retap_explore::{FindingContext, FindingRecord};
use retap_reduce::oracle::ResumeStatistics;
use retap_reduce::trace_reduction::ReductionSample;
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::locate::LocatedBy;
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{App, Trace, TraceError};
use serde::{Deserialize, Serialize};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::run::directory::{self, RunDirectory, RunDirectoryError};

const CRASHES: &str = "crashes";
const UNCONFIRMED: &str = "apart";
const TRACE: &str = "trace.retap";
const REDUCED: &str = "reduced.retap";
const STACK: &str = "stack.txt";
const PICTURE: &str = "screenshot.png";
const LOG: &str = "log.txt";
const SCREENS: &str = "screens.json";
const PROBLEM: &str = "problem.json";

#[derive(Clone, Debug, PartialEq)]
pub struct StoredFinding {
    pub finding: Finding,
    pub fingerprint: Fingerprint,
    /// How often the run met it.
    pub occurrences: u32,
    pub trace: Trace,
    pub scene: FindingContext,
    pub reduced: Option<StoredReduction>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredReduction {
    pub trace: Trace,
    /// Runs on a phone that it took.
    pub runs: u64,
    /// How often the result did it again as proof.
    pub successes: u32,
    pub replays: u32,
    /// The screen before each step, and the last one.
    pub screens: Vec<SharedScreen>,
    /// The pixels of the same; fewer or none where the phone gives none.
    pub pictures: Vec<Png>,
    pub hits: Vec<LocatedBy>,
    pub curve: ReductionCurve,
}

/// How a trace became smaller. Only for the report of the same run: it is not written down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReductionCurve {
    pub history: Vec<ReductionSample>,
    /// The chance that each step of the trace is needed, where steps were believed in.
    pub belief: Option<Vec<f32>>,
    /// Runs that did not start clean, but went on from a state that the phone had saved.
    pub resumed: ResumeStatistics,
}

/// `problem.json`. The stack has a file of its own.
#[derive(Debug, Serialize, Deserialize)]
struct FindingFile {
    fingerprint: Fingerprint,
    app: App,
    kind: FindingKind,
    process: String,
    summary: String,
    /// The lines that two crashes must share to be the same one.
    made_of: Vec<String>,
    times: u32,
    steps: usize,
    reduced: Option<ReductionFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReductionFile {
    steps: usize,
    runs: u64,
    successes: u32,
    replays: u32,
    hits: Vec<LocatedBy>,
}

#[derive(Debug, thiserror::Error)]
pub enum StoredFindingError {
    #[error(transparent)]
    Directory(#[from] RunDirectoryError),
    #[error("`{}` is a directory, not a trace", .path.display())]
    NotAFile { path: PathBuf },
    #[error("`{}` is not a trace that can be read", .path.display())]
    Trace { path: PathBuf, source: TraceError },
    #[error("`{}` is damaged", .path.display())]
    Damaged {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("could not write down the crash {fingerprint}")]
    Unwritable {
        fingerprint: Fingerprint,
        source: serde_json::Error,
    },
}

impl StoredFinding {
    /// Writes every file of it, `problem.json` last: where that stands, the others do too.
    pub fn write(&self, run: &RunDirectory) -> Result<(), StoredFindingError> {
        let place = |file: &str| format!("{}/{file}", self.directory());
        let unwritable = |source| StoredFindingError::Unwritable {
            fingerprint: self.fingerprint,
            source,
        };
        run.write(&place(TRACE), self.trace.to_text().as_bytes())?;
        run.write(&place(STACK), self.finding.stack.as_bytes())?;
        if let Some(picture) = &self.scene.screenshot {
            write_picture(run, self.fingerprint, picture)?;
        }
        if !self.scene.log.is_empty() {
            run.write(&place(LOG), (self.scene.log.join("\n") + "\n").as_bytes())?;
        }
        if let Some(reduced) = &self.reduced {
            run.write(&place(REDUCED), reduced.trace.to_text().as_bytes())?;
            let screens: Vec<&Screen> = reduced.screens.iter().map(AsRef::as_ref).collect();
            run.write(
                &place(SCREENS),
                &serde_json::to_vec(&screens).map_err(unwritable)?,
            )?;
            for (number, picture) in reduced.pictures.iter().enumerate() {
                run.write(&place(&format!("{number}.png")), &picture.0)?;
            }
        }
        let mut problem = serde_json::to_vec_pretty(&self.to_file()).map_err(unwritable)?;
        problem.push(b'\n');
        Ok(run.write(&place(PROBLEM), &problem)?)
    }

    /// Writes what there is of one that does not come from a clean start, where no command takes it for one that does.
    /// `for_good`: nobody tries any more, so that nothing of it stays among the others.
    pub fn write_unconfirmed(
        &self,
        run: &RunDirectory,
        for_good: bool,
    ) -> Result<(), RunDirectoryError> {
        let place = |file: &str| format!("{UNCONFIRMED}/{}/{file}", self.fingerprint);
        run.write(&place(TRACE), self.trace.to_text().as_bytes())?;
        run.write(&place(STACK), self.finding.stack.as_bytes())?;
        if let Some(picture) = &self.scene.screenshot {
            run.write(&place(PICTURE), &picture.0)?;
        }
        run.write(&place(LOG), (self.scene.log.join("\n") + "\n").as_bytes())?;
        if for_good {
            run.remove(&self.directory())
        } else {
            Ok(())
        }
    }

    /// The picture that was written when it came, if an earlier process of the run did so.
    pub fn load_picture(&mut self, run: &RunDirectory) {
        if self.scene.screenshot.is_none() {
            let path = run.path().join(self.directory()).join(PICTURE);
            self.scene.screenshot = std::fs::read(path).ok().map(Png);
        }
    }

    /// Its directory inside the run.
    pub fn directory(&self) -> String {
        format!("{CRASHES}/{}", self.fingerprint)
    }

    /// The file inside the run to replay: the shortest there is.
    pub fn best_file(&self) -> String {
        format!(
            "{}/{}",
            self.directory(),
            if self.reduced.is_some() {
                REDUCED
            } else {
                TRACE
            }
        )
    }

    pub fn trace_file(&self) -> String {
        format!("{}/{TRACE}", self.directory())
    }

    fn to_file(&self) -> FindingFile {
        let Finding {
            kind,
            process,
            summary,
            ..
        } = &self.finding;
        FindingFile {
            fingerprint: self.fingerprint,
            app: self.trace.header.app.clone(),
            kind: *kind,
            process: process.to_string(),
            summary: summary.clone(),
            made_of: Fingerprint::explain(&self.finding),
            times: self.occurrences,
            steps: self.trace.steps.len(),
            reduced: self.reduced.as_ref().map(|reduced| ReductionFile {
                steps: reduced.trace.steps.len(),
                runs: reduced.runs,
                successes: reduced.successes,
                replays: reduced.replays,
                hits: reduced.hits.clone(),
            }),
        }
    }
}

impl From<&FindingRecord> for StoredFinding {
    fn from(found: &FindingRecord) -> StoredFinding {
        let FindingRecord {
            finding: problem,
            fingerprint,
            trace,
            occurrences: times,
            context: scene,
        } = found.clone();
        StoredFinding {
            finding: problem,
            fingerprint,
            occurrences: times,
            trace,
            scene,
            reduced: None,
        }
    }
}

/// The crashes of a run by their ids, as they were found. A directory that has no `problem.json` yet is left out.
pub fn read_all(run: &Path) -> Result<BTreeMap<Fingerprint, StoredFinding>, StoredFindingError> {
    let folder = run.join(CRASHES);
    let unreadable = |source| RunDirectoryError::Read {
        path: folder.clone(),
        source,
    };
    let mut crashes = BTreeMap::new();
    if !folder.is_dir() {
        return Ok(crashes);
    }
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let place = entry.map_err(unreadable)?.path();
        if place.join(PROBLEM).is_file() {
            let crash = read_one(&place)?;
            crashes.insert(crash.fingerprint, crash);
        }
    }
    Ok(crashes)
}

fn read_one(place: &Path) -> Result<StoredFinding, StoredFindingError> {
    let path = place.join(PROBLEM);
    let written: FindingFile =
        serde_json::from_str(&directory::read(&path)?).map_err(|source| {
            StoredFindingError::Damaged {
                path: path.clone(),
                source,
            }
        })?;
    let FindingFile {
        fingerprint,
        kind,
        process,
        summary,
        times,
        ..
    } = written;
    let stack = directory::read(&place.join(STACK))?;
    let problem = Finding {
        kind,
        process: process.into(),
        summary,
        stack,
    };
    let trace = read_trace(&place.join(TRACE))?;
    // What there was to see is an ornament: a run of an earlier version has none of it.
    let scene = FindingContext {
        screen: None,
        screenshot: std::fs::read(place.join(PICTURE)).ok().map(Png),
        log: directory::read(&place.join(LOG)).map_or_else(|_| Vec::new(), |text| lines(&text)),
    };
    Ok(StoredFinding {
        finding: problem,
        fingerprint,
        occurrences: times,
        trace,
        scene,
        reduced: None,
    })
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Which problems are apart is known at the end of a run, each time anew.
pub fn remove_unconfirmed(run: &RunDirectory) -> Result<(), RunDirectoryError> {
    run.remove(UNCONFIRMED)
}

/// What the phone showed as soon as the crash was known.
pub fn write_picture(
    run: &RunDirectory,
    crash: Fingerprint,
    picture: &Png,
) -> Result<(), RunDirectoryError> {
    run.write(&format!("{CRASHES}/{crash}/{PICTURE}"), &picture.0)
}

pub fn read_trace(path: &Path) -> Result<Trace, StoredFindingError> {
    if path.is_dir() {
        return Err(StoredFindingError::NotAFile {
            path: path.to_owned(),
        });
    }
    let text = directory::read(path)?;
    Trace::parse(&text).map_err(|source| StoredFindingError::Trace {
        path: path.to_owned(),
        source,
    })
}

impl UserError for StoredFindingError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            StoredFindingError::Directory(error) => error.help(),
            StoredFindingError::Trace { .. } => {
                "a trace is a `.retap` file as `retap explore` writes it; if it was cut off, use a whole copy"
                    .into()
            }
            StoredFindingError::NotAFile { path } => {
                format!(
                    "name a file in it, such as `{}`",
                    path.join(CRASHES).join("ID").join(REDUCED).display()
                )
            }
            StoredFindingError::Damaged { .. } => "reduce the crash's `trace.retap` itself".into(),
            StoredFindingError::Unwritable { .. } => "please report this with the run's directory".into(),
        }
    }
}
