//! The shortest way to a crash of a made app: breadth first over all states, with everything that can have to do with it.

use std::collections::HashSet;

use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key, System};
use retap_shared::protocol::{CheckpointId, Happening, What};
use retap_shared::screen::{Node, NodeFlags, Rotation, Screen, WindowKind};
use retap_shared::trace::Step;
use retap_shared::verdict::Problem;

use super::{LINGER, LONG, Matters, settle};
use crate::SimulatedPhone;
use crate::plan::Then;

/// No way is looked for beyond this.
const MOST: usize = 25;
/// What is typed, so that each kind of text is among it.
const TYPED: [&str; 6] = ["", "hello", "7", "user@example.com", "🎈 O'Neil", LONG];

/// The spec without noise and latency: ways are looked for on a phone that does what it is told.
pub(super) fn quiet(spec: &str) -> String {
    let (name, parameters) = spec.split_once('?').unwrap_or((spec, ""));
    let noisy = ["noise=", "flaky=", "late_dialog=", "latency=", "snapshot="];
    let kept: Vec<&str> = parameters
        .split('&')
        .filter(|parameter| !noisy.iter().any(|noisy| parameter.starts_with(noisy)))
        .collect();
    format!("{name}?{}", kept.join("&"))
}

pub(super) fn shortest(
    phone: SimulatedPhone,
    matters: &Matters,
    failure: &Then,
) -> Option<(Vec<Step>, Problem)> {
    let mut search = Search {
        phone,
        seen: HashSet::new(),
        reached: Vec::new(),
    };
    search.start();
    let mut next = 0;
    while let Some(Reached { at, level, .. }) = search.reached.get(next) {
        let at = *at;
        let level = *level;
        if level == MOST {
            return None;
        }
        if let Some(found) = search.expand(next, at, level, matters, failure) {
            return Some(found);
        }
        search.phone.drop_checkpoint(at).ok()?;
        next += 1;
    }
    None
}

struct Search {
    phone: SimulatedPhone,
    seen: HashSet<u64>,
    /// In the order in which they were reached.
    reached: Vec<Reached>,
}

struct Reached {
    at: CheckpointId,
    level: usize,
    /// What led here, and from where; nothing for the first.
    by: Option<(usize, Step)>,
}

impl Search {
    fn start(&mut self) {
        let app = self.phone.apps().unwrap_or_default().into_iter().next();
        let _ = app.map(|app| self.phone.launch(&app.app));
        settle(&mut self.phone);
        self.problem();
        self.keep(0, None);
    }

    fn keep(&mut self, level: usize, by: Option<(usize, Step)>) {
        if self.seen.insert(self.phone.state())
            && let Ok((at, _)) = self.phone.save()
        {
            self.reached.push(Reached { at, level, by });
        }
    }

    fn expand(
        &mut self,
        from: usize,
        at: CheckpointId,
        level: usize,
        matters: &Matters,
        failure: &Then,
    ) -> Option<(Vec<Step>, Problem)> {
        self.phone.restore(at).ok()?;
        let screen = self.phone.capture().ok()?;
        for (node, action) in possible(&screen, matters) {
            self.phone.restore(at).ok()?;
            self.phone.inject(&action).ok()?;
            settle(&mut self.phone);
            let step = Step {
                action,
                widget: node.map(|node| screen.widget(node)),
                activity: screen.activity().clone(),
                screen: Some(screen.hash()),
            };
            let mut problem = self.problem();
            if problem.is_none() {
                self.keep(level + 1, Some((from, step.clone())));
                if self.phone.has_pending() {
                    self.phone.sleep(LINGER);
                    problem = self.problem();
                }
            }
            if let Some(problem) = problem.filter(|problem| failure.is_in(problem)) {
                return Some((self.way(from, step), problem));
            }
        }
        None
    }

    fn way(&self, from: usize, last: Step) -> Vec<Step> {
        let mut steps = vec![last];
        let mut place = from;
        while let Some((before, step)) = &self.reached[place].by {
            steps.push(step.clone());
            place = *before;
        }
        steps.reverse();
        steps
    }

    fn problem(&mut self) -> Option<Problem> {
        let mut happened: Vec<Happening> = Vec::new();
        self.phone.take_happenings(&mut happened);
        happened
            .into_iter()
            .find_map(|happening| match happening.what {
                What::Problem(problem) => Some(problem),
                What::Activity(_) => None,
            })
    }
}

/// What can be done and can matter. Of widgets with the same id the first stands for all.
fn possible(screen: &Screen, matters: &Matters) -> Vec<(Option<usize>, Action)> {
    let mut actions: Vec<(Option<usize>, Action)> = from_outside(screen, matters)
        .into_iter()
        .map(|action| (None, action))
        .collect();
    let own = screen
        .windows_with_nodes()
        .filter(|(window, ..)| window.kind != WindowKind::Keyboard);
    let Some((_, first, nodes)) = own.last() else {
        return actions;
    };
    for (place, node) in nodes.iter().enumerate() {
        let framework = !node.id.starts_with("com.example");
        let matter = || {
            matters.widgets.contains(&node.id)
                && nodes[..place].iter().all(|other| other.id != node.id)
        };
        if node.is(NodeFlags::ENABLED) && (framework || matter()) {
            actions.extend(
                on(node)
                    .into_iter()
                    .map(|action| (Some(first + place), action)),
            );
        }
    }
    actions
}

fn on(node: &Node) -> Vec<Action> {
    let at = node.bounds.center();
    let mut actions = Vec::new();
    if node.is(NodeFlags::EDITABLE) {
        return TYPED
            .map(|text| Action::Text {
                at,
                text: Text::new_static(text),
            })
            .to_vec();
    }
    if node.is(NodeFlags::CLICKABLE) {
        actions.push(Action::Tap(at));
    }
    if node.is(NodeFlags::LONG_CLICKABLE) {
        actions.push(Action::LongPress(at));
    }
    actions
}

fn from_outside(screen: &Screen, matters: &Matters) -> Vec<Action> {
    let mut actions = vec![Action::Key(Key::Back)];
    if matters.rotation {
        let upright = screen.rotation() == Rotation::Natural;
        actions.push(Action::Rotate(if upright {
            Rotation::Left
        } else {
            Rotation::Natural
        }));
    }
    let locale = |tag| System::Locale(Text::new_static(tag));
    for (matter, events) in [
        (matters.call, vec![System::Call]),
        (matters.network, vec![System::Offline, System::Online]),
        (
            matters.locale,
            vec![locale("ar"), locale(crate::kit::LANGUAGE)],
        ),
        (matters.memory, vec![System::LowMemory]),
    ] {
        if matter {
            actions.extend(events.into_iter().map(Action::System));
        }
    }
    if matters.memory {
        actions.extend([Action::Key(Key::Home), Action::Launch]);
    }
    actions
}
