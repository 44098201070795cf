//! What the tests are made of and did not make themselves: Debian's adb and adbd, the simulated agent, and apps, where
//! `scripts/test-adb` has put them.

use std::path::{Path, PathBuf};

use crate::phone::write_script;

/// Debian's adb and adbd, unpacked and never installed.
#[derive(Debug)]
pub(crate) struct AdbTools {
    /// A script that starts adb with its libraries.
    pub(crate) adb: PathBuf,
    pub(crate) adbd: PathBuf,
    /// What `LD_LIBRARY_PATH` must be for adbd.
    pub(crate) libraries: String,
}

impl AdbTools {
    /// Finds the programs, and writes the script for adb.
    pub(crate) fn find(adb: PathBuf) -> AdbTools {
        let unpacked = existing(target().join("adb"));
        let programs = unpacked.join("backports/root/usr/lib/android-sdk/platform-tools");
        let newer = unpacked.join("backports/root/usr/lib/x86_64-linux-gnu");
        let stable = unpacked.join("stable/root/usr/lib/x86_64-linux-gnu");
        let libraries = [newer.join("android"), newer, stable];
        let libraries = std::env::join_paths(libraries).unwrap();
        let libraries = libraries.into_string().unwrap();
        let program = programs.join("adb");
        let start = format!(
            "LD_LIBRARY_PATH='{libraries}' exec '{}' \"$@\"",
            program.display()
        );
        write_script(&adb, &start);
        AdbTools {
            adb,
            adbd: existing(programs.join("adbd")),
            libraries,
        }
    }
}

/// What `app_process` starts on a simulated phone: the first argument is the library, which this agent does not need.
pub(crate) fn simulated_agent() -> String {
    let built = Path::new(env!("CARGO_BIN_EXE_retap")).with_file_name("examples");
    let agent = existing(built.join("agent"));
    format!("shift; exec '{}' sim:notes \"$@\"", agent.display())
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    target.expect("it is below the target folder").to_owned()
}

/// Panics if a script has not been run before.
pub(crate) fn existing(path: PathBuf) -> PathBuf {
    let shown = path.display();
    assert!(
        path.exists(),
        "`{shown}` is not there: run `scripts/test-adb`"
    );
    path
}
