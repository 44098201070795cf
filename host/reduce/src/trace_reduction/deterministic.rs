//! Retap's own for targets that always come. First the shortest way there by what was recorded: if that is enough, the whole
//! trace need not be played once. If not, what else has to be played on the way is found by probabilities.

mod sweep;

use retap_model::{numbered, shortest};
use sweep::sweep;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::probdd::ProbabilisticDeletion;
use crate::oracle::Candidate;

pub(super) struct DeterministicReducer {
    whole: Candidate,
    /// What counts as the same state on the way, coarse to fine; nothing if the trace does not tell where its steps were
    /// recorded.
    states: Vec<Vec<u32>>,
}

impl DeterministicReducer {
    pub(super) fn of(whole: &Candidate) -> DeterministicReducer {
        let mut states = Vec::new();
        if whole
            .steps()
            .any(|step| !step.activity.is_empty() || step.screen.is_some())
        {
            states.push(numbered(whole.steps().map(|step| &step.activity)));
            states.push(numbered(
                whole.steps().map(|step| (&step.activity, step.screen)),
            ));
            states.dedup();
        }
        DeterministicReducer {
            whole: whole.clone(),
            states,
        }
    }

    /// The first of the shortest ways that is enough. It proves the whole trace as well.
    pub(super) async fn try_shortest_path(
        &self,
        judge: &mut CandidateEvaluator<'_>,
        best: &mut Candidate,
    ) -> Result<bool, ReductionStop> {
        let way = |number: usize| self.whole.keeping(shortest(&self.states[number], &[]));
        let found = judge.first_passing(self.states.len(), way).await?;
        Ok(found.map(|(_, way)| *best = way).is_some())
    }

    /// Reduces `best`, which is known to pass: the shortcut, or the whole trace if there is none. When it ends, no single
    /// step can go.
    pub(super) async fn reduce(
        &self,
        judge: &mut CandidateEvaluator<'_>,
        best: &mut Candidate,
    ) -> Result<(), ReductionStop> {
        if !self.states.is_empty() && best.len() == self.whole.len() {
            *best = self.shortest_path_with_needed(judge).await?;
        }
        let items = best.kept().to_vec();
        let kept = ProbabilisticDeletion::new(items)
            .run(judge, |kept| self.whole.keeping(kept))
            .await?;
        *best = self.whole.keeping(kept);
        sweep(judge, best).await
    }

    /// The shortest way with what has to be played beside what leads from one state to the next.
    async fn shortest_path_with_needed(
        &self,
        judge: &mut CandidateEvaluator<'_>,
    ) -> Result<Candidate, ReductionStop> {
        let guesses: Vec<(&[u32], Vec<u32>)> = self
            .states
            .iter()
            .flat_map(|states| {
                [
                    (&states[..], events_along_path(states)),
                    (states, events_in_path_states(states)),
                ]
            })
            .collect();
        let through = |states: &[u32], events: &[u32]| self.whole.keeping(shortest(states, events));
        let guess = |number: usize| through(guesses[number].0, &guesses[number].1);
        let (states, items) = match judge.first_passing(guesses.len(), guess).await? {
            Some((number, _)) => guesses[number].clone(),
            None => (
                guesses[guesses.len() - 1].0,
                (0..self.whole.len() as u32 - 1).collect(),
            ),
        };
        let needed = ProbabilisticDeletion::new(items)
            .run(judge, |kept| through(states, &kept))
            .await?;
        Ok(through(states, &needed))
    }
}

/// Events that change no state and can be played along the shortest way.
fn events_along_path(states: &[u32]) -> Vec<u32> {
    let mut way = shortest(states, &[]).into_iter().peekable();
    let mut front = states[0];
    let mut beside = Vec::new();
    for event in 0..states.len() - 1 {
        if way.next_if(|next| *next as usize == event).is_some() {
            front = states[event + 1];
        } else if states[event] == front && states[event + 1] == front {
            beside.push(event as u32);
        }
    }
    beside
}

/// Events that change no state, in any state that the shortest way passes.
fn events_in_path_states(states: &[u32]) -> Vec<u32> {
    let way = shortest(states, &[]);
    let passed = |state: u32| way.iter().any(|&event| states[event as usize] == state);
    let stays = |event: &usize| states[*event] == states[*event + 1] && passed(states[*event]);
    (0..states.len() - 1)
        .filter(stays)
        .map(|event| event as u32)
        .collect()
}
