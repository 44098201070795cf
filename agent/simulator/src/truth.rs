//! Ground truth: what is in an app, the crashes that were planted in it, and the shortest way to each.

mod chance;
mod search;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use chance::{NotExact, probability};
use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key, System};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Settle, What};
use retap_shared::screen::{Point, Rotation, Screen};
use retap_shared::trace::Step;
use retap_shared::verdict::{Problem, ProblemKind};

use crate::SimulatedPhone;
use crate::apps::{Entry, Planted};
use crate::forge::{self, Wish};
use crate::plan::{Cone, Plan, Then};
use crate::spec::{SpecError, entry, open, wish};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// As `package/.Class`.
    pub activities: Vec<Text>,
    /// How many branches the app's code has.
    pub branches: u32,
    pub crashes: Vec<PlantedCrash>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedCrash {
    pub name: &'static str,
    pub kind: ProblemKind,
    /// The fewest events that lead to it from a clean start, if each waits until the screen has been quiet for
    /// `Settle::default()`, and the last for what comes up to `LINGER` later.
    pub shortest: Vec<Step>,
    pub fingerprint: Fingerprint,
    /// What can have to do with it, where that is known: nothing else can make a way to it shorter.
    pub matters: Option<Matters>,
}

/// Widgets, by their full ids, and events that lead to a crash or change what decides over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matters {
    pub widgets: BTreeSet<Text>,
    pub rotation: bool,
    pub locale: bool,
    pub call: bool,
    pub network: bool,
    /// Low memory, and going away and coming back.
    pub memory: bool,
}

/// How long a planted crash may come after its last event.
pub const LINGER: Micros = Micros::from_millis(2_500);

/// What is known of an app because it was built that way. The steps are recorded on a phone without noise.
/// For a made app (`forge?seed=7`) the traces are searched for, and crashes that no 25 events lead to are left out.
pub fn truth(name: &str) -> Result<Truth, SpecError> {
    if let Some(wish) = wish(name)? {
        return made(name, &wish);
    }
    let entry = entry(name)?;
    let info = (entry.install)().manifest().info();
    let crashes = entry
        .planted
        .iter()
        .map(|planted| record(entry, planted))
        .collect::<Result<_, _>>()?;
    Ok(Truth {
        activities: info.activities,
        branches: info.branches,
        crashes,
    })
}

fn made(name: &str, wish: &Wish) -> Result<Truth, SpecError> {
    let plan = forge::plan(wish);
    let info = forge::install(wish).manifest().info();
    let mut crashes = Vec::new();
    for failure in plan.failures() {
        let matters = Matters::of(&plan, |then| then.is_same_failure(&failure));
        let found = search::shortest(open(&search::quiet(name))?, &matters, &failure);
        crashes.extend(found.map(|(shortest, problem)| PlantedCrash {
            name: failure.name(),
            kind: problem.kind,
            shortest,
            fingerprint: problem.fingerprint(),
            matters: Some(matters),
        }));
    }
    Ok(Truth {
        activities: info.activities,
        branches: info.branches,
        crashes,
    })
}

/// An event of a planted crash's shortest trace. Widgets are named by the end of their id, or by their label.
#[derive(Clone, Debug)]
pub(crate) enum Do {
    Tap(&'static str),
    /// A tap for each character, on the widget whose name it ends after the given beginning.
    Taps(&'static str, &'static str),
    Long(&'static str),
    Type(&'static str, &'static str),
    Back,
    Home,
    Launch,
    Rotate(Rotation),
    System(System),
}

/// More than fits into any field.
pub(crate) const LONG: &str = "a text that is much longer than anyone would type into a field of this size, so that it \
    does not fit on the line, nor on the next one";

fn record(entry: &Entry, planted: &Planted) -> Result<PlantedCrash, SpecError> {
    let mut recorder = Recorder::new(open(entry.name)?);
    let shortest = planted
        .shortest
        .iter()
        .flat_map(|event| recorder.play(event))
        .collect();
    recorder.phone.sleep(LINGER);
    let problem = recorder
        .problem()
        .unwrap_or_else(|| panic!("`{}` is not reached", planted.name));
    let matters = entry.plan.and_then(|plan| matters(&plan(), &problem));
    let fingerprint = problem.fingerprint();
    Ok(PlantedCrash {
        name: planted.name,
        kind: planted.kind,
        shortest,
        fingerprint,
        matters,
    })
}

fn matters(plan: &Plan, problem: &Problem) -> Option<Matters> {
    let failure = plan
        .failures()
        .into_iter()
        .find(|failure| failure.is_in(problem))?;
    Some(Matters::of(plan, |then| then.is_same_failure(&failure)))
}

impl Matters {
    fn of(plan: &Plan, is_target: impl Fn(&Then) -> bool) -> Matters {
        let Cone {
            ids: widgets,
            rotation,
            locale,
            call,
            network,
            memory,
            ..
        } = Cone::of(plan, is_target);
        Matters {
            widgets,
            rotation,
            locale,
            call,
            network,
            memory,
        }
    }
}

struct Recorder {
    phone: SimulatedPhone,
}

impl Recorder {
    fn new(phone: SimulatedPhone) -> Recorder {
        let mut recorder = Recorder { phone };
        let app = recorder.phone.apps().unwrap_or_default().into_iter().next();
        // A simulated phone has one app, and launches it.
        let _ = app.map(|app| recorder.phone.launch(&app.app));
        settle(&mut recorder.phone);
        recorder
    }

    fn play(&mut self, event: &Do) -> Vec<Step> {
        let one = match event {
            Do::Taps(beginning, ends) => {
                let names = ends.chars().map(|end| format!("{beginning}{end}"));
                return names
                    .map(|name| self.perform(Some(&name), Action::Tap))
                    .collect();
            }
            Do::Tap(name) => self.perform(Some(name), Action::Tap),
            Do::Long(name) => self.perform(Some(name), Action::LongPress),
            Do::Type(name, text) => self.perform(Some(name), |at| Action::Text {
                at,
                text: Text::new_static(text),
            }),
            Do::Back => self.perform(None, |_| Action::Key(Key::Back)),
            Do::Home => self.perform(None, |_| Action::Key(Key::Home)),
            Do::Launch => self.perform(None, |_| Action::Launch),
            Do::System(system) => self.perform(None, |_| Action::System(system.clone())),
            Do::Rotate(to) => self.perform(None, |_| Action::Rotate(*to)),
        };
        vec![one]
    }

    fn perform(&mut self, widget: Option<&str>, action: impl FnOnce(Point) -> Action) -> Step {
        let screen = self
            .phone
            .capture()
            .expect("a simulated screen can always be read");
        let node = widget.map(|name| named(&screen, name));
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
        }
    }

    fn problem(&mut self) -> Option<Problem> {
        let mut happened = Vec::new();
        self.phone.take_happenings(&mut happened);
        happened
            .into_iter()
            .find_map(|happening| match happening.what {
                What::Problem(problem) => Some(problem),
                What::Activity(_) => None,
            })
    }
}

/// Waits until the screen is quiet, as the agent does.
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
fn named(screen: &Arc<Screen>, name: &str) -> usize {
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
