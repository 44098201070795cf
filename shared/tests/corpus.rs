//! The fuzz corpora as tests: inputs of earlier fuzzing are checked again.

#[path = "../../fuzz/src/lib.rs"]
pub mod checks;

use std::fs;
use std::path::Path;

fn check_all(corpus: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(corpus);
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(!files.is_empty());
    for file in files {
        check(&fs::read(file).unwrap());
    }
}

#[test]
fn messages_of_the_corpus_are_read_or_refused() {
    check_all("messages", checks::messages);
}

#[test]
fn frames_of_the_corpus_are_the_same_in_any_pieces() {
    check_all("frames", checks::frames);
}

#[test]
fn traces_of_the_corpus_are_read_or_refused() {
    check_all("traces", checks::traces);
}
