//! A recorded trace in place of a phone: an activity machine. It knows in which activity each event was recorded and where
//! it led, and nothing else of the app. Whoever passes its answers on says so.

use rand::seq::IteratorRandom;
use retap_device::seed::Seed;
use retap_model::{mixed, numbered, shortest};
use retap_shared::Text;
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::trace::{Step, Trace};
use retap_shared::verdict::Verdict;

use super::{AppState, Observation, Oracle, OracleError, OracleQuery};

/// What reports call it.
pub const ACTIVITY_MACHINE: &str = "activity machine";

/// What an event takes on the machine's clock.
const EVENT_DURATION: Micros = Micros::from_millis(1_000);

/// What is made up beside the recording, the same for the same seed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActivityMachineSettings {
    /// So many events that stay in their activity, on the way to the crash, are needed for it.
    pub hidden_events: u32,
    /// How probably an event that is played elsewhere than it was recorded leads somewhere, instead of doing nothing.
    pub stray_probability: f64,
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub struct ActivityMachine {
    names: Vec<Text>,
    /// The activity of each step, by number.
    activities: Vec<u32>,
    /// Ascending.
    hidden_events: Vec<u32>,
    settings: ActivityMachineSettings,
    /// A run ends as soon as nothing that is left of it can do anything.
    ends_early: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActivityMachineError {
    #[error("the trace has no steps")]
    Empty,
    #[error("step {0} of the trace does not say in which activity it was recorded")]
    NoActivity(usize),
}

impl ActivityMachine {
    pub fn of(
        trace: &Trace,
        invented: ActivityMachineSettings,
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
        let hidden = choose_hidden_events(&activities, invented);
        Ok(ActivityMachine {
            names,
            activities,
            hidden_events: hidden,
            settings: invented,
            ends_early: false,
        })
    }

    /// From now on a run ends once it has left the path: when none of the events that are left was recorded in the activity in
    /// front. The answer is the same for less. Where events may go astray all of them are played: each might lead back.
    pub fn ending_early(self) -> ActivityMachine {
        ActivityMachine {
            ends_early: self.settings.stray_probability <= 0.0,
            ..self
        }
    }

    /// The events that are needed without leading anywhere, ascending.
    pub fn hidden_events(&self) -> &[u32] {
        &self.hidden_events
    }

    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.activities.len()
    }

    /// Never: a trace without steps is no recording.
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty()
    }

    /// Whether these steps of the trace, ascending, crash, and how many of them were played.
    pub fn play(&self, kept: &[u32]) -> (bool, u32) {
        let (crashed, played, _) = self.run(kept);
        (crashed, played)
    }

    pub fn crashes(&self, kept: &[u32]) -> bool {
        self.play(kept).0
    }

    /// Plays steps: whether that crashed, how many were played, and where it ended.
    fn run(&self, kept: &[u32]) -> (bool, u32, u32) {
        let last = self.activities.len() - 1;
        let mut front = self.activities[0];
        let mut played = 0;
        let mut missing = self.hidden_events.len();
        for (place, &event) in kept.iter().enumerate() {
            if self.ends_early && !self.can_act(&kept[place..], front) {
                break;
            }
            played += 1;
            if self.activities[event as usize] != front {
                front = self.stray_activity(event, front).unwrap_or(front);
                continue;
            }
            if self.hidden_events.binary_search(&event).is_ok() {
                missing -= 1;
            }
            if event as usize == last {
                if missing == 0 {
                    return (true, played, front);
                }
            } else {
                front = self.activities[event as usize + 1];
            }
        }
        (false, played, front)
    }

    fn can_act(&self, left: &[u32], front: u32) -> bool {
        left.iter()
            .any(|&event| self.activities[event as usize] == front)
    }

    /// Where an event leads that was not recorded in the activity in front.
    fn stray_activity(&self, event: u32, front: u32) -> Option<u32> {
        let others = self.names.len() as u64 - 1;
        if self.settings.stray_probability <= 0.0 || others == 0 {
            return None;
        }
        let chance = mixed(
            mixed(self.settings.seed, u64::from(event)),
            u64::from(front),
        );
        let strays = (chance >> 11) as f64 / (1_u64 << 53) as f64;
        let other = (mixed(chance, 1) % others) as u32;
        (strays < self.settings.stray_probability).then_some(other + u32::from(other >= front))
    }
}

impl Oracle for ActivityMachine {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let (crashed, played, front) = self.run(question.candidate.kept());
        let reached = match question.candidate.local_target() {
            None => crashed,
            Some(AppState::Activity(name)) => !crashed && self.names[front as usize] == *name,
            Some(AppState::Screen(_)) => false,
        };
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        let took = Micros(EVENT_DURATION.0 * u64::from(played));
        Box::pin(async move {
            Ok(Observation {
                reached,
                verdict,
                played,
                took,
            })
        })
    }
}

/// Chosen among the events that stay in their activity, in activities that the shortest way passes.
fn choose_hidden_events(activities: &[u32], invented: ActivityMachineSettings) -> Vec<u32> {
    let way = shortest(activities, &[]);
    let passed = |activity: u32| {
        way.iter()
            .any(|&event| activities[event as usize] == activity)
    };
    let last = activities.len() - 1;
    let stays = (0..last)
        .filter(|&event| activities[event] == activities[event + 1] && passed(activities[event]));
    let mut rng = Seed(invented.seed).derive("hidden", 0).rng();
    let mut chosen: Vec<u32> = stays
        .map(|event| event as u32)
        .sample(&mut rng, invented.hidden_events as usize);
    chosen.sort_unstable();
    chosen
}
