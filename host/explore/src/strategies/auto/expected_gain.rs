//! Expected gain of untried actions: the mean gain of the first times of such actions in the same activity and, as long as there are
//! few of them, in all of the app.

use std::collections::HashMap;

use retap_model::actions::ActionKind;
use retap_shared::Text;

/// Weight of the prior mean, in events. Retap's own figure.
const PRIOR_EVENTS: f64 = 2.0;
/// Maximum gain of one event that counts: the first look into a large part of the app happens only once. Retap's own figure.
const MAX_GAIN: f64 = 50.0;
/// Mean gain before any event. Retap's own figure.
const INITIAL_GAIN: f64 = 1.0;

#[derive(Debug, Default)]
pub(super) struct ExpectedGain {
    all: GainMean,
    kinds: HashMap<ActionKind, GainMean>,
    activities: HashMap<Text, HashMap<ActionKind, GainMean>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct GainMean {
    events: f64,
    gains: f64,
}

impl ExpectedGain {
    /// Records the gain of an action that was untried.
    pub(super) fn record(&mut self, activity: &Text, kind: ActionKind, gain: f64) {
        let gain = gain.min(MAX_GAIN);
        self.all.add(gain);
        self.kinds.entry(kind).or_default().add(gain);
        self.activities
            .entry(activity.clone())
            .or_default()
            .entry(kind)
            .or_default()
            .add(gain);
    }

    /// Expected gain of each kind of action in an activity.
    pub(super) fn expected(&self, activity: &Text) -> impl Fn(ActionKind) -> f64 {
        let in_activity = self.activities.get(activity);
        move |kind| {
            let in_app = self.kinds.get(&kind).copied().unwrap_or_default();
            let in_activity = in_activity
                .and_then(|kinds| kinds.get(&kind))
                .copied()
                .unwrap_or_default();
            in_activity.mean(in_app.mean(self.all.mean(INITIAL_GAIN)))
        }
    }
}

impl GainMean {
    fn add(&mut self, gain: f64) {
        self.events += 1.0;
        self.gains += gain;
    }

    fn mean(self, prior: f64) -> f64 {
        (self.gains + PRIOR_EVENTS * prior) / (self.events + PRIOR_EVENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gains_of_an_activity_outweigh_those_of_the_app() {
        let [menu, form, new] = ["Menu", "Form", "New"].map(Text::new);
        let mut gains = ExpectedGain::default();
        (0..20).for_each(|_| gains.record(&menu, ActionKind::Tap, 30.0));
        (0..20).for_each(|_| gains.record(&form, ActionKind::Tap, 0.0));
        let [menu, form, new] =
            [menu, form, new].map(|activity| gains.expected(&activity)(ActionKind::Tap));
        assert!(menu > 25.0 && form < 5.0, "{menu} {form}");
        assert!(form < new && new < menu, "{new}");
    }

    #[test]
    fn one_large_gain_counts_only_up_to_the_maximum() {
        let mut gains = ExpectedGain::default();
        gains.record(&Text::new("Menu"), ActionKind::Tap, 5_000.0);
        assert!(gains.expected(&Text::new("Menu"))(ActionKind::Tap) < MAX_GAIN);
    }
}
