//! Travels of a worker that is stuck.

use std::sync::Arc;

use retap_device::seed::Seed;
use retap_shared::action::Action;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::Capabilities;
use retap_shared::screen::{Node, Screen, ScreenContent, SharedScreen, Window};

use super::*;
use crate::journal::{RecordedStep, StepOrigin};
use crate::{CoverageGainCount, EventMix, MonkeyExplorer, StepPath};

struct TravelFixture {
    travel: TimeTravelExplorer,
    at: SharedScreen,
    rng: Rng,
}

fn screen(name: &str) -> SharedScreen {
    let nodes = vec![Node::default()];
    let windows = vec![Window {
        nodes: 1,
        ..Window::default()
    }];
    let content = ScreenContent {
        activity: name.into(),
        windows,
        nodes,
        ..ScreenContent::default()
    };
    Arc::new(Screen::new(content).unwrap())
}

fn step(number: u32) -> Step {
    Step::new(Action::Wait { millis: number })
}

impl TravelFixture {
    fn begun(start_millis: u64) -> TravelFixture {
        let monkey = MonkeyExplorer::new(EventMix::default(), Micros::ZERO);
        let travel = TimeTravelExplorer::over(Box::new(monkey), TimeTravelParameters::default());
        let mut fixture = TravelFixture {
            travel,
            at: screen("home"),
            rng: Seed(1).rng(),
        };
        fixture.starts(start_millis);
        fixture
    }

    fn starts(&mut self, millis: u64) {
        self.at = screen("home");
        let new = CoverageGainCount {
            screens: 1,
            ..CoverageGainCount::default()
        };
        let before = self.at.clone();
        self.observe_step(
            RecordedEvent::Started { clean: true },
            &before,
            &[],
            millis,
            new,
        );
    }

    fn observe_step(
        &mut self,
        event: RecordedEvent,
        before: &SharedScreen,
        problems: &[Fingerprint],
        millis: u64,
        new: CoverageGainCount,
    ) {
        let screen = self.at.clone();
        let record = RecordedStep {
            took: Micros::from_millis(millis),
            ..RecordedStep::new(0, event)
        };
        let screen = Some(&screen).filter(|_| problems.is_empty());
        let inside = screen.is_some();
        self.travel.observe(&StepObservation {
            worker: 0,
            record: &record,
            before: Some(before),
            screen,
            in_app: inside,
            findings: problems,
            gain: new,
            path: &StepPath::default(),
        });
    }

    /// An event of 0.3 s.
    fn does(&mut self, number: u32, to: &str, new: bool, problems: &[Fingerprint]) {
        let before = std::mem::replace(&mut self.at, screen(to));
        let event = RecordedEvent::Stepped {
            step: step(number),
            node: None,
            origin: StepOrigin::Chosen,
            quiet: true,
        };
        self.observe_step(
            event,
            &before,
            problems,
            300,
            CoverageGainCount {
                screens: u32::from(new),
                ..CoverageGainCount::default()
            },
        );
    }

    fn goes(&mut self, path: &[(u32, &str)]) {
        path.iter()
            .for_each(|(number, to)| self.does(*number, to, *to == "found", &[]));
    }

    /// Stays in a state until it is a dead end.
    fn stays(&mut self, at: &str) {
        (0..=201).for_each(|_| self.does(0, at, false, &[]));
    }

    /// Next decision on a phone without snapshots.
    fn next(&mut self) -> Decision {
        loop {
            let at = WorkerView {
                worker: 0,
                screen: &self.at,
                capabilities: Capabilities::default(),
            };
            match self.travel.decide(&at, &mut self.rng) {
                Decision::TakeSnapshot => {
                    let before = self.at.clone();
                    let nothing = CoverageGainCount::default();
                    self.observe_step(RecordedEvent::Refused, &before, &[], 0, nothing);
                }
                chosen => return chosen,
            }
        }
    }
}

#[test]
fn a_worker_travels_by_transitions_where_they_cost_less_than_a_clean_start() {
    let path = [
        (1, "found"),
        (2, "home"),
        (3, "plain"),
        (4, "home"),
        (3, "plain"),
    ];
    let mut fixture = TravelFixture::begun(2_500);
    fixture.goes(&path);
    fixture.stays("plain");
    assert_eq!(fixture.next(), Decision::RepeatStep(step(4)));
    fixture.goes(&[(4, "home")]);
    assert!(matches!(fixture.next(), Decision::Act(_)));

    let mut fixture = TravelFixture::begun(100);
    fixture.goes(&path);
    fixture.stays("plain");
    assert_eq!(fixture.next(), Decision::Restart { clear_data: true });
}

#[test]
fn a_worker_that_is_stuck_in_the_most_promising_state_starts_clean() {
    let mut fixture = TravelFixture::begun(2_500);
    fixture.stays("home");
    assert_eq!(fixture.next(), Decision::Restart { clear_data: true });
}

#[test]
fn the_rest_of_a_path_is_dropped_after_a_finding() {
    let there = [
        (1, "found"),
        (2, "home"),
        (3, "plain"),
        (4, "far"),
        (5, "plain"),
        (6, "home"),
    ];
    let mut fixture = TravelFixture::begun(2_500);
    fixture.goes(&there);
    fixture.goes(&[(3, "plain"), (4, "far")]);
    fixture.stays("far");
    assert_eq!(fixture.next(), Decision::RepeatStep(step(5)));
    fixture.does(5, "plain", false, &[Fingerprint(7)]);
    fixture.starts(2_500);
    assert!(matches!(fixture.next(), Decision::Act(_)));
}
