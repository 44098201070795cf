//! TimeMachine's state graph, and which of its states is the most promising.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use retap_shared::trace::Step;

use super::TimeTravelParameters;

#[derive(Debug, Default)]
pub(super) struct StateGraph {
    states: HashMap<u64, GraphState>,
    visits: HashMap<u64, u32>,
    /// In the order in which they were found: equal fitness is decided by age.
    interesting: Vec<u64>,
    /// What a clean start led to the last time.
    root: Option<u64>,
}

#[derive(Debug, Default)]
struct GraphState {
    /// How many interesting states were found from it.
    interesting_found: u32,
    is_interesting: bool,
    /// How often a way to it led elsewhere since one led here.
    missed_arrivals: u32,
    /// Where events led, and one that did for each.
    successors: BTreeMap<u64, Step>,
}

impl StateGraph {
    /// Notes what an event led to; true if the state is interesting: new, with something that nobody had seen. What counts
    /// against a state is to come to it again: an event that changes nothing is no visit, and neither is a state that a way
    /// back only leads through, since nothing is tried there.
    pub(super) fn visit(
        &mut self,
        from: Option<(u64, &Step)>,
        state: u64,
        new: bool,
        leads_through: bool,
    ) -> bool {
        if !leads_through && from.is_none_or(|(from, _)| from != state) {
            *self.visits.entry(state).or_default() += 1;
        }
        let is_new = !self.states.contains_key(&state);
        if is_new {
            let is_interesting = new || self.interesting.is_empty();
            self.states.insert(
                state,
                GraphState {
                    is_interesting,
                    ..GraphState::default()
                },
            );
            if is_interesting {
                self.interesting.push(state);
            }
        }
        let interesting = is_new && self.states[&state].is_interesting;
        if let Some((from, step)) = from
            && let Some(known) = self.states.get_mut(&from)
        {
            known.interesting_found += u32::from(interesting);
            if from != state && !known.successors.contains_key(&state) {
                known.successors.insert(state, step.clone());
            }
        }
        interesting
    }

    /// Whether a way led where it should.
    pub(super) fn record_arrival(&mut self, goal: u64, arrived: bool) {
        if let Some(goal) = self.states.get_mut(&goal) {
            goal.missed_arrivals = if arrived { 0 } else { goal.missed_arrivals + 1 };
        }
    }

    pub(super) fn set_root(&mut self, state: u64) {
        self.root = Some(state);
    }

    /// The shortest way from a clean start that was ever recorded, piece by piece.
    pub(super) fn path_from_start(&self, to: u64) -> Option<Vec<Step>> {
        self.path_between(self.root?, to)
    }

    /// The same from another state.
    pub(super) fn path_between(&self, from: u64, to: u64) -> Option<Vec<Step>> {
        let reachable = self.reachable(Some(from));
        let mut way = Vec::new();
        let mut at = to;
        while at != from {
            let before = *reachable.get(&at)?;
            way.push(self.states.get(&before)?.successors.get(&at)?.clone());
            at = before;
        }
        way.reverse();
        Some(way)
    }

    /// What recorded steps lead to from there, and from where the shortest way comes to each; the first is its own.
    fn reachable(&self, from: Option<u64>) -> HashMap<u64, u64> {
        let mut came: HashMap<u64, u64> = from.iter().map(|from| (*from, *from)).collect();
        let mut queue: VecDeque<u64> = from.into_iter().collect();
        while let Some(state) = queue.pop_front() {
            for next in self
                .states
                .get(&state)
                .iter()
                .flat_map(|state| state.successors.keys())
            {
                came.entry(*next).or_insert_with(|| {
                    queue.push_back(*next);
                    state
                });
            }
        }
        came
    }

    pub(super) fn visits(&self) -> &HashMap<u64, u32> {
        &self.visits
    }

    /// f0 · (1 + r)^w · (1 − p)^(v − w).
    pub(super) fn fitness(&self, state: u64, rules: &TimeTravelParameters) -> f64 {
        let Some(known) = self.states.get(&state) else {
            return 0.0;
        };
        let visits = self.visits.get(&state).copied().unwrap_or(0);
        let first = if known.is_interesting {
            rules.interesting_fitness
        } else {
            1.0
        };
        let found = i32::try_from(known.interesting_found).unwrap_or(i32::MAX);
        let others =
            i32::try_from(visits.saturating_sub(known.interesting_found)).unwrap_or(i32::MAX);
        first * (1.0 + rules.reward).powi(found) * (1.0 - rules.penalty).powi(others)
    }

    /// The interesting state whose neighbourhood has the highest mean fitness, of those that recorded steps lead to and those
    /// that are saved: after the app was left and brought back, a walker may be where no steps lead.
    pub(super) fn fittest(
        &self,
        rules: &TimeTravelParameters,
        is_saved: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let reachable = self.reachable(self.root);
        let mut best: Option<(f64, u64)> = None;
        let can = |state: &&u64| reachable.contains_key(*state) || is_saved(**state);
        for &state in self.interesting.iter().filter(can) {
            // A state that cannot be got to any more is no use, however fit it is.
            let missed = i32::try_from(self.states[&state].missed_arrivals).unwrap_or(i32::MAX);
            let mean = self.neighbourhood(state, rules) * 0.5_f64.powi(missed);
            if best.is_none_or(|(most, _)| mean > most) {
                best = Some((mean, state));
            }
        }
        best.map(|(_, state)| state)
    }

    /// Over all states that so many transitions reach. A state that leads nowhere yet is its own neighbourhood.
    fn neighbourhood(&self, state: u64, rules: &TimeTravelParameters) -> f64 {
        let mut reached = BTreeSet::from([state]);
        let mut edge = vec![state];
        for _ in 0..rules.neighbourhood_radius {
            let next = edge
                .iter()
                .filter_map(|state| self.states.get(state))
                .flat_map(|state| state.successors.keys());
            edge = next
                .copied()
                .filter(|state| reached.insert(*state))
                .collect();
        }
        let sum: f64 = reached
            .iter()
            .map(|state| self.fitness(*state, rules))
            .sum();
        sum / reached.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    fn step(millis: u32) -> Step {
        Step::new(Action::Wait { millis })
    }

    #[test]
    fn fitness_is_the_published_formula() {
        let mut graph = StateGraph::default();
        let rules = TimeTravelParameters::default();
        let any = step(0);
        assert!(graph.visit(None, 1, true, false));
        assert!(graph.visit(Some((1, &any)), 2, true, false));
        assert!(!graph.visit(Some((2, &any)), 3, false, false));
        assert!(!graph.visit(Some((3, &any)), 1, false, false));
        let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(close(graph.fitness(1, &rules), 6.0 * 1.1 * 0.9));
        assert!(close(graph.fitness(2, &rules), 6.0 * 0.9));
        assert!(close(graph.fitness(3, &rules), 0.9));
    }

    #[test]
    fn a_state_is_not_less_fit_for_events_that_change_nothing() {
        let mut graph = StateGraph::default();
        let rules = TimeTravelParameters::default();
        let any = step(0);
        graph.visit(None, 1, true, false);
        let before = graph.fitness(1, &rules);
        (0..50).for_each(|_| assert!(!graph.visit(Some((1, &any)), 1, false, false)));
        assert!((graph.fitness(1, &rules) - before).abs() < 1e-12);
        graph.visit(Some((2, &any)), 1, false, false);
        assert!(graph.fitness(1, &rules) < before);
    }

    #[test]
    fn a_state_with_fit_neighbours_is_chosen_over_one_that_is_fit_alone() {
        let mut graph = StateGraph::default();
        let rules = TimeTravelParameters::default();
        let any = step(0);
        // 10 leads to dull states only, 20 to interesting ones.
        graph.visit(None, 10, true, false);
        graph.visit(None, 20, true, false);
        (11..18).for_each(|dull| {
            graph.visit(Some((10, &any)), dull, false, false);
        });
        graph.visit(Some((20, &any)), 21, true, false);
        (0..2).for_each(|_| {
            graph.visit(None, 20, false, false);
            graph.visit(None, 21, false, false);
        });
        assert!(graph.fitness(10, &rules) > graph.fitness(20, &rules));
        assert_ne!(graph.fittest(&rules, |_| true), Some(10));
        // Without neighbourhoods it would be.
        let alone = TimeTravelParameters {
            neighbourhood_radius: 0,
            ..rules
        };
        assert_eq!(graph.fittest(&alone, |_| true), Some(10));
    }

    #[test]
    fn the_shortest_way_leaves_out_loops_and_what_changed_nothing() {
        let mut graph = StateGraph::default();
        graph.visit(None, 1, true, false);
        graph.set_root(1);
        let walk = [
            (1, 1, 0),
            (1, 2, 1),
            (2, 3, 2),
            (3, 2, 3),
            (2, 4, 4),
            (4, 5, 5),
            (1, 4, 6),
        ];
        for (from, to, number) in walk {
            graph.visit(Some((from, &step(number))), to, true, false);
        }
        assert_eq!(graph.path_from_start(5), Some(vec![step(6), step(5)]));
        assert_eq!(graph.path_from_start(1), Some(Vec::new()));
        assert_eq!(graph.path_from_start(9), None);
    }

    #[test]
    fn the_fittest_state_is_one_that_can_be_gone_back_to() {
        let mut graph = StateGraph::default();
        let rules = TimeTravelParameters::default();
        let any = step(0);
        graph.visit(None, 1, true, false);
        graph.set_root(1);
        graph.visit(Some((1, &any)), 2, true, false);
        (0..9).for_each(|_| assert!(!graph.visit(None, 2, false, false)));
        // Nobody knows how one comes there.
        graph.visit(None, 3, true, false);
        assert_eq!(graph.fittest(&rules, |_| false), Some(1));
        assert_eq!(graph.fittest(&rules, |state| state == 3), Some(3));
    }

    #[test]
    fn a_state_that_a_way_back_leads_through_is_not_less_fit_for_it() {
        let mut graph = StateGraph::default();
        let rules = TimeTravelParameters::default();
        let any = step(0);
        graph.visit(None, 1, true, false);
        graph.visit(Some((1, &any)), 2, true, false);
        let before = graph.fitness(2, &rules);
        graph.visit(Some((1, &any)), 2, false, true);
        assert!((graph.fitness(2, &rules) - before).abs() < 1e-12);
        graph.visit(Some((1, &any)), 2, false, false);
        assert!(graph.fitness(2, &rules) < before);
    }
}
