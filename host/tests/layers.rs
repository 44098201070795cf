//! The layers inside each crate: no cycle between its top-level modules. Cargo sees to the layers between crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which top-level modules each top-level module of a crate uses.
type ModuleGraph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_crate_has_a_cycle_between_its_top_level_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seen = 0;
    for source in crate_sources(&root) {
        let graph = module_graph(&source);
        seen += graph.len();
        if let Some(cycle) = find_cycle(&graph) {
            panic!(
                "modules of `{}` use each other in a circle: {}; move what they share into a module below both",
                source.display(),
                cycle.join(" → ")
            );
        }
    }
    assert!(
        seen > 50,
        "only {seen} modules were found: the check looks in the wrong place"
    );
}

#[test]
fn a_cycle_is_found_and_a_chain_is_not() {
    let uses = |edges: &[(&str, &str)]| {
        let mut graph = ModuleGraph::new();
        for (from, to) in edges {
            graph
                .entry((*from).to_owned())
                .or_default()
                .insert((*to).to_owned());
            graph.entry((*to).to_owned()).or_default();
        }
        graph
    };
    assert_eq!(
        find_cycle(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])),
        None
    );
    let cycle = find_cycle(&uses(&[("a", "b"), ("b", "c"), ("c", "a")]));
    assert_eq!(
        cycle,
        Some(vec!["a".into(), "b".into(), "c".into(), "a".into()])
    );
}

#[test]
fn uses_are_found_however_they_are_written() {
    let text = "use crate::screen::Node;\nuse crate::{action::Key, trace::{Step, file}};\n\
                fn f() { crate::hex::digits() }\n// crate::comment\n";
    let mut found = BTreeSet::new();
    used_from_root(text, &mut found);
    let expected = ["action", "hex", "screen", "trace"].map(str::to_owned);
    assert_eq!(found, BTreeSet::from(expected));
    // In `report/html.rs` one `super` is `report`, and two are the root.
    let mut found = BTreeSet::new();
    used_from_parents(
        "use super::super::run::Run;\nuse super::console;",
        2,
        &mut found,
    );
    assert_eq!(found, BTreeSet::from(["run".to_owned()]));
}

/// The `src` folders of all crates of the workspace.
fn crate_sources(root: &Path) -> Vec<PathBuf> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = manifest
        .split_once("members = [")
        .unwrap()
        .1
        .split_once(']')
        .unwrap()
        .0;
    let members = members
        .split(',')
        .map(|member| member.trim().trim_matches('"'));
    members
        .filter(|member| !member.is_empty())
        .map(|member| root.join(member).join("src"))
        .collect()
}

fn module_graph(source: &Path) -> ModuleGraph {
    let mut graph = ModuleGraph::new();
    let mut files = Vec::new();
    rust_files(source, &mut files);
    let module_of = |file: &Path| {
        let first = file.strip_prefix(source).unwrap().iter().next().unwrap();
        first.to_str().unwrap().trim_end_matches(".rs").to_owned()
    };
    let is_root = |module: &str| matches!(module, "lib" | "main");
    for file in &files {
        let module = module_of(file);
        if !is_root(&module) {
            graph.entry(module).or_default();
        }
    }
    for file in &files {
        let module = module_of(file);
        let is_test = file
            .iter()
            .any(|part| part.to_str().unwrap().starts_with("tests"));
        if is_root(&module) || is_test {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let depth = file.strip_prefix(source).unwrap().iter().count();
        let mut used = BTreeSet::new();
        used_from_root(text, &mut used);
        used_from_parents(text, depth, &mut used);
        used.retain(|other| *other != module && graph.contains_key(other));
        graph.get_mut(&module).unwrap().append(&mut used);
    }
    graph
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The first names of all paths that begin with `crate::`, groups in braces taken apart.
fn used_from_root(text: &str, used: &mut BTreeSet<String>) {
    used_after("crate::", text, used);
}

/// The same of paths that begin with as many `super::` as lead from a file of this depth to the root.
fn used_from_parents(text: &str, depth: usize, used: &mut BTreeSet<String>) {
    used_after(&"super::".repeat(depth), text, used);
}

fn used_after(prefix: &str, text: &str, used: &mut BTreeSet<String>) {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    for (place, _) in code.match_indices(prefix) {
        let before = code[..place].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':') {
            continue;
        }
        let rest = &code[place + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => first_names(group, used),
            None => _ = used.insert(name_at(rest)),
        }
    }
}

/// The first names of the members of a group of imports, up to its closing brace.
fn first_names(group: &str, used: &mut BTreeSet<String>) {
    let mut depth = 0;
    let mut is_first = true;
    for (place, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            letter if is_first && (letter.is_alphabetic() || letter == '_') => {
                used.insert(name_at(&group[place..]));
                is_first = false;
            }
            _ => {}
        }
    }
}

fn name_at(text: &str) -> String {
    text.chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect()
}

/// A circle of modules, with its first one at both ends.
fn find_cycle(graph: &ModuleGraph) -> Option<Vec<String>> {
    graph.keys().find_map(|start| {
        let mut path = vec![start.clone()];
        leads_back(graph, start, &mut path, &mut BTreeSet::new()).then_some(path)
    })
}

fn leads_back(
    graph: &ModuleGraph,
    start: &str,
    path: &mut Vec<String>,
    tried: &mut BTreeSet<String>,
) -> bool {
    let here = path.last().unwrap().clone();
    for next in &graph[&here] {
        path.push(next.clone());
        if next == start || (tried.insert(next.clone()) && leads_back(graph, start, path, tried)) {
            return true;
        }
        path.pop();
    }
    false
}
