//! The shortest path through a recorded trace: the fewest of its events, in their order, that lead from its first state to
//! its last event, by the states that were recorded.

use std::collections::HashMap;
use std::hash::Hash;

/// Numbers the states of a trace in the order of their first occurrence.
pub fn numbered<S: Eq + Hash>(states: impl IntoIterator<Item = S>) -> Vec<u32> {
    let mut known = HashMap::new();
    let mut numbers = Vec::new();
    for state in states {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        numbers.push(*known.entry(state).or_insert(next));
    }
    numbers
}

/// Indices of the events on the shortest path.
///
/// `states` holds the state in which each event was recorded; an event leads to the state of the next one. The path plays
/// every event of `required` (ascending) in its own state, and ends with the last event. Of equally short paths it is the one
/// that leaves each state last: it leaves most room for other events that may turn out to be needed.
pub fn shortest(states: &[u32], required: &[u32]) -> Vec<u32> {
    let Some(last) = states.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut links: Vec<PathLink> = Vec::new();
    // Length and last link of the shortest known path to each state.
    let mut reached = HashMap::from([(states[0], (0_usize, None))]);
    let mut required = required.iter().peekable();
    for event in 0..last {
        let from = states[event];
        let to = states[event + 1];
        let is_required = required
            .next_if(|required| **required as usize == event)
            .is_some();
        let Some(&(length, before)) = reached.get(&from).filter(|_| is_required || from != to)
        else {
            continue;
        };
        let is_longer = reached.get(&to).is_some_and(|(known, _)| *known <= length);
        if is_required {
            reached.clear();
        } else if is_longer {
            continue;
        }
        links.push(PathLink {
            event: event as u32,
            before,
        });
        reached.insert(to, (length + 1, Some(links.len() - 1)));
    }
    let mut path = vec![last as u32];
    let mut link = reached.get(&states[last]).and_then(|(_, link)| *link);
    while let Some(at) = link {
        path.push(links[at].event);
        link = links[at].before;
    }
    path.reverse();
    path
}

/// One event of a path, and the index of the link before it.
struct PathLink {
    event: u32,
    before: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(states: &str, required: &[u32]) -> Vec<u32> {
        shortest(&numbered(states.chars()), required)
    }

    #[test]
    fn loops_and_events_that_change_no_state_are_left_out() {
        assert_eq!(path("aabbaccd", &[]), [4, 6, 7]);
        assert_eq!(path("abcabd", &[]), [3, 4, 5]);
        assert_eq!(path("aaa", &[]), [2]);
        assert_eq!(path("a", &[]), [0]);
        assert!(path("", &[]).is_empty());
    }

    #[test]
    fn required_events_are_played_in_the_state_they_were_recorded_in() {
        assert_eq!(path("aabbaccd", &[0]), [0, 4, 6, 7]);
        assert_eq!(path("aabbaccd", &[2]), [1, 2, 3, 4, 6, 7]);
        assert_eq!(path("abcabd", &[1, 4]), [0, 1, 2, 3, 4, 5]);
        let all: Vec<u32> = (0..7).collect();
        assert_eq!(path("aabbaccd", &all), (0..8).collect::<Vec<_>>());
    }
}
