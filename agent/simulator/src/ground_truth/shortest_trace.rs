//! Shortest traces to crashes of generated apps: breadth-first search over all states and all actions that can matter.

use std::collections::HashSet;

use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::finding::Finding;
use retap_shared::geometry::Rotation;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use retap_shared::trace::Step;

use super::{CRASH_DELAY_LIMIT, CrashDependencies, settle};
use crate::declarative::RuleEffect;
use crate::phone::SimulatedPhone;
use crate::planted_crash::LONG_TEXT;

/// Maximum length of a searched trace.
const MAX_EVENTS: usize = 25;
/// Texts to type: one of each kind.
const TYPED: [&str; 6] = ["", "hello", "7", "user@example.com", "🎈 O'Neil", LONG_TEXT];

/// The spec without noise and latency: traces are searched on a reliable phone.
pub(super) fn without_noise(spec: &str) -> String {
    let (name, parameters) = spec.split_once('?').unwrap_or((spec, ""));
    let noisy = ["noise=", "flaky=", "late_dialog=", "latency=", "snapshot="];
    let kept: Vec<&str> = parameters
        .split('&')
        .filter(|parameter| !noisy.iter().any(|noisy| parameter.starts_with(noisy)))
        .collect();
    format!("{name}?{}", kept.join("&"))
}

pub(super) fn shortest_trace(
    phone: SimulatedPhone,
    matters: &CrashDependencies,
    failure: &RuleEffect,
) -> Option<(Vec<Step>, Finding)> {
    let mut search = ShortestTraceSearch {
        phone,
        seen: HashSet::new(),
        reached: Vec::new(),
    };
    search.start();
    let mut next = 0;
    while let Some(ReachedState { at, level, .. }) = search.reached.get(next) {
        let at = *at;
        let level = *level;
        if level == MAX_EVENTS {
            return None;
        }
        if let Some(found) = search.expand(next, at, level, matters, failure) {
            return Some(found);
        }
        search.phone.discard_snapshot(at).ok()?;
        next += 1;
    }
    None
}

struct ShortestTraceSearch {
    phone: SimulatedPhone,
    seen: HashSet<u64>,
    /// In the order in which they were reached.
    reached: Vec<ReachedState>,
}

struct ReachedState {
    at: SnapshotId,
    level: usize,
    /// The event that led here and its origin; none for the first state.
    by: Option<(usize, Step)>,
}

impl ShortestTraceSearch {
    fn start(&mut self) {
        let app = self.phone.apps().unwrap_or_default().into_iter().next();
        let _ = app.map(|app| self.phone.launch(&app.app));
        settle(&mut self.phone);
        self.finding();
        self.remember_state(0, None);
    }

    fn remember_state(&mut self, level: usize, by: Option<(usize, Step)>) {
        if self.seen.insert(self.phone.state_hash())
            && let Ok((at, _)) = self.phone.save_snapshot()
        {
            self.reached.push(ReachedState { at, level, by });
        }
    }

    fn expand(
        &mut self,
        from: usize,
        at: SnapshotId,
        level: usize,
        matters: &CrashDependencies,
        failure: &RuleEffect,
    ) -> Option<(Vec<Step>, Finding)> {
        self.phone.restore_snapshot(at).ok()?;
        let screen = self.phone.capture().ok()?;
        for (node, action) in candidate_actions(&screen, matters) {
            self.phone.restore_snapshot(at).ok()?;
            self.phone.inject(&action).ok()?;
            settle(&mut self.phone);
            let step = Step {
                action,
                widget: node.map(|node| screen.widget(node)),
                activity: screen.activity().clone(),
                screen: Some(screen.hash()),
                at_millis: None,
            };
            let mut finding = self.finding();
            if finding.is_none() {
                self.remember_state(level + 1, Some((from, step.clone())));
                if self.phone.has_pending() {
                    self.phone.sleep(CRASH_DELAY_LIMIT);
                    finding = self.finding();
                }
            }
            if let Some(finding) = finding.filter(|finding| failure.is_in(finding)) {
                return Some((self.trace_to(from, step), finding));
            }
        }
        None
    }

    fn trace_to(&self, from: usize, last: Step) -> Vec<Step> {
        let mut steps = vec![last];
        let mut place = from;
        while let Some((before, step)) = &self.reached[place].by {
            steps.push(step.clone());
            place = *before;
        }
        steps.reverse();
        steps
    }

    fn finding(&mut self) -> Option<Finding> {
        let mut happened: Vec<PhoneEvent> = Vec::new();
        self.phone.take_events(&mut happened);
        happened.into_iter().find_map(|event| match event.kind {
            PhoneEventKind::Finding(finding) => Some(finding),
            PhoneEventKind::Activity(_) => None,
        })
    }
}

/// Actions that can matter for the crash. The first of several widgets with one id stands for all.
fn candidate_actions(screen: &Screen, matters: &CrashDependencies) -> Vec<(Option<usize>, Action)> {
    let mut actions: Vec<(Option<usize>, Action)> = system_actions(screen, matters)
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
                node_actions(node)
                    .into_iter()
                    .map(|action| (Some(first + place), action)),
            );
        }
    }
    actions
}

fn node_actions(node: &Node) -> Vec<Action> {
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

fn system_actions(screen: &Screen, matters: &CrashDependencies) -> Vec<Action> {
    let mut actions = vec![Action::Key(Key::Back)];
    if matters.rotation {
        let upright = screen.rotation() == Rotation::Natural;
        actions.push(Action::Rotate(if upright {
            Rotation::Left
        } else {
            Rotation::Natural
        }));
    }
    let locale = |tag| SystemEvent::Locale(Text::new_static(tag));
    for (matter, events) in [
        (matters.call, vec![SystemEvent::Call]),
        (
            matters.network,
            vec![SystemEvent::Offline, SystemEvent::Online],
        ),
        (
            matters.locale,
            vec![locale("ar"), locale(crate::framework::LANGUAGE)],
        ),
        (matters.memory, vec![SystemEvent::LowMemory]),
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
