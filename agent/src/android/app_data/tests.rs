//! On an app's folder of this machine, through programs that stand in for the phone's.

use std::fs;

use tempfile::TempDir;

use super::*;

const APP: &str = "org.example.app";

/// A phone whose only way is `run-as`, which does as it is told for this one app.
fn debuggable() -> (TempDir, AppDataSnapshots) {
    let place = tempfile::tempdir().unwrap();
    let app = place.path().join("home");
    fs::create_dir_all(app.join("cache")).unwrap();
    fs::write(app.join("a note"), "one").unwrap();
    fs::write(app.join("cache/picture"), "old").unwrap();
    let run_as = program(
        &place,
        "run-as",
        &format!(
            "[ \"$1\" = {APP} ] || exit 1; shift; cd {} && exec \"$@\"",
            app.display()
        ),
    );
    let data = with(&place, run_as, "no-such-su".into());
    (place, data)
}

/// Written by another process: a file that this one holds open for writing would be open, for a moment, in whatever
/// another test starts just then, and the system runs no file that somebody may still write ("text file busy").
fn program(place: &TempDir, name: &str, script: &str) -> OsString {
    let path = place.path().join(name);
    let write = r#"rm -f "$0" && printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    let written = Command::new("sh")
        .args(["-c", write])
        .arg(&path)
        .arg(script)
        .status();
    assert!(written.unwrap().success());
    path.into()
}

fn with(place: &TempDir, run_as: OsString, su: OsString) -> AppDataSnapshots {
    let data = place.path().join("data");
    let mut made = AppDataSnapshots::new(place.path(), 0);
    (made.run_as, made.su, made.data) = (run_as, su, data);
    made
}

#[test]
fn data_comes_back_as_it_was_and_what_came_later_is_gone() {
    let (place, mut data) = debuggable();
    let home = place.path().join("home");
    let (id, bytes) = data.save(&APP.into()).unwrap();
    assert!(bytes > 0);
    fs::write(home.join("a note"), "two").unwrap();
    fs::write(home.join(".hidden"), "later").unwrap();
    fs::write(home.join("cache/picture"), "new").unwrap();
    assert_eq!(data.restore(&APP.into(), id).unwrap(), bytes);
    assert_eq!(fs::read_to_string(home.join("a note")).unwrap(), "one");
    assert!(!home.join(".hidden").exists());
    assert_eq!(
        fs::read_to_string(home.join("cache/picture")).unwrap(),
        "new",
        "caches are left alone"
    );
    assert_eq!(data.discard(id).unwrap(), bytes);
    assert!(matches!(
        data.restore(&APP.into(), id),
        Err(RequestFailure::Impossible(_))
    ));
    drop(data);
    assert!(!place.path().join("checkpoints").exists());
}

#[test]
fn without_run_as_root_is_asked() {
    let place = tempfile::tempdir().unwrap();
    let home = place.path().join("data").join(APP);
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("note"), "one").unwrap();
    // Refuses `su 0 COMMAND`, as newer ones do.
    let su = program(&place, "su", "[ \"$1\" = -c ] || exit 1; exec sh -c \"$2\"");
    let mut data = with(&place, "no-such-run-as".into(), su);
    let (id, _) = data.save(&APP.into()).unwrap();
    fs::write(home.join("note"), "two").unwrap();
    data.restore(&APP.into(), id).unwrap();
    assert_eq!(fs::read_to_string(home.join("note")).unwrap(), "one");
}

#[test]
fn an_app_that_nobody_may_read_is_not_supported_and_a_wrong_name_not_run() {
    let (place, mut data) = debuggable();
    assert!(matches!(
        data.save(&"org.example.release".into()),
        Err(RequestFailure::Unsupported(_))
    ));
    for name in ["", "x; touch hacked", "../x"] {
        assert!(
            matches!(data.save(&name.into()), Err(RequestFailure::Impossible(_))),
            "{name}"
        );
    }
    assert_eq!(names(&place), ["home", "run-as"]);
}

#[test]
fn a_tar_that_fails_leaves_no_checkpoint_behind() {
    let (place, mut data) = debuggable();
    data.run_as = program(
        &place,
        "run-as",
        "case \"$*\" in *tar*) echo full >&2; exit 1 ;; esac",
    );
    let error = data.save(&APP.into()).unwrap_err();
    assert!(error.to_string().contains("full"), "{error}");
    assert_eq!(
        fs::read_dir(place.path().join("checkpoints"))
            .unwrap()
            .count(),
        0
    );
}

fn names(place: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(place.path())
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
