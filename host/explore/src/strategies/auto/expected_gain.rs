//! What to expect of something that was never done: what came of the first time of its like, in the same activity and, as long
//! as little is known of that, in the whole app.

use std::collections::HashMap;

use retap_model::actions::ActionKind;
use retap_shared::Text;

/// What is expected of something counts as much as so many events of it.
const PRIOR_EVENTS: f64 = 2.0;
/// Of one event no more counts: the first look into a large part of the app comes only once.
const MAX_GAIN: f64 = 50.0;

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
    pub(super) fn record(&mut self, activity: &Text, what: ActionKind, gain: f64) {
        let gain = gain.min(MAX_GAIN);
        self.all.note(gain);
        self.kinds.entry(what).or_default().note(gain);
        self.activities
            .entry(activity.clone())
            .or_default()
            .entry(what)
            .or_default()
            .note(gain);
    }

    /// What to expect of each kind of event in an activity.
    pub(super) fn expected(&self, activity: &Text) -> impl Fn(ActionKind) -> f64 {
        let here = self.activities.get(activity);
        move |what| {
            let of_kind = self
                .kinds
                .get(&what)
                .copied()
                .unwrap_or_default()
                .mean(self.all.mean(1.0));
            here.and_then(|here| here.get(&what))
                .copied()
                .unwrap_or_default()
                .mean(of_kind)
        }
    }
}

impl GainMean {
    fn note(&mut self, gain: f64) {
        self.events += 1.0;
        self.gains += gain;
    }

    fn mean(self, expected: f64) -> f64 {
        (self.gains + PRIOR_EVENTS * expected) / (self.events + PRIOR_EVENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_an_activity_outweighs_what_is_known_of_the_app() {
        let [menu, form, new] = ["Menu", "Form", "New"].map(Text::new);
        let mut firsts = ExpectedGain::default();
        (0..20).for_each(|_| firsts.record(&menu, ActionKind::Tap, 30.0));
        (0..20).for_each(|_| firsts.record(&form, ActionKind::Tap, 0.0));
        let of = |activity| firsts.expected(activity)(ActionKind::Tap);
        assert!(
            of(&menu) > 25.0 && of(&form) < 5.0,
            "{} {}",
            of(&menu),
            of(&form)
        );
        assert!(of(&form) < of(&new) && of(&new) < of(&menu), "{}", of(&new));
    }

    #[test]
    fn one_great_find_does_not_count_for_many() {
        let mut firsts = ExpectedGain::default();
        firsts.record(&Text::new("Menu"), ActionKind::Tap, 5_000.0);
        assert!(firsts.expected(&Text::new("Menu"))(ActionKind::Tap) < MAX_GAIN);
    }
}
