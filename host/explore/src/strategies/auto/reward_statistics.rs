//! What came of events: of each kind lately, and in the whole run. What has led to little in this app is drawn less, and as
//! long as the app is rich a stretch of a walk that gives much less than the run did is left.

use std::collections::HashMap;

use retap_model::actions::ActionKind;
use retap_shared::Text;

use crate::CoverageGainCount;

/// A tally of so many events is halved, so that what was long ago counts less.
const DECAY_EVENTS: f64 = 128.0;
/// What is expected of something counts as much as so many events of it.
const PRIOR_EVENTS: f64 = 4.0;
/// Of one event no more counts, or the first look into a large part of the app would outweigh all that follows.
const MAX_REWARD: u32 = 10;
/// So many new screens of an activity in which no new code runs count, and no more.
const MAX_SCREENS_WITHOUT_CODE: u32 = 20;
/// No kind of event is given up.
const MIN_RELATIVE_REWARD: f64 = 1.0 / 32.0;
/// How often something comes upon the app from outside, as long as as much comes of it as of what is done inside.
const SYSTEM_EVENT_SHARE: f64 = 0.15;
const SYSTEM_EVENT_SHARE_RANGE: (f64, f64) = (0.02, 0.25);
/// So many events are looked at together, and are poor if so many times less came of them than of others.
const WINDOW_EVENTS: u32 = 30;
const STAGNATION_FACTOR: u64 = 2;
/// So much must have come of an activity for each state that it has beyond the rules.
const REWARD_PER_STATE: u64 = 10;
/// An app is rich as long as so much has come of two events of the run, on the average.
const REWARDING_THRESHOLD: u64 = 3;

#[derive(Debug, Default)]
pub(super) struct RewardStatistics {
    all: DecayingMean,
    kinds: HashMap<ActionKind, DecayingMean>,
    activities: HashMap<Text, DecayingMean>,
    system_events: DecayingMean,
    user_events: DecayingMean,
    /// Since the beginning.
    run: RewardWindow,
    /// Some phone has told of branches that ran.
    counts_branches: bool,
    /// New screens of each activity since new code ran in it.
    screens_without_code: HashMap<Text, u32>,
    /// All that came of events in each activity.
    activity_totals: HashMap<Text, u64>,
}

/// Some events one after the other, and what came of them: of one no more than counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RewardWindow {
    events: u32,
    gains: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct DecayingMean {
    events: f64,
    gains: f64,
}

/// What the system does, and turning the display: it can be done in every state, and is no reason to stay in one.
pub(super) fn comes_from_outside(what: ActionKind) -> bool {
    matches!(what, ActionKind::System(_) | ActionKind::Rotate)
}

impl RewardStatistics {
    /// What new things in an activity are worth. Some activities show a new screen after every event and run no new code: where
    /// branches are counted, screens are no reason to stay in such a one, nor in a rich app.
    pub(super) fn weigh(&mut self, new: CoverageGainCount, activity: &Text) -> u32 {
        self.counts_branches |= new.branches > 0;
        let only_screens = self
            .screens_without_code
            .entry(activity.clone())
            .or_default();
        *only_screens = if new.branches > 0 {
            0
        } else {
            *only_screens + new.screens
        };
        let counts =
            !self.counts_branches || *only_screens <= MAX_SCREENS_WITHOUT_CODE && !self.is_rich();
        new.branches * 2 + if counts { new.screens } else { 0 } + new.activities * 4
    }

    pub(super) fn note(&mut self, what: ActionKind, activity: &Text, gain: u32) {
        self.run.note(gain);
        *self.activity_totals.entry(activity.clone()).or_default() +=
            u64::from(gain.min(MAX_REWARD));
        let gain = f64::from(gain.min(MAX_REWARD));
        self.all.note(gain);
        self.kinds.entry(what).or_default().note(gain);
        self.activities
            .entry(activity.clone())
            .or_default()
            .note(gain);
        let side = if comes_from_outside(what) {
            &mut self.system_events
        } else {
            &mut self.user_events
        };
        side.note(gain);
    }

    /// Of an event, on the average.
    pub(super) fn mean(&self) -> f64 {
        self.all.mean(1.0)
    }

    /// Of events of a kind, as a part of what comes of all: 1 as long as nothing is known, and at most.
    pub(super) fn of_kind(&self, what: ActionKind) -> f64 {
        self.relative_reward(self.kinds.get(&what))
    }

    /// The same of events in an activity.
    pub(super) fn of_activity(&self, activity: &Text) -> f64 {
        self.relative_reward(self.activities.get(activity))
    }

    /// How many more states than the rules say an activity may have: as many as it has paid for. Telling the lists of a menu
    /// apart leads on, telling the pages of a feed apart does not.
    pub(super) fn states(&self, activity: &Text) -> usize {
        let gains = self.activity_totals.get(activity).copied().unwrap_or(0);
        usize::try_from(gains / REWARD_PER_STATE).unwrap_or(usize::MAX)
    }

    fn relative_reward(&self, known: Option<&DecayingMean>) -> f64 {
        let known = known.copied().unwrap_or_default();
        (known.mean(self.mean()) / self.mean()).clamp(MIN_RELATIVE_REWARD, 1.0)
    }

    /// Whether so much has come of the run that it is likely to be better elsewhere than where nothing comes any more.
    pub(super) fn is_rich(&self) -> bool {
        self.run.events < WINDOW_EVENTS
            || 2 * self.run.gains >= REWARDING_THRESHOLD * u64::from(self.run.events)
    }

    /// Whether a stretch gave much less than the run did on the average, in a rich app. Where little is left to be found it is no
    /// use to run about.
    pub(super) fn is_poor(&self, stretch: RewardWindow) -> bool {
        let expected = self.run.gains * u64::from(stretch.events);
        stretch.is_long()
            && self.is_rich()
            && STAGNATION_FACTOR * stretch.gains * u64::from(self.run.events) < expected
    }

    /// How often something should come from outside: as rarely as may be while there is much inside.
    pub(super) fn share_from_outside(&self) -> f64 {
        if self.is_rich() {
            return SYSTEM_EVENT_SHARE_RANGE.0;
        }
        let mean = self.mean();
        (SYSTEM_EVENT_SHARE * self.system_events.mean(mean) / self.user_events.mean(mean))
            .clamp(SYSTEM_EVENT_SHARE_RANGE.0, SYSTEM_EVENT_SHARE_RANGE.1)
    }
}

impl RewardWindow {
    pub(super) fn note(&mut self, gain: u32) {
        self.events += 1;
        self.gains += u64::from(gain.min(MAX_REWARD));
    }

    pub(super) fn is_long(self) -> bool {
        self.events >= WINDOW_EVENTS
    }
}

impl DecayingMean {
    fn note(&mut self, gain: f64) {
        self.events += 1.0;
        self.gains += gain;
        if self.events >= DECAY_EVENTS {
            (self.events, self.gains) = (self.events / 2.0, self.gains / 2.0);
        }
    }

    /// Never nothing: it is divided by.
    fn mean(self, expected: f64) -> f64 {
        (self.gains + PRIOR_EVENTS * expected.max(1e-3)) / (self.events + PRIOR_EVENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(
        events: u32,
        what: ActionKind,
        gain: u32,
        yields: &mut RewardStatistics,
    ) -> RewardWindow {
        let mut stretch = RewardWindow::default();
        (0..events).for_each(|_| {
            yields.note(what, &Text::default(), gain);
            stretch.note(gain);
        });
        stretch
    }

    #[test]
    fn what_leads_nowhere_is_drawn_less_until_nothing_else_leads_anywhere() {
        let mut yields = RewardStatistics::default();
        noted(60, ActionKind::Tap, 1, &mut yields);
        let before = yields.share_from_outside();
        noted(30, ActionKind::System(3), 0, &mut yields);
        assert!(
            yields.of_kind(ActionKind::System(3)) < 0.3 && yields.of_kind(ActionKind::Tap) > 0.9
        );
        let barren = yields.share_from_outside();
        assert!(barren < before / 3.0, "{barren} {before}");
        noted(2_000, ActionKind::Tap, 0, &mut yields);
        assert!(yields.share_from_outside() > 2.0 * barren);
    }

    #[test]
    fn an_app_is_rich_until_little_comes_of_it_and_one_find_does_not_make_it_so() {
        let mut yields = RewardStatistics::default();
        assert!(yields.is_rich());
        noted(100, ActionKind::Tap, 2, &mut yields);
        noted(100, ActionKind::System(3), 2, &mut yields);
        assert_eq!(
            (yields.is_rich(), yields.share_from_outside()),
            (true, SYSTEM_EVENT_SHARE_RANGE.0)
        );
        noted(100, ActionKind::Tap, 0, &mut yields);
        assert!(!yields.is_rich() && yields.share_from_outside() > SYSTEM_EVENT_SHARE_RANGE.0);
        noted(1, ActionKind::Tap, 1_000, &mut yields);
        assert!(!yields.is_rich());
    }

    #[test]
    fn screens_count_where_no_branches_are_counted_and_else_only_so_many_without_new_code() {
        let screen = CoverageGainCount {
            screens: 1,
            ..CoverageGainCount::default()
        };
        let code = CoverageGainCount {
            branches: 3,
            ..CoverageGainCount::default()
        };
        let [form, other] = ["Form", "Other"].map(Text::new);
        let mut yields = RewardStatistics::default();
        assert!(
            (0..100).all(|_| yields.weigh(screen, &form) == 1),
            "no phone tells of branches"
        );
        assert_eq!(yields.weigh(code, &form), 6);
        assert_eq!(yields.weigh(screen, &other), 0, "the app is rich");
        noted(100, ActionKind::Tap, 0, &mut yields);
        let counted = (0..100).map(|_| yields.weigh(screen, &form)).sum::<u32>();
        assert_eq!(
            (counted, yields.weigh(screen, &other)),
            (MAX_SCREENS_WITHOUT_CODE, 1)
        );
        yields.weigh(code, &form);
        assert_eq!(yields.weigh(screen, &form), 1);
    }

    #[test]
    fn a_stretch_is_poor_only_where_others_were_rich() {
        let mut yields = RewardStatistics::default();
        let rich = noted(300, ActionKind::Tap, 4, &mut yields);
        let poor = noted(WINDOW_EVENTS, ActionKind::Tap, 0, &mut yields);
        assert_eq!((yields.is_poor(rich), yields.is_poor(poor)), (false, true));
        let short = noted(WINDOW_EVENTS - 1, ActionKind::Tap, 0, &mut yields);
        assert!(!yields.is_poor(short));
        noted(3_000, ActionKind::Tap, 0, &mut yields);
        assert!(!yields.is_poor(poor));
    }
}
