//! The exact probability that a trace reaches a crash under noise, computed and not sampled: every sequence of random
//! results is followed once, and sequences that lead to the same state are merged.

use std::collections::HashMap;

use retap_agent::phone::Phone;
use retap_shared::action::Action;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::Rotation;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::SnapshotId;
use retap_shared::trace::Step;

use super::{CRASH_DELAY_LIMIT, settle};
use crate::framework::ChanceScript;
use crate::noise::Latency;
use crate::phone::SimulatedPhone;
use crate::spec::{SimulatorSpecError, open};

/// Reason why there is no exact probability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExactProbabilityError {
    #[error(transparent)]
    Spec(#[from] SimulatorSpecError),
    #[error(
        "late dialogs can come at any moment, so there is no exact probability; give `flaky` instead of `noise`"
    )]
    LateDialogs,
    #[error("latencies are drawn from a range, so there is no exact probability; omit `latency`")]
    Latencies,
    #[error("more than {0} states are possible at once; give a shorter trace")]
    TooMany(usize),
}

/// Maximum number of states that are followed at once.
const MAX_STATES: usize = 200_000;

/// Probability that `steps`, played once from a clean start on the phone of `spec`, end in the crash. Each step waits
/// until the screen has settled by `Settle::default()`, the last one up to `CRASH_DELAY_LIMIT` longer.
pub fn exact_probability(
    spec: &str,
    steps: &[Step],
    target: Fingerprint,
) -> Result<f64, ExactProbabilityError> {
    let phone = open(spec)?;
    if phone.noise().late_dialog > 0.0 {
        return Err(ExactProbabilityError::LateDialogs);
    }
    if phone.noise().latency != Latency::None {
        return Err(ExactProbabilityError::Latencies);
    }
    let mut ways = ProbabilityComputation {
        phone,
        target,
        reached: 0.0,
        states: HashMap::new(),
    };
    ways.begin();
    for step in steps {
        ways.advance_all(|phone| play_step(phone, step))?;
    }
    ways.advance_all(|phone| phone.sleep(CRASH_DELAY_LIMIT))?;
    Ok(ways.reached)
}

struct ProbabilityComputation {
    phone: SimulatedPhone,
    target: Fingerprint,
    /// Probability that the target has been reached so far.
    reached: f64,
    /// Each possible state with its probability.
    states: HashMap<u64, (SnapshotId, f64)>,
}

impl ProbabilityComputation {
    fn begin(&mut self) {
        let app = self
            .phone
            .apps()
            .unwrap_or_default()
            .into_iter()
            .next()
            .map(|info| info.app);
        let Some(app) = app else { return };
        self.phone.watch(&app.package);
        let Ok((fresh, _)) = self.phone.save_snapshot() else {
            return;
        };
        self.enumerate_outcomes(fresh, 1.0, |phone| {
            // A simulated phone has the app, and refuses none of these.
            let _ = phone.stop(&app);
            let _ = phone.inject(&Action::Rotate(Rotation::Natural));
            let _ = phone.clear_data(&app);
            let _ = phone.grant(&app);
            let _ = phone.launch(&app);
            settle(phone);
        });
    }

    fn advance_all(
        &mut self,
        act: impl Fn(&mut SimulatedPhone),
    ) -> Result<(), ExactProbabilityError> {
        let mut before: Vec<(SnapshotId, f64)> =
            std::mem::take(&mut self.states).into_values().collect();
        // In the order in which they came: sums of fractions depend on their order.
        before.sort_unstable_by_key(|(at, _)| *at);
        for (at, weight) in before {
            self.enumerate_outcomes(at, weight, &act);
            let _ = self.phone.discard_snapshot(at);
            if self.states.len() > MAX_STATES {
                return Err(ExactProbabilityError::TooMany(MAX_STATES));
            }
        }
        Ok(())
    }

    /// Follows every sequence of random results from one state through one step. Binary draws are enumerated
    /// like the digits of a number, the last one first.
    fn enumerate_outcomes(
        &mut self,
        at: SnapshotId,
        weight: f64,
        act: impl Fn(&mut SimulatedPhone),
    ) {
        let mut outcomes = Vec::new();
        loop {
            let Ok(_) = self.phone.restore_snapshot(at) else {
                return;
            };
            self.phone.follow_script(ChanceScript::of(outcomes));
            act(&mut self.phone);
            let script = self.phone.take_script();
            self.record_outcome(weight * script.probability);
            outcomes = script.outcomes;
            while outcomes.last() == Some(&true) {
                outcomes.pop();
            }
            match outcomes.last_mut() {
                Some(last) => *last = true,
                None => return,
            }
        }
    }

    fn record_outcome(&mut self, weight: f64) {
        let mut happened: Vec<PhoneEvent> = Vec::new();
        self.phone.take_events(&mut happened);
        let mut findings = happened.iter().filter_map(|event| match &event.kind {
            PhoneEventKind::Finding(finding) => Some(finding),
            PhoneEventKind::Activity(_) => None,
        });
        if let Some(finding) = findings.next() {
            let is_it = finding.fingerprint() == self.target
                || findings.any(|finding| finding.fingerprint() == self.target);
            // Another crash ends the run.
            self.reached += if is_it { weight } else { 0.0 };
            return;
        }
        let state = self.phone.state_hash();
        if let Some((_, probability)) = self.states.get_mut(&state) {
            *probability += weight;
        } else if let Ok((at, _)) = self.phone.save_snapshot() {
            self.states.insert(state, (at, weight));
        }
    }
}

/// As the agent takes a step: the widget is looked for, then its place is taken.
fn play_step(phone: &mut SimulatedPhone, step: &Step) {
    let Ok(screen) = phone.capture() else { return };
    let aim = if step.widget.is_some() {
        step.locate(&screen)
    } else {
        step.at_recorded_place()
    };
    match aim.action.as_ref() {
        Action::Wait { millis } => phone.sleep(Micros::from_millis(u64::from(*millis))),
        action => {
            let _ = phone.inject(action);
        }
    }
    settle(phone);
}
