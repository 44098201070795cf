//! Properties of everything that the program reads, for any bytes: refused with a message, or read and kept by writing and
//! reading. Fuzz targets check them with new bytes, a test with the corpora.

use std::fmt::{Debug, Display};
use std::path::Path;
use std::str::FromStr;

use retap_device::run_event::RunEvent;
use retap_explore::journal::RecordedStep;
use retap_model::WidgetAbstraction;
use retap_model::ape::{AttributeReducer, LearnedAbstraction};
use retap_reduce::oracle::Observation;
use retap_reduce::policy::SuccessRatePrior;
use retap_reduce::suite::ReplayRecord;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::screen::Screen;
use retap_shared::target::Target;
use retap_shared::trace::Trace;
use retap_transport::keys::SessionKeys;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::adb;
use crate::config::Config;
use crate::device_spec::DeviceList;
use crate::format::mapping::BuildMapping;
use crate::format::{monkey, simplydroid};
use crate::link::pairing::{LinkAddress, Pairing};
use crate::operations::CopiedInputs;
use crate::options::{KeepAge, KeepSize};
use crate::run::baseline::FindingBaseline;
use crate::run::findings::FindingFile;
use crate::run::manifest::RunManifest;
use crate::{constraints, target};

/// Check of any bytes as one kind of input.
pub type Check = fn(&[u8]);

/// Each kind of input, by the name of its fuzz target and corpus.
pub const CHECKS: [(&str, Check); 9] = [
    ("settings", settings),
    ("manifests", manifests),
    ("baselines", baselines),
    ("mappings", mappings),
    ("imports", imports),
    ("run_files", run_files),
    ("journal_rows", journal_rows),
    ("abstractions", abstractions),
    ("short_texts", short_texts),
];

/// `retap.toml`.
pub fn settings(bytes: &[u8]) {
    if let Err(mistakes) = Config::parse(&text(bytes)) {
        assert!(!mistakes.is_empty());
        assert!(
            mistakes
                .iter()
                .all(|mistake| !mistake.to_string().is_empty())
        );
    }
}

/// `run.json`.
pub fn manifests(bytes: &[u8]) {
    let path = Path::new("run.json");
    match RunManifest::parse(&text(bytes), path) {
        Ok(manifest) => {
            let again = manifest.to_text().unwrap();
            assert_eq!(RunManifest::parse(&again, path).unwrap(), manifest);
        }
        Err(error) => explained(&error),
    }
}

/// The file of `retap baseline`.
pub fn baselines(bytes: &[u8]) {
    let path = Path::new("known.json");
    match FindingBaseline::parse(&text(bytes), path) {
        Ok(baseline) => {
            let again = FindingBaseline::parse(&baseline.to_text().unwrap(), path);
            assert_eq!(again.unwrap(), baseline);
        }
        Err(error) => explained(&error),
    }
}

/// A mapping of R8 or ProGuard and, behind a zero byte, a stack.
pub fn mappings(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let mapping = parts.next().unwrap_or_default();
    match BuildMapping::parse(Path::new("mapping.txt"), mapping) {
        Ok(mapping) => {
            let stack = text(parts.next().unwrap_or_default());
            let finding = Finding {
                kind: FindingKind::Crash,
                process: "com.example".into(),
                summary: stack.lines().next().unwrap_or_default().to_owned(),
                stack,
            };
            if let Ok(finding) = mapping.retrace(&finding) {
                let _ = finding.fingerprint();
            }
        }
        Err(error) => explained(&error),
    }
}

/// Traces of other tools.
pub fn imports(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    let text = text(bytes);
    match kind % 2 {
        0 => match simplydroid::parse(&text) {
            Ok(trace) => trace_is_kept(&trace),
            Err(error) => explained(&error),
        },
        _ => match monkey::parse(&text, Some("com.example")) {
            Ok(script) => trace_is_kept(&script.trace),
            Err(error) => explained(&error),
        },
    }
}

/// JSON files of runs, and a pairing file.
pub fn run_files(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    match kind % 6 {
        0 => json::<FindingFile>(bytes),
        1 => json::<Vec<Screen>>(bytes),
        2 => json::<LearnedAbstraction>(bytes),
        3 => json::<CopiedInputs>(bytes),
        4 => json::<RunEvent>(bytes),
        _ => {
            json::<Pairing>(bytes);
            json::<SessionKeys>(bytes);
        }
    }
}

/// Rows of the store.
pub fn journal_rows(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    match kind % 3 {
        0 => json::<RecordedStep>(bytes),
        1 => json::<Observation>(bytes),
        _ => json::<ReplayRecord>(bytes),
    }
}

/// Which screens are the same state, and how likely candidates are to succeed.
pub fn abstractions(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    let text = text(bytes);
    match kind % 3 {
        0 => match LearnedAbstraction::from_rules(&text) {
            Ok(learned) => json::<LearnedAbstraction>(&serde_json::to_vec(&learned).unwrap()),
            Err(error) => explained(&error),
        },
        1 => match toml::from_str::<WidgetAbstraction>(&text) {
            Ok(rules) => assert!(format!("{rules:?}").contains("WidgetAbstraction")),
            Err(error) => explained(&error),
        },
        _ => match SuccessRatePrior::parse(&text) {
            Ok(prior) => {
                SuccessRatePrior::parse(&prior.to_text()).unwrap();
            }
            Err(error) => explained(&error),
        },
    }
}

/// Texts of one line that stand in settings and in `run.json`, and what adb answers.
pub fn short_texts(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    let text = text(bytes);
    match kind % 8 {
        0 => is_kept::<DeviceList>(&text),
        1 => is_kept::<LinkAddress>(&text),
        2 => drop(text.parse::<KeepAge>()),
        3 => drop(text.parse::<KeepSize>()),
        4 => {
            drop(constraints::parse_selector(&text));
            drop(constraints::parse_never(&text));
            drop(constraints::parse_always(&text));
        }
        5 => {
            if let Ok(parsed) = text.parse::<Target>() {
                assert!(!target::describe(&parsed).is_empty());
            }
        }
        6 => {
            drop(text.parse::<AttributeReducer>());
            drop(text.parse::<adb::AdbServer>());
        }
        _ => drop(adb::parse_list(&text)),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes that are refused, or a value that survives writing and reading.
fn json<T: DeserializeOwned + Serialize>(bytes: &[u8]) {
    match serde_json::from_slice::<T>(bytes) {
        Ok(value) => {
            let written = serde_json::to_string(&value).unwrap();
            let again: T = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
        }
        Err(error) => explained(&error),
    }
}

/// A text that is refused, or a value whose own text means the same.
fn is_kept<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string().parse::<T>().ok(), Some(value)),
        Err(error) => explained(&error),
    }
}

fn trace_is_kept(trace: &Trace) {
    let again = Trace::parse(&trace.to_text());
    assert_eq!(again.as_ref().ok(), Some(trace));
}

fn explained(error: &impl Display) {
    assert!(!error.to_string().is_empty());
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn inputs_of_the_corpora_are_read_or_refused() {
        let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
        for (name, check) in CHECKS {
            let mut count = 0;
            for file in fs::read_dir(corpora.join(name)).unwrap() {
                check(&fs::read(file.unwrap().path()).unwrap());
                count += 1;
            }
            assert!(count > 0, "{name}");
        }
    }
}
