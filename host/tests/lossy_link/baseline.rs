//! Commands of the tests, and what they record without a link.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;

use retap_shared::trace::Trace;
use serde_json::Value;

/// Seconds after which a command counts as hanging.
const TIMEOUT: &str = "400";

/// The phone without a link.
const LOCAL_PHONE: &str = "sim:notes";

/// A command that runs over a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkCommand {
    Reduce,
    Explore,
    Replay,
}

impl LinkCommand {
    /// Starts the command on a phone. Its run directory is `out`; its output is in files beside it.
    pub(crate) fn start(self, device: &str, trace: &Path, out: &Path) -> Child {
        let mut command = Command::new("timeout");
        command.arg(TIMEOUT).arg(env!("CARGO_BIN_EXE_retap"));
        match self {
            LinkCommand::Reduce => {
                command
                    .arg("reduce")
                    .arg(trace)
                    .args(["--algorithm", "dd", "--seed", "3"])
            }
            LinkCommand::Explore => {
                command.args("explore --explorer random --events 60 --seed 5".split(' '))
            }
            LinkCommand::Replay => command
                .arg("replay")
                .arg(trace)
                .args(["--times", "5", "--json"]),
        };
        if !matches!(self, LinkCommand::Replay) {
            command.arg("--out").arg(out);
        }
        private(&mut command, &out.with_extension("data"))
            .args(["--device", device])
            .stdout(File::create(out.with_extension("out")).unwrap())
            .stderr(File::create(out.with_extension("err")).unwrap())
            .spawn()
            .unwrap()
    }

    /// Waits for a started command. Exit code 1 of an exploration means that it has findings.
    pub(crate) fn wait(self, mut child: Child, out: &Path) {
        let code = child.wait().unwrap().code();
        let has_worked = code == Some(0) || matches!(self, LinkCommand::Explore) && code == Some(1);
        let errors = fs::read_to_string(out.with_extension("err")).unwrap_or_default();
        assert!(has_worked, "{self:?}: exit code {code:?}: {errors}");
    }

    /// Everything that a run recorded and found, except for times, the name of the phone, and what only a link has: warnings
    /// about it, and proofs without a freshly started phone.
    pub(crate) fn recorded(self, out: &Path) -> Vec<String> {
        if matches!(self, LinkCommand::Replay) {
            let text = fs::read_to_string(out.with_extension("out")).unwrap();
            return text.lines().map(str::to_owned).collect();
        }
        let events = fs::read_to_string(out.join("events.jsonl")).unwrap();
        let mut recorded: Vec<String> = events
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|event: &Value| event["event"] != "finished" && event["event"] != "warning")
            .map(|event| without_time_and_phone(event).to_string())
            .collect();
        for trace in traces_below(out) {
            recorded.push(trace.strip_prefix(out).unwrap().display().to_string());
            let mut trace = Trace::parse(&fs::read_to_string(&trace).unwrap()).unwrap();
            trace.header.claim = None;
            recorded.push(trace.to_text());
        }
        recorded
    }

    fn name(self) -> &'static str {
        match self {
            LinkCommand::Reduce => "reduce",
            LinkCommand::Explore => "explore",
            LinkCommand::Replay => "replay",
        }
    }
}

/// Runs without a link, in one folder.
pub(crate) struct Baseline;

impl Baseline {
    /// The folder with the baseline of all tests, recorded once per process.
    pub(crate) fn shared() -> &'static Path {
        static SHARED: OnceLock<PathBuf> = OnceLock::new();
        SHARED.get_or_init(Baseline::record)
    }

    /// The trace that is reduced and replayed.
    pub(crate) fn trace(folder: &Path) -> PathBuf {
        folder.join("trace.retap")
    }

    /// The run of a command without a link.
    pub(crate) fn run(folder: &Path, command: LinkCommand) -> PathBuf {
        folder.join(command.name())
    }

    fn record() -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lossy_link");
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        let trace = Baseline::trace(&folder);
        let run = |command: LinkCommand| {
            let out = Baseline::run(&folder, command);
            command.wait(command.start(LOCAL_PHONE, &trace, &out), &out);
        };
        run(LinkCommand::Explore);
        fs::write(&trace, padded_trace(&folder)).unwrap();
        run(LinkCommand::Reduce);
        run(LinkCommand::Replay);
        folder
    }
}

/// The shortest trace to a crash of the explored app, with three steps before it that do nothing: half a minute of phone time.
fn padded_trace(folder: &Path) -> String {
    let short = folder.join("short");
    let mut command = Command::new(env!("CARGO_BIN_EXE_retap"));
    command
        .arg("reduce")
        .arg(Baseline::run(folder, LinkCommand::Explore))
        .arg("--out")
        .arg(&short);
    let reduced = private(&mut command, &folder.join("short.data"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&reduced.stderr);
    assert!(reduced.status.success(), "{errors}");
    let shortest = traces_below(&short)
        .into_iter()
        .filter(|path| path.file_name() == Some(OsStr::new("reduced.retap")))
        .map(|path| fs::read_to_string(path).unwrap())
        .min_by_key(|text| text.lines().count())
        .expect("the exploration has a finding");
    let (header, steps) = shortest.split_once('\n').unwrap();
    let padding: String = (1..=3)
        .map(|millis| format!("{{\"do\":{{\"wait\":{{\"millis\":{millis}}}}}}}\n"))
        .collect();
    format!("{header}\n{padding}{steps}")
}

/// Gives a command a private store, and none of the user's settings.
pub(crate) fn private<'a>(command: &'a mut Command, data: &Path) -> &'a mut Command {
    command
        .env("XDG_DATA_HOME", data)
        .env_remove("RETAP_STORE")
        .env_remove("RUST_LOG")
}

/// All traces below a folder, in the order of their paths.
fn traces_below(folder: &Path) -> Vec<PathBuf> {
    let mut traces = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new("retap")) {
                traces.push(path);
            }
        }
    }
    traces.sort();
    traces
}

fn without_time_and_phone(event: Value) -> Value {
    match event {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| name != "millis" && name != "fresh_starts")
            .map(|(name, value)| (name, without_time_and_phone(value)))
            .collect(),
        Value::Array(values) => values.into_iter().map(without_time_and_phone).collect(),
        Value::String(text) if text.starts_with("udp:") || text.starts_with("tcp:") => {
            LOCAL_PHONE.into()
        }
        other => other,
    }
}
