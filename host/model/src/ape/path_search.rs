//! Ways through the model, over transitions that can be relied on: to the nearest state that has what one looks for, and to
//! the one where most is to be had for the steps that it takes.

use super::{ApeModel, ModelActionId, ModelState, StateId};

/// What to do in which state, one after the other.
pub type TransitionPath = Vec<(StateId, ModelActionId)>;

/// A state that can be reached, in so many steps: the place of the one before it, and what leads from that one to it.
struct SearchNode {
    state: StateId,
    before: Option<(u32, ModelActionId)>,
    steps: u32,
}

impl ApeModel {
    /// The actions that lead from here to the nearest state that pleases, which may be this one. At most so many states are
    /// looked at.
    pub fn nearest(
        &self,
        from: StateId,
        most: usize,
        mut pleases: impl FnMut(StateId, &ModelState) -> bool,
    ) -> Option<TransitionPath> {
        let mut found = None;
        let reached = self.spread(from, most, |place, link| {
            found = pleases(link.state, self.state(link.state)).then_some(place);
            found.is_some()
        });
        Some(path_to(&reached, found?))
    }

    /// The way to where a step gives most, the steps to get there counted, and how much that is. `away` so many steps are to be
    /// done before the first. Nothing if nothing is to be had anywhere.
    pub fn best(
        &self,
        from: StateId,
        most: usize,
        away: f64,
        mut gives: impl FnMut(StateId, &ModelState) -> f64,
    ) -> Option<(f64, TransitionPath)> {
        let mut best = 0.0;
        let mut found = None;
        let reached = self.spread(from, most, |place, link| {
            let a_step =
                gives(link.state, self.state(link.state)) / (away + f64::from(link.steps) + 1.0);
            if a_step > best {
                (best, found) = (a_step, Some(place));
            }
            false
        });
        Some((best, path_to(&reached, found?)))
    }

    /// Looks at the states that can be reached, the nearest first, until one is enough. Detached states are not counted on.
    fn spread(
        &self,
        from: StateId,
        most: usize,
        mut is_enough: impl FnMut(usize, &SearchNode) -> bool,
    ) -> Vec<SearchNode> {
        let mut met = vec![0_u64; self.states.len() / 64 + 1];
        let mut meet = |state: StateId| {
            let word = state.0 as usize / 64;
            let bit = 1 << (state.0 % 64);
            let is_new = met[word] & bit == 0;
            met[word] |= bit;
            is_new
        };
        meet(from);
        let mut queue = vec![SearchNode {
            state: from,
            before: None,
            steps: 0,
        }];
        let mut next = 0;
        while let Some(link) = queue.get(next) {
            if is_enough(next, link) {
                break;
            }
            let state = link.state;
            let steps = link.steps + 1;
            let place = u32::try_from(next).unwrap_or(u32::MAX);
            next += 1;
            if queue.len() > most {
                continue;
            }
            for action in &self.state(state).actions {
                if let Some(to) = action.reliable()
                    && self.is_alive(to)
                    && !self.state(to).detached
                    && meet(to)
                {
                    queue.push(SearchNode {
                        state: to,
                        before: Some((place, action.id)),
                        steps,
                    });
                }
            }
        }
        queue
    }
}

fn path_to(reached: &[SearchNode], end: usize) -> TransitionPath {
    let mut way = Vec::new();
    let mut at = end;
    while let Some((before, action)) = reached[at].before {
        at = before as usize;
        way.push((reached[at].state, action));
    }
    way.reverse();
    way
}
