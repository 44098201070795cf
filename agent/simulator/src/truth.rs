//! Ground truth: what is in an app, the crashes that were planted in it, and the shortest way to each.

use std::sync::Arc;

use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Settle, What};
use retap_shared::screen::{Rotation, Screen};
use retap_shared::trace::Step;
use retap_shared::verdict::{Problem, ProblemKind};

use crate::SimulatedPhone;
use crate::apps::Planted;
use crate::spec::{SpecError, entry, open};

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
}

/// How long a planted crash may come after its last event.
pub const LINGER: Micros = Micros::from_millis(2_500);

/// What is known of an app because it was built that way. The steps are recorded on a phone without noise.
pub fn truth(name: &str) -> Result<Truth, SpecError> {
    let entry = entry(name)?;
    let info = (entry.install)().manifest().info();
    let crashes = entry.planted.iter().map(|planted| record(name, planted)).collect::<Result<_, _>>()?;
    Ok(Truth { activities: info.activities, branches: info.branches, crashes })
}

/// An event of a planted crash's shortest trace. Widgets are named by the end of their id, or by their label.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Do {
    Tap(&'static str),
    Long(&'static str),
    Type(&'static str, &'static str),
    Back,
    Rotate(Rotation),
}

fn record(app: &str, planted: &Planted) -> Result<PlantedCrash, SpecError> {
    let mut recorder = Recorder::new(open(app)?);
    let shortest = planted.shortest.iter().map(|event| recorder.play(*event)).collect();
    recorder.phone.sleep(LINGER);
    let problem = recorder.problem().unwrap_or_else(|| panic!("`{}` is not reached", planted.name));
    Ok(PlantedCrash { name: planted.name, kind: planted.kind, shortest, fingerprint: problem.fingerprint() })
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
        recorder.settle();
        recorder
    }

    fn play(&mut self, event: Do) -> Step {
        let screen = self.phone.capture().expect("a simulated screen can always be read");
        let node = match event {
            Do::Tap(name) | Do::Long(name) | Do::Type(name, _) => Some(named(&screen, name)),
            Do::Back | Do::Rotate(_) => None,
        };
        let at = node.map(|node| screen.nodes()[node].bounds.center()).unwrap_or_default();
        let action = match event {
            Do::Tap(_) => Action::Tap(at),
            Do::Long(_) => Action::LongPress(at),
            Do::Type(_, text) => Action::Text { at, text: Text::new_static(text) },
            Do::Back => Action::Key(Key::Back),
            Do::Rotate(to) => Action::Rotate(to),
        };
        self.phone.inject(&action).expect("a simulated phone takes every event");
        self.settle();
        let widget = node.map(|node| screen.widget(node));
        Step { action, widget, activity: screen.activity().clone(), screen: Some(screen.hash()) }
    }

    fn settle(&mut self) {
        let wait = Settle::default();
        let start = self.phone.now();
        let mut quiet_at = start + wait.quiet;
        while self.phone.now() < quiet_at && self.phone.now() < start + wait.limit {
            self.phone.sleep(quiet_at.since(self.phone.now()));
            quiet_at = self.phone.last_change().max(start) + wait.quiet;
        }
    }

    fn problem(&mut self) -> Option<Problem> {
        let mut happened = Vec::new();
        self.phone.take_happenings(&mut happened);
        happened.into_iter().find_map(|happening| match happening.what {
            What::Problem(problem) => Some(problem),
            What::Activity(_) => None,
        })
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
