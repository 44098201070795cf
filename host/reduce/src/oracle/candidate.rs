//! A part of a trace that might be enough, and its name in caches and journals. Candidates of one trace share its
//! steps, so that making one costs no more than the list of what it keeps.
//! It may be asked to lead to a place only, instead of to the trace's target.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::screen::ScreenHash;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Equal for equal steps, whatever trace they came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CandidateKey(pub u64);

#[derive(Clone, Debug)]
pub struct Candidate {
    trace: Arc<HashedSteps>,
    /// Which steps of the trace it keeps, ascending.
    kept: Arc<[u32]>,
    /// Steps that stand in the place of the trace's, each with its hash.
    replaced: Option<Arc<BTreeMap<u32, (Step, u64)>>>,
    local_target: Option<AppState>,
    key: CandidateKey,
}

/// What is in front after the last step, without a problem on the way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AppState {
    Activity(Text),
    Screen(ScreenHash),
}

#[derive(Debug)]
struct HashedSteps {
    steps: Arc<[Step]>,
    hashes: Vec<u64>,
}

impl Candidate {
    pub fn key(&self) -> CandidateKey {
        self.key
    }

    pub fn len(&self) -> usize {
        self.kept.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Which steps of the trace it was made from are in it, ascending.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// Where it is to lead; to the trace's target if none is said.
    pub fn local_target(&self) -> Option<&AppState> {
        self.local_target.as_ref()
    }

    /// The same steps, asked whether they lead to that place.
    pub(crate) fn with_local_target(&self, place: AppState) -> Candidate {
        let mut hasher = Xxh3::new();
        (self.key.0, &place).hash(&mut hasher);
        Candidate {
            key: CandidateKey(hasher.finish()),
            local_target: Some(place),
            ..self.clone()
        }
    }

    pub fn steps(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.kept.iter().map(|step| match self.replaced(*step) {
            Some((replaced, _)) => replaced,
            None => &self.trace.steps[*step as usize],
        })
    }

    fn replaced(&self, step: u32) -> Option<&(Step, u64)> {
        self.replaced.as_ref()?.get(&step)
    }

    /// A name for each step, equal for equal steps.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.kept.iter().map(|step| match self.replaced(*step) {
            Some((_, hash)) => *hash,
            None => self.trace.hashes[*step as usize],
        })
    }

    pub fn to_steps(&self) -> Vec<Step> {
        self.steps().cloned().collect()
    }

    /// The same with other steps in the place of those it keeps, one for each.
    pub(crate) fn with_replaced_steps(&self, steps: Vec<Step>) -> Candidate {
        let mut replaced = self.replaced.as_deref().cloned().unwrap_or_default();
        let hashed = steps
            .into_iter()
            .map(|step| (step_hash(&step, &mut StepHasher::default()), step));
        replaced.extend(
            self.kept
                .iter()
                .zip(hashed)
                .map(|(&place, (hash, step))| (place, (step, hash))),
        );
        Candidate {
            replaced: Some(Arc::new(replaced)),
            ..self.clone()
        }
        .with_key()
    }

    /// Only these steps, counted within this candidate.
    pub fn only(&self, steps: Range<usize>) -> Candidate {
        self.keeping(&self.kept[steps])
    }

    /// All but these steps, counted within this candidate.
    pub fn without(&self, steps: Range<usize>) -> Candidate {
        self.keeping([&self.kept[..steps.start], &self.kept[steps.end..]].concat())
    }

    /// These steps, counted in the whole trace, ascending.
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

    /// With the key that its steps give it.
    fn with_key(mut self) -> Candidate {
        let mut bytes = Vec::with_capacity(8 * self.kept.len());
        self.hashes()
            .for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
        self.key = CandidateKey(xxh3_64(&bytes));
        self
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

/// What a step is made of, in one piece: for something so small, a hasher that takes it in pieces is mostly set-up.
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
        let whole = waits(&[1, 2, 3, 2, 1]);
        assert_eq!(whole.without(1..3).key(), waits(&[1, 2, 1]).key());
        assert_eq!(whole.only(0..2).key(), waits(&[1, 2]).key());
        assert_ne!(whole.key(), waits(&[1, 2, 3, 1, 2]).key());
        assert_ne!(whole.only(0..0).key(), whole.only(0..1).key());
    }

    #[test]
    fn what_stands_in_for_a_step_stays_there_however_it_is_cut() {
        let waits_of = |millis: &[u32]| waits(millis).to_steps();
        let other = waits(&[0, 1, 2, 3, 4])
            .without(1..2)
            .with_replaced_steps(waits_of(&[0, 20, 3, 40]));
        assert_eq!(
            (other.kept(), other.to_steps()),
            (&[0, 2, 3, 4][..], waits_of(&[0, 20, 3, 40]))
        );
        assert_eq!(other.key(), waits(&[0, 20, 3, 40]).key());
        let cut = other
            .without(0..1)
            .with_replaced_steps(waits_of(&[21, 3, 40]))
            .only(0..2);
        assert_eq!(
            (cut.kept(), cut.key()),
            (&[2, 3][..], waits(&[21, 3]).key())
        );
    }

    #[test]
    fn what_is_kept_is_counted_in_the_whole_trace_however_often_it_was_cut() {
        let cut = waits(&[0, 1, 2, 3, 4, 5])
            .without(1..3)
            .only(1..4)
            .without(1..2);
        assert_eq!(cut.kept(), [3, 5]);
        assert_eq!(cut.to_steps(), waits(&[3, 5]).to_steps());
    }
}
