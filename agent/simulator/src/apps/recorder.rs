//! A voice recorder whose recordings lie on shared storage, where a clean start of the app leaves them: its crash needs a
//! recording, and on a phone that has played other traces there may be one already. Nothing on the screens tells.

use std::sync::{Arc, LazyLock};

use retap_shared::Text;

use super::SimulatedAppEntry;
use crate::declarative::{
    AppDefinition, DeclarativeApp, RuleCondition, RuleEffect, Variable, button, inert_switch,
    link_row, rule, screen, text,
};
use crate::framework::{AppProcess, Exception, FrameworkCaller};

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "recorder",
    about: "a voice recorder that crashes when it sorts recordings, also those of earlier runs",
    install: || -> Box<dyn AppProcess> {
        let package = Text::new_static("com.example.recorder");
        let label = Text::new_static("Recorder");
        Box::new(DeclarativeApp::install(package, label, 5, plan()))
    },
    // Ground truth is about traces that begin on a phone without recordings.
    planted_crashes: &[],
    definition: Some(plan),
};

/// There is a recording.
const RECORDED: Variable = Variable::Shared(0);
const LIBRARY: u8 = 1;

static UNREADABLE: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "com.example.recorder.RecordingOrder.compare(RecordingOrder.java:31)",
        "com.example.recorder.LibraryActivity.onSort(LibraryActivity.java:77)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

fn plan() -> Arc<AppDefinition> {
    static PLAN: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
        let record = vec![rule(&[], &[RuleEffect::Set(RECORDED, 1)])];
        let sort = vec![rule(
            &[RuleCondition::Equals(RECORDED, 1)],
            &[RuleEffect::Throw(&UNREADABLE, "no date in the recording")],
        )];
        let recorder = screen(
            "RecorderActivity",
            "Recorder",
            vec![
                text("state", "Ready"),
                button("record", "Record", record),
                inert_switch("stereo", "Stereo").columns(2),
                inert_switch("quiet", "Quiet").columns(2),
                link_row("library", "Library", LIBRARY),
            ],
        );
        let library = screen(
            "LibraryActivity",
            "Library",
            vec![
                button("sort", "Sort by date", sort),
                inert_switch("names", "Show names"),
            ],
        );
        Arc::new(AppDefinition::new(
            "com.example.recorder",
            0,
            vec![recorder, library],
        ))
    });
    Arc::clone(&PLAN)
}
