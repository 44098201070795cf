//! Strict parser of a page: every element closed in order, every attribute quoted, every id once.

use std::collections::{BTreeSet, HashSet};

const VOID: [&str; 2] = ["meta", "wbr"];

/// Elements, attributes and links of a well-formed page.
#[derive(Debug, Default)]
pub(crate) struct PageInventory {
    pub(crate) elements: BTreeSet<String>,
    pub(crate) attributes: BTreeSet<String>,
    pub(crate) targets: BTreeSet<String>,
    /// Coordinates of all shapes.
    pub(crate) coordinates: Vec<i64>,
    ids: HashSet<String>,
}

impl PageInventory {
    /// Links without a target.
    pub(crate) fn dangling(&self) -> Vec<&String> {
        self.targets
            .iter()
            .filter(|target| !self.ids.contains(target.trim_start_matches('#')))
            .collect()
    }
}

/// Parses a page; panics at the first mistake.
pub(crate) fn read(page: &str) -> PageInventory {
    let mut seen = PageInventory::default();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap_or(page);
    while let Some(start) = rest.find(['<', '>']) {
        let here: String = rest[start..].chars().take(120).collect();
        assert!(rest[start..].starts_with('<'), "a stray `>`: {here}");
        assert_entities(&rest[..start]);
        if let Some(after) = rest[start..].strip_prefix("</") {
            let (name, after) = after
                .split_once('>')
                .unwrap_or_else(|| panic!("an unfinished tag: {here}"));
            assert_eq!(
                open.pop().as_deref(),
                Some(name),
                "closed out of order: {here}"
            );
            rest = after;
            continue;
        }
        let (name, after) = seen.tag(&rest[start + 1..], &here);
        rest = after;
        if name == "style" || name == "script" {
            let end = format!("</{name}>");
            rest = &rest[rest.find(&end).expect("the element ends")..];
        }
        if !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert_entities(rest);
    assert_eq!(open, Vec::<String>::new(), "never closed");
    seen
}

impl PageInventory {
    /// The tag's name, and what follows the tag.
    fn tag<'a>(&mut self, mut rest: &'a str, here: &str) -> (String, &'a str) {
        let end = rest
            .find([' ', '>'])
            .unwrap_or_else(|| panic!("an unfinished tag: {here}"));
        let name = rest[..end].to_owned();
        assert!(
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "an odd name: {here}"
        );
        rest = &rest[end..];
        while let Some(attribute) = rest.strip_prefix(' ') {
            let end = attribute
                .find(['=', ' ', '>'])
                .unwrap_or_else(|| panic!("an unfinished attribute: {here}"));
            let key = &attribute[..end];
            assert!(
                !key.is_empty()
                    && key
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
                "{here}"
            );
            self.attributes.insert(key.to_owned());
            rest = &attribute[end..];
            if let Some(value) = rest.strip_prefix("=\"") {
                let (value, after) = value
                    .split_once('"')
                    .unwrap_or_else(|| panic!("an unfinished value: {here}"));
                self.value(key, value, here);
                rest = after;
            }
        }
        self.elements.insert(name.clone());
        (
            name,
            rest.strip_prefix('>')
                .unwrap_or_else(|| panic!("an unfinished tag: {here}")),
        )
    }

    fn value(&mut self, key: &str, value: &str, here: &str) {
        assert!(!value.contains(['<', '>']), "unescaped in a value: {here}");
        assert_entities(value);
        match key {
            "id" => assert!(self.ids.insert(value.to_owned()), "a second `{value}`"),
            "href" => drop(self.targets.insert(value.to_owned())),
            "x" | "y" | "width" | "height" | "cx" | "cy" | "r" | "d" => {
                let numbers = value.split(|one: char| !one.is_ascii_digit() && one != '-');
                self.coordinates
                    .extend(numbers.filter_map(|number| number.parse::<i64>().ok()));
            }
            _ => {}
        }
    }
}

/// Every `&` begins one of the four that maud writes.
fn assert_entities(text: &str) {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;"]
            .iter()
            .any(|entity| text[at..].starts_with(entity));
        assert!(
            known,
            "a bare `&` in {}",
            text.chars().take(200).collect::<String>()
        );
    }
}
