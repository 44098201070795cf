//! How a walker that is stuck goes back, told what came of each of its moves.

use std::sync::Arc;

use retap_device::seed::Seed;
use retap_shared::action::Action;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::Capabilities;
use retap_shared::screen::{Node, Screen, ScreenContent, SharedScreen, Window};

use super::*;
use crate::{Mix, Monkey, New, Way};

struct Walk {
    travel: TimeTravel,
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

impl Walk {
    fn begun(start_millis: u64) -> Walk {
        let monkey = Monkey::new(Mix::default(), Micros::ZERO);
        let travel = TimeTravel::over(Box::new(monkey), TravelRules::default());
        let mut walk = Walk {
            travel,
            at: screen("home"),
            rng: Seed(1).rng(),
        };
        walk.starts(start_millis);
        walk
    }

    fn starts(&mut self, millis: u64) {
        self.at = screen("home");
        let new = New {
            screens: 1,
            ..New::default()
        };
        self.tell(Did::Started { clean: true }, &[], millis, new);
    }

    fn tell(&mut self, did: Did<'_>, problems: &[Fingerprint], millis: u64, new: New) {
        let screen = self.at.clone();
        let took = Micros::from_millis(millis);
        let way = Way::default();
        let screen = Some(&screen).filter(|_| problems.is_empty());
        let inside = screen.is_some();
        self.travel.observe(&Seen {
            walker: 0,
            did,
            screen,
            inside,
            problems,
            took,
            new,
            way: &way,
        });
    }

    /// An event of 0.3 s.
    fn does(&mut self, number: u32, to: &str, new: bool, problems: &[Fingerprint]) {
        let before = std::mem::replace(&mut self.at, screen(to));
        let step = step(number);
        let before = &before;
        let step = &step;
        let did = Did::Stepped {
            step,
            node: None,
            before,
            chosen: true,
            quiet: true,
            branches: &[],
        };
        self.tell(
            did,
            problems,
            300,
            New {
                screens: u32::from(new),
                ..New::default()
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
    fn next(&mut self) -> Move {
        loop {
            let at = At {
                walker: 0,
                screen: &self.at,
                can: Capabilities::default(),
            };
            match self.travel.choose(&at, &mut self.rng) {
                Move::Save => self.tell(Did::Refused, &[], 0, New::default()),
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
    let mut walk = Walk::begun(2_500);
    walk.goes(&way);
    walk.stays("dull");
    assert_eq!(walk.next(), Move::Again(step(4)));
    walk.goes(&[(4, "home")]);
    assert!(matches!(walk.next(), Move::Act(_)));

    let mut walk = Walk::begun(100);
    walk.goes(&way);
    walk.stays("dull");
    assert_eq!(walk.next(), Move::Restart { clear: true });
}

#[test]
fn a_walker_that_is_stuck_in_the_fittest_state_starts_anew() {
    let mut walk = Walk::begun(2_500);
    walk.stays("home");
    assert_eq!(walk.next(), Move::Restart { clear: true });
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
    let mut walk = Walk::begun(2_500);
    walk.goes(&there);
    walk.goes(&[(3, "dull"), (4, "far")]);
    walk.stays("far");
    assert_eq!(walk.next(), Move::Again(step(5)));
    walk.does(5, "dull", false, &[Fingerprint(7)]);
    walk.starts(2_500);
    assert!(matches!(walk.next(), Move::Act(_)));
}
