//! The schedulers of ND3MIN: how many attempts of each undecided candidate make up the next round on m phones. No candidate gets
//! more attempts than it may have in total.

mod round_schedule;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use round_schedule::RoundSchedule;
use serde::{Deserialize, Serialize};

use crate::named_choice::{NamedChoice, named_choice_text};
use crate::policy::{AttemptTally, SchedulePolicy};

/// A scheduler of ND3MIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerKind {
    /// One attempt of each candidate in turn until the round is full: the paper's baseline.
    RoundRobin,
    /// All attempts of the first candidate, then all of the second.
    Greedy,
    /// Figure 3: first attempts that prove good candidates, then attempts that refute bad ones.
    #[default]
    Heuristic,
    /// The optimal policy for up to as many candidates as it was solved for, the heuristic for more.
    Optimal,
}

impl NamedChoice for SchedulerKind {
    const KIND: &'static str = "scheduler";
    const ALL: &'static [SchedulerKind] = &[
        SchedulerKind::RoundRobin,
        SchedulerKind::Greedy,
        SchedulerKind::Heuristic,
        SchedulerKind::Optimal,
    ];

    fn name(self) -> &'static str {
        match self {
            SchedulerKind::RoundRobin => "round-robin",
            SchedulerKind::Greedy => "greedy",
            SchedulerKind::Heuristic => "heuristic",
            SchedulerKind::Optimal => "optimal",
        }
    }

    fn description(self) -> &'static str {
        match self {
            SchedulerKind::RoundRobin => "One run of each candidate in turn",
            SchedulerKind::Greedy => "All runs of one candidate after the other",
            SchedulerKind::Heuristic => "First prove good candidates, then refute bad ones",
            SchedulerKind::Optimal => {
                "The policy with the fewest expected rounds; solved once and stored"
            }
        }
    }
}

named_choice_text!(SchedulerKind);

/// Limits of every round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundLimits {
    /// Attempts in a round: the number of phones.
    pub(super) parallel: u32,
    /// Maximum number of attempts per candidate.
    pub(super) runs: u32,
    /// Number of successes with which a candidate passes.
    pub(super) successes: u32,
    /// Number of candidates in the first round.
    pub(super) candidates: usize,
}

/// Decides what the next round consists of.
pub(super) trait Scheduler: Send + Sync {
    /// Number of attempts for each candidate; at least one attempt in total while any candidate may have one.
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32>;
}

/// Scheduler of this kind; without a policy the optimal one is the heuristic.
pub(super) fn make_scheduler(
    scheduling: SchedulerKind,
    policy: Option<Arc<SchedulePolicy>>,
) -> Box<dyn Scheduler> {
    match (scheduling, policy) {
        (SchedulerKind::RoundRobin, _) => Box::new(RoundRobinScheduler),
        (SchedulerKind::Greedy, _) => Box::new(GreedyScheduler),
        (SchedulerKind::Optimal, Some(policy)) => Box::new(OptimalScheduler { policy }),
        (SchedulerKind::Heuristic | SchedulerKind::Optimal, _) => Box::new(HeuristicScheduler),
    }
}

#[derive(Clone, Copy, Debug)]
struct RoundRobinScheduler;

#[derive(Clone, Copy, Debug)]
struct GreedyScheduler;

#[derive(Clone, Copy, Debug)]
struct HeuristicScheduler;

#[derive(Clone, Debug)]
struct OptimalScheduler {
    policy: Arc<SchedulePolicy>,
}

impl Scheduler for RoundRobinScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let mut round = RoundSchedule::new(candidates, limits);
        round.round_robin(&round.all());
        round.runs
    }
}

impl Scheduler for GreedyScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let mut round = RoundSchedule::new(candidates, limits);
        (0..candidates.len()).for_each(|index| round.add(index, u32::MAX));
        round.runs
    }
}

impl Scheduler for HeuristicScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let mut round = RoundSchedule::new(candidates, limits);
        let (tried, untried): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).partition(|&index| candidates[index].runs() > 0);
        // Every candidate is tried once first; with more candidates than phones that takes several rounds.
        if tried.is_empty() {
            round.round_robin(&round.all());
            return round.runs;
        }
        untried.iter().for_each(|&index| round.add(index, 1));
        round.by_success_rate(tried);
        round.round_robin(&untried);
        round.runs
    }
}

impl Scheduler for OptimalScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let parameters = self.policy.parameters();
        // As published: a search that began with more candidates stays with the heuristic until its end.
        let is_applicable = parameters.parallel == limits.parallel
            && parameters.runs == limits.runs
            && parameters.successes == limits.successes
            && limits.candidates <= parameters.candidates;
        let schedule = if is_applicable {
            self.policy.schedule(candidates)
        } else {
            None
        };
        schedule.unwrap_or_else(|| HeuristicScheduler.schedule(candidates, limits))
    }
}
