//! The pages for people: their links lead somewhere, the files they name exist, and their lines can be read.

mod markdown;
mod project_files;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use markdown::{code_spans, headings_of, links_of, prose};
use project_files::{file_names, files_below, is_named_file, pages, read, root};

/// Longest line of a page. Rows of tables cannot be wrapped.
const MAX_LINE: usize = 120;
/// Longest page of docs/guide.
const MAX_GUIDE: usize = 150;

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

/// The help of every command is in snapshots, which the tests of the program compare with what it prints.
#[test]
fn the_page_of_commands_has_every_option_and_no_other() {
    let root = root();
    let page = read(&root.join("docs/reference/commands.md"));
    let is_option =
        |word: &&str| word.starts_with("--") && !word.starts_with("---") && word.len() > 2;
    let option_of = |word: &str| {
        let is_part = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
        word.chars().take_while(is_part).collect::<String>()
    };
    let listed: BTreeSet<String> = page
        .split([' ', '`', '\n'])
        .filter(is_option)
        .map(option_of)
        .collect();
    let mut existing = BTreeSet::from(["--devices".to_owned(), "--pct-KIND".to_owned()]);
    for entry in fs::read_dir(root.join("host/tests/program/snapshots")).unwrap() {
        let help = read(&entry.unwrap().path());
        let options = help.lines().filter_map(|line| {
            let word = line.trim_start();
            let word = word.split_once(", ").map_or(word, |(_, word)| word);
            is_option(&word).then(|| option_of(word))
        });
        existing.extend(options.filter(|option| !option.starts_with("--pct-")));
    }
    assert!(
        existing.len() > 70,
        "only {} options were found",
        existing.len()
    );
    let missing: Vec<_> = existing.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&existing).collect();
    assert!(
        missing.is_empty(),
        "options without a word in the page: {missing:?}"
    );
    assert!(
        gone.is_empty(),
        "options of the page that do not exist: {gone:?}"
    );
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
