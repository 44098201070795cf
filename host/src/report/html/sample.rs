//! A made-up report like that of the simulated apps, for the tests of the page.

mod screens;

use retap_explore::FindingContext;
use retap_model::CoveragePoint;
use retap_reduce::oracle::ResumeStatistics;
use retap_reduce::trace_reduction::{Reduction, ReproductionCheck};
use retap_shared::action::{Action, Key};
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::{Point, Rotation, Size};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::PlayReply;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::{Outcome, Verdict};
pub(crate) use screens::{ScreenBuilder, UPRIGHT, list, tap};
use screens::{editor, launcher, on, question};

use super::strip::IllustratedTrace;
use crate::report::data::{AppSection, ExplorationSection, PhoneSection, ReportData};
use crate::run::findings::{RecordedReduction, StoredFinding};

/// Steps of a reduced trace, and the screens they were done on.
#[derive(Clone, Debug, Default)]
pub(crate) struct SampleTrace {
    pub(crate) steps: Vec<Step>,
    pub(crate) screens: Vec<SharedScreen>,
    pub(crate) pictures: Vec<Png>,
    pub(crate) located_by: Vec<LocatedBy>,
}

impl SampleTrace {
    pub(crate) fn illustrated(&self) -> IllustratedTrace<'_> {
        IllustratedTrace {
            steps: &self.steps,
            screens: &self.screens,
            pictures: &self.pictures,
            located_by: &self.located_by,
        }
    }
}

/// Six steps through lists, an editor, a turned phone and a question.
pub(crate) fn sample_trace() -> SampleTrace {
    let wide = Size {
        width: UPRIGHT.height,
        height: UPRIGHT.width,
    };
    let few = list(&["Shopping list"]);
    let many = list(&[
        "Shopping list",
        "Call the plumber",
        "A poem about autumn leaves",
    ]);
    let empty = editor("", UPRIGHT);
    let typed = editor("milk, eggs", UPRIGHT);
    let turned = editor("milk, eggs", wide);
    let asked = question();
    let steps = vec![
        tap(&few, "ImageButton", "New note"),
        on(&empty, "EditText", "Title", |at| Action::Text {
            at,
            text: "milk, eggs".into(),
        }),
        Step::new(Action::Rotate(Rotation::Left)),
        tap(&turned, "Button", "Save"),
        Step::new(Action::Swipe {
            from: Point { x: 540, y: 1700 },
            to: Point { x: 540, y: 800 },
            millis: 200,
        }),
        on(&many, "TextView", "Call the plumber", Action::LongPress),
        Step::new(Action::Key(Key::Back)),
        tap(&asked, "Button", "Delete"),
    ];
    let located = |step: &Step| match step.widget {
        Some(_) => LocatedBy::Widget,
        None => LocatedBy::Anywhere,
    };
    let located_by = steps.iter().map(located).collect();
    let ended = [many.clone(), many, asked.clone(), asked, launcher()];
    let screens = [few, empty, typed, turned]
        .into_iter()
        .chain(ended)
        .collect();
    SampleTrace {
        steps,
        screens,
        located_by,
        pictures: Vec::new(),
    }
}

/// A finding of each kind.
pub(crate) fn finding(kind: FindingKind) -> Finding {
    let (summary, stack) = match kind {
        FindingKind::Crash => (
            "java.lang.IndexOutOfBoundsException: Index: 2, Size: 2",
            "java.lang.IndexOutOfBoundsException: Index: 2, Size: 2\n\
             \tat java.util.ArrayList.get(ArrayList.java:437)\n\
             \tat com.example.notes.NoteAdapter.remove(NoteAdapter.java:88)\n\
             \tat com.example.notes.NotesActivity.onDeleteConfirmed(NotesActivity.java:142)\n\
             \tat android.view.View.performClick(View.java:7506)\n\
             \tat android.os.Handler.dispatchMessage(Handler.java:106)\n\
             \tat android.os.Looper.loop(Looper.java:294)",
        ),
        FindingKind::NativeCrash => (
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0",
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n\
             #00 pc 000000000004f3c8  /data/app/com.example.mail/lib/arm64/libmime.so (decode_header+24)\n\
             #01 pc 0000000000051a10  /data/app/com.example.mail/lib/arm64/libmime.so (decode_message+96)\n\
             #02 pc 00000000000222b4  /apex/com.android.art/lib64/libart.so (art_quick_generic_jni_trampoline+148)",
        ),
        FindingKind::Anr => (
            "Input dispatching timed out (waited 5001 ms)",
            "\"main\" prio=5 tid=1 Waiting\n  at java.lang.Object.wait(Native method)\n  \
             at com.example.shop.PaymentGate.await(PaymentGate.java:61)\n  \
             at com.example.shop.CheckoutActivity.onPay(CheckoutActivity.java:203)",
        ),
        FindingKind::Rule => ("must never appear: TextView \"null\"", ""),
    };
    Finding {
        kind,
        process: "com.example.notes".into(),
        summary: summary.into(),
        stack: stack.into(),
    }
}

/// A reduction whose result was recorded and reproduced in three of three runs.
pub(crate) fn reduction(sample: &SampleTrace) -> RecordedReduction {
    let check = ReproductionCheck {
        successes: 3,
        runs: 3,
        failure: None,
    };
    RecordedReduction {
        reduction: Reduction {
            outcome: Outcome::Done,
            trace: trace(sample.steps.clone()),
            kept: Vec::new(),
            simplified: 0,
            original: ReproductionCheck::default(),
            result: Some(check),
            runs: 164,
            events: 0,
            took: Micros::ZERO,
            rounds: 0,
            history: Vec::new(),
            belief: None,
            claim: None,
            confidence: None,
        },
        resumed: ResumeStatistics::default(),
        recorded: Some(PlayReply {
            verdict: Verdict::TargetReached,
            played: u32::try_from(sample.steps.len()).expect("a sample is short"),
            located_by: sample.located_by.clone(),
            refusals: Vec::new(),
            events: Vec::new(),
            branches: Vec::new(),
            screens: sample.screens.clone(),
            took: Micros::ZERO,
        }),
        pictures: sample.pictures.clone(),
    }
}

/// A finding with a trace of 213 steps, reduced to eight.
pub(crate) fn stored_finding(kind: FindingKind) -> StoredFinding {
    let finding = finding(kind);
    let sample = sample_trace();
    let steps = sample.steps.iter().cycle().take(213).cloned().collect();
    StoredFinding {
        fingerprint: finding.fingerprint(),
        finding,
        occurrences: 7,
        trace: trace(steps),
        scene: FindingContext::default(),
        reduced: Some(reduction(&sample)),
        status: None,
        mapping: None,
    }
}

/// A trace of these steps.
pub(crate) fn trace(steps: Vec<Step>) -> Trace {
    let header = TraceHeader {
        app: App::default(),
        start: StartMode::Clean,
        seed: None,
        target: None,
        phone: PhoneInfo::default(),
        pace: ReplayPace::Quiet,
        claim: None,
    };
    Trace { header, steps }
}

/// An app that was explored.
pub(crate) fn app(label: &str, findings: Vec<StoredFinding>) -> AppSection {
    let grown =
        |most: u32, at: u64| (f64::from(most) * (1.0 - (-(at as f64) / 900.0).exp())) as u32;
    let point = |events| CoveragePoint {
        events,
        took: Micros::from_millis(events * 930),
        activities: grown(8, events),
        screens: grown(46, events),
        branches: grown(131, events),
    };
    AppSection {
        label: label.into(),
        app: App {
            package: format!("com.example.{}", label.to_lowercase()).into(),
            version_code: 12,
            ..App::default()
        },
        suite: None,
        exploration: Some(ExplorationSection {
            explorer: "random".into(),
            sessions: 8,
            events: 4_000,
            took: Micros::from_millis(3_720_000),
            activities_total: 9,
            starts: "7 clean starts, 4.1 s".into(),
            travel: "none".into(),
            branches_total: 154,
            curve: (0..=400).map(|n| point(n * 10)).collect(),
        }),
        findings,
        devices: format!("sim:{}", label.to_lowercase()).parse().ok(),
    }
}

/// The report of a run on three simulated phones.
pub(crate) fn report() -> ReportData {
    let phone = |name: &str| PhoneSection {
        name: name.into(),
        info: PhoneInfo {
            kind: "simulated".into(),
            api_level: 34,
            size: UPRIGHT,
            ..PhoneInfo::default()
        },
    };
    let unreduced = StoredFinding {
        reduced: None,
        ..stored_finding(FindingKind::Anr)
    };
    ReportData {
        title: "Three simulated apps".into(),
        command: "retap demo --seed 7".into(),
        seed: 7,
        outcome: Outcome::Done,
        took: Micros::from_millis(9_300),
        directory: "/runs/7".into(),
        phones: vec![
            phone("sim:notes"),
            phone("sim:shop"),
            phone("sim:mail?noise=0.2"),
        ],
        apps: vec![
            app("Notes", vec![stored_finding(FindingKind::Crash)]),
            app("Shop", vec![unreduced]),
            app("Mail", vec![stored_finding(FindingKind::NativeCrash)]),
            app("Clock", vec![]),
        ],
    }
}
