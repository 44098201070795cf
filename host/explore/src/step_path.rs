//! The steps from a clean start to a moment. Ways that begin alike share what they have in common, so that every saved
//! state and every state of a model can have its own.

use std::fmt;
use std::sync::Arc;

use retap_shared::trace::Step;

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
    pub fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |link| link.length)
    }

    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// One step further.
    pub fn with_step(&self, step: Step) -> StepPath {
        StepPath {
            last: Some(Arc::new(StepLink {
                step,
                length: self.len() + 1,
                previous: self.clone(),
            })),
        }
    }

    /// All steps but the first `skipped`, in their order.
    pub fn steps(&self, skipped: usize) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.len().saturating_sub(skipped));
        let mut way = self;
        while let Some(link) = way.last.as_ref().filter(|link| link.length > skipped) {
            steps.push(link.step.clone());
            way = &link.previous;
        }
        steps.reverse();
        steps
    }
}

impl Drop for StepPath {
    /// One link after the other: a way of a hundred thousand steps must not need as deep a stack.
    fn drop(&mut self) {
        let mut last = self.last.take();
        while let Some(mut link) = last.and_then(|link| Arc::try_unwrap(link).ok()) {
            last = link.previous.last.take();
        }
    }
}

impl fmt::Debug for StepPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Way of {} steps", self.len())
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    #[test]
    fn a_way_has_its_steps_in_order_and_shares_those_of_others() {
        let step = |millis| Step::new(Action::Wait { millis });
        let long = (0..200_000).fold(StepPath::default(), |way, millis| {
            way.with_step(step(millis))
        });
        let fork = long.with_step(step(7));
        assert_eq!((long.len(), fork.len()), (200_000, 200_001));
        assert_eq!(fork.steps(199_999), [step(199_999), step(7)]);
        assert_eq!(long.steps(0)[..2], [step(0), step(1)]);
    }
}
