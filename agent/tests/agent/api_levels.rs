//! Holds every row of the table of Java names against the framework of every API level. The texts in `api_levels/`
//! are made by `scripts/make-api-levels`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use retap_agent::android::table::{Fallback, JavaRow, LEVELS, MemberKind, ROWS};

/// The bootstrap's own classes are no framework's: `SelfTest.names` in android-project/bootstrap holds their rows against
/// the bootstrap.
const OWN: &str = "dev/retap/agent/";

/// What one level has: class → lines such as `static method load (I)V`.
struct Framework(BTreeMap<String, BTreeSet<String>>);

#[test]
fn every_name_has_a_form_at_every_level_that_needs_it() {
    let problems = for_each_level(|level, framework| {
        of_the_framework()
            .filter(|row| level >= row.from && framework.form_of(row).is_none())
            .map(|row| format!("level {level}: {} has no form", in_words(row)))
            .collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_form_is_the_newest_one_at_some_level() {
    let mut used = BTreeSet::new();
    for_each_level(|_, framework| {
        used.extend(
            of_the_framework().filter_map(|row| Some((row.name as usize, framework.form_of(row)?))),
        );
        Vec::new()
    });
    for row in of_the_framework() {
        for (form, descriptor) in row.descriptors.iter().enumerate() {
            let what = in_words(row);
            assert!(
                used.contains(&(row.name as usize, form)),
                "{what}: no level needs the form `{descriptor}`"
            );
        }
    }
}

#[test]
fn a_row_says_exactly_from_which_level_on_it_is_there() {
    let problems = for_each_level(|level, framework| {
        ROWS.iter()
            .filter(|row| level < row.from && framework.form_of(row).is_some())
            .map(|row| format!("level {level}: {} is there already", in_words(row)))
            .collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_older_levels_lack_has_something_instead() {
    for row in ROWS {
        match row.fallback {
            Fallback::Never => {
                assert_eq!(
                    row.from,
                    *LEVELS.start(),
                    "{} needs something instead",
                    in_words(row)
                );
            }
            Fallback::Row(other) => {
                let other = other.row();
                assert_eq!(
                    other.from,
                    *LEVELS.start(),
                    "{}: not always there",
                    in_words(other)
                );
                assert!(
                    row.from > *LEVELS.start(),
                    "{} is always there",
                    in_words(row)
                );
            }
            Fallback::Lost(what) => {
                assert!(
                    !what.is_empty() && row.from > *LEVELS.start(),
                    "{}",
                    in_words(row)
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
            in_words(row)
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

    /// The number of the form that a phone of this level would choose.
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

fn for_each_level(mut look: impl FnMut(u32, &Framework) -> Vec<String>) -> Vec<String> {
    let java = Framework::read("java");
    let mut problems = Vec::new();
    for level in LEVELS {
        let mut framework = Framework::read(&level.to_string());
        framework.0.extend(java.0.clone());
        problems.extend(look(level, &framework));
    }
    problems
}

fn of_the_framework() -> impl Iterator<Item = &'static JavaRow> {
    ROWS.iter().filter(|row| !row.class.starts_with(OWN))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent/api_levels")
}

/// All of the agent's code but the table.
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

fn in_words(row: &JavaRow) -> String {
    format!("`{:?}` ({}.{})", row.name, row.class, row.member)
}
