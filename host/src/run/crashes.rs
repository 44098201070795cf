//! `crashes/ID/` of a run: the trace that was found, what it was cut down to, the stack, and the screens on the way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use retap_explore::{Found, Scene};
use retap_reduce::oracle::Resumed;
use retap_reduce::trace::Size;
use retap_shared::bytes::Png;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::protocol::Hit;
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{App, Trace, TraceError};
use retap_shared::verdict::{Problem, ProblemKind};
use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::failure::Explained;
use crate::run::directory::{self, Directory, DirectoryError};

const CRASHES: &str = "crashes";
const APART: &str = "apart";
const TRACE: &str = "trace.retap";
const REDUCED: &str = "reduced.retap";
const STACK: &str = "stack.txt";
const PICTURE: &str = "screenshot.png";
const LOG: &str = "log.txt";
const SCREENS: &str = "screens.json";
const PROBLEM: &str = "problem.json";

#[derive(Clone, Debug, PartialEq)]
pub struct Crash {
    pub problem: Problem,
    pub fingerprint: Fingerprint,
    /// How often the run met it.
    pub times: u32,
    pub trace: Trace,
    pub scene: Scene,
    pub reduced: Option<Reduced>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
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
    pub hits: Vec<Hit>,
    pub shrinking: Shrinking,
}

/// How a trace became smaller. Only for the report of the same run: it is not written down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shrinking {
    pub history: Vec<Size>,
    /// The chance that each step of the trace is needed, where steps were believed in.
    pub belief: Option<Vec<f32>>,
    /// Runs that did not start clean, but went on from a state that the phone had saved.
    pub resumed: Resumed,
}

/// `problem.json`. The stack has a file of its own.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    fingerprint: Fingerprint,
    app: App,
    kind: ProblemKind,
    process: String,
    summary: String,
    /// The lines that two crashes must share to be the same one.
    made_of: Vec<String>,
    times: u32,
    steps: usize,
    reduced: Option<WrittenReduced>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WrittenReduced {
    steps: usize,
    runs: u64,
    successes: u32,
    replays: u32,
    hits: Vec<Hit>,
}

#[derive(Debug, thiserror::Error)]
pub enum CrashError {
    #[error(transparent)]
    Directory(#[from] DirectoryError),
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

impl Crash {
    /// Writes every file of it, `problem.json` last: where that stands, the others do too.
    pub fn write(&self, run: &Directory) -> Result<(), CrashError> {
        let place = |file: &str| format!("{}/{file}", self.place());
        let unwritable = |source| CrashError::Unwritable {
            fingerprint: self.fingerprint,
            source,
        };
        run.write(&place(TRACE), self.trace.to_text().as_bytes())?;
        run.write(&place(STACK), self.problem.stack.as_bytes())?;
        if let Some(picture) = &self.scene.picture {
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
        let mut problem = serde_json::to_vec_pretty(&self.written()).map_err(unwritable)?;
        problem.push(b'\n');
        Ok(run.write(&place(PROBLEM), &problem)?)
    }

    /// Writes what there is of one that does not come from a clean start, where no command takes it for one that does.
    /// `for_good`: nobody tries any more, so that nothing of it stays among the others.
    pub fn write_apart(&self, run: &Directory, for_good: bool) -> Result<(), DirectoryError> {
        let place = |file: &str| format!("{APART}/{}/{file}", self.fingerprint);
        run.write(&place(TRACE), self.trace.to_text().as_bytes())?;
        run.write(&place(STACK), self.problem.stack.as_bytes())?;
        if let Some(picture) = &self.scene.picture {
            run.write(&place(PICTURE), &picture.0)?;
        }
        run.write(&place(LOG), (self.scene.log.join("\n") + "\n").as_bytes())?;
        if for_good {
            run.remove(&self.place())
        } else {
            Ok(())
        }
    }

    /// The picture that was written when it came, if an earlier process of the run did so.
    pub fn recall_picture(&mut self, run: &Directory) {
        if self.scene.picture.is_none() {
            let path = run.path().join(self.place()).join(PICTURE);
            self.scene.picture = std::fs::read(path).ok().map(Png);
        }
    }

    /// Its directory inside the run.
    pub fn place(&self) -> String {
        format!("{CRASHES}/{}", self.fingerprint)
    }

    /// The file inside the run to replay: the shortest there is.
    pub fn best_file(&self) -> String {
        format!(
            "{}/{}",
            self.place(),
            if self.reduced.is_some() {
                REDUCED
            } else {
                TRACE
            }
        )
    }

    pub fn trace_file(&self) -> String {
        format!("{}/{TRACE}", self.place())
    }

    fn written(&self) -> Written {
        let Problem {
            kind,
            process,
            summary,
            ..
        } = &self.problem;
        Written {
            fingerprint: self.fingerprint,
            app: self.trace.header.app.clone(),
            kind: *kind,
            process: process.to_string(),
            summary: summary.clone(),
            made_of: Fingerprint::explain(&self.problem),
            times: self.times,
            steps: self.trace.steps.len(),
            reduced: self.reduced.as_ref().map(|reduced| WrittenReduced {
                steps: reduced.trace.steps.len(),
                runs: reduced.runs,
                successes: reduced.successes,
                replays: reduced.replays,
                hits: reduced.hits.clone(),
            }),
        }
    }
}

impl From<&Found> for Crash {
    fn from(found: &Found) -> Crash {
        let Found {
            problem,
            fingerprint,
            trace,
            times,
            scene,
        } = found.clone();
        Crash {
            problem,
            fingerprint,
            times,
            trace,
            scene,
            reduced: None,
        }
    }
}

/// The crashes of a run by their ids, as they were found. A directory that has no `problem.json` yet is left out.
pub fn read_all(run: &Path) -> Result<BTreeMap<Fingerprint, Crash>, CrashError> {
    let folder = run.join(CRASHES);
    let unreadable = |source| DirectoryError::Read {
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

fn read_one(place: &Path) -> Result<Crash, CrashError> {
    let path = place.join(PROBLEM);
    let written: Written =
        serde_json::from_str(&directory::read(&path)?).map_err(|source| CrashError::Damaged {
            path: path.clone(),
            source,
        })?;
    let Written {
        fingerprint,
        kind,
        process,
        summary,
        times,
        ..
    } = written;
    let stack = directory::read(&place.join(STACK))?;
    let problem = Problem {
        kind,
        process: process.into(),
        summary,
        stack,
    };
    let trace = read_trace(&place.join(TRACE))?;
    // What there was to see is an ornament: a run of an earlier version has none of it.
    let scene = Scene {
        screen: None,
        picture: std::fs::read(place.join(PICTURE)).ok().map(Png),
        log: directory::read(&place.join(LOG)).map_or_else(|_| Vec::new(), |text| lines(&text)),
    };
    Ok(Crash {
        problem,
        fingerprint,
        times,
        trace,
        scene,
        reduced: None,
    })
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Which problems are apart is known at the end of a run, each time anew.
pub fn forget_apart(run: &Directory) -> Result<(), DirectoryError> {
    run.remove(APART)
}

/// What the phone showed as soon as the crash was known.
pub fn write_picture(
    run: &Directory,
    crash: Fingerprint,
    picture: &Png,
) -> Result<(), DirectoryError> {
    run.write(&format!("{CRASHES}/{crash}/{PICTURE}"), &picture.0)
}

pub fn read_trace(path: &Path) -> Result<Trace, CrashError> {
    if path.is_dir() {
        return Err(CrashError::NotAFile {
            path: path.to_owned(),
        });
    }
    let text = directory::read(path)?;
    Trace::parse(&text).map_err(|source| CrashError::Trace {
        path: path.to_owned(),
        source,
    })
}

impl Explained for CrashError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            CrashError::Directory(error) => error.help(),
            CrashError::Trace { .. } => {
                "a trace is a `.retap` file as `retap explore` writes it; if it was cut off, use a whole copy"
                    .into()
            }
            CrashError::NotAFile { path } => {
                format!(
                    "name a file in it, such as `{}`",
                    path.join(CRASHES).join("ID").join(REDUCED).display()
                )
            }
            CrashError::Damaged { .. } => "reduce the crash's `trace.retap` itself".into(),
            CrashError::Unwritable { .. } => "please report this with the run's directory".into(),
        }
    }
}
