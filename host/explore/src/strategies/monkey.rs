//! The strategy `monkey`: Android's own Monkey, which draws events by fixed shares without regard to the screen. With system events,
//! or with restarts when it is stuck, it is the baseline of the papers.

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

/// Percentage of events that are replaced by a system event. Retap's own figure.
const SYSTEM_PERCENT: u32 = 5;
/// Maximum distance in pixels, in each direction, from one move of a drag to the next. From `MonkeySourceRandom`.
const MAX_DRAG_DISTANCE: f32 = 25.0;
/// Maximum number of moves in a drag. From `MonkeySourceRandom`.
const MAX_DRAG_MOVES: u32 = 10;
/// Duration of one move in milliseconds: a frame of a display with 60 Hz.
const MOVE_MILLIS: u32 = 16;
/// Key codes of the four directions of a D-pad.
const DPAD: [u16; 4] = [19, 20, 21, 22];
/// Key code of the centre of a D-pad.
const DPAD_CENTER: u16 = 23;
/// Monkey's system keys: Home, Back, volume up, volume down and mute.
const SYSTEM_KEYS: [Key; 5] = [
    Key::Home,
    Key::Back,
    Key::Code(24),
    Key::Code(25),
    Key::Code(164),
];

/// The strategy `monkey`.
#[derive(Debug)]
pub struct MonkeyExplorer {
    mix: EventMix,
    /// Interval between two events.
    throttle: Micros,
    system_events: bool,
    restarts: Option<StuckRestarts>,
}

/// Detects stuck workers, for restarts.
#[derive(Debug, Default)]
struct StuckRestarts {
    parameters: StuckParameters,
    visits: HashMap<u64, u32>,
    /// Detector of each worker, and whether it is stuck.
    workers: HashMap<usize, (StuckDetector, bool)>,
}

impl MonkeyExplorer {
    /// Plain Monkey, with an interval between two events.
    pub fn new(mix: EventMix, throttle: Micros) -> MonkeyExplorer {
        MonkeyExplorer {
            mix,
            throttle,
            system_events: false,
            restarts: None,
        }
    }

    /// Monkey with system events: TimeMachine's baseline MS, and the strategy that it travels over.
    pub fn with_system_events(self) -> MonkeyExplorer {
        MonkeyExplorer {
            system_events: true,
            ..self
        }
    }

    /// Monkey that starts clean when it is stuck: TimeMachine's baseline MR.
    pub fn with_restarts(self, parameters: StuckParameters) -> MonkeyExplorer {
        MonkeyExplorer {
            restarts: Some(StuckRestarts {
                parameters,
                ..StuckRestarts::default()
            }),
            ..self
        }
    }

    fn draw_action(&self, screen: &Screen, supported: SystemEventKinds, rng: &mut Rng) -> Action {
        if self.system_events
            && rng.random_ratio(SYSTEM_PERCENT, 100)
            && let Some(event) = system_events::draw_system_event(supported, rng)
        {
            return Action::System(event);
        }
        match self.mix.draw(rng) {
            MonkeyEvent::Touch => Action::Tap(random_point(screen, rng)),
            MonkeyEvent::Motion => drag(screen, rng),
            MonkeyEvent::Pinch => {
                let from = rng.random_range(20..400);
                let to = rng.random_range(20..400);
                Action::Pinch {
                    center: random_point(screen, rng),
                    from,
                    to,
                    millis: MAX_DRAG_MOVES * MOVE_MILLIS,
                }
            }
            // Views turn a trackball's moves into D-pad keys, and one in ten is a click.
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
            // Phones have no sliding keyboards any more: the event only takes its time.
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

    /// Events come at fixed intervals, whatever the app does.
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
        let worker = self
            .restarts
            .as_ref()
            .and_then(|restarts| restarts.workers.get(&at.worker));
        if worker.is_some_and(|(_, is_stuck)| *is_stuck) {
            return Decision::Restart { clear_data: true };
        }
        Decision::Act(ChosenAction {
            action: self.draw_action(at.screen, at.capabilities.system_events, rng),
            node: None,
        })
    }

    fn observe(&mut self, observation: &StepObservation<'_>) {
        let Some(restarts) = &mut self.restarts else {
            return;
        };
        let (detector, is_stuck) = restarts.workers.entry(observation.worker).or_default();
        match (&observation.record.event, observation.screen) {
            (RecordedEvent::Stepped { .. }, Some(screen)) => {
                let state = widget_tree(screen);
                if !detector.is_at(state) {
                    *restarts.visits.entry(state).or_default() += 1;
                }
                *is_stuck |= detector.record_state(state, &restarts.visits, &restarts.parameters);
            }
            (RecordedEvent::Started { .. }, _) => {
                detector.clear();
                *is_stuck = false;
            }
            _ => {}
        }
    }
}

fn key(code: u16) -> Action {
    Action::Key(Key::of_code(code))
}

fn random_point(screen: &Screen, rng: &mut Rng) -> Point {
    let coordinate =
        |length: u32, rng: &mut Rng| rng.random_range(0..i32::try_from(length).unwrap_or(1).max(1));
    Point {
        x: coordinate(screen.size().width, rng),
        y: coordinate(screen.size().height, rng),
    }
}

/// Drag of up to ten moves in one direction, each of a random length.
fn drag(screen: &Screen, rng: &mut Rng) -> Action {
    let from = random_point(screen, rng);
    let across = rng.random_range(-MAX_DRAG_DISTANCE..MAX_DRAG_DISTANCE);
    let down = rng.random_range(-MAX_DRAG_DISTANCE..MAX_DRAG_DISTANCE);
    let moves = rng.random_range(0..MAX_DRAG_MOVES) + 1;
    let mut x = from.x as f32;
    let mut y = from.y as f32;
    for _ in 0..moves {
        x += rng.random::<f32>() * across;
        y += rng.random::<f32>() * down;
    }
    let within = |coordinate: f32, length: u32| {
        (coordinate as i32).clamp(0, i32::try_from(length).unwrap_or(1) - 1)
    };
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
