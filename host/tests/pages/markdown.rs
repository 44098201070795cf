//! The parts of a Markdown page that name something: links, code spans, headings.

use std::collections::BTreeSet;
use std::path::Path;

use crate::project_files::read;

/// The lines outside blocks of code.
pub(crate) fn prose(page: &str) -> String {
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

pub(crate) fn links_of(prose: &str) -> Vec<String> {
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.trim().to_owned())
        .collect()
}

pub(crate) fn code_spans(prose: &str) -> Vec<String> {
    prose
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned))
        .collect()
}

pub(crate) fn headings_of(page: &Path) -> BTreeSet<String> {
    prose(&read(page))
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| heading_anchor(line.trim_start_matches('#')))
        .collect()
}

/// The anchor that GitHub gives a heading.
pub(crate) fn heading_anchor(heading: &str) -> String {
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

#[test]
fn parts_of_a_page_are_found() {
    let page = "# A `b`, c-d!\n\nSee [one](a.md#x) and [two]( https://b ), `host/src`.\n```\n[no](c)\n# no\n```\n";
    assert_eq!(links_of(&prose(page)), ["a.md#x", "https://b"]);
    assert_eq!(code_spans(&prose(page)), ["b", "host/src"]);
    assert_eq!(heading_anchor("A `b`, c-d!"), "a-b-c-d");
}
