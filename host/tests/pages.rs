//! The pages for people: their links lead somewhere, the files they name exist, and their lines can be read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest line of a page. Rows of tables cannot be wrapped.
const MAX_LINE: usize = 120;
/// Longest page of docs/guide.
const MAX_GUIDE: usize = 150;

/// Names that stand for a file without being its path.
const PLACEHOLDERS: [char; 6] = ['*', '{', '<', '…', '$', ' '];

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    let mut links = 0;
    let mut broken = Vec::new();
    for page in pages() {
        for target in links_of(&prose(&read(&page))) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            links += 1;
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let file = match path {
                "" => page.clone(),
                path => page.parent().unwrap().join(path),
            };
            let is_there =
                file.exists() && (heading.is_empty() || headings_of(&file).contains(heading));
            if !is_there {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to nothing: {broken:#?}");
    assert!(links > 100, "only {links} links were found");
}

#[test]
fn every_file_that_a_page_names_exists() {
    let root = root();
    let sources = file_names(&root);
    let mut names = 0;
    let mut missing = Vec::new();
    for page in pages() {
        for name in code_spans(&prose(&read(&page))) {
            let Some(is_there) = is_named_file(&root, &sources, &name) else {
                continue;
            };
            names += 1;
            if !is_there {
                missing.push(format!("{}: {name}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no such file: {missing:#?}");
    assert!(names > 200, "only {names} files were found to be named");
}

#[test]
fn every_name_that_a_page_says_to_be_in_a_file_is_in_it() {
    let root = root();
    let mut names = 0;
    let mut missing = Vec::new();
    for page in pages() {
        for line in prose(&read(&page)).lines() {
            let line = line.replace("` (`", "` in `");
            for (before, path) in line.split("` in `").zip(line.split("` in `").skip(1)) {
                let Some((path, _)) = path.split_once('`') else {
                    continue;
                };
                let file = root.join(path);
                let name = before.rsplit('`').next().unwrap_or(before);
                let name = name.rsplit("::").next().unwrap_or(name);
                if !path.ends_with(".rs") || !file.is_file() || name.contains('.') {
                    continue;
                }
                names += 1;
                if !read(&file).contains(name) {
                    missing.push(format!("{}: {name} in {path}", page.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in its file: {missing:#?}");
    assert!(names > 20, "only {names} names were found");
}

#[test]
fn the_list_of_pages_has_all_of_them() {
    let list = root().join("docs/README.md");
    let listed: BTreeSet<PathBuf> = links_of(&read(&list))
        .iter()
        .filter_map(|link| list.parent().unwrap().join(link).canonicalize().ok())
        .collect();
    let docs = root().join("docs");
    for page in pages() {
        let is_table = page.starts_with(docs.join("benchmarks"));
        if page.starts_with(&docs) && page != list && !is_table {
            assert!(
                listed.contains(&page),
                "docs/README.md lacks {}",
                page.display()
            );
        }
    }
}

#[test]
fn every_page_that_the_source_names_exists() {
    let root = root();
    let mut names = 0;
    let mut missing = Vec::new();
    for file in files_below(&root) {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        for (at, _) in text.match_indices("docs/") {
            let name: String = text[at..]
                .chars()
                .take_while(|&letter| letter.is_ascii_alphanumeric() || "/-_.".contains(letter))
                .collect();
            let Some(end) = name.find(".md") else {
                continue;
            };
            let is_outside = text[..at].ends_with(|before: char| {
                before.is_ascii_alphanumeric() || "/-_.".contains(before)
            });
            if is_outside {
                continue;
            }
            names += 1;
            if !root.join(&name[..end + 3]).exists() {
                missing.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no such page: {missing:#?}");
    assert!(names > 20, "only {names} pages were found to be named");
}

#[test]
fn every_script_that_is_named_exists() {
    let root = root();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let mut names = 0;
    let mut missing = Vec::new();
    for file in files_below(&root) {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        for (at, prefix) in text.match_indices("scripts/") {
            let name: String = text[at + prefix.len()..]
                .chars()
                .take_while(|&letter| is_part(letter))
                .collect();
            let is_outside = text[..at]
                .ends_with(|before: char| is_part(before) || before == '/' || before == '_');
            if is_outside || name.is_empty() {
                continue;
            }
            names += 1;
            if !root.join(prefix).join(&name).exists() {
                missing.push(format!("{}: {prefix}{name}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no such script: {missing:#?}");
    assert!(names > 100, "only {names} scripts were found to be named");
}

#[test]
fn lines_and_guides_are_short() {
    let mut long = Vec::new();
    for page in pages() {
        let text = read(&page);
        for (number, line) in (1..).zip(text.lines()) {
            if line.chars().count() > MAX_LINE && !line.trim_start().starts_with('|') {
                long.push(format!("{}:{number}", page.display()));
            }
        }
        let is_guide = page
            .parent()
            .is_some_and(|folder| folder.ends_with("docs/guide"));
        if is_guide && text.lines().count() > MAX_GUIDE {
            long.push(page.display().to_string());
        }
    }
    assert!(long.is_empty(), "too long: {long:#?}");
}

#[test]
fn parts_of_a_page_are_found() {
    let page = "# A `b`, c-d!\n\nSee [one](a.md#x) and [two]( https://b ), `host/src`.\n```\n[no](c)\n# no\n```\n";
    assert_eq!(links_of(&prose(page)), ["a.md#x", "https://b"]);
    assert_eq!(code_spans(&prose(page)), ["b", "host/src"]);
    assert_eq!(heading_anchor("A `b`, c-d!"), "a-b-c-d");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

fn pages() -> Vec<PathBuf> {
    let pages: Vec<PathBuf> = files_below(&root())
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .collect();
    assert!(pages.len() > 30, "only {} pages were found", pages.len());
    pages
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All files of the project: not what is built, fetched or recorded.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_skipped = ["target", ".git", "runs", "corpus", "node_modules"].contains(&&*name);
        if path.is_symlink() || is_skipped {
            continue;
        }
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

fn file_names(root: &Path) -> BTreeSet<String> {
    files_below(root)
        .iter()
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

/// Whether a file exists that is named by its path from the root, or a source by its name alone. None for other words.
fn is_named_file(root: &Path, sources: &BTreeSet<String>, name: &str) -> Option<bool> {
    if name.contains(PLACEHOLDERS) {
        return None;
    }
    let path = name.split(':').next().unwrap_or(name);
    match path.split_once('/') {
        Some((
            "agent" | "host" | "shared" | "scripts" | "docs" | "fuzz" | "android-project"
            | ".github",
            _,
        )) => Some(root.join(path).exists()),
        None if path.ends_with(".rs") || path.ends_with(".java") => Some(sources.contains(path)),
        _ => None,
    }
}

/// The lines outside blocks of code.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

fn links_of(prose: &str) -> Vec<String> {
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.trim().to_owned())
        .collect()
}

fn code_spans(prose: &str) -> Vec<String> {
    prose
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned))
        .collect()
}

fn headings_of(page: &Path) -> BTreeSet<String> {
    prose(&read(page))
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| heading_anchor(line.trim_start_matches('#')))
        .collect()
}

/// The anchor that GitHub gives a heading.
fn heading_anchor(heading: &str) -> String {
    heading
        .trim()
        .chars()
        .filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            letter if letter.is_alphanumeric() => Some(letter.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}
