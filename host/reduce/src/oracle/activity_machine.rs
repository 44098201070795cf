//! The activity machine: an oracle that simulates an app by its recorded trace. It knows in which activity each event was
//! recorded and which activity followed, and nothing else. It distinguishes steps by their content, as keys of candidates do, and
//! not by their place in the recording. Reports of its results name it.

use std::collections::HashMap;

use rand::seq::IteratorRandom;
use retap_device::seed::Seed;
use retap_model::{mixed, numbered, shortest};
use retap_shared::Text;
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::trace::{Step, Trace};
use retap_shared::verdict::Verdict;

use super::{AppState, Candidate, Observation, Oracle, OracleError, OracleQuery};

/// Name of this oracle in reports.
pub const ACTIVITY_MACHINE: &str = "activity machine";

/// Duration of an event on the machine's clock.
const EVENT_DURATION: Micros = Micros::from_millis(1_000);

/// Behaviour that the recording does not have, equal for equal seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActivityMachineSettings {
    /// Number of events that change no activity and are needed for the crash.
    pub hidden_events: u32,
    /// Probability that an event in another activity than its recorded one leads to some activity instead of none.
    pub stray_probability: f64,
    /// Seed of both.
    pub seed: u64,
}

/// A recorded trace as an app.
#[derive(Clone, Debug)]
pub struct ActivityMachine {
    names: Vec<Text>,
    /// Activity of each step, as an index into `names`.
    activities: Vec<u32>,
    /// Hash of each step, equal for equal steps.
    hashes: Vec<u64>,
    /// Steps of the recording with each hash, ascending.
    occurrences: HashMap<u64, Vec<u32>>,
    /// Needed events that change no activity, ascending.
    hidden_events: Vec<u32>,
    settings: ActivityMachineSettings,
    /// An attempt ends as soon as none of its remaining events can have an effect.
    ends_early: bool,
}

/// A trace that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActivityMachineError {
    /// No steps.
    #[error("the trace has no steps")]
    Empty,
    /// A step without an activity, counted from 1.
    #[error("step {0} of the trace has no recorded activity")]
    NoActivity(usize),
}

impl ActivityMachine {
    /// Machine of a trace.
    pub fn of(
        trace: &Trace,
        settings: ActivityMachineSettings,
    ) -> Result<ActivityMachine, ActivityMachineError> {
        let steps = &trace.steps;
        if steps.is_empty() {
            return Err(ActivityMachineError::Empty);
        }
        if let Some(step) = steps.iter().position(|step| step.activity.is_empty()) {
            return Err(ActivityMachineError::NoActivity(step + 1));
        }
        let activities = numbered(steps.iter().map(|step: &Step| &step.activity));
        let mut names: Vec<Text> = Vec::new();
        for (step, number) in steps.iter().zip(&activities) {
            if *number as usize == names.len() {
                names.push(step.activity.clone());
            }
        }
        let hidden_events = choose_hidden_events(&activities, settings);
        let hashes: Vec<u64> = Candidate::from(steps.clone()).hashes().collect();
        let mut occurrences: HashMap<u64, Vec<u32>> = HashMap::new();
        for (step, hash) in (0..).zip(&hashes) {
            occurrences.entry(*hash).or_default().push(step);
        }
        Ok(ActivityMachine {
            names,
            activities,
            hashes,
            occurrences,
            hidden_events,
            settings,
            ends_early: false,
        })
    }

    /// Ends attempts early: when none of the remaining events was recorded in the current activity. The verdict is the same
    /// with fewer events. With stray events all events are played, because each might lead back.
    pub fn ending_early(self) -> ActivityMachine {
        ActivityMachine {
            ends_early: self.settings.stray_probability <= 0.0,
            ..self
        }
    }

    /// Needed events that change no activity, ascending.
    pub fn hidden_events(&self) -> &[u32] {
        &self.hidden_events
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.activities.len()
    }

    /// Always false: a machine has at least one step.
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty()
    }

    /// Plays ascending steps of the trace. Returns whether they crash, and how many were played.
    pub fn play(&self, kept: &[u32]) -> (bool, u32) {
        let hashes: Vec<u64> = kept
            .iter()
            .map(|&step| self.hashes[step as usize])
            .collect();
        let (crashed, played, _) = self.run(&self.recorded_events(&hashes));
        (crashed, played)
    }

    /// True if these ascending steps crash.
    pub fn crashes(&self, kept: &[u32]) -> bool {
        self.play(kept).0
    }

    /// Recorded events that these steps stand for: each the last one that is equal and leaves room for those after it. The
    /// complete recording stands for itself. `None` for a step that was not recorded there, which does nothing.
    fn recorded_events(&self, hashes: &[u64]) -> Vec<Option<u32>> {
        let mut before = u32::MAX;
        let mut events: Vec<Option<u32>> = hashes
            .iter()
            .rev()
            .map(|hash| {
                let equal = self.occurrences.get(hash)?;
                let count = equal.partition_point(|event| *event < before);
                before = *equal[..count].last()?;
                Some(before)
            })
            .collect();
        events.reverse();
        events
    }

    /// Plays events. Returns whether they crash, how many were played, and the last activity.
    fn run(&self, events: &[Option<u32>]) -> (bool, u32, u32) {
        let last = self.activities.len() - 1;
        let mut current = self.activities[0];
        let mut played = 0;
        let mut missing = self.hidden_events.len();
        for (index, &event) in events.iter().enumerate() {
            if self.ends_early && !self.can_act(&events[index..], current) {
                break;
            }
            played += 1;
            let Some(event) = event else {
                continue;
            };
            if self.activities[event as usize] != current {
                current = self.stray_activity(event, current).unwrap_or(current);
                continue;
            }
            if self.hidden_events.binary_search(&event).is_ok() {
                missing -= 1;
            }
            if event as usize == last {
                if missing == 0 {
                    return (true, played, current);
                }
            } else {
                current = self.activities[event as usize + 1];
            }
        }
        (false, played, current)
    }

    fn can_act(&self, remaining: &[Option<u32>], current: u32) -> bool {
        remaining
            .iter()
            .flatten()
            .any(|&event| self.activities[event as usize] == current)
    }

    /// Activity that an event leads to if it was not recorded in the current one.
    fn stray_activity(&self, event: u32, current: u32) -> Option<u32> {
        let others = self.names.len() as u64 - 1;
        if self.settings.stray_probability <= 0.0 || others == 0 {
            return None;
        }
        let hash = mixed(
            mixed(self.settings.seed, u64::from(event)),
            u64::from(current),
        );
        let draw = (hash >> 11) as f64 / (1_u64 << 53) as f64;
        let other = (mixed(hash, 1) % others) as u32;
        (draw < self.settings.stray_probability).then_some(other + u32::from(other >= current))
    }
}

impl Oracle for ActivityMachine {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let hashes: Vec<u64> = query.candidate.hashes().collect();
        let (crashed, played, current) = self.run(&self.recorded_events(&hashes));
        let reached = match query.candidate.local_target() {
            None => crashed,
            Some(AppState::Activity(name)) => !crashed && self.names[current as usize] == *name,
            Some(AppState::Screen(_)) => false,
        };
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        let took = Micros(EVENT_DURATION.0 * u64::from(played));
        Box::pin(async move { Ok(Observation::new(verdict, played, took)) })
    }
}

/// Random events that change no activity, in activities on the shortest path.
fn choose_hidden_events(activities: &[u32], settings: ActivityMachineSettings) -> Vec<u32> {
    let path = shortest(activities, &[]);
    let is_on_path = |activity: u32| {
        path.iter()
            .any(|&event| activities[event as usize] == activity)
    };
    let last = activities.len() - 1;
    let events = (0..last).filter(|&event| {
        activities[event] == activities[event + 1] && is_on_path(activities[event])
    });
    let mut rng = Seed(settings.seed).derive("hidden", 0).rng();
    let mut chosen: Vec<u32> = events
        .map(|event| event as u32)
        .sample(&mut rng, settings.hidden_events as usize);
    chosen.sort_unstable();
    chosen
}
