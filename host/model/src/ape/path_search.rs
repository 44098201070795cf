//! Transition paths through the model, over reliable transitions: to the nearest state that fits, and to the state with the
//! highest gain per step.

use super::{ApeModel, ModelActionId, ModelState, StateId};

/// Sequence of states, each with the action to do in it.
pub type TransitionPath = Vec<(StateId, ModelActionId)>;

/// A state that the search has reached.
struct SearchNode {
    state: StateId,
    /// Index of the node before it, and the action that leads from there.
    before: Option<(u32, ModelActionId)>,
    /// Number of steps from the start.
    steps: u32,
}

impl ApeModel {
    /// Path to the nearest state that is a goal; empty if `from` is one. The search expands about `state_limit` states.
    pub fn nearest_path(
        &self,
        from: StateId,
        state_limit: usize,
        mut is_goal: impl FnMut(StateId, &ModelState) -> bool,
    ) -> Option<TransitionPath> {
        let mut goal = None;
        let reached = self.breadth_first(from, state_limit, |index, node| {
            goal = is_goal(node.state, self.state(node.state)).then_some(index);
            goal.is_some()
        });
        Some(path_to(&reached, goal?))
    }

    /// Highest gain per step, and the path to the state that has it. The steps of the path count, and `steps_before` in addition,
    /// the cost of getting to `from`. `None` if no state has any gain.
    pub fn best_path(
        &self,
        from: StateId,
        state_limit: usize,
        steps_before: f64,
        mut gain: impl FnMut(StateId, &ModelState) -> f64,
    ) -> Option<(f64, TransitionPath)> {
        let mut best_gain = 0.0;
        let mut best = None;
        let reached = self.breadth_first(from, state_limit, |index, node| {
            let steps = steps_before + f64::from(node.steps) + 1.0;
            let gain_per_step = gain(node.state, self.state(node.state)) / steps;
            if gain_per_step > best_gain {
                best_gain = gain_per_step;
                best = Some(index);
            }
            false
        });
        Some((best_gain, path_to(&reached, best?)))
    }

    /// Visits the reachable states, the nearest first, until `is_enough`. Detached states do not count as reachable.
    fn breadth_first(
        &self,
        from: StateId,
        state_limit: usize,
        mut is_enough: impl FnMut(usize, &SearchNode) -> bool,
    ) -> Vec<SearchNode> {
        let mut marks = vec![0_u64; self.states.len() / 64 + 1];
        let mut mark = |state: StateId| {
            let word = state.0 as usize / 64;
            let bit = 1 << (state.0 % 64);
            let is_new = marks[word] & bit == 0;
            marks[word] |= bit;
            is_new
        };
        mark(from);
        let mut queue = vec![SearchNode {
            state: from,
            before: None,
            steps: 0,
        }];
        let mut next = 0;
        while let Some(node) = queue.get(next) {
            if is_enough(next, node) {
                break;
            }
            let state = node.state;
            let steps = node.steps + 1;
            let index = u32::try_from(next).unwrap_or(u32::MAX);
            next += 1;
            if queue.len() > state_limit {
                continue;
            }
            for action in &self.state(state).actions {
                if let Some(to) = action.reliable_target()
                    && self.is_leaf(to)
                    && !self.state(to).detached
                    && mark(to)
                {
                    queue.push(SearchNode {
                        state: to,
                        before: Some((index, action.id)),
                        steps,
                    });
                }
            }
        }
        queue
    }
}

fn path_to(reached: &[SearchNode], end: usize) -> TransitionPath {
    let mut path = Vec::new();
    let mut current = end;
    while let Some((before, action)) = reached[current].before {
        current = before as usize;
        path.push((reached[current].state, action));
    }
    path.reverse();
    path
}
