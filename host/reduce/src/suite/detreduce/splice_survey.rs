//! A survey of spliced traces, as DetReduce's authors made one: how many are replayable by their number of fragments (Table 4),
//! and of how many fragments random paths consist (Table 5).

use std::collections::{BTreeMap, HashMap};

use rand::RngExt;
use rand::seq::IteratorRandom;
use retap_device::seed::{Rng, Seed};

use super::phase_one;
use crate::suite::error::SuiteStop;
use crate::suite::plan::SuitePlan;
use crate::suite::replay_dispatcher::ReplayDispatcher;
use crate::suite::replay_path::{ReplayPath, states};
use crate::suite::replay_tree::PathStatus;

/// Maximum number of partial paths that the breadth-first search keeps per level, chosen at random. The number of all paths grows
/// exponentially.
const MAX_PARTIAL_PATHS: usize = 20_000;

/// Settings of a survey. The defaults are the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpliceSurveySettings {
    /// Maximum number of fragments.
    pub fragments: u32,
    /// Number of traces per number of fragments that are replayed.
    pub samples: usize,
    /// Maximum number of transitions of a trace.
    pub transitions: usize,
    /// Number of random paths whose fragments are counted.
    pub random_paths: u32,
    /// Seed of the random choices.
    pub seed: Seed,
}

/// Results of a survey.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpliceSurvey {
    /// Replayable traces and sampled traces, by number of fragments from 1 on.
    pub replayable: Vec<(u32, u32)>,
    /// Number of random paths by their number of fragments.
    pub random_paths: BTreeMap<u32, u32>,
}

impl SpliceSurveySettings {
    /// The paper's numbers.
    pub fn new(seed: Seed) -> SpliceSurveySettings {
        SpliceSurveySettings {
            fragments: 10,
            samples: 200,
            transitions: 20,
            random_paths: 1_000,
            seed,
        }
    }
}

/// Surveys the splices of the suite of `dispatcher` after phase 1.
pub(in crate::suite) async fn survey(
    dispatcher: &mut ReplayDispatcher<'_>,
    settings: &SpliceSurveySettings,
) -> Result<SpliceSurvey, SuiteStop> {
    let mut plan = SuitePlan::default();
    phase_one(dispatcher, &mut plan).await?;
    let Some(start) = dispatcher.replay_tree.start() else {
        return Ok(SpliceSurvey::default());
    };
    let system = TransitionSystem::new(&plan.paths, start);
    let mut replayable = Vec::new();
    for fragments in 1..=settings.fragments {
        let mut rng = settings.seed.derive("splices", u64::from(fragments)).rng();
        let samples = system.sample(fragments, settings, &mut rng);
        dispatcher.prove(&samples).await?;
        let is_proven = |path: &&ReplayPath| {
            let status = dispatcher.replay_tree.status(path);
            status == PathStatus::Proven
        };
        let proven = samples.iter().filter(is_proven).count();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        replayable.push((count(proven), count(samples.len())));
    }
    let mut rng = settings.seed.derive("random paths", 0).rng();
    let mut random_paths = BTreeMap::new();
    for _ in 0..settings.random_paths {
        let fragments = system.random_fragments(settings.transitions, &mut rng);
        *random_paths.entry(fragments).or_default() += 1;
    }
    Ok(SpliceSurvey {
        replayable,
        random_paths,
    })
}

/// A transition: index of the trace, and position in it.
type Position = (usize, usize);

/// The paper's labelled transition system of a suite.
struct TransitionSystem<'a> {
    paths: &'a [ReplayPath],
    start: u32,
    /// Transitions by the state that they leave.
    outgoing: HashMap<u32, Vec<Position>>,
}

/// Path that may get longer, with its number of fragments.
#[derive(Clone)]
struct SplicedPrefix {
    positions: Vec<Position>,
    fragments: u32,
}

impl TransitionSystem<'_> {
    fn new(paths: &[ReplayPath], start: u32) -> TransitionSystem<'_> {
        let mut outgoing: HashMap<u32, Vec<Position>> = HashMap::new();
        for (number, path) in paths.iter().enumerate() {
            for (index, state) in states(path, start).into_iter().take(path.len()).enumerate() {
                outgoing.entry(state).or_default().push((number, index));
            }
        }
        TransitionSystem {
            paths,
            start,
            outgoing,
        }
    }

    /// Random paths of exactly this number of fragments, found breadth first.
    fn sample(
        &self,
        fragments: u32,
        settings: &SpliceSurveySettings,
        rng: &mut Rng,
    ) -> Vec<ReplayPath> {
        let mut level = vec![SplicedPrefix {
            positions: Vec::new(),
            fragments: 0,
        }];
        let mut complete: Vec<Vec<Position>> = Vec::new();
        for _ in 0..settings.transitions {
            let longer = level
                .iter()
                .flat_map(|prefix| self.longer(prefix))
                .filter(|prefix| prefix.fragments <= fragments);
            level = longer.sample(rng, MAX_PARTIAL_PATHS);
            let of_this_length = level.iter().filter(|prefix| prefix.fragments == fragments);
            complete.extend(of_this_length.map(|prefix| prefix.positions.clone()));
        }
        let transition = |&(number, index): &Position| self.paths[number][index].clone();
        complete
            .into_iter()
            .sample(rng, settings.samples)
            .iter()
            .map(|positions| positions.iter().map(transition).collect())
            .collect()
    }

    /// A path with each transition that can follow it.
    fn longer(&self, prefix: &SplicedPrefix) -> impl Iterator<Item = SplicedPrefix> {
        let last = prefix.positions.last().copied();
        self.following(last).iter().map(move |&position| {
            let mut positions = prefix.positions.clone();
            positions.push(position);
            SplicedPrefix {
                positions,
                fragments: prefix.fragments + u32::from(begins_fragment(last, position)),
            }
        })
    }

    fn following(&self, last: Option<Position>) -> &[Position] {
        let state = last.map_or(self.start, |(number, index)| self.paths[number][index].to);
        self.outgoing.get(&state).map_or(&[], Vec::as_slice)
    }

    /// Number of fragments of one random path.
    fn random_fragments(&self, transitions: usize, rng: &mut Rng) -> u32 {
        let mut last = None;
        let mut fragments = 0;
        for _ in 0..transitions {
            let following = self.following(last);
            if following.is_empty() {
                break;
            }
            let position = following[rng.random_range(0..following.len())];
            fragments += u32::from(begins_fragment(last, position));
            last = Some(position);
        }
        fragments
    }
}

/// True if a transition does not continue the trace of the one before.
fn begins_fragment(last: Option<Position>, position: Position) -> bool {
    last.is_none_or(|(number, index)| position != (number, index + 1))
}
