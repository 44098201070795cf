//! Snapshots of a folder of this machine, with scripts in folder of the phone's programs.

use std::fs;

use tempfile::TempDir;

use super::*;

const APP: &str = "org.example.app";

/// A phone on which only `run-as` works, and only for one app.
fn debuggable() -> (TempDir, AppDataSnapshots) {
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("home");
    fs::create_dir_all(app.join("cache")).unwrap();
    fs::write(app.join("a note"), "one").unwrap();
    fs::write(app.join("cache/picture"), "old").unwrap();
    let run_as = program(
        &folder,
        "run-as",
        &format!(
            "[ \"$1\" = {APP} ] || exit 1; shift; cd {} && exec \"$@\"",
            app.display()
        ),
    );
    let data = with(&folder, run_as, "no-such-su".into());
    (folder, data)
}

/// Writes a script by another process. A file that this process has open for writing is inherited by processes that
/// other tests start, and the system refuses to run it meanwhile ("text file busy").
fn program(folder: &TempDir, name: &str, script: &str) -> OsString {
    let path = folder.path().join(name);
    let write = r#"rm -f "$0" && printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    let written = Command::new("sh")
        .args(["-c", write])
        .arg(&path)
        .arg(script)
        .status();
    assert!(written.unwrap().success());
    path.into()
}

fn with(folder: &TempDir, run_as: OsString, su: OsString) -> AppDataSnapshots {
    let data = folder.path().join("data");
    let mut snapshots = AppDataSnapshots::new(folder.path(), 0);
    snapshots.run_as = run_as;
    snapshots.su = su;
    snapshots.data = data;
    snapshots
}

#[test]
fn a_restore_brings_old_files_back_and_deletes_new_ones() {
    let (folder, mut data) = debuggable();
    let home = folder.path().join("home");
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
        "caches are not restored"
    );
    assert_eq!(data.discard(id).unwrap(), bytes);
    assert!(matches!(
        data.restore(&APP.into(), id),
        Err(RequestFailure::Impossible(_))
    ));
    drop(data);
    assert!(!folder.path().join("snapshots").exists());
}

/// Android's tar, unlike this machine's, fails on sockets.
#[test]
fn sockets_and_pipes_of_an_app_are_left_out() {
    let (folder, mut data) = debuggable();
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("a folder/.deep")).unwrap();
    fs::write(home.join("a folder/.deep/file"), "one").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(home.join("a folder/.deep/x y")).unwrap();
    let pipes = ["pipe", "*"].map(|name| home.join(name));
    let made = Command::new("mkfifo").args(&pipes).status().unwrap();
    assert!(made.success());
    let (id, _) = data.save(&APP.into()).unwrap();
    let listed = Command::new("tar").arg("-tf").arg(data.file(id.0)).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let mut names: Vec<_> = listed.lines().collect();
    names.sort_unstable();
    let kept = [
        "./",
        "./*",
        "./a folder/",
        "./a folder/.deep/",
        "./a folder/.deep/file",
        "./a note",
    ];
    assert_eq!(names, kept);
}

#[test]
fn without_run_as_the_data_is_read_as_root() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("data").join(APP);
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("note"), "one").unwrap();
    // Refuses `su 0 COMMAND`, as newer versions do.
    let su = program(
        &folder,
        "su",
        "[ \"$1\" = -c ] || exit 1; exec sh -c \"$2\"",
    );
    let mut data = with(&folder, "no-such-run-as".into(), su);
    let (id, _) = data.save(&APP.into()).unwrap();
    fs::write(home.join("note"), "two").unwrap();
    data.restore(&APP.into(), id).unwrap();
    assert_eq!(fs::read_to_string(home.join("note")).unwrap(), "one");
}

#[test]
fn an_app_without_access_is_unsupported_and_a_wrong_name_is_refused() {
    let (folder, mut data) = debuggable();
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
    assert_eq!(names(&folder), ["home", "run-as"]);
}

#[test]
fn a_failed_tar_leaves_no_snapshot() {
    let (folder, mut data) = debuggable();
    data.run_as = program(
        &folder,
        "run-as",
        "case \"$*\" in *tar*) echo full >&2; exit 1 ;; esac",
    );
    let error = data.save(&APP.into()).unwrap_err();
    assert!(error.to_string().contains("full"), "{error}");
    assert_eq!(
        fs::read_dir(folder.path().join("snapshots"))
            .unwrap()
            .count(),
        0
    );
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
