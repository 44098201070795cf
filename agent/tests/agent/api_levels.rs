//! Checks every row of the table of Java names against the framework of every API level. `scripts/make-api-levels` writes
//! the texts in `api_levels/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use retap_agent::android::table::{Fallback, JavaRow, LEVELS, MemberKind, ROWS};

/// The package of the bootstrap's own classes, which `SelfTest.names` in android-project/bootstrap checks.
const OWN: &str = "dev/retap/agent/";

/// The framework of one API level: class → lines such as `static method load (I)V`.
struct Framework(BTreeMap<String, BTreeSet<String>>);

#[test]
fn every_name_has_a_form_at_every_level_that_needs_it() {
    let errors = for_each_level(|level, framework| {
        framework_rows()
            .filter(|row| level >= row.from && framework.form_of(row).is_none())
            .map(|row| format!("level {level}: {} has no form", describe(row)))
            .collect()
    });
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn every_form_is_the_newest_one_at_some_level() {
    let mut used = BTreeSet::new();
    for_each_level(|_, framework| {
        used.extend(
            framework_rows().filter_map(|row| Some((row.name as usize, framework.form_of(row)?))),
        );
        Vec::new()
    });
    for row in framework_rows() {
        for (form, descriptor) in row.descriptors.iter().enumerate() {
            let what = describe(row);
            assert!(
                used.contains(&(row.name as usize, form)),
                "{what}: no level needs the form `{descriptor}`"
            );
        }
    }
}

#[test]
fn each_row_names_the_first_level_that_has_it() {
    let errors = for_each_level(|level, framework| {
        ROWS.iter()
            .filter(|row| level < row.from && framework.form_of(row).is_some())
            .map(|row| format!("level {level}: {} exists already", describe(row)))
            .collect()
    });
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn each_row_that_older_levels_lack_has_a_fallback() {
    for row in ROWS {
        match row.fallback {
            Fallback::Never => {
                assert_eq!(
                    row.from,
                    *LEVELS.start(),
                    "{} needs a fallback",
                    describe(row)
                );
            }
            Fallback::Row(other) => {
                let other = other.row();
                assert_eq!(
                    other.from,
                    *LEVELS.start(),
                    "{}: not on every level",
                    describe(other)
                );
                assert!(
                    row.from > *LEVELS.start(),
                    "{} is on every level",
                    describe(row)
                );
            }
            Fallback::Lost(what) => {
                assert!(
                    !what.is_empty() && row.from > *LEVELS.start(),
                    "{}",
                    describe(row)
                );
            }
        }
    }
}

#[test]
fn every_row_is_used_by_some_file() {
    let mut code = String::new();
    read_code(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut code,
    );
    let words: BTreeSet<_> = code
        .split(|c: char| !c.is_alphanumeric() && c != ':')
        .collect();
    for row in ROWS {
        let word = format!("JavaName::{:?}", row.name);
        assert!(
            words.contains(word.as_str()),
            "{} is never used",
            describe(row)
        );
    }
}

impl Framework {
    fn read(name: &str) -> Framework {
        let path = folder().join(format!("{name}.txt"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut classes = BTreeMap::<_, BTreeSet<_>>::new();
        let mut class = String::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("class ") {
                Some(name) => class = name.to_owned(),
                None => {
                    classes
                        .entry(class.clone())
                        .or_default()
                        .insert(line.trim().to_owned());
                }
            }
        }
        Framework(classes)
    }

    /// The number of the form that a phone of this level uses.
    fn form_of(&self, row: &JavaRow) -> Option<usize> {
        let members = self.0.get(row.class)?;
        let kind = match row.kind {
            MemberKind::Constructor | MemberKind::Method => "method",
            MemberKind::StaticMethod => "static method",
            MemberKind::Field => "field",
            MemberKind::StaticField => "static field",
        };
        row.descriptors
            .iter()
            .position(|descriptor| members.contains(&format!("{kind} {} {descriptor}", row.member)))
    }
}

fn for_each_level(mut check: impl FnMut(u32, &Framework) -> Vec<String>) -> Vec<String> {
    let java = Framework::read("java");
    let mut errors = Vec::new();
    for level in LEVELS {
        let mut framework = Framework::read(&level.to_string());
        framework.0.extend(java.0.clone());
        errors.extend(check(level, &framework));
    }
    errors
}

fn framework_rows() -> impl Iterator<Item = &'static JavaRow> {
    ROWS.iter().filter(|row| !row.class.starts_with(OWN))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent/api_levels")
}

/// Reads all of the agent's code except the table.
fn read_code(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_code(&path, into);
        } else if !path.ends_with("android/table.rs") {
            into.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn describe(row: &JavaRow) -> String {
    format!("`{:?}` ({}.{})", row.name, row.class, row.member)
}
