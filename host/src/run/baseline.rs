//! The baseline: a file of known findings of one app, small enough to be read, and made to be committed with its source.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};

use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint::{FINGERPRINT_VERSION, Fingerprint};
use serde::{Deserialize, Serialize};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;
use crate::run::atomic_write;
use crate::run::known_finding::KnownFinding;

/// Format version; raised when an older Retap could not read the file.
const FORMAT: u32 = 1;

/// The known findings of one app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingBaseline {
    app: String,
    findings: BTreeMap<Fingerprint, BaselineEntry>,
}

/// One known finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineEntry {
    pub fingerprint: Fingerprint,
    pub kind: FindingKind,
    /// Exception and method, for the reader.
    pub headline: String,
    pub first_seen_version: u64,
}

/// What a run changed in a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineChange {
    pub added: Vec<BaselineEntry>,
    /// Findings of the baseline that the run met too.
    pub met: usize,
    /// Findings of the baseline that the run did not meet. They stay: not met does not mean fixed.
    pub not_met: Vec<BaselineEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(rename = "fingerprints")]
    _fingerprints: u32,
    app: String,
    findings: Vec<BaselineEntry>,
}

#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("there is no baseline `{}`", .path.display())]
    Missing { path: PathBuf },
    #[error("could not read the baseline `{}`", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("could not write the baseline `{}`", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` is not a baseline", .path.display())]
    NotABaseline {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("the baseline `{}` has format {found}; this Retap reads up to {FORMAT}", .path.display())]
    Newer { path: PathBuf, found: u32 },
    #[error(
        "the baseline `{}` names findings by fingerprints of version {found}; this Retap makes version {FINGERPRINT_VERSION}",
        .path.display()
    )]
    OtherFingerprints { path: PathBuf, found: u32 },
    #[error("the baseline `{}` is of the app `{app}`, not of `{wanted}`", .path.display())]
    OtherApp {
        path: PathBuf,
        app: String,
        wanted: String,
    },
}

impl FindingBaseline {
    /// A baseline without findings.
    pub fn new(app: &str) -> FindingBaseline {
        FindingBaseline {
            app: app.to_owned(),
            findings: BTreeMap::new(),
        }
    }

    pub fn read(path: &Path) -> Result<FindingBaseline, BaselineError> {
        let path = path.to_owned();
        match input_file::read_to_string(&path) {
            Ok(text) => FindingBaseline::parse(&text, &path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(BaselineError::Missing { path })
            }
            Err(source) => Err(BaselineError::Read { path, source }),
        }
    }

    /// Parses the file. `path` is only for error messages.
    pub fn parse(text: &str, path: &Path) -> Result<FindingBaseline, BaselineError> {
        #[derive(Deserialize)]
        struct BaselineVersion {
            format: u32,
            fingerprints: u32,
        }
        let path = path.to_owned();
        let wrong = |source| BaselineError::NotABaseline {
            path: path.clone(),
            source,
        };
        let version: BaselineVersion = serde_json::from_str(text).map_err(wrong)?;
        if version.format > FORMAT {
            let found = version.format;
            return Err(BaselineError::Newer { path, found });
        }
        if version.fingerprints != FINGERPRINT_VERSION {
            let found = version.fingerprints;
            return Err(BaselineError::OtherFingerprints { path, found });
        }
        let file: BaselineFile = serde_json::from_str(text).map_err(wrong)?;
        let findings = file.findings.into_iter();
        Ok(FindingBaseline {
            app: file.app,
            findings: findings.map(|entry| (entry.fingerprint, entry)).collect(),
        })
    }

    /// Checks that the baseline is of this app. `path` is only for the error message.
    pub fn check_app(&self, package: &str, path: &Path) -> Result<(), BaselineError> {
        if self.app == package {
            return Ok(());
        }
        Err(BaselineError::OtherApp {
            path: path.to_owned(),
            app: self.app.clone(),
            wanted: package.to_owned(),
        })
    }

    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// What the baseline knows of a finding.
    pub fn known(&self, finding: &Finding) -> Option<KnownFinding> {
        let entry = self.findings.get(&finding.fingerprint())?;
        Some(KnownFinding::Baseline {
            first_seen_version: entry.first_seen_version,
        })
    }

    /// Adds the findings of a run. Those that are listed already stay as they are.
    pub fn add(&mut self, met: Vec<BaselineEntry>) -> BaselineChange {
        let mut change = BaselineChange::default();
        let listed = self.findings.values();
        let is_met = |entry: &&BaselineEntry| {
            met.iter()
                .any(|other| other.fingerprint == entry.fingerprint)
        };
        change.not_met = listed.filter(|entry| !is_met(entry)).cloned().collect();
        for entry in met {
            match self.findings.entry(entry.fingerprint) {
                Entry::Occupied(_) => change.met += 1,
                Entry::Vacant(place) => {
                    change.added.push(entry.clone());
                    place.insert(entry);
                }
            }
        }
        change
    }

    /// The file: one finding per line, sorted by headline, so that a new finding is one new line.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut entries: Vec<&BaselineEntry> = self.findings.values().collect();
        entries.sort_by_key(|entry| (&entry.headline, entry.fingerprint));
        let lines = entries
            .iter()
            .map(|entry| Ok(format!("\n    {}", serde_json::to_string(entry)?)))
            .collect::<Result<Vec<_>, serde_json::Error>>()?;
        let end = if lines.is_empty() { "" } else { "\n  " };
        Ok(format!(
            "{{\n  \"format\": {FORMAT},\n  \"fingerprints\": {FINGERPRINT_VERSION},\n  \"app\": {},\n  \
             \"findings\": [{}{end}]\n}}\n",
            serde_json::to_string(&self.app)?,
            lines.join(",")
        ))
    }

    /// Replaces the file. If that fails, the old file stays.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let text = self.to_text().map_err(io::Error::other);
        let written = text.and_then(|text| {
            // A bare file name has no directory that could be synced.
            let absolute = std::path::absolute(path)?;
            absolute.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            atomic_write::write_atomically(&absolute, text.as_bytes())
        });
        written.map_err(|source| BaselineError::Write {
            path: path.to_owned(),
            source,
        })
    }
}

impl UserError for BaselineError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            BaselineError::Missing { path } => {
                format!(
                    "write it with `retap baseline RUN --out {}`",
                    path.display()
                )
            }
            BaselineError::Read { .. } => "see whether the file is text and may be read".into(),
            BaselineError::Write { .. } => {
                "free disk space, or name a file with `--out` where you may write".into()
            }
            BaselineError::NotABaseline { .. } => {
                "name a file that `retap baseline` wrote; if it was edited, correct it".into()
            }
            BaselineError::Newer { .. } => "use the Retap that wrote it, or a newer one".into(),
            BaselineError::OtherFingerprints { .. } => {
                "move the file away and write it anew with `retap baseline RUN`".into()
            }
            BaselineError::OtherApp { .. } => {
                "name the baseline of this app; each app has a file of its own".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64, headline: &str) -> BaselineEntry {
        BaselineEntry {
            fingerprint: Fingerprint(number),
            kind: FindingKind::Crash,
            headline: headline.to_owned(),
            first_seen_version: 31,
        }
    }

    fn parse(text: &str) -> Result<FindingBaseline, BaselineError> {
        FindingBaseline::parse(text, Path::new("b.json"))
    }

    #[test]
    fn a_new_finding_is_one_new_line_of_the_file() {
        let mut baseline = FindingBaseline::new("com.example.shop");
        assert_eq!(parse(&baseline.to_text().unwrap()).unwrap(), baseline);
        baseline.add(vec![entry(7, "B in Cart.pay"), entry(9, "A in Main.open")]);
        let before = baseline.to_text().unwrap();
        assert_eq!(
            before,
            r#"{
  "format": 1,
  "fingerprints": 2,
  "app": "com.example.shop",
  "findings": [
    {"fingerprint":"0000000000000009","kind":"crash","headline":"A in Main.open","first_seen_version":31},
    {"fingerprint":"0000000000000007","kind":"crash","headline":"B in Cart.pay","first_seen_version":31}
  ]
}
"#
        );
        assert_eq!(parse(&before).unwrap(), baseline);
        baseline.add(vec![entry(8, "AB in Main.close")]);
        let after = baseline.to_text().unwrap();
        let is_new = |line: &&str| !before.lines().any(|other| other == *line);
        assert_eq!(after.lines().filter(is_new).count(), 1);
    }

    #[test]
    fn what_is_listed_stays_as_it_is_and_what_was_not_met_is_told() {
        let mut baseline = FindingBaseline::new("com.example.shop");
        baseline.add(vec![entry(7, "old"), entry(8, "gone")]);
        let later = BaselineEntry {
            first_seen_version: 40,
            ..entry(7, "renamed")
        };
        let change = baseline.add(vec![later, entry(9, "new")]);
        assert_eq!(change.added, [entry(9, "new")]);
        assert_eq!((change.met, change.not_met), (1, vec![entry(8, "gone")]));
        assert_eq!(baseline.len(), 3);
        assert!(baseline.to_text().unwrap().contains("\"old\""));
    }

    #[test]
    fn another_version_another_app_and_no_baseline_are_told_apart() {
        let good = FindingBaseline::new("com.example.shop").to_text().unwrap();
        let newer = good.replace("\"format\": 1", "\"format\": 2");
        assert!(matches!(
            parse(&newer),
            Err(BaselineError::Newer { found: 2, .. })
        ));
        let older = good.replace("\"fingerprints\": 2", "\"fingerprints\": 1");
        assert!(matches!(
            parse(&older),
            Err(BaselineError::OtherFingerprints { found: 1, .. })
        ));
        for wrong in [
            "",
            "[]",
            "{}",
            "hello",
            &good[..good.len() / 2],
            &good.replace("app", "apk"),
        ] {
            assert!(
                matches!(parse(wrong), Err(BaselineError::NotABaseline { .. })),
                "{wrong}"
            );
        }
        let baseline = parse(&good).unwrap();
        let path = Path::new("b.json");
        assert!(baseline.check_app("com.example.shop", path).is_ok());
        let error = baseline.check_app("com.example.mail", path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the baseline `b.json` is of the app `com.example.shop`, not of `com.example.mail`"
        );
        assert!(matches!(
            FindingBaseline::read(Path::new("no/such/file")),
            Err(BaselineError::Missing { .. })
        ));
    }
}
