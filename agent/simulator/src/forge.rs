//! Apps generated from a seed, with the same elements as those written by hand, in proportions that were published for
//! real apps. The same seed and parameters always give the same app.

mod crash_templates;
mod inert_widgets;
mod planted_crashes;

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_shared::Text;

use crate::declarative::{
    AppDefinition, DeclarativeApp, ScreenDefinition, Variable, link_row, screen,
};
use crate::framework::AppProcess;

pub(crate) const PACKAGE: &str = "com.example.forge";

/// Parameters of a generated app. Missing ones are drawn from the seed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ForgeSpec {
    pub(crate) seed: u64,
    pub(crate) activities: Option<u8>,
    /// Maximum depth of screens.
    pub(crate) depth: Option<u8>,
    /// Share of the crashes that need a hidden mode.
    pub(crate) hidden: Option<f64>,
    /// Nodes on each screen, beside those that lead somewhere.
    pub(crate) widgets: Option<u16>,
}

/// Declared activities of the 15 apps of APE's Table II, sorted.
const ACTIVITIES: [u64; 15] = [6, 16, 22, 30, 32, 34, 35, 39, 42, 52, 55, 57, 69, 85, 87];
/// Depths of screens. There is no published figure: this is an assumption.
const DEPTH: [u64; 4] = [3, 4, 5, 8];
/// Branches for each screen: those that DetReduce's Table 2 reports as covered by their screens, app by app, sorted.
const BRANCHES: [u64; 18] = [
    5, 7, 11, 15, 21, 21, 22, 24, 25, 26, 28, 36, 39, 41, 47, 50, 63, 80,
];
/// A screen that many branches belong to has no more widgets than fit a long form.
const MAX_WIDGETS: u64 = 24;
/// Maximum number of transitions from one screen that are visible without scrolling.
const MAX_EXITS: usize = 12;

/// An app under construction.
struct AppForge {
    rng: Pcg64Mcg,
    screens: Vec<ScreenDefinition>,
    /// Depth of each screen.
    depths: Vec<u8>,
    exits: Vec<usize>,
    next_persistent: u8,
    next_memory: u8,
}

pub(crate) fn install(parameters: &ForgeSpec) -> Box<dyn AppProcess> {
    let label = Text::new(format!("Forge {}", parameters.seed));
    Box::new(DeclarativeApp::install(
        Text::new_static(PACKAGE),
        label,
        parameters.seed,
        definition(parameters),
    ))
}

pub(crate) fn definition(parameters: &ForgeSpec) -> Arc<AppDefinition> {
    let mut forge = AppForge {
        rng: Pcg64Mcg::seed_from_u64(parameters.seed),
        screens: Vec::new(),
        depths: Vec::new(),
        exits: Vec::new(),
        next_persistent: 0,
        next_memory: 0,
    };
    let activities = parameters
        .activities
        .map_or_else(|| forge.draw(&ACTIVITIES), u64::from)
        .clamp(2, 250);
    let depth = parameters
        .depth
        .map_or_else(|| forge.draw(&DEPTH), u64::from)
        .clamp(1, 250) as u8;
    let hidden = parameters.hidden.unwrap_or(0.25);
    forge.add_screens(activities as u8, depth);
    let count = (activities / 4).clamp(8, 20) as usize;
    forge.plant_crashes(count, hidden);
    let introduced = forge.chance(30).then(|| forge.add_introduction());
    forge.add_inert_widgets(parameters.widgets);
    let plan = AppDefinition::new(PACKAGE, 0, forge.screens);
    Arc::new(match introduced {
        Some((var, screen)) => plan.first_time(var, screen),
        None => plan,
    })
}

impl AppForge {
    /// Makes the screens, each reached from one that is not too deep.
    fn add_screens(&mut self, activities: u8, depth: u8) {
        self.screens
            .push(screen("MainActivity", "Home", Vec::new()));
        self.depths.push(0);
        self.exits.push(0);
        for number in 1..activities {
            let open =
                |place: &usize| self.depths[*place] + 1 < depth && self.exits[*place] < MAX_EXITS;
            let mut parents: Vec<usize> = (0..self.screens.len()).filter(open).collect();
            if parents.is_empty() {
                parents.push(self.fewest_exits());
            }
            // Later screens rather hang from later ones: apps are deep in some places and shallow in most.
            let one = self.pick(parents.len());
            let other = self.pick(parents.len());
            let parent = parents[one.max(other)];
            let title = inert_widgets::TITLES[self.pick(inert_widgets::TITLES.len())];
            let id = format!("to_{number}");
            self.screens[parent]
                .widgets
                .push(link_row(&id, title, number).columns(3));
            self.screens.push(screen(
                &format!("{title}Activity{number}"),
                title,
                Vec::new(),
            ));
            self.depths.push(self.depths[parent].saturating_add(1));
            self.exits.push(0);
            self.exits[parent] += 1;
        }
    }

    fn fewest_exits(&self) -> usize {
        (0..self.exits.len())
            .min_by_key(|place| self.exits[*place])
            .unwrap_or_default()
    }

    fn pick(&mut self, count: usize) -> usize {
        self.rng.random_range(0..count.max(1))
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    /// Draws from quantiles, from the least to the greatest, evenly spaced.
    fn draw(&mut self, quantiles: &[u64]) -> u64 {
        let place = self.rng.random_range(0..(quantiles.len() as u64 - 1) << 8);
        let index = (place >> 8) as usize;
        let fraction = place & 0xff;
        let low = quantiles[index];
        let high = quantiles[index + 1];
        low + (((high - low) * fraction) >> 8)
    }

    fn new_persistent(&mut self) -> Variable {
        self.next_persistent = self.next_persistent.saturating_add(1);
        Variable::Persistent(self.next_persistent - 1)
    }

    fn new_memory(&mut self) -> Variable {
        self.next_memory = self.next_memory.saturating_add(1);
        Variable::Memory(self.next_memory - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_app_and_another_seed_another() {
        let plan = |seed| {
            format!(
                "{:?}",
                definition(&ForgeSpec {
                    seed,
                    ..ForgeSpec::default()
                })
            )
        };
        assert_eq!(plan(7), plan(7));
        let all: std::collections::HashSet<String> = (0..200).map(plan).collect();
        assert_eq!(all.len(), 200);
    }

    #[test]
    fn a_generated_app_has_the_requested_parameters() {
        for (activities, depth) in [(2, 1), (20, 3), (60, 9), (250, 2)] {
            let parameters = ForgeSpec {
                seed: 5,
                activities: Some(activities),
                depth: Some(depth),
                ..ForgeSpec::default()
            };
            let plan = definition(&parameters);
            let introductions = usize::from(plan.introduction.is_some());
            assert_eq!(plan.screens.len(), usize::from(activities) + introductions);
        }
    }

    #[test]
    fn drawn_apps_are_as_large_as_the_published_ones() {
        let plans: Vec<_> = (0..300)
            .map(|seed| {
                definition(&ForgeSpec {
                    seed,
                    ..ForgeSpec::default()
                })
            })
            .collect();
        let mut activities: Vec<usize> = plans.iter().map(|plan| plan.screens.len()).collect();
        activities.sort_unstable();
        assert!(
            (6..=88).contains(&activities[0]) && activities[299] <= 88,
            "{activities:?}"
        );
        assert!(
            (30..=48).contains(&activities[150]),
            "median {}",
            activities[150]
        );
    }
}
