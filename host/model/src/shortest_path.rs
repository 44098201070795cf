//! The shortest way through a recorded trace: the fewest of its events, in their order, that by what was recorded lead from
//! its first state to its last event.

use std::collections::HashMap;
use std::hash::Hash;

/// States by number, in the order in which they are first met.
pub fn numbered<S: Eq + Hash>(states: impl IntoIterator<Item = S>) -> Vec<u32> {
    let mut known = HashMap::new();
    let mut numbers = Vec::new();
    for state in states {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        numbers.push(*known.entry(state).or_insert(next));
    }
    numbers
}

/// `states` has the state in which each event was recorded; what an event leads to is the state of the next one. The way
/// has every event of `through` (ascending) in its own state, and ends with the last event. Of ways that are equally
/// short, the one that leaves each state as late as it can: it has most room for what else may be needed.
pub fn shortest(states: &[u32], through: &[u32]) -> Vec<u32> {
    let Some(last) = states.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut links: Vec<PathLink> = Vec::new();
    // The shortest known way to each state: its length and its last link.
    let mut reached = HashMap::from([(states[0], (0_usize, None))]);
    let mut through = through.iter().peekable();
    for event in 0..last {
        let from = states[event];
        let to = states[event + 1];
        let needed = through
            .next_if(|needed| **needed as usize == event)
            .is_some();
        let Some(&(length, before)) = reached.get(&from).filter(|_| needed || from != to) else {
            continue;
        };
        let longer = reached.get(&to).is_some_and(|(known, _)| *known <= length);
        if needed {
            reached.clear();
        } else if longer {
            continue;
        }
        links.push(PathLink {
            event: event as u32,
            before,
        });
        reached.insert(to, (length + 1, Some(links.len() - 1)));
    }
    let mut way = vec![last as u32];
    let mut link = reached.get(&states[last]).and_then(|(_, link)| *link);
    while let Some(at) = link {
        way.push(links[at].event);
        link = links[at].before;
    }
    way.reverse();
    way
}

struct PathLink {
    event: u32,
    before: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(states: &str, through: &[u32]) -> Vec<u32> {
        shortest(&numbered(states.chars()), through)
    }

    #[test]
    fn loops_and_what_stays_where_it_is_are_left_out() {
        assert_eq!(way("aabbaccd", &[]), [4, 6, 7]);
        assert_eq!(way("abcabd", &[]), [3, 4, 5]);
        assert_eq!(way("aaa", &[]), [2]);
        assert_eq!(way("a", &[]), [0]);
        assert!(way("", &[]).is_empty());
    }

    #[test]
    fn what_is_needed_is_played_where_it_was_recorded() {
        assert_eq!(way("aabbaccd", &[0]), [0, 4, 6, 7]);
        assert_eq!(way("aabbaccd", &[2]), [1, 2, 3, 4, 6, 7]);
        assert_eq!(way("abcabd", &[1, 4]), [0, 1, 2, 3, 4, 5]);
        let all: Vec<u32> = (0..7).collect();
        assert_eq!(way("aabbaccd", &all), (0..8).collect::<Vec<_>>());
    }
}
