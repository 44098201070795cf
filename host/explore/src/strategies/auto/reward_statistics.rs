//! Reward statistics: the recent rewards of each kind of action and of each activity, and those of the run. Kinds with little
//! reward are drawn less often. As long as the app is rewarding, a worker whose window has much less reward than the run stagnates.

use std::collections::HashMap;

use retap_model::actions::ActionKind;
use retap_shared::Text;

use crate::CoverageGainCount;

/// Number of events at which a mean is halved, so that older events count less. Retap's own figure, like all below.
const DECAY_EVENTS: f64 = 128.0;
/// Weight of the prior mean, in events.
const PRIOR_EVENTS: f64 = 4.0;
/// Maximum reward of one event that counts: the first look into a large part of the app must not outweigh all that follows.
const MAX_REWARD: u32 = 10;
/// Maximum number of new screens of an activity that are rewarded while no new branch is covered there.
const MAX_SCREENS_WITHOUT_CODE: u32 = 20;
/// Least relative reward: no kind of action is given up.
const MIN_RELATIVE_REWARD: f64 = 1.0 / 32.0;
/// Share of system events and rotations, as long as their reward equals that of the other events.
const SYSTEM_EVENT_SHARE: f64 = 0.15;
/// Least and greatest share of system events and rotations.
const SYSTEM_EVENT_SHARE_RANGE: (f64, f64) = (0.02, 0.25);
/// Number of events in a full window.
const WINDOW_EVENTS: u32 = 30;
/// A full window stagnates if its mean reward, times this factor, is below that of the run.
const STAGNATION_FACTOR: u64 = 2;
/// Reward of an activity for each state that it may have beyond the parameters of the model.
const REWARD_PER_STATE: u64 = 10;
/// Least mean reward of two events of the run for an app to be rewarding.
const REWARDING_THRESHOLD: u64 = 3;
/// Least prior of a mean: it is a divisor.
const MIN_PRIOR: f64 = 1e-3;
/// Rewards of a new branch and of a new activity; a new screen counts 1.
const BRANCH_REWARD: u32 = 2;
const ACTIVITY_REWARD: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct RewardStatistics {
    all: DecayingMean,
    kinds: HashMap<ActionKind, DecayingMean>,
    activities: HashMap<Text, DecayingMean>,
    system_events: DecayingMean,
    user_events: DecayingMean,
    /// All events of the run.
    run: RewardWindow,
    /// A phone has reported branches.
    reports_branches: bool,
    /// Number of new screens of each activity since its last new branch.
    screens_without_code: HashMap<Text, u32>,
    /// Sum of the rewards in each activity.
    activity_totals: HashMap<Text, u64>,
}

/// Number of events in a row, and the sum of their rewards, each limited to [`MAX_REWARD`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RewardWindow {
    events: u32,
    reward: u64,
}

/// Mean of recent rewards.
#[derive(Clone, Copy, Debug, Default)]
struct DecayingMean {
    events: f64,
    reward: f64,
}

/// True for system events and rotations. They can be done in every state, and are no reason to stay in one.
pub(super) fn is_system_event(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::System(_) | ActionKind::Rotate)
}

impl RewardStatistics {
    /// Reward of a coverage gain in an activity. Some activities show a new screen after every event and run no new code: where
    /// branches are reported, screens are not rewarded in such an activity, nor in a rewarding app.
    pub(super) fn reward(&mut self, gain: CoverageGainCount, activity: &Text) -> u32 {
        self.reports_branches |= gain.branches > 0;
        let screens = self
            .screens_without_code
            .entry(activity.clone())
            .or_default();
        *screens = if gain.branches > 0 {
            0
        } else {
            *screens + gain.screens
        };
        let is_below_limit = *screens <= MAX_SCREENS_WITHOUT_CODE;
        let screen_reward = if !self.reports_branches || is_below_limit && !self.is_rewarding() {
            gain.screens
        } else {
            0
        };
        gain.branches * BRANCH_REWARD + screen_reward + gain.activities * ACTIVITY_REWARD
    }

    /// Records the reward of an event.
    pub(super) fn record(&mut self, kind: ActionKind, activity: &Text, reward: u32) {
        self.run.record(reward);
        *self.activity_totals.entry(activity.clone()).or_default() +=
            u64::from(reward.min(MAX_REWARD));
        let reward = f64::from(reward.min(MAX_REWARD));
        self.all.add(reward);
        self.kinds.entry(kind).or_default().add(reward);
        self.activities
            .entry(activity.clone())
            .or_default()
            .add(reward);
        let group = if is_system_event(kind) {
            &mut self.system_events
        } else {
            &mut self.user_events
        };
        group.add(reward);
    }

    /// Mean reward of recent events.
    pub(super) fn mean(&self) -> f64 {
        self.all.mean(1.0)
    }

    /// Mean reward of a kind of action, relative to that of all events. 1 before any event of the kind, and at most.
    pub(super) fn relative_of_kind(&self, kind: ActionKind) -> f64 {
        self.relative_reward(self.kinds.get(&kind))
    }

    /// Mean reward of an activity, relative to that of all events. 1 before any event in it, and at most.
    pub(super) fn relative_of_activity(&self, activity: &Text) -> f64 {
        self.relative_reward(self.activities.get(activity))
    }

    /// Number of states that an activity may have beyond the parameters of the model, in proportion to its reward: distinguishing
    /// the lists of a menu is rewarded, distinguishing the pages of a feed is not.
    pub(super) fn extra_states(&self, activity: &Text) -> usize {
        let reward = self.activity_totals.get(activity).copied().unwrap_or(0);
        usize::try_from(reward / REWARD_PER_STATE).unwrap_or(usize::MAX)
    }

    fn relative_reward(&self, known: Option<&DecayingMean>) -> f64 {
        let known = known.copied().unwrap_or_default();
        (known.mean(self.mean()) / self.mean()).clamp(MIN_RELATIVE_REWARD, 1.0)
    }

    /// The mean reward of the run is high: where it has dropped, other states are likely to be better.
    pub(super) fn is_rewarding(&self) -> bool {
        self.run.events < WINDOW_EVENTS
            || 2 * self.run.reward >= REWARDING_THRESHOLD * u64::from(self.run.events)
    }

    /// A full window has much less reward than the run, in a rewarding app. In any other app no state is likely to be better.
    pub(super) fn is_stagnating(&self, window: RewardWindow) -> bool {
        let expected = self.run.reward * u64::from(window.events);
        window.is_full()
            && self.is_rewarding()
            && STAGNATION_FACTOR * window.reward * u64::from(self.run.events) < expected
    }

    /// Share of system events and rotations: in proportion to their reward, and the least while the app is rewarding.
    pub(super) fn system_event_share(&self) -> f64 {
        let (least, greatest) = SYSTEM_EVENT_SHARE_RANGE;
        if self.is_rewarding() {
            return least;
        }
        let mean = self.mean();
        (SYSTEM_EVENT_SHARE * self.system_events.mean(mean) / self.user_events.mean(mean))
            .clamp(least, greatest)
    }
}

impl RewardWindow {
    /// Adds an event.
    pub(super) fn record(&mut self, reward: u32) {
        self.events += 1;
        self.reward += u64::from(reward.min(MAX_REWARD));
    }

    /// The window has all its events.
    pub(super) fn is_full(self) -> bool {
        self.events >= WINDOW_EVENTS
    }
}

impl DecayingMean {
    fn add(&mut self, reward: f64) {
        self.events += 1.0;
        self.reward += reward;
        if self.events >= DECAY_EVENTS {
            self.events /= 2.0;
            self.reward /= 2.0;
        }
    }

    /// Mean with a prior; never zero.
    fn mean(self, prior: f64) -> f64 {
        (self.reward + PRIOR_EVENTS * prior.max(MIN_PRIOR)) / (self.events + PRIOR_EVENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(
        events: u32,
        kind: ActionKind,
        reward: u32,
        statistics: &mut RewardStatistics,
    ) -> RewardWindow {
        let mut window = RewardWindow::default();
        (0..events).for_each(|_| {
            statistics.record(kind, &Text::default(), reward);
            window.record(reward);
        });
        window
    }

    #[test]
    fn kinds_without_reward_are_drawn_less_until_no_kind_has_any() {
        let mut statistics = RewardStatistics::default();
        record(60, ActionKind::Tap, 1, &mut statistics);
        let before = statistics.system_event_share();
        record(30, ActionKind::System(3), 0, &mut statistics);
        assert!(
            statistics.relative_of_kind(ActionKind::System(3)) < 0.3
                && statistics.relative_of_kind(ActionKind::Tap) > 0.9
        );
        let unrewarded = statistics.system_event_share();
        assert!(unrewarded < before / 3.0, "{unrewarded} {before}");
        record(2_000, ActionKind::Tap, 0, &mut statistics);
        assert!(statistics.system_event_share() > 2.0 * unrewarded);
    }

    #[test]
    fn an_app_is_rewarding_until_the_mean_drops_and_one_large_reward_does_not_change_that() {
        let mut statistics = RewardStatistics::default();
        assert!(statistics.is_rewarding());
        record(100, ActionKind::Tap, 2, &mut statistics);
        record(100, ActionKind::System(3), 2, &mut statistics);
        assert_eq!(
            (statistics.is_rewarding(), statistics.system_event_share()),
            (true, SYSTEM_EVENT_SHARE_RANGE.0)
        );
        record(100, ActionKind::Tap, 0, &mut statistics);
        assert!(
            !statistics.is_rewarding()
                && statistics.system_event_share() > SYSTEM_EVENT_SHARE_RANGE.0
        );
        record(1, ActionKind::Tap, 1_000, &mut statistics);
        assert!(!statistics.is_rewarding());
    }

    #[test]
    fn screens_are_rewarded_without_branches_and_otherwise_only_up_to_a_number_without_new_code() {
        let screen = CoverageGainCount {
            screens: 1,
            ..CoverageGainCount::default()
        };
        let code = CoverageGainCount {
            branches: 3,
            ..CoverageGainCount::default()
        };
        let [form, other] = ["Form", "Other"].map(Text::new);
        let mut statistics = RewardStatistics::default();
        assert!(
            (0..100).all(|_| statistics.reward(screen, &form) == 1),
            "no phone reports branches"
        );
        assert_eq!(statistics.reward(code, &form), 6);
        assert_eq!(statistics.reward(screen, &other), 0, "the app is rewarding");
        record(100, ActionKind::Tap, 0, &mut statistics);
        let counted = (0..100)
            .map(|_| statistics.reward(screen, &form))
            .sum::<u32>();
        assert_eq!(
            (counted, statistics.reward(screen, &other)),
            (MAX_SCREENS_WITHOUT_CODE, 1)
        );
        statistics.reward(code, &form);
        assert_eq!(statistics.reward(screen, &form), 1);
    }

    #[test]
    fn a_window_stagnates_only_in_a_rewarding_app() {
        let mut statistics = RewardStatistics::default();
        let rewarded = record(300, ActionKind::Tap, 4, &mut statistics);
        let unrewarded = record(WINDOW_EVENTS, ActionKind::Tap, 0, &mut statistics);
        assert_eq!(
            (
                statistics.is_stagnating(rewarded),
                statistics.is_stagnating(unrewarded)
            ),
            (false, true)
        );
        let short = record(WINDOW_EVENTS - 1, ActionKind::Tap, 0, &mut statistics);
        assert!(!statistics.is_stagnating(short));
        record(3_000, ActionKind::Tap, 0, &mut statistics);
        assert!(!statistics.is_stagnating(unrewarded));
    }
}
