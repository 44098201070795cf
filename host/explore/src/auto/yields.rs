//! What came of events: of each kind lately, and in the whole run. What has led to little in this app is drawn less, and as
//! long as the app is rich a stretch of a walk that gives much less than the run did is left.

use std::collections::HashMap;

use retap_model::actions::What;
use retap_shared::Text;

use super::super::New;

/// A tally of so many events is halved, so that what was long ago counts less.
const MEMORY: f64 = 128.0;
/// What is expected of something counts as much as so many events of it.
const EXPECTED: f64 = 4.0;
/// Of one event no more counts, or the first look into a large part of the app would outweigh all that follows.
const MOST: u32 = 10;
/// So many new screens of an activity in which no new code runs count, and no more.
const ONLY_SCREENS: u32 = 20;
/// No kind of event is given up.
const LEAST: f64 = 1.0 / 32.0;
/// How often something comes upon the app from outside, as long as as much comes of it as of what is done inside.
const SHARE: f64 = 0.15;
const SHARES: (f64, f64) = (0.02, 0.25);
/// So many events are looked at together, and are poor if so many times less came of them than of others.
const STRETCH: u32 = 30;
const POOR: u64 = 2;
/// So much must have come of an activity for each state that it has beyond the rules.
const A_STATE: u64 = 10;
/// An app is rich as long as so much has come of two events of the run, on the average.
const RICH: u64 = 3;

#[derive(Debug, Default)]
pub(super) struct Yields {
    all: Tally,
    kinds: HashMap<What, Tally>,
    activities: HashMap<Text, Tally>,
    outside: Tally,
    inside: Tally,
    /// Since the beginning.
    run: Stretch,
    /// Some phone has told of branches that ran.
    counts_branches: bool,
    /// New screens of each activity since new code ran in it.
    only_screens: HashMap<Text, u32>,
    /// All that came of events in each activity.
    whole: HashMap<Text, u64>,
}

/// Some events one after the other, and what came of them: of one no more than counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    events: u32,
    gains: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    events: f64,
    gains: f64,
}

/// What the system does, and turning the display: it can be done in every state, and is no reason to stay in one.
pub(super) fn comes_from_outside(what: What) -> bool {
    matches!(what, What::System(_) | What::Rotate)
}

impl Yields {
    /// What new things in an activity are worth. Some activities show a new screen after every event and run no new code: where
    /// branches are counted, screens are no reason to stay in such a one, nor in a rich app.
    pub(super) fn weigh(&mut self, new: New, activity: &Text) -> u32 {
        self.counts_branches |= new.branches > 0;
        let only_screens = self.only_screens.entry(activity.clone()).or_default();
        *only_screens = if new.branches > 0 {
            0
        } else {
            *only_screens + new.screens
        };
        let counts = !self.counts_branches || *only_screens <= ONLY_SCREENS && !self.is_rich();
        new.branches * 2 + if counts { new.screens } else { 0 } + new.activities * 4
    }

    pub(super) fn note(&mut self, what: What, activity: &Text, gain: u32) {
        self.run.note(gain);
        *self.whole.entry(activity.clone()).or_default() += u64::from(gain.min(MOST));
        let gain = f64::from(gain.min(MOST));
        self.all.note(gain);
        self.kinds.entry(what).or_default().note(gain);
        self.activities
            .entry(activity.clone())
            .or_default()
            .note(gain);
        let side = if comes_from_outside(what) {
            &mut self.outside
        } else {
            &mut self.inside
        };
        side.note(gain);
    }

    /// Of an event, on the average.
    pub(super) fn mean(&self) -> f64 {
        self.all.mean(1.0)
    }

    /// Of events of a kind, as a part of what comes of all: 1 as long as nothing is known, and at most.
    pub(super) fn of_kind(&self, what: What) -> f64 {
        self.part(self.kinds.get(&what))
    }

    /// The same of events in an activity.
    pub(super) fn of_activity(&self, activity: &Text) -> f64 {
        self.part(self.activities.get(activity))
    }

    /// How many more states than the rules say an activity may have: as many as it has paid for. Telling the lists of a menu
    /// apart leads on, telling the pages of a feed apart does not.
    pub(super) fn states(&self, activity: &Text) -> usize {
        let gains = self.whole.get(activity).copied().unwrap_or(0);
        usize::try_from(gains / A_STATE).unwrap_or(usize::MAX)
    }

    fn part(&self, known: Option<&Tally>) -> f64 {
        let known = known.copied().unwrap_or_default();
        (known.mean(self.mean()) / self.mean()).clamp(LEAST, 1.0)
    }

    /// Whether so much has come of the run that it is likely to be better elsewhere than where nothing comes any more.
    pub(super) fn is_rich(&self) -> bool {
        self.run.events < STRETCH || 2 * self.run.gains >= RICH * u64::from(self.run.events)
    }

    /// Whether a stretch gave much less than the run did on the average, in a rich app. Where little is left to be found it is no
    /// use to run about.
    pub(super) fn is_poor(&self, stretch: Stretch) -> bool {
        let expected = self.run.gains * u64::from(stretch.events);
        stretch.is_long()
            && self.is_rich()
            && POOR * stretch.gains * u64::from(self.run.events) < expected
    }

    /// How often something should come from outside: as rarely as may be while there is much inside.
    pub(super) fn share_from_outside(&self) -> f64 {
        if self.is_rich() {
            return SHARES.0;
        }
        let mean = self.mean();
        (SHARE * self.outside.mean(mean) / self.inside.mean(mean)).clamp(SHARES.0, SHARES.1)
    }
}

impl Stretch {
    pub(super) fn note(&mut self, gain: u32) {
        self.events += 1;
        self.gains += u64::from(gain.min(MOST));
    }

    pub(super) fn is_long(self) -> bool {
        self.events >= STRETCH
    }
}

impl Tally {
    fn note(&mut self, gain: f64) {
        self.events += 1.0;
        self.gains += gain;
        if self.events >= MEMORY {
            (self.events, self.gains) = (self.events / 2.0, self.gains / 2.0);
        }
    }

    /// Never nothing: it is divided by.
    fn mean(self, expected: f64) -> f64 {
        (self.gains + EXPECTED * expected.max(1e-3)) / (self.events + EXPECTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(events: u32, what: What, gain: u32, yields: &mut Yields) -> Stretch {
        let mut stretch = Stretch::default();
        (0..events).for_each(|_| {
            yields.note(what, &Text::default(), gain);
            stretch.note(gain);
        });
        stretch
    }

    #[test]
    fn what_leads_nowhere_is_drawn_less_until_nothing_else_leads_anywhere() {
        let mut yields = Yields::default();
        noted(60, What::Tap, 1, &mut yields);
        let before = yields.share_from_outside();
        noted(30, What::System(3), 0, &mut yields);
        assert!(yields.of_kind(What::System(3)) < 0.3 && yields.of_kind(What::Tap) > 0.9);
        let barren = yields.share_from_outside();
        assert!(barren < before / 3.0, "{barren} {before}");
        noted(2_000, What::Tap, 0, &mut yields);
        assert!(yields.share_from_outside() > 2.0 * barren);
    }

    #[test]
    fn an_app_is_rich_until_little_comes_of_it_and_one_find_does_not_make_it_so() {
        let mut yields = Yields::default();
        assert!(yields.is_rich());
        noted(100, What::Tap, 2, &mut yields);
        noted(100, What::System(3), 2, &mut yields);
        assert_eq!(
            (yields.is_rich(), yields.share_from_outside()),
            (true, SHARES.0)
        );
        noted(100, What::Tap, 0, &mut yields);
        assert!(!yields.is_rich() && yields.share_from_outside() > SHARES.0);
        noted(1, What::Tap, 1_000, &mut yields);
        assert!(!yields.is_rich());
    }

    #[test]
    fn screens_count_where_no_branches_are_counted_and_else_only_so_many_without_new_code() {
        let screen = New {
            screens: 1,
            ..New::default()
        };
        let code = New {
            branches: 3,
            ..New::default()
        };
        let [form, other] = ["Form", "Other"].map(Text::new);
        let mut yields = Yields::default();
        assert!(
            (0..100).all(|_| yields.weigh(screen, &form) == 1),
            "no phone tells of branches"
        );
        assert_eq!(yields.weigh(code, &form), 6);
        assert_eq!(yields.weigh(screen, &other), 0, "the app is rich");
        noted(100, What::Tap, 0, &mut yields);
        let counted = (0..100).map(|_| yields.weigh(screen, &form)).sum::<u32>();
        assert_eq!((counted, yields.weigh(screen, &other)), (ONLY_SCREENS, 1));
        yields.weigh(code, &form);
        assert_eq!(yields.weigh(screen, &form), 1);
    }

    #[test]
    fn a_stretch_is_poor_only_where_others_were_rich() {
        let mut yields = Yields::default();
        let rich = noted(300, What::Tap, 4, &mut yields);
        let poor = noted(STRETCH, What::Tap, 0, &mut yields);
        assert_eq!((yields.is_poor(rich), yields.is_poor(poor)), (false, true));
        let short = noted(STRETCH - 1, What::Tap, 0, &mut yields);
        assert!(!yields.is_poor(short));
        noted(3_000, What::Tap, 0, &mut yields);
        assert!(!yields.is_poor(poor));
    }
}
