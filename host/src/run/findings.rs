//! Findings of a run and their files in `crashes/ID/`: trace, reduced trace, stack, log and screens.
//! It adds to the engine's finding what belongs to the run: the reduction and the paths of the files.

mod app_log;
mod finding_reader;
mod recalled_reduction;

use std::path::{Path, PathBuf};

pub use finding_reader::{read_all, read_all_reduced};
pub use recalled_reduction::read_screens_beside;
use retap_explore::{FindingContext, FindingRecord};
use retap_reduce::oracle::ResumeStatistics;
use retap_reduce::trace_reduction::Reduction;
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint::{FINGERPRINT_VERSION, Fingerprint};
use retap_shared::locate::LocatedBy;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{PlayReply, ReadLogReply};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{App, Trace, TraceError};
use serde::{Deserialize, Serialize};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;
use crate::run::directory::{self, RunDirectory, RunDirectoryError};
use crate::run::known_finding::FindingStatus;
use crate::sanitise_terminal::sanitise_text;

const CRASHES: &str = "crashes";
const UNCONFIRMED: &str = "unconfirmed";
/// Name of the same directory in runs of earlier versions.
const UNCONFIRMED_BEFORE: &str = "apart";
const TRACE: &str = "trace.retap";
const REDUCED: &str = "reduced.retap";
const STACK: &str = "stack.txt";
const OBFUSCATED_STACK: &str = "obfuscated-stack.txt";
const PICTURE: &str = "screenshot.png";
const LOG: &str = "log.txt";
const SCREENS: &str = "screens.json";
const PROBLEM: &str = "problem.json";

/// A finding of a run, with its reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFinding {
    pub finding: Finding,
    pub fingerprint: Fingerprint,
    /// Number of times that the run met it.
    pub occurrences: u32,
    pub trace: Trace,
    pub scene: FindingContext,
    pub reduced: Option<RecordedReduction>,
    /// Whether it was known before the run; none if that was not looked up.
    pub status: Option<FindingStatus>,
    /// The mapping that its stack was retraced with.
    pub mapping: Option<PathBuf>,
}

/// Reduction of a finding's trace: the engine's result, with one recorded run of the reduced trace.
/// Files keep the trace, the counts, the screens and the pictures; the rest is only for the report of the same run.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedReduction {
    pub reduction: Reduction,
    /// Attempts that started from a snapshot instead of a clean start.
    pub resumed: ResumeStatistics,
    /// Last run of the reduced trace, with its screens; none if there is no result.
    pub recorded: Option<PlayReply>,
    /// Screenshots before each step of the reduced trace, and the last one; fewer or none where the phone gives none.
    pub pictures: Vec<Png>,
}

/// `problem.json`. The stack has a file of its own.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindingFile {
    fingerprint: Fingerprint,
    /// Version of the rules that made the fingerprint; runs without it have version 1.
    #[serde(default = "first_version")]
    fingerprint_version: u32,
    app: App,
    kind: FindingKind,
    process: String,
    summary: String,
    /// The lines that two findings must share to be the same one.
    made_of: Vec<String>,
    times: u32,
    steps: usize,
    reduced: Option<ReductionFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<FindingStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mapping: Option<PathBuf>,
}

fn first_version() -> u32 {
    1
}

#[derive(Debug, Serialize, Deserialize)]
struct ReductionFile {
    steps: usize,
    runs: u64,
    successes: u32,
    replays: u32,
    hits: Vec<LocatedBy>,
    /// Steps of the original that are left; runs of earlier versions do not have them.
    #[serde(default)]
    kept: Vec<u32>,
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
    #[error("could not write the finding `{fingerprint}`")]
    Unwritable {
        fingerprint: Fingerprint,
        source: serde_json::Error,
    },
}

impl StoredFinding {
    /// Writes all files of the finding, `problem.json` last: where that file exists, the others do too.
    pub fn write(&self, run: &RunDirectory) -> Result<(), StoredFindingError> {
        let place = |file: &str| format!("{}/{file}", self.directory());
        let unwritable = |source| StoredFindingError::Unwritable {
            fingerprint: self.fingerprint,
            source,
        };
        run.write(&place(TRACE), self.trace.to_text().as_bytes())?;
        run.write(&place(STACK), sanitise_text(&self.finding.stack).as_bytes())?;
        if let Some(picture) = &self.scene.screenshot {
            write_picture(run, &self.directory(), picture)?;
        }
        if !self.scene.log.is_empty() {
            run.write(&place(LOG), log_text(&self.scene.log).as_bytes())?;
        }
        app_log::write(run, &self.directory(), &self.scene.app_log)?;
        if let Some(reduced) = &self.reduced {
            let trace = &reduced.reduction.trace;
            run.write(&place(REDUCED), trace.to_text().as_bytes())?;
            let screens: Vec<&Screen> = reduced.screens().iter().map(AsRef::as_ref).collect();
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

    /// Writes an unconfirmed finding to a directory of its own, which no command reads findings from.
    /// `is_final`: it will not be confirmed any more, so its files among the confirmed findings are removed.
    pub fn write_unconfirmed(
        &self,
        run: &RunDirectory,
        is_final: bool,
    ) -> Result<(), RunDirectoryError> {
        let place = |file: &str| format!("{UNCONFIRMED}/{}/{file}", self.fingerprint);
        run.write(&place(TRACE), self.trace.to_text().as_bytes())?;
        run.write(&place(STACK), sanitise_text(&self.finding.stack).as_bytes())?;
        if let Some(picture) = &self.scene.screenshot {
            run.write(&place(PICTURE), &picture.0)?;
        }
        run.write(&place(LOG), log_text(&self.scene.log).as_bytes())?;
        let folder = format!("{UNCONFIRMED}/{}", self.fingerprint);
        app_log::write(run, &folder, &self.scene.app_log)?;
        if is_final {
            run.remove(&self.directory())
        } else {
            Ok(())
        }
    }

    /// Loads the screenshot and the app's log that an earlier process of the run wrote when it met the finding.
    pub fn load_circumstances(&mut self, run: &RunDirectory) {
        let folder = run.path().join(self.directory());
        if self.scene.screenshot.is_none() {
            self.scene.screenshot = input_file::read(&folder.join(PICTURE)).ok().map(Png);
        }
        if self.scene.app_log == ReadLogReply::default() {
            self.scene.app_log = app_log::read(&folder);
        }
    }

    /// Directory of the finding, inside the run.
    pub fn directory(&self) -> String {
        format!("{CRASHES}/{}", self.fingerprint)
    }

    /// File to replay, inside the run: the shortest trace there is.
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

    fn to_file(&self) -> FindingFile {
        let Finding {
            kind,
            process,
            summary,
            ..
        } = &self.finding;
        FindingFile {
            fingerprint: self.fingerprint,
            fingerprint_version: FINGERPRINT_VERSION,
            app: self.trace.header.app.clone(),
            kind: *kind,
            process: process.to_string(),
            summary: summary.clone(),
            made_of: Fingerprint::explain(&self.finding),
            times: self.occurrences,
            steps: self.trace.steps.len(),
            reduced: self.reduced.as_ref().map(RecordedReduction::to_file),
            status: self.status.clone(),
            mapping: self.mapping.clone(),
        }
    }
}

impl RecordedReduction {
    /// The screen before each step of the reduced trace, and the last one; empty if it was not recorded.
    pub fn screens(&self) -> &[SharedScreen] {
        self.recorded.as_ref().map_or(&[], |run| &run.screens)
    }

    /// How each step of the recorded run located its widget; empty if it was not recorded.
    pub fn located_by(&self) -> &[LocatedBy] {
        self.recorded.as_ref().map_or(&[], |run| &run.located_by)
    }

    /// The finding that the recorded run met, if any.
    pub fn finding(&self) -> Option<&Finding> {
        let events = &self.recorded.as_ref()?.events;
        events.iter().find_map(|event| match &event.kind {
            PhoneEventKind::Finding(finding) => Some(finding),
            PhoneEventKind::Activity(_) => None,
        })
    }

    fn to_file(&self) -> ReductionFile {
        let check = self.reduction.result.as_ref();
        ReductionFile {
            steps: self.reduction.trace.steps.len(),
            runs: self.reduction.runs,
            successes: check.map_or(0, |check| check.successes),
            replays: check.map_or(0, |check| check.runs),
            hits: self.located_by().to_vec(),
            kept: self.reduction.kept.clone(),
        }
    }
}

impl From<&FindingRecord> for StoredFinding {
    fn from(record: &FindingRecord) -> StoredFinding {
        let FindingRecord {
            finding,
            fingerprint,
            trace,
            occurrences,
            context,
        } = record.clone();
        StoredFinding {
            finding,
            fingerprint,
            occurrences,
            trace,
            scene: context,
            reduced: None,
            status: None,
            mapping: None,
        }
    }
}

/// Removes the unconfirmed findings that an earlier process of the run wrote: which ones there are is decided at its end.
pub fn remove_unconfirmed(run: &RunDirectory) -> Result<(), RunDirectoryError> {
    run.remove(UNCONFIRMED_BEFORE)?;
    run.remove(UNCONFIRMED)
}

/// Writes what cannot be had again, as soon as the finding is known: the screenshot and the app's log.
pub fn write_circumstances(
    run: &RunDirectory,
    fingerprint: Fingerprint,
    screenshot: Option<&Png>,
    read: &ReadLogReply,
) -> Result<(), RunDirectoryError> {
    let folder = format!("{CRASHES}/{fingerprint}");
    if let Some(picture) = screenshot {
        write_picture(run, &folder, picture)?;
    }
    app_log::write(run, &folder, read)
}

fn write_picture(run: &RunDirectory, folder: &str, picture: &Png) -> Result<(), RunDirectoryError> {
    run.write(&format!("{folder}/{PICTURE}"), &picture.0)
}

/// Writes the stack as the phone reported it, beside the one that was retraced.
pub fn write_obfuscated_stack(
    run: &RunDirectory,
    fingerprint: Fingerprint,
    stack: &str,
) -> Result<(), RunDirectoryError> {
    let place = format!("{CRASHES}/{fingerprint}/{OBFUSCATED_STACK}");
    run.write(&place, sanitise_text(stack).as_bytes())
}

/// Reads a `.retap` file.
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

/// The lines of a log as a terminal can show them.
fn log_text(lines: &[String]) -> String {
    sanitise_text(&(lines.join("\n") + "\n"))
}

impl UserError for StoredFindingError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            StoredFindingError::Directory(error) => error.help(),
            StoredFindingError::Trace { .. } => {
                "name a `.retap` file as `retap explore` writes it; if it was cut off, use a complete copy"
                    .into()
            }
            StoredFindingError::NotAFile { path } => {
                format!(
                    "name a file in it, such as `{}`",
                    path.join(CRASHES).join("ID").join(REDUCED).display()
                )
            }
            StoredFindingError::Damaged { .. } => "reduce `trace.retap` of the finding itself".into(),
            StoredFindingError::Unwritable { .. } => "please report this with the run's directory".into(),
        }
    }
}
