//! Retap's own reduction for targets that are reached every time. It first tries the shortest path through the recorded states;
//! if that passes, the original need not be run at all. Otherwise group testing finds the other steps that are needed.

mod needed_search;
mod sweep;

use needed_search::{DensityBelief, NeededSearch};
use retap_model::{numbered, shortest};
use sweep::sweep;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// Events that a sweep over windows may play where no states are recorded, however short the original is.
const LOWEST_SWEEP_BUDGET: usize = 64;

/// The recorded states of a trace, and the reduction along them.
pub(super) struct DeterministicReducer {
    original: Candidate,
    /// State of each step under each abstraction, coarse to fine; empty if the trace has no recorded states.
    states: Vec<Vec<u32>>,
}

impl DeterministicReducer {
    pub(super) fn of(original: &Candidate) -> DeterministicReducer {
        let mut states = Vec::new();
        if original
            .steps()
            .any(|step| !step.activity.is_empty() || step.screen.is_some())
        {
            states.push(numbered(original.steps().map(|step| &step.activity)));
            states.push(numbered(
                original.steps().map(|step| (&step.activity, step.screen)),
            ));
            states.dedup();
        }
        DeterministicReducer {
            original: original.clone(),
            states,
        }
    }

    /// Replaces `best` by the first shortest path that passes. Then the original passes as well.
    pub(super) async fn try_shortest_path(
        &self,
        evaluator: &mut CandidateEvaluator<'_>,
        best: &mut Candidate,
    ) -> Result<bool, ReductionStop> {
        let path = |number: usize| self.original.keeping(shortest(&self.states[number], &[]));
        let passing = evaluator.first_passing(self.states.len(), path).await?;
        Ok(passing.map(|(_, path)| *best = path).is_some())
    }

    /// Reduces `best`, which is known to pass: a shortest path or the original. The result is 1-minimal.
    pub(super) async fn reduce(
        &self,
        evaluator: &mut CandidateEvaluator<'_>,
        best: &mut Candidate,
    ) -> Result<(), ReductionStop> {
        if !self.states.is_empty() && best.len() == self.original.len() {
            *best = self.shortest_path_with_needed(evaluator).await?;
        }
        let items = best.kept().to_vec();
        let density = if self.states.is_empty() {
            DensityBelief::unknown(items.len())
        } else {
            DensityBelief::mostly_needed(items.len())
        };
        let kept = NeededSearch::new(items, density)
            .run(evaluator, |kept| self.original.keeping(kept))
            .await?;
        *best = self.original.keeping(kept);
        // Steps in an app often go together, such as opening and closing a menu. Recorded states tell that the steps are such.
        let budget = if self.states.is_empty() {
            (self.original.len() / 2).max(LOWEST_SWEEP_BUDGET)
        } else {
            usize::MAX
        };
        sweep(evaluator, best, budget).await
    }

    /// Shortest path together with the needed steps that change no state.
    async fn shortest_path_with_needed(
        &self,
        evaluator: &mut CandidateEvaluator<'_>,
    ) -> Result<Candidate, ReductionStop> {
        let path_candidates: Vec<(&[u32], Vec<u32>)> = self
            .states
            .iter()
            .flat_map(|states| {
                [
                    (&states[..], events_along_path(states)),
                    (states, events_in_path_states(states)),
                ]
            })
            .collect();
        let path_with =
            |states: &[u32], events: &[u32]| self.original.keeping(shortest(states, events));
        let candidate =
            |number: usize| path_with(path_candidates[number].0, &path_candidates[number].1);
        let (states, items) = match evaluator
            .first_passing(path_candidates.len(), candidate)
            .await?
        {
            Some((number, _)) => path_candidates[number].clone(),
            None => (
                path_candidates[path_candidates.len() - 1].0,
                (0..self.original.len() as u32 - 1).collect(),
            ),
        };
        let density = DensityBelief::unknown(items.len());
        let needed = NeededSearch::new(items, density)
            .run(evaluator, |kept| path_with(states, &kept))
            .await?;
        Ok(path_with(states, &needed))
    }
}

/// Events that change no state and can be played along the shortest path.
fn events_along_path(states: &[u32]) -> Vec<u32> {
    let mut path = shortest(states, &[]).into_iter().peekable();
    let mut current = states[0];
    let mut events = Vec::new();
    for event in 0..states.len() - 1 {
        if path.next_if(|next| *next as usize == event).is_some() {
            current = states[event + 1];
        } else if states[event] == current && states[event + 1] == current {
            events.push(event as u32);
        }
    }
    events
}

/// Events that change no state, in all states on the shortest path.
fn events_in_path_states(states: &[u32]) -> Vec<u32> {
    let path = shortest(states, &[]);
    let is_on_path = |state: u32| path.iter().any(|&event| states[event as usize] == state);
    let stays = |event: &usize| states[*event] == states[*event + 1] && is_on_path(states[*event]);
    (0..states.len() - 1)
        .filter(stays)
        .map(|event| event as u32)
        .collect()
}
