//! JVM phones behind adb: what `app_process` starts is a JVM with the real framework, an app and the whole agent.

use std::any::type_name;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::command_checks::run_expecting;
use crate::lab::{AdbLab, LIBRARY, check_in_lab};
use crate::tools::{existing, target};

/// As `host/src/devices/jvm/tools.rs` has them.
const FLAGS: [&str; 8] = [
    "-Xmx1g",
    "-Xss4m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:+UseSerialGC",
    "-XX:+DisableExplicitGC",
];
const OPENED_PACKAGES: [&str; 6] = ["lang", "lang.reflect", "io", "net", "util", "nio"];
const MODES: [&str; 9] = [
    "offline=true",
    "graphicsMode=NATIVE",
    "sqliteMode=NATIVE",
    "looperMode=PAUSED",
    "resourcesMode=BINARY",
    "useRealAni=true",
    "useRealScrolling=true",
    "windowManager.useRequestedSize=true",
    "createActivityContexts=true",
];

/// An app on JVM phones.
#[derive(Debug)]
pub(crate) struct JvmApp {
    /// Its file, below the target folder.
    pub(crate) apk: &'static str,
    pub(crate) package: &'static str,
}

/// Retap's own app, with planted bugs.
pub(crate) const SAMPLE: JvmApp = JvmApp {
    apk: "sample-app.apk",
    package: "dev.retap.sample",
};

pub(crate) const API_DEMOS: JvmApp = JvmApp {
    apk: "apks/apidemos.apk",
    package: "io.appium.android.apis",
};

/// Runs a check with two JVM phones, as `with_phones` does it. One such test at a time: each JVM takes a gigabyte.
pub(crate) fn with_jvm_phones<Check: FnOnce(&AdbLab)>(app: &JvmApp, check: Check) {
    static TURN: Mutex<()> = Mutex::new(());
    // A test that failed does not make the others fail.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    check_in_lab(type_name::<Check>(), |lab| {
        app.put_on(lab);
        check(lab);
        "passed".to_owned()
    });
}

impl JvmApp {
    pub(crate) fn path(&self) -> PathBuf {
        existing(target().join(self.apk))
    }

    /// From now on both phones are JVM phones with this app, and get the agent's library for this machine.
    pub(crate) fn put_on(&self, lab: &AdbLab) {
        let built = existing(target().join("jvm-phone")).canonicalize().unwrap();
        let library = built.join("libretap_agent.so");
        fs::copy(library, lab.environment.path(LIBRARY)).unwrap();
        let prepared = self.prepare(&built, &lab.environment.path("apps"));
        for phone in &lab.phones {
            fs::create_dir_all(phone.path("tmp")).unwrap();
            fs::create_dir_all(phone.data("user/0").join(self.package)).unwrap();
            phone.write("debuggable", &format!("{}\n", self.package));
            phone.start_agent_by(&self.start_script(&built, &prepared, &phone.path("")));
        }
    }

    /// The app as a JVM can run it. Kept by this test alone: process ids, which tell whose an unfinished app is, are equal in
    /// all namespaces.
    fn prepare(&self, built: &Path, apps: &Path) -> String {
        let mut java = Command::new("java");
        java.args(["-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
            .args(["-cp", &class_path(built)])
            .arg("dev.retap.jvmphone.prepare.Prepare")
            .arg(self.path())
            .arg(apps);
        let ended = run_expecting(&mut java, &[0]);
        ended.last_line().to_owned()
    }

    /// A script that gets the agent's library and its options.
    fn start_script(&self, built: &Path, prepared: &str, phone: &Path) -> String {
        let mut words: Vec<String> = FLAGS.map(str::to_owned).into();
        for package in OPENED_PACKAGES {
            words.push(format!("--add-opens java.base/java.{package}=ALL-UNNAMED"));
        }
        words.extend(MODES.map(|mode| format!("-Drobolectric.{mode}")));
        let (built_at, phone) = (built.display(), phone.display());
        words.push(format!("-Drobolectric.dependency.dir={built_at}/framework"));
        words.push(format!("-Djava.io.tmpdir={phone}/tmp"));
        words.push(format!("-Dretap.automation.held={phone}/held-by-another"));
        words.push(format!("-cp '{}'", class_path(built)));
        words.push(format!("dev.retap.jvmphone.Phone {prepared}"));
        words.push(format!("/data/user/0/{} \"$@\"", self.package));
        format!("unset LD_LIBRARY_PATH\nexec java {}", words.join(" "))
    }
}

fn class_path(built: &Path) -> String {
    let built = built.display();
    format!("{built}/classes:{built}/bootstrap:{built}/lib/*")
}
