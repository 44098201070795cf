//! A part of a trace that might be enough, and its name in caches and journals. Candidates of one trace share its
//! steps, so that making one costs no more than the list of what it keeps.
//! It may be asked to lead to a place only, instead of to the trace's target.

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
    trace: Arc<Hashed>,
    /// Which steps of the trace it keeps, ascending.
    kept: Arc<[u32]>,
    place: Option<Place>,
    key: CandidateKey,
}

/// What is in front after the last step, without a problem on the way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Activity(Text),
    Screen(ScreenHash),
}

#[derive(Debug)]
struct Hashed {
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
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// The same steps, asked whether they lead to that place.
    pub(crate) fn leading_to(&self, place: Place) -> Candidate {
        let mut hasher = Xxh3::new();
        (self.key.0, &place).hash(&mut hasher);
        Candidate { key: CandidateKey(hasher.finish()), place: Some(place), ..self.clone() }
    }

    pub fn steps(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.kept.iter().map(|&step| &self.trace.steps[step as usize])
    }

    /// A name for each step, equal for equal steps.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.kept.iter().map(|&step| self.trace.hashes[step as usize])
    }

    pub fn to_steps(&self) -> Vec<Step> {
        self.steps().cloned().collect()
    }

    /// The same with other steps in the place of those it keeps, one for each.
    pub(crate) fn replacing(&self, steps: Vec<Step>) -> Candidate {
        let mut trace = self.trace.steps.to_vec();
        for (&place, step) in self.kept.iter().zip(steps) {
            trace[place as usize] = step;
        }
        Candidate::from(trace).keeping(Arc::clone(&self.kept))
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
        let kept = kept.into();
        let key = key_of(&self.trace.hashes, &kept);
        Candidate { trace: Arc::clone(&self.trace), kept, place: None, key }
    }
}

impl From<Arc<[Step]>> for Candidate {
    fn from(steps: Arc<[Step]>) -> Candidate {
        let hashes: Vec<u64> = steps.iter().map(hash_of).collect();
        let kept: Arc<[u32]> = (0..u32::try_from(steps.len()).unwrap_or(u32::MAX)).collect();
        let key = key_of(&hashes, &kept);
        Candidate { trace: Arc::new(Hashed { steps, hashes }), kept, place: None, key }
    }
}

impl From<Vec<Step>> for Candidate {
    fn from(steps: Vec<Step>) -> Candidate {
        Candidate::from(Arc::<[Step]>::from(steps))
    }
}

fn hash_of(step: &Step) -> u64 {
    let mut hasher = Xxh3::new();
    step.hash(&mut hasher);
    hasher.finish()
}

fn key_of(hashes: &[u64], kept: &[u32]) -> CandidateKey {
    let bytes: Vec<u8> = kept.iter().flat_map(|&step| hashes[step as usize].to_le_bytes()).collect();
    CandidateKey(xxh3_64(&bytes))
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    fn waits(millis: &[u32]) -> Candidate {
        millis.iter().map(|&millis| Step::new(Action::Wait { millis })).collect::<Vec<_>>().into()
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
    fn what_is_kept_is_counted_in_the_whole_trace_however_often_it_was_cut() {
        let cut = waits(&[0, 1, 2, 3, 4, 5]).without(1..3).only(1..4).without(1..2);
        assert_eq!(cut.kept(), [3, 5]);
        assert_eq!(cut.to_steps(), waits(&[3, 5]).to_steps());
    }
}
