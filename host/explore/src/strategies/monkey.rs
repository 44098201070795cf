//! Android's own Monkey: events by fixed shares, wherever they fall, without a look at the screen. With system events, and
//! with a restart when it is stuck, it is what the papers compare themselves with.

mod event_mix;

use std::collections::HashMap;

use event_mix::MonkeyEvent;
pub use event_mix::{EventMix, EventMixError};
use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::widget_tree;
use retap_shared::action::{Action, Key, SystemEventKinds};
use retap_shared::geometry::{Point, Rotation};
use retap_shared::micros::Micros;
use retap_shared::protocol::Settle;
use retap_shared::screen::Screen;

use super::stuck_detector::{StuckDetector, StuckParameters};
use crate::journal::RecordedEvent;
use crate::{ChosenAction, Decision, Explorer, StepObservation, WorkerView, system_events};

/// A system event comes in place of so many of a hundred events.
const SYSTEM_PERCENT: u32 = 5;
/// Monkey's own: a finger goes this far from one moment to the next at most, and moves so often.
const MAX_DRAG_DISTANCE: f32 = 25.0;
const MAX_DRAG_MOVES: u32 = 10;
const MOVE_MILLIS: u32 = 16;
const DPAD: [u16; 4] = [19, 20, 21, 22];
const DPAD_CENTER: u16 = 23;
const SYSTEM_KEYS: [Key; 5] = [
    Key::Home,
    Key::Back,
    Key::Code(24),
    Key::Code(25),
    Key::Code(164),
];

#[derive(Debug)]
pub struct MonkeyExplorer {
    mix: EventMix,
    throttle: Micros,
    system_events: bool,
    restarts: Option<StuckRestarts>,
}

/// For restarting when stuck.
#[derive(Debug, Default)]
struct StuckRestarts {
    rules: StuckParameters,
    visits: HashMap<u64, u32>,
    workers: HashMap<usize, (StuckDetector, bool)>,
}

impl MonkeyExplorer {
    pub fn new(mix: EventMix, throttle: Micros) -> MonkeyExplorer {
        MonkeyExplorer {
            mix,
            throttle,
            system_events: false,
            restarts: None,
        }
    }

    /// TimeMachine's control MS, and what it travels over.
    pub fn with_system_events(self) -> MonkeyExplorer {
        MonkeyExplorer {
            system_events: true,
            ..self
        }
    }

    /// TimeMachine's control MR.
    pub fn with_restarts(self, rules: StuckParameters) -> MonkeyExplorer {
        MonkeyExplorer {
            restarts: Some(StuckRestarts {
                rules,
                ..StuckRestarts::default()
            }),
            ..self
        }
    }

    fn event(&self, screen: &Screen, can: SystemEventKinds, rng: &mut Rng) -> Action {
        if self.system_events
            && rng.random_ratio(SYSTEM_PERCENT, 100)
            && let Some(event) = system_events::draw_system_event(can, rng)
        {
            return Action::System(event);
        }
        match self.mix.draw(rng) {
            MonkeyEvent::Touch => Action::Tap(point(screen, rng)),
            MonkeyEvent::Motion => drag(screen, rng),
            MonkeyEvent::Pinch => {
                let from = rng.random_range(20..400);
                let to = rng.random_range(20..400);
                Action::Pinch {
                    center: point(screen, rng),
                    from,
                    to,
                    millis: MAX_DRAG_MOVES * MOVE_MILLIS,
                }
            }
            // What a view makes of a trackball: the keys of a cross, and now and then a click.
            MonkeyEvent::Trackball if rng.random_ratio(1, 10) => key(DPAD_CENTER),
            MonkeyEvent::Trackball | MonkeyEvent::Nav => key(DPAD[rng.random_range(0..DPAD.len())]),
            MonkeyEvent::MajorNav if rng.random_bool(0.5) => Action::Key(Key::Menu),
            MonkeyEvent::MajorNav => key(DPAD_CENTER),
            MonkeyEvent::SysKeys => {
                Action::Key(SYSTEM_KEYS[rng.random_range(0..SYSTEM_KEYS.len())])
            }
            MonkeyEvent::AppSwitch => Action::Launch,
            MonkeyEvent::Rotation if screen.rotation() == Rotation::Natural => {
                Action::Rotate(Rotation::Left)
            }
            MonkeyEvent::Rotation => Action::Rotate(Rotation::Natural),
            // No phone of today has a keyboard that slides out: this is the time that it takes.
            MonkeyEvent::Flip => Action::Wait { millis: 0 },
            MonkeyEvent::Anything => {
                event_mix::random_key(rng).map_or(Action::Wait { millis: 0 }, key)
            }
        }
    }
}

impl Explorer for MonkeyExplorer {
    fn name(&self) -> &str {
        match (self.system_events, &self.restarts) {
            (false, None) => "monkey",
            (true, _) => "monkey+system",
            (false, Some(_)) => "monkey+restart",
        }
    }

    /// It throws its events at fixed intervals, whatever the app does.
    fn settle(&self) -> Option<Settle> {
        Some(Settle {
            quiet: self.throttle,
            limit: self.throttle,
        })
    }

    fn wants_system_events(&self) -> bool {
        self.system_events
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let walker = self
            .restarts
            .as_ref()
            .and_then(|restarts| restarts.workers.get(&at.worker));
        if walker.is_some_and(|(_, is_stuck)| *is_stuck) {
            return Decision::Restart { clear_data: true };
        }
        Decision::Act(ChosenAction {
            action: self.event(at.screen, at.capabilities.system_events, rng),
            node: None,
        })
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        let Some(restarts) = &mut self.restarts else {
            return;
        };
        let (stuck, is_stuck) = restarts.workers.entry(seen.worker).or_default();
        match (&seen.record.event, seen.screen) {
            (RecordedEvent::Stepped { .. }, Some(screen)) => {
                let state = widget_tree(screen);
                if !stuck.is_at(state) {
                    *restarts.visits.entry(state).or_default() += 1;
                }
                *is_stuck |= stuck.record_state(state, &restarts.visits, &restarts.rules);
            }
            (RecordedEvent::Started { .. }, _) => {
                stuck.clear();
                *is_stuck = false;
            }
            _ => {}
        }
    }
}

fn key(code: u16) -> Action {
    Action::Key(Key::of_code(code))
}

fn point(screen: &Screen, rng: &mut Rng) -> Point {
    let side =
        |length: u32, rng: &mut Rng| rng.random_range(0..i32::try_from(length).unwrap_or(1).max(1));
    Point {
        x: side(screen.size().width, rng),
        y: side(screen.size().height, rng),
    }
}

/// A walk of up to ten moves in one direction, each of another length.
fn drag(screen: &Screen, rng: &mut Rng) -> Action {
    let from = point(screen, rng);
    let across = rng.random_range(-MAX_DRAG_DISTANCE..MAX_DRAG_DISTANCE);
    let down = rng.random_range(-MAX_DRAG_DISTANCE..MAX_DRAG_DISTANCE);
    let moves = rng.random_range(0..MAX_DRAG_MOVES) + 1;
    let mut x = from.x as f32;
    let mut y = from.y as f32;
    for _ in 0..moves {
        x += rng.random::<f32>() * across;
        y += rng.random::<f32>() * down;
    }
    let within =
        |place: f32, length: u32| (place as i32).clamp(0, i32::try_from(length).unwrap_or(1) - 1);
    let to = Point {
        x: within(x, screen.size().width),
        y: within(y, screen.size().height),
    };
    Action::Swipe {
        from,
        to,
        millis: moves * MOVE_MILLIS,
    }
}
