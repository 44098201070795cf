//! How a walker that is stuck goes back, told what came of each of its moves.

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
        let mut walk = TravelFixture {
            travel,
            at: screen("home"),
            rng: Seed(1).rng(),
        };
        walk.starts(start_millis);
        walk
    }

    fn starts(&mut self, millis: u64) {
        self.at = screen("home");
        let new = CoverageGainCount {
            screens: 1,
            ..CoverageGainCount::default()
        };
        let before = self.at.clone();
        self.tell(
            RecordedEvent::Started { clean: true },
            &before,
            &[],
            millis,
            new,
        );
    }

    fn tell(
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
        self.tell(
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

    fn goes(&mut self, way: &[(u32, &str)]) {
        way.iter()
            .for_each(|(number, to)| self.does(*number, to, *to == "found", &[]));
    }

    /// Until it is a dead end.
    fn stays(&mut self, at: &str) {
        (0..=201).for_each(|_| self.does(0, at, false, &[]));
    }

    /// What it does next on a phone that cannot save.
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
                    self.tell(RecordedEvent::Refused, &before, &[], 0, nothing);
                }
                chosen => return chosen,
            }
        }
    }
}

#[test]
fn a_walker_goes_back_on_foot_where_that_takes_less_than_a_clean_start() {
    let way = [
        (1, "found"),
        (2, "home"),
        (3, "dull"),
        (4, "home"),
        (3, "dull"),
    ];
    let mut walk = TravelFixture::begun(2_500);
    walk.goes(&way);
    walk.stays("dull");
    assert_eq!(walk.next(), Decision::RepeatStep(step(4)));
    walk.goes(&[(4, "home")]);
    assert!(matches!(walk.next(), Decision::Act(_)));

    let mut walk = TravelFixture::begun(100);
    walk.goes(&way);
    walk.stays("dull");
    assert_eq!(walk.next(), Decision::Restart { clear_data: true });
}

#[test]
fn a_walker_that_is_stuck_in_the_fittest_state_starts_anew() {
    let mut walk = TravelFixture::begun(2_500);
    walk.stays("home");
    assert_eq!(walk.next(), Decision::Restart { clear_data: true });
}

#[test]
fn what_is_left_of_a_way_is_given_up_after_a_problem() {
    let there = [
        (1, "found"),
        (2, "home"),
        (3, "dull"),
        (4, "far"),
        (5, "dull"),
        (6, "home"),
    ];
    let mut walk = TravelFixture::begun(2_500);
    walk.goes(&there);
    walk.goes(&[(3, "dull"), (4, "far")]);
    walk.stays("far");
    assert_eq!(walk.next(), Decision::RepeatStep(step(5)));
    walk.does(5, "dull", false, &[Fingerprint(7)]);
    walk.starts(2_500);
    assert!(matches!(walk.next(), Decision::Act(_)));
}
