//! Demands for replays of an original trace or of a path, with the script and the key of the next replay.

use retap_shared::trace::Trace;
use xxhash_rust::xxh3::xxh3_64;

use super::replay_path::{ReplayPath, ReplayTransition};
use super::replay_tree::ReplayTree;
use super::replayer::{ReplayStep, SuiteStepOrigin};
use super::scripted_steps::{ORIGINAL_KEY_PREFIX, ScriptedSteps};

/// Demand for a number of replays.
#[derive(Clone)]
pub(super) enum ReplayDemand {
    /// Replays of an original trace, as far as it can be replayed.
    Original {
        trace: u32,
        replays: u32,
    },
    Path {
        path: ReplayPath,
        replays: u32,
    },
}

/// Passes on what will probably be demanded next, the likeliest first, as long as the callback returns true.
pub(super) type SpeculationSource<'l> =
    dyn Fn(&ReplayTree, &mut dyn FnMut(ReplayDemand) -> bool) + 'l;

/// A step, and the state it must lead to if there is one.
type ExpectedStep = (SuiteStepOrigin, Option<u64>);

impl ReplayDemand {
    /// Demand for one replay of a path.
    pub(super) fn once(path: &ReplayPath) -> ReplayDemand {
        ReplayDemand::Path {
            path: path.clone(),
            replays: 1,
        }
    }

    /// Script of the next replay.
    pub(super) fn script(&self, originals: &[Trace], tree: &ReplayTree) -> ScriptedSteps {
        let steps = self.expected_steps(originals, tree);
        let scripted = |&(origin, expected): &ExpectedStep| {
            let step = tree.symbols.step(originals, origin).clone();
            (ReplayStep { origin, step }, expected)
        };
        ScriptedSteps {
            key: self.key_of(&steps, tree),
            start: tree.start().map(|start| tree.symbols.state(start)),
            steps: steps.iter().map(scripted).collect(),
        }
    }

    /// Key of the next replay.
    pub(super) fn key(&self, originals: &[Trace], tree: &ReplayTree) -> u64 {
        self.key_of(&self.expected_steps(originals, tree), tree)
    }

    fn expected_steps(&self, originals: &[Trace], tree: &ReplayTree) -> Vec<ExpectedStep> {
        let state_after = |transition: &ReplayTransition| tree.symbols.state(transition.to);
        match self {
            ReplayDemand::Path { path, .. } => path
                .iter()
                .map(|transition| (transition.origin, Some(state_after(transition))))
                .collect(),
            ReplayDemand::Original { trace, .. } => {
                let (prefix, end) = tree.replayable_prefix(*trace);
                let length = if end.settled {
                    prefix.len()
                } else {
                    originals[*trace as usize].steps.len()
                };
                (0..)
                    .zip(0..length)
                    .map(|(step, index)| {
                        let origin = SuiteStepOrigin::new(*trace, step);
                        (origin, prefix.get(index).map(state_after))
                    })
                    .collect()
            }
        }
    }

    fn key_of(&self, steps: &[ExpectedStep], tree: &ReplayTree) -> u64 {
        let is_path = matches!(self, ReplayDemand::Path { .. });
        let mut hashed = if is_path {
            Vec::new()
        } else {
            ORIGINAL_KEY_PREFIX.to_vec()
        };
        for (origin, expected) in steps {
            let action = tree.symbols.action(*origin);
            hashed.extend(tree.symbols.action_hash(action).to_le_bytes());
            if is_path {
                hashed.extend(expected.unwrap_or_default().to_le_bytes());
            }
        }
        xxh3_64(&hashed)
    }
}
