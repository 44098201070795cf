//! The explorer `random`: any widget that can be touched, preferring what it has done less often on the same
//! abstract screen, so that a session gets somewhere.

mod possible;
mod texts;

use std::collections::HashMap;

use rand::RngExt;
use retap_shared::action::{Action, Key};
use retap_shared::screen::{Point, Rect, Rotation, Screen};

use super::{Choice, Explorer};
use crate::model::{abstract_screen, mixed};
use crate::seed::Rng;
use possible::{Possible, What};

const SWIPE_MILLIS: u32 = 300;

/// What has never been tried weighs this much, times its own weight.
const UNTRIED: u64 = 1 << 32;

#[derive(Debug, Default)]
pub struct Random {
    /// How often something was done on an abstract screen.
    tries: HashMap<u64, u32>,
    /// These two are kept between choices for their memory alone.
    possible: Vec<Possible>,
    weights: Vec<u64>,
}

impl Explorer for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn choose(&mut self, screen: &Screen, rng: &mut Rng) -> Choice {
        let state = abstract_screen(screen);
        let mut possible = std::mem::take(&mut self.possible);
        possible::list(screen, &mut possible);
        let rarely = possible.iter().map(|possible| (mixed(state, possible.key), possible.what.weight()));
        let chosen = possible[self.pick(rarely, rng)];
        self.possible = possible;
        Choice { action: self.action(&chosen, state, screen, rng), node: chosen.node }
    }
}

impl Random {
    fn action(&mut self, chosen: &Possible, state: u64, screen: &Screen, rng: &mut Rng) -> Action {
        let at = chosen.area.center();
        match chosen.what {
            What::Tap | What::Focus => Action::Tap(at),
            What::LongPress => Action::LongPress(at),
            What::TapAnywhere => Action::Tap(somewhere(chosen.area, rng)),
            What::Type => {
                let field = chosen.node.map(|node| &screen.nodes()[node]);
                let here = mixed(state, chosen.key);
                let rarely = texts::fitting(field).zip(1..).map(|(fit, text)| (mixed(here, text), fit));
                Action::Text { at, text: texts::text(self.pick(rarely, rng)) }
            }
            What::ScrollVertically { back } => scroll(chosen.area, back, |area, part| Point {
                x: area.center().x,
                y: area.top + area.height() / 4 * part,
            }),
            What::ScrollHorizontally { back } => scroll(chosen.area, back, |area, part| Point {
                x: area.left + area.width() / 4 * part,
                y: area.center().y,
            }),
            What::Back => Action::Key(Key::Back),
            What::Menu => Action::Key(Key::Menu),
            What::Rotate if screen.rotation() == Rotation::Natural => Action::Rotate(Rotation::Left),
            What::Rotate => Action::Rotate(Rotation::Natural),
        }
    }

    /// Draws one of several, each by its weight divided by one more than the times it was drawn before, and counts
    /// it. There must be at least one.
    fn pick(&mut self, from: impl Iterator<Item = (u64, u32)> + Clone, rng: &mut Rng) -> usize {
        self.weights.clear();
        for (key, weight) in from.clone() {
            let tries = self.tries.get(&key).copied().unwrap_or(0);
            self.weights.push(UNTRIED * u64::from(weight) / (u64::from(tries) + 1));
        }
        let mut left = rng.random_range(0..self.weights.iter().sum::<u64>().max(1));
        let mut last = 0;
        for (number, &weight) in self.weights.iter().enumerate() {
            last = number;
            if left < weight {
                break;
            }
            left -= weight;
        }
        if let Some((key, _)) = from.into_iter().nth(last) {
            *self.tries.entry(key).or_insert(0) += 1;
        }
        last
    }
}

fn somewhere(area: Rect, rng: &mut Rng) -> Point {
    Point {
        x: rng.random_range(area.left..area.right.max(area.left + 1)),
        y: rng.random_range(area.top..area.bottom.max(area.top + 1)),
    }
}

/// The finger goes against the direction in which the content is read.
fn scroll(area: Rect, back: bool, place: impl Fn(Rect, i32) -> Point) -> Action {
    let (from, to) = if back { (1, 3) } else { (3, 1) };
    Action::Swipe { from: place(area, from), to: place(area, to), millis: SWIPE_MILLIS }
}
