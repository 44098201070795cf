//! The last pass of a reduction: every single step is tried without, and windows of neighbouring steps that can only go together,
//! such as opening a menu and closing it again.

use super::super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

const MAX_WINDOW: usize = 8;

/// Sweep over the steps of a result.
pub(super) struct WindowSweep<'a> {
    /// Events that a pass over all wider windows may play.
    pub(super) budget: usize,
    /// Recorded screen of each step of the original, as a number. A window that returns to its screen is tried even if the
    /// budget is used up.
    pub(super) screens: Option<&'a [u32]>,
}

impl WindowSweep<'_> {
    /// Reduces `best` until no single step and no tried window can be removed. The result is 1-minimal.
    pub(super) async fn run(
        &self,
        evaluator: &mut CandidateEvaluator<'_>,
        best: &mut Candidate,
    ) -> Result<(), ReductionStop> {
        loop {
            let steps_before = best.len();
            let mut budget = self.budget;
            self.remove_windows(evaluator, best, 1, true).await?;
            for width in 2..=MAX_WINDOW {
                let left = best.len().saturating_sub(width);
                let cost = (left + 1) * left;
                let affordable = cost <= budget;
                // Wider windows are not tried instead of these: a pass ends with the first width that costs too much.
                budget = if affordable { budget - cost } else { 0 };
                self.remove_windows(evaluator, best, width, affordable)
                    .await?;
            }
            if best.len() == steps_before {
                return Ok(());
            }
        }
    }

    /// Removes all windows of a width that can be removed, or only those that return to their screen.
    async fn remove_windows(
        &self,
        evaluator: &mut CandidateEvaluator<'_>,
        best: &mut Candidate,
        width: usize,
        all: bool,
    ) -> Result<(), ReductionStop> {
        let mut from = 0;
        while from + width <= best.len() {
            let starts: Vec<usize> = (from..=best.len() - width)
                .filter(|start| all || self.returns(best, *start, width))
                .collect();
            let without = |number: usize| best.without(starts[number]..starts[number] + width);
            let Some((number, smaller)) = evaluator.first_passing(starts.len(), without).await?
            else {
                break;
            };
            *best = smaller;
            from = starts[number];
        }
        Ok(())
    }

    /// True if the step after a window was recorded in the same screen as the first step of the window.
    fn returns(&self, best: &Candidate, start: usize, width: usize) -> bool {
        let kept = best.kept();
        self.screens.is_some_and(|screens| {
            kept.get(start + width)
                .is_some_and(|&next| screens[next as usize] == screens[kept[start] as usize])
        })
    }
}
