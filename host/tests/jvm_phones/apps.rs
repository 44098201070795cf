//! Files that the tests need and did not make: apps, traces, the built JVM phone.

use std::path::{Path, PathBuf};

/// A real app that `scripts/fetch-test-apks` has fetched.
pub(crate) fn real_app(name: &str) -> PathBuf {
    existing(target().join("apks").join(format!("{name}.apk")))
}

/// Retap's own app, with planted bugs.
pub(crate) fn sample_app() -> PathBuf {
    existing(target().join("sample-app.apk"))
}

/// What `scripts/build-jvm-phone` has built last.
pub(crate) fn built_phone() -> PathBuf {
    existing(target().join("jvm-phone"))
}

/// A file or folder of the project.
pub(crate) fn project(inside: &str) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    existing(project.canonicalize().unwrap().join(inside))
}

/// The device spec of an app.
pub(crate) fn device(apk: &Path) -> String {
    format!("jvm:{}", apk.display())
}

fn target() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    target.expect("it is below the target folder").to_owned()
}

/// Panics if a script has not been run before.
fn existing(path: PathBuf) -> PathBuf {
    let shown = path.display();
    assert!(
        path.exists(),
        "`{shown}` is not there: run `scripts/test-jvm-phone`"
    );
    path
}
