//! Ground truth: activities and branches of an app, its planted crashes, and the shortest trace to each.

mod probability;
mod shortest_trace;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use probability::{ExactProbabilityError, exact_probability};
use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::Settle;
use retap_shared::screen::Screen;
use retap_shared::trace::Step;

use crate::apps::SimulatedAppEntry;
use crate::declarative::{AppDefinition, DependencyCone, RuleEffect};
use crate::forge::{self, ForgeSpec};
use crate::phone::SimulatedPhone;
use crate::planted_crash::{PlantedCrashScript, ScriptedAction};
use crate::spec::{SimulatorSpecError, entry, forge_spec, open};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundTruth {
    /// As `package/.Class`.
    pub activities: Vec<Text>,
    /// Number of branches in the app's code.
    pub branches: u32,
    pub crashes: Vec<PlantedCrash>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedCrash {
    pub name: &'static str,
    pub kind: FindingKind,
    /// The shortest trace to it from a clean start, if each step waits until the screen has settled by
    /// `Settle::default()`, and the last one up to `CRASH_DELAY_LIMIT` longer.
    pub shortest: Vec<Step>,
    pub fingerprint: Fingerprint,
    /// Everything that can influence the crash, where that is known. Nothing else can make a trace to it shorter.
    pub dependencies: Option<CrashDependencies>,
}

/// Widgets, by their full ids, and events that lead to a crash or change what decides over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashDependencies {
    pub widgets: BTreeSet<Text>,
    pub rotation: bool,
    pub locale: bool,
    pub call: bool,
    pub network: bool,
    /// Low memory, and leaving the app and returning to it.
    pub memory: bool,
}

/// Maximum delay of a planted crash after its last event.
pub const CRASH_DELAY_LIMIT: Micros = Micros::from_millis(2_500);

/// Ground truth of an app, known because the app was built that way. The steps are recorded on a phone without noise.
/// For a generated app (`forge?seed=7`) traces are searched. Crashes that need more than 25 events are left out.
pub fn ground_truth(name: &str) -> Result<GroundTruth, SimulatorSpecError> {
    if let Some(parameters) = forge_spec(name)? {
        return forged_ground_truth(name, &parameters);
    }
    let entry = entry(name)?;
    let info = (entry.install)().manifest().info();
    let crashes = entry
        .planted_crashes
        .iter()
        .map(|planted| record_planted_crash(entry, planted))
        .collect::<Result<_, _>>()?;
    Ok(GroundTruth {
        activities: info.activities,
        branches: info.branches,
        crashes,
    })
}

fn forged_ground_truth(
    name: &str,
    parameters: &ForgeSpec,
) -> Result<GroundTruth, SimulatorSpecError> {
    let plan = forge::definition(parameters);
    let info = forge::install(parameters).manifest().info();
    let mut crashes = Vec::new();
    for failure in plan.failures() {
        let matters = CrashDependencies::of(&plan, |then| then.is_same_failure(&failure));
        let found = shortest_trace::shortest_trace(
            open(&shortest_trace::without_noise(name))?,
            &matters,
            &failure,
        );
        crashes.extend(found.map(|(shortest, finding)| PlantedCrash {
            name: failure.name(),
            kind: finding.kind,
            shortest,
            fingerprint: finding.fingerprint(),
            dependencies: Some(matters),
        }));
    }
    Ok(GroundTruth {
        activities: info.activities,
        branches: info.branches,
        crashes,
    })
}

fn record_planted_crash(
    entry: &SimulatedAppEntry,
    planted: &PlantedCrashScript,
) -> Result<PlantedCrash, SimulatorSpecError> {
    let mut recorder = GroundTruthRecorder::new(open(entry.name)?);
    let shortest = planted
        .shortest
        .iter()
        .flat_map(|event| recorder.perform_scripted(event))
        .collect();
    recorder.phone.sleep(CRASH_DELAY_LIMIT);
    let finding = recorder
        .finding()
        .unwrap_or_else(|| panic!("`{}` is not reached", planted.name));
    let matters = entry
        .definition
        .and_then(|plan| dependencies_of(&plan(), &finding));
    let fingerprint = finding.fingerprint();
    Ok(PlantedCrash {
        name: planted.name,
        kind: planted.kind,
        shortest,
        fingerprint,
        dependencies: matters,
    })
}

fn dependencies_of(plan: &AppDefinition, finding: &Finding) -> Option<CrashDependencies> {
    let failure = plan
        .failures()
        .into_iter()
        .find(|failure| failure.is_in(finding))?;
    Some(CrashDependencies::of(plan, |then| {
        then.is_same_failure(&failure)
    }))
}

impl CrashDependencies {
    fn of(plan: &AppDefinition, is_target: impl Fn(&RuleEffect) -> bool) -> CrashDependencies {
        let DependencyCone {
            widget_ids: widgets,
            rotation,
            locale,
            call,
            network,
            memory,
            ..
        } = DependencyCone::of(plan, is_target);
        CrashDependencies {
            widgets,
            rotation,
            locale,
            call,
            network,
            memory,
        }
    }
}

struct GroundTruthRecorder {
    phone: SimulatedPhone,
}

impl GroundTruthRecorder {
    fn new(phone: SimulatedPhone) -> GroundTruthRecorder {
        let mut recorder = GroundTruthRecorder { phone };
        let app = recorder.phone.apps().unwrap_or_default().into_iter().next();
        // A simulated phone has one app, and launches it.
        let _ = app.map(|app| recorder.phone.launch(&app.app));
        settle(&mut recorder.phone);
        recorder
    }

    fn perform_scripted(&mut self, event: &ScriptedAction) -> Vec<Step> {
        let one = match event {
            ScriptedAction::Taps(beginning, ends) => {
                let names = ends.chars().map(|end| format!("{beginning}{end}"));
                return names
                    .map(|name| self.perform(Some(&name), Action::Tap))
                    .collect();
            }
            ScriptedAction::Tap(name) => self.perform(Some(name), Action::Tap),
            ScriptedAction::LongPress(name) => self.perform(Some(name), Action::LongPress),
            ScriptedAction::Type(name, text) => self.perform(Some(name), |at| Action::Text {
                at,
                text: Text::new_static(text),
            }),
            ScriptedAction::Back => self.perform(None, |_| Action::Key(Key::Back)),
            ScriptedAction::Home => self.perform(None, |_| Action::Key(Key::Home)),
            ScriptedAction::Launch => self.perform(None, |_| Action::Launch),
            ScriptedAction::System(system) => {
                self.perform(None, |_| Action::System(system.clone()))
            }
            ScriptedAction::Rotate(to) => self.perform(None, |_| Action::Rotate(*to)),
        };
        vec![one]
    }

    fn perform(&mut self, widget: Option<&str>, action: impl FnOnce(Point) -> Action) -> Step {
        let screen = self
            .phone
            .capture()
            .expect("a simulated screen can always be read");
        let node = widget.map(|name| find_widget(&screen, name));
        let action = action(
            node.map(|node| screen.nodes()[node].bounds.center())
                .unwrap_or_default(),
        );
        self.phone
            .inject(&action)
            .expect("a simulated phone takes every event");
        settle(&mut self.phone);
        let widget = node.map(|node| screen.widget(node));
        Step {
            action,
            widget,
            activity: screen.activity().clone(),
            screen: Some(screen.hash()),
            at_millis: None,
        }
    }

    fn finding(&mut self) -> Option<Finding> {
        let mut happened = Vec::new();
        self.phone.take_events(&mut happened);
        happened.into_iter().find_map(|event| match event.kind {
            PhoneEventKind::Finding(finding) => Some(finding),
            PhoneEventKind::Activity(_) => None,
        })
    }
}

/// Waits until the screen has settled, as the agent does.
fn settle(phone: &mut SimulatedPhone) {
    let wait = Settle::default();
    let start = phone.now();
    let mut quiet_at = start + wait.quiet;
    while phone.now() < quiet_at && phone.now() < start + wait.limit {
        let until = quiet_at.min(start + wait.limit);
        phone.sleep(until.since(phone.now()));
        quiet_at = phone.last_change().max(start) + wait.quiet;
    }
}

/// The topmost window's widget of that name.
fn find_widget(screen: &Arc<Screen>, name: &str) -> usize {
    let is = |node: &retap_shared::screen::Node| {
        node.label() == name || node.id.rsplit_once('/').is_some_and(|(_, id)| id == name)
    };
    let windows: Vec<_> = screen.windows_with_nodes().collect();
    let found = windows
        .iter()
        .rev()
        .find_map(|(_, first, nodes)| nodes.iter().position(is).map(|place| first + place));
    found.unwrap_or_else(|| panic!("no `{name}` on {:?}", screen.nodes()))
}
