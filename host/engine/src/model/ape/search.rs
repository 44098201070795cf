//! Ways through the model: to the nearest state that has what one looks for, over transitions that can be relied on.

use super::{ActionId, Model, State, StateId};

/// A state on the way, the place of the one before it, and what leads from that one to it.
type Link = (StateId, Option<(u32, ActionId)>);

impl Model {
    /// The actions that lead from here to the nearest state that pleases, which may be this one. Detached states are not
    /// counted on. At most so many states are looked at.
    pub fn nearest(
        &self,
        from: StateId,
        most: usize,
        mut pleases: impl FnMut(StateId, &State) -> bool,
    ) -> Option<Vec<(StateId, ActionId)>> {
        let mut met = vec![0_u64; self.states.len() / 64 + 1];
        let mut meet = |state: StateId| {
            let (word, bit) = (state.0 as usize / 64, 1 << (state.0 % 64));
            let is_new = met[word] & bit == 0;
            met[word] |= bit;
            is_new
        };
        meet(from);
        let mut queue: Vec<Link> = vec![(from, None)];
        let mut next = 0;
        while let Some(&(state, _)) = queue.get(next) {
            let here = self.state(state);
            if pleases(state, here) {
                return Some(way_back(&queue, next));
            }
            let place = u32::try_from(next).unwrap_or(u32::MAX);
            next += 1;
            if queue.len() > most {
                continue;
            }
            for action in &here.actions {
                if let Some(to) = action.reliable()
                    && self.is_alive(to)
                    && !self.state(to).detached
                    && meet(to)
                {
                    queue.push((to, Some((place, action.id))));
                }
            }
        }
        None
    }
}

fn way_back(queue: &[Link], end: usize) -> Vec<(StateId, ActionId)> {
    let mut way = Vec::new();
    let mut at = end;
    while let (_, Some((before, action))) = queue[at] {
        at = before as usize;
        way.push((queue[at].0, action));
    }
    way.reverse();
    way
}
