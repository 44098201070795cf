//! Candidates: parts of a trace, with a key for caches and journals. Candidates of one trace share its steps, so that each only
//! costs its list of kept steps. A candidate may have a local target instead of the trace's target.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::screen::ScreenHash;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Key of a candidate, equal for equal steps of whatever trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CandidateKey(pub u64);

/// A part of a trace that might be enough.
#[derive(Clone, Debug)]
pub struct Candidate {
    trace: Arc<HashedSteps>,
    /// Indices of the kept steps, ascending.
    kept: Arc<[u32]>,
    /// Steps in place of the trace's, each with its hash.
    replaced: Option<Arc<BTreeMap<u32, (Step, u64)>>>,
    local_target: Option<AppState>,
    key: CandidateKey,
}

/// State of the app after the last step, without a finding before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AppState {
    /// Activity in front.
    Activity(Text),
    /// Complete screen.
    Screen(ScreenHash),
}

#[derive(Debug)]
struct HashedSteps {
    steps: Arc<[Step]>,
    hashes: Vec<u64>,
}

impl Candidate {
    /// Key of the kept steps and the local target.
    pub fn key(&self) -> CandidateKey {
        self.key
    }

    /// Number of kept steps.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// True if no step is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Indices of the kept steps in the trace, ascending.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// State that it must reach instead of the trace's target.
    pub fn local_target(&self) -> Option<&AppState> {
        self.local_target.as_ref()
    }

    /// Same steps with a local target.
    pub(crate) fn with_local_target(&self, state: AppState) -> Candidate {
        let mut hasher = Xxh3::new();
        (self.key.0, &state).hash(&mut hasher);
        Candidate {
            key: CandidateKey(hasher.finish()),
            local_target: Some(state),
            ..self.clone()
        }
    }

    /// Kept steps in order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.kept.iter().map(|step| match self.replaced(*step) {
            Some((replaced, _)) => replaced,
            None => &self.trace.steps[*step as usize],
        })
    }

    fn replaced(&self, step: u32) -> Option<&(Step, u64)> {
        self.replaced.as_ref()?.get(&step)
    }

    /// Hash of each step, equal for equal steps.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.kept.iter().map(|step| match self.replaced(*step) {
            Some((_, hash)) => *hash,
            None => self.trace.hashes[*step as usize],
        })
    }

    /// Copy of the kept steps. Where steps were removed, only the longest of the recorded pauses is left between their
    /// neighbours: a pause in which the app loaded something stays, and a removal makes a replay shorter.
    pub fn to_steps(&self) -> Vec<Step> {
        let mut next = 0;
        let mut at_millis = 0;
        let timed = self.kept.iter().zip(self.steps()).map(|(&index, step)| {
            let pauses = (next..=index).map(|index| self.trace.pause_before(index));
            let longest = pauses.max().flatten();
            next = index + 1;
            Step {
                at_millis: step.at_millis.and(longest).map(|pause| {
                    at_millis += pause;
                    at_millis
                }),
                ..step.clone()
            }
        });
        timed.collect()
    }

    /// Replaces all kept steps, one for one.
    pub(crate) fn with_replaced_steps(&self, steps: Vec<Step>) -> Candidate {
        let mut replaced = self.replaced.as_deref().cloned().unwrap_or_default();
        let hashed = steps
            .into_iter()
            .map(|step| (step_hash(&step, &mut StepHasher::default()), step));
        replaced.extend(
            self.kept
                .iter()
                .zip(hashed)
                .map(|(&index, (hash, step))| (index, (step, hash))),
        );
        Candidate {
            replaced: Some(Arc::new(replaced)),
            ..self.clone()
        }
        .with_key()
    }

    /// Keeps only these steps, counted within this candidate.
    pub fn only(&self, steps: Range<usize>) -> Candidate {
        self.keeping(&self.kept[steps])
    }

    /// Removes these steps, counted within this candidate.
    pub fn without(&self, steps: Range<usize>) -> Candidate {
        self.keeping([&self.kept[..steps.start], &self.kept[steps.end..]].concat())
    }

    /// Keeps these steps, as ascending indices in the trace.
    pub(crate) fn keeping(&self, kept: impl Into<Arc<[u32]>>) -> Candidate {
        let trace = Arc::clone(&self.trace);
        let replaced = self.replaced.clone();
        Candidate {
            trace,
            kept: kept.into(),
            replaced,
            local_target: None,
            key: self.key,
        }
        .with_key()
    }

    /// Sets the key from the steps, each with its recorded time if it has one. At recorded pace the time is part of the step:
    /// equal taps with other pauses before them are other candidates. Two candidates that `to_steps` gives the same times count
    /// apart, which costs a run at most; two that differ never share an answer. At quiet pace traces have no times.
    fn with_key(mut self) -> Candidate {
        let mut bytes = Vec::with_capacity(8 * self.kept.len());
        self.hashes()
            .for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
        self.key = CandidateKey(xxh3_64(&bytes));
        self
    }
}

impl HashedSteps {
    /// Recorded milliseconds between a step and the one before it, or the start.
    fn pause_before(&self, index: u32) -> Option<u32> {
        let index = index as usize;
        let before = match index.checked_sub(1) {
            Some(before) => self.steps[before].at_millis?,
            None => 0,
        };
        Some(self.steps[index].at_millis?.saturating_sub(before))
    }
}

impl From<Arc<[Step]>> for Candidate {
    fn from(steps: Arc<[Step]>) -> Candidate {
        let mut bytes = StepHasher::default();
        let hashes: Vec<u64> = steps
            .iter()
            .map(|step| step_hash(step, &mut bytes))
            .collect();
        let kept: Arc<[u32]> = (0..u32::try_from(steps.len()).unwrap_or(u32::MAX)).collect();
        let trace = Arc::new(HashedSteps { steps, hashes });
        Candidate {
            trace,
            kept,
            replaced: None,
            local_target: None,
            key: CandidateKey(0),
        }
        .with_key()
    }
}

impl From<Vec<Step>> for Candidate {
    fn from(steps: Vec<Step>) -> Candidate {
        Candidate::from(Arc::<[Step]>::from(steps))
    }
}

fn step_hash(step: &Step, bytes: &mut StepHasher) -> u64 {
    bytes.0.clear();
    step.hash(bytes);
    bytes.finish()
}

/// Collects the bytes of a step and hashes them at once: for so few bytes a streaming hasher is mostly set-up.
#[derive(Default)]
struct StepHasher(Vec<u8>);

impl Hasher for StepHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        xxh3_64(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    fn waits(millis: &[u32]) -> Candidate {
        millis
            .iter()
            .map(|&millis| Step::new(Action::Wait { millis }))
            .collect::<Vec<_>>()
            .into()
    }

    #[test]
    fn equal_steps_have_the_same_key_wherever_they_come_from() {
        let original = waits(&[1, 2, 3, 2, 1]);
        assert_eq!(original.without(1..3).key(), waits(&[1, 2, 1]).key());
        assert_eq!(original.only(0..2).key(), waits(&[1, 2]).key());
        assert_ne!(original.key(), waits(&[1, 2, 3, 1, 2]).key());
        assert_ne!(original.only(0..0).key(), original.only(0..1).key());
    }

    #[test]
    fn replaced_steps_stay_in_candidates_made_of_a_candidate() {
        let wait_steps = |millis: &[u32]| waits(millis).to_steps();
        let replaced = waits(&[0, 1, 2, 3, 4])
            .without(1..2)
            .with_replaced_steps(wait_steps(&[0, 20, 3, 40]));
        assert_eq!(
            (replaced.kept(), replaced.to_steps()),
            (&[0, 2, 3, 4][..], wait_steps(&[0, 20, 3, 40]))
        );
        assert_eq!(replaced.key(), waits(&[0, 20, 3, 40]).key());
        let smaller = replaced
            .without(0..1)
            .with_replaced_steps(wait_steps(&[21, 3, 40]))
            .only(0..2);
        assert_eq!(
            (smaller.kept(), smaller.key()),
            (&[2, 3][..], waits(&[21, 3]).key())
        );
    }

    #[test]
    fn the_longest_pause_between_two_kept_steps_stays() {
        let timed = |times: &[u32]| -> Vec<Step> {
            let step = |&at_millis: &u32| Step {
                at_millis: Some(at_millis),
                ..Step::new(Action::Launch)
            };
            times.iter().map(step).collect()
        };
        let times = |candidate: &Candidate| -> Vec<Option<u32>> {
            let steps = candidate.to_steps();
            steps.iter().map(|step| step.at_millis).collect()
        };
        let original = Candidate::from(timed(&[900, 1_000, 4_000, 4_100]));
        assert_eq!(original.to_steps(), timed(&[900, 1_000, 4_000, 4_100]));
        let without_middle = original.without(1..3);
        assert_eq!(times(&without_middle), [Some(900), Some(3_900)]);
        assert_eq!(times(&original.only(2..4)), [Some(3_000), Some(3_100)]);
        assert_ne!(original.only(0..2).key(), original.only(1..3).key());
    }

    #[test]
    fn kept_steps_are_indices_in_the_trace_after_several_reductions() {
        let candidate = waits(&[0, 1, 2, 3, 4, 5])
            .without(1..3)
            .only(1..4)
            .without(1..2);
        assert_eq!(candidate.kept(), [3, 5]);
        assert_eq!(candidate.to_steps(), waits(&[3, 5]).to_steps());
    }
}
