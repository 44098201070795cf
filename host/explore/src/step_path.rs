//! Step paths: the steps from a clean start to a moment. Paths with the same beginning share it, so that every snapshot and
//! every state of a model can have its own.

use std::fmt;
use std::sync::Arc;

use retap_shared::trace::Step;

/// The steps from a clean start to a moment.
#[derive(Clone, Default)]
pub struct StepPath {
    last: Option<Arc<StepLink>>,
}

struct StepLink {
    step: Step,
    length: usize,
    previous: StepPath,
}

impl StepPath {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |link| link.length)
    }

    /// True at a clean start.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The path with one more step.
    pub fn with_step(&self, step: Step) -> StepPath {
        StepPath {
            last: Some(Arc::new(StepLink {
                step,
                length: self.len() + 1,
                previous: self.clone(),
            })),
        }
    }

    /// All steps but the first `skipped`, in order.
    pub fn steps(&self, skipped: usize) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.len().saturating_sub(skipped));
        let mut path = self;
        while let Some(link) = path.last.as_ref().filter(|link| link.length > skipped) {
            steps.push(link.step.clone());
            path = &link.previous;
        }
        steps.reverse();
        steps
    }
}

impl Drop for StepPath {
    /// Drops one link after the other: recursion would overflow the stack on long paths.
    fn drop(&mut self) {
        let mut last = self.last.take();
        while let Some(mut link) = last.and_then(|link| Arc::try_unwrap(link).ok()) {
            last = link.previous.last.take();
        }
    }
}

impl fmt::Debug for StepPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "path of {} steps", self.len())
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    #[test]
    fn a_path_has_its_steps_in_order_and_shares_them_with_others() {
        let step = |millis| Step::new(Action::Wait { millis });
        let long = (0..200_000).fold(StepPath::default(), |path, millis| {
            path.with_step(step(millis))
        });
        let fork = long.with_step(step(7));
        assert_eq!((long.len(), fork.len()), (200_000, 200_001));
        assert_eq!(fork.steps(199_999), [step(199_999), step(7)]);
        assert_eq!(long.steps(0)[..2], [step(0), step(1)]);
    }
}
