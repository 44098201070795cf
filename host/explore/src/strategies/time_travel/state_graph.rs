//! TimeMachine's state graph: the recorded transitions, the fitness of states, and the most promising one.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use retap_shared::trace::Step;

use super::TimeTravelParameters;

/// Factor of a state's fitness for each missed arrival. Retap's own figure.
const MISSED_ARRIVAL_FACTOR: f64 = 0.5;

#[derive(Debug, Default)]
pub(super) struct StateGraph {
    states: HashMap<u64, GraphState>,
    visits: HashMap<u64, u32>,
    /// Interesting states in the order of their discovery. Of equally promising ones the oldest is chosen.
    interesting: Vec<u64>,
    /// State after the last clean start.
    root: Option<u64>,
}

#[derive(Debug, Default)]
struct GraphState {
    /// w: number of interesting states that were found from it.
    interesting_found: u32,
    is_interesting: bool,
    /// Number of travels to it that led elsewhere, since the last one that arrived.
    missed_arrivals: u32,
    /// States that steps led to, and the first step to each.
    successors: BTreeMap<u64, Step>,
}

impl StateGraph {
    /// Records a transition, or an arrival without one. True if the state is interesting: new, and reached by a step with a coverage
    /// gain. A visit lowers the fitness of a state. A step that changes nothing is no visit, and neither is passing a state on a
    /// travel, where nothing is tried.
    pub(super) fn visit(
        &mut self,
        from: Option<(u64, &Step)>,
        state: u64,
        has_gain: bool,
        is_passing: bool,
    ) -> bool {
        if !is_passing && from.is_none_or(|(from, _)| from != state) {
            *self.visits.entry(state).or_default() += 1;
        }
        let is_new = !self.states.contains_key(&state);
        if is_new {
            let is_interesting = has_gain || self.interesting.is_empty();
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
        let is_interesting = is_new && self.states[&state].is_interesting;
        if let Some((from, step)) = from
            && let Some(known) = self.states.get_mut(&from)
        {
            known.interesting_found += u32::from(is_interesting);
            if from != state && !known.successors.contains_key(&state) {
                known.successors.insert(state, step.clone());
            }
        }
        is_interesting
    }

    /// Records the end of a travel to a state.
    pub(super) fn record_arrival(&mut self, goal: u64, arrived: bool) {
        if let Some(goal) = self.states.get_mut(&goal) {
            goal.missed_arrivals = if arrived { 0 } else { goal.missed_arrivals + 1 };
        }
    }

    /// Sets the state after a clean start.
    pub(super) fn set_root(&mut self, state: u64) {
        self.root = Some(state);
    }

    /// Shortest path of recorded transitions from a clean start.
    pub(super) fn path_from_start(&self, to: u64) -> Option<Vec<Step>> {
        self.path_between(self.root?, to)
    }

    /// Shortest path of recorded transitions between two states.
    pub(super) fn path_between(&self, from: u64, to: u64) -> Option<Vec<Step>> {
        let predecessors = self.shortest_path_tree(Some(from));
        let mut path = Vec::new();
        let mut current = to;
        while current != from {
            let before = *predecessors.get(&current)?;
            path.push(self.states.get(&before)?.successors.get(&current)?.clone());
            current = before;
        }
        path.reverse();
        Some(path)
    }

    /// All states that recorded transitions reach, each with its predecessor on the shortest path. The start is its own.
    fn shortest_path_tree(&self, from: Option<u64>) -> HashMap<u64, u64> {
        let mut predecessors: HashMap<u64, u64> = from.iter().map(|from| (*from, *from)).collect();
        let mut queue: VecDeque<u64> = from.into_iter().collect();
        while let Some(state) = queue.pop_front() {
            for next in self
                .states
                .get(&state)
                .iter()
                .flat_map(|state| state.successors.keys())
            {
                predecessors.entry(*next).or_insert_with(|| {
                    queue.push_back(*next);
                    state
                });
            }
        }
        predecessors
    }

    /// v: number of visits of each state.
    pub(super) fn visits(&self) -> &HashMap<u64, u32> {
        &self.visits
    }

    /// Fitness of a state: f0 · (1 + r)^w · (1 − p)^(v − w).
    pub(super) fn fitness(&self, state: u64, parameters: &TimeTravelParameters) -> f64 {
        let Some(known) = self.states.get(&state) else {
            return 0.0;
        };
        let visits = self.visits.get(&state).copied().unwrap_or(0);
        let initial = if known.is_interesting {
            parameters.interesting_fitness
        } else {
            1.0
        };
        let found = i32::try_from(known.interesting_found).unwrap_or(i32::MAX);
        let others =
            i32::try_from(visits.saturating_sub(known.interesting_found)).unwrap_or(i32::MAX);
        initial * (1.0 + parameters.reward).powi(found) * (1.0 - parameters.penalty).powi(others)
    }

    /// Interesting state whose neighbourhood has the highest mean fitness, of those that a clean start or a snapshot leads to. After
    /// the app was left and brought back, a worker may be in a state without a recorded path.
    pub(super) fn most_promising(
        &self,
        parameters: &TimeTravelParameters,
        has_snapshot: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let reachable = self.shortest_path_tree(self.root);
        let mut best: Option<(f64, u64)> = None;
        let can_return = |state: &&u64| reachable.contains_key(*state) || has_snapshot(**state);
        for &state in self.interesting.iter().filter(can_return) {
            // A state that cannot be reached any more is of no use, however fit it is.
            let missed = i32::try_from(self.states[&state].missed_arrivals).unwrap_or(i32::MAX);
            let mean =
                self.neighbourhood_fitness(state, parameters) * MISSED_ARRIVAL_FACTOR.powi(missed);
            if best.is_none_or(|(highest, _)| mean > highest) {
                best = Some((mean, state));
            }
        }
        best.map(|(_, state)| state)
    }

    /// Mean fitness of all states within the radius. A state without transitions is its own neighbourhood.
    fn neighbourhood_fitness(&self, state: u64, parameters: &TimeTravelParameters) -> f64 {
        let mut reached = BTreeSet::from([state]);
        let mut frontier = vec![state];
        for _ in 0..parameters.neighbourhood_radius {
            let next = frontier
                .iter()
                .filter_map(|state| self.states.get(state))
                .flat_map(|state| state.successors.keys());
            frontier = next
                .copied()
                .filter(|state| reached.insert(*state))
                .collect();
        }
        let sum: f64 = reached
            .iter()
            .map(|state| self.fitness(*state, parameters))
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
        let parameters = TimeTravelParameters::default();
        let any = step(0);
        assert!(graph.visit(None, 1, true, false));
        assert!(graph.visit(Some((1, &any)), 2, true, false));
        assert!(!graph.visit(Some((2, &any)), 3, false, false));
        assert!(!graph.visit(Some((3, &any)), 1, false, false));
        let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(close(graph.fitness(1, &parameters), 6.0 * 1.1 * 0.9));
        assert!(close(graph.fitness(2, &parameters), 6.0 * 0.9));
        assert!(close(graph.fitness(3, &parameters), 0.9));
    }

    #[test]
    fn steps_that_change_nothing_do_not_lower_the_fitness() {
        let mut graph = StateGraph::default();
        let parameters = TimeTravelParameters::default();
        let any = step(0);
        graph.visit(None, 1, true, false);
        let before = graph.fitness(1, &parameters);
        (0..50).for_each(|_| assert!(!graph.visit(Some((1, &any)), 1, false, false)));
        assert!((graph.fitness(1, &parameters) - before).abs() < 1e-12);
        graph.visit(Some((2, &any)), 1, false, false);
        assert!(graph.fitness(1, &parameters) < before);
    }

    #[test]
    fn a_state_with_fit_neighbours_is_more_promising_than_a_fitter_one_without() {
        let mut graph = StateGraph::default();
        let parameters = TimeTravelParameters::default();
        let any = step(0);
        // 10 leads to uninteresting states only, 20 to interesting ones.
        graph.visit(None, 10, true, false);
        graph.visit(None, 20, true, false);
        (11..18).for_each(|uninteresting| {
            graph.visit(Some((10, &any)), uninteresting, false, false);
        });
        graph.visit(Some((20, &any)), 21, true, false);
        (0..2).for_each(|_| {
            graph.visit(None, 20, false, false);
            graph.visit(None, 21, false, false);
        });
        assert!(graph.fitness(10, &parameters) > graph.fitness(20, &parameters));
        assert_ne!(graph.most_promising(&parameters, |_| true), Some(10));
        // Without neighbourhoods 10 is the most promising.
        let alone = TimeTravelParameters {
            neighbourhood_radius: 0,
            ..parameters
        };
        assert_eq!(graph.most_promising(&alone, |_| true), Some(10));
    }

    #[test]
    fn the_shortest_path_leaves_out_loops_and_steps_that_change_nothing() {
        let mut graph = StateGraph::default();
        graph.visit(None, 1, true, false);
        graph.set_root(1);
        let transitions = [
            (1, 1, 0),
            (1, 2, 1),
            (2, 3, 2),
            (3, 2, 3),
            (2, 4, 4),
            (4, 5, 5),
            (1, 4, 6),
        ];
        for (from, to, number) in transitions {
            graph.visit(Some((from, &step(number))), to, true, false);
        }
        assert_eq!(graph.path_from_start(5), Some(vec![step(6), step(5)]));
        assert_eq!(graph.path_from_start(1), Some(Vec::new()));
        assert_eq!(graph.path_from_start(9), None);
    }

    #[test]
    fn the_most_promising_state_is_one_that_the_worker_can_return_to() {
        let mut graph = StateGraph::default();
        let parameters = TimeTravelParameters::default();
        let any = step(0);
        graph.visit(None, 1, true, false);
        graph.set_root(1);
        graph.visit(Some((1, &any)), 2, true, false);
        (0..9).for_each(|_| assert!(!graph.visit(None, 2, false, false)));
        // No transition leads to 3.
        graph.visit(None, 3, true, false);
        assert_eq!(graph.most_promising(&parameters, |_| false), Some(1));
        assert_eq!(
            graph.most_promising(&parameters, |state| state == 3),
            Some(3)
        );
    }

    #[test]
    fn passing_a_state_on_a_travel_does_not_lower_its_fitness() {
        let mut graph = StateGraph::default();
        let parameters = TimeTravelParameters::default();
        let any = step(0);
        graph.visit(None, 1, true, false);
        graph.visit(Some((1, &any)), 2, true, false);
        let before = graph.fitness(2, &parameters);
        graph.visit(Some((1, &any)), 2, false, true);
        assert!((graph.fitness(2, &parameters) - before).abs() < 1e-12);
        graph.visit(Some((1, &any)), 2, false, false);
        assert!(graph.fitness(2, &parameters) < before);
    }
}
