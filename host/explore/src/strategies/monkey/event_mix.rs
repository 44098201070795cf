//! Which share of Monkey's events is of which kind: Android's own figures, and how options change them.

use std::ops::RangeInclusive;

use rand::RngExt;
use retap_device::seed::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MonkeyEvent {
    Touch,
    Motion,
    Pinch,
    Trackball,
    Rotation,
    Nav,
    MajorNav,
    SysKeys,
    AppSwitch,
    Flip,
    Anything,
}

/// The names of Monkey's options, with what `MonkeySourceRandom` has for them.
const SHARES: [(&str, MonkeyEvent, f64); 11] = [
    ("touch", MonkeyEvent::Touch, 15.0),
    ("motion", MonkeyEvent::Motion, 10.0),
    ("pinchzoom", MonkeyEvent::Pinch, 2.0),
    ("trackball", MonkeyEvent::Trackball, 15.0),
    ("rotation", MonkeyEvent::Rotation, 0.0),
    ("nav", MonkeyEvent::Nav, 25.0),
    ("majornav", MonkeyEvent::MajorNav, 15.0),
    ("syskeys", MonkeyEvent::SysKeys, 2.0),
    ("appswitch", MonkeyEvent::AppSwitch, 2.0),
    ("flip", MonkeyEvent::Flip, 1.0),
    ("anyevent", MonkeyEvent::Anything, 13.0),
];

/// All of Android 15's but the last, as Monkey draws them.
const KEYS: RangeInclusive<u16> = 1..=317;
/// Ending a call, power, sleep and soft sleep: Monkey draws again.
const SWITCHES_OFF: [u16; 4] = [6, 26, 223, 276];

/// Percentages that come to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct EventMix {
    shares: [f64; SHARES.len()],
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EventMixError {
    #[error("there is no kind of event `{name}`; known are {known}")]
    Name { name: String, known: String },
    #[error("the share of `{name}` is a number from 0 to 100, not {share}")]
    Share { name: String, share: f64 },
    #[error("the shares that are given come to {sum} of 100")]
    TooMuch { sum: f64 },
    #[error("the shares come to {sum}, and none is left to make up 100")]
    TooLittle { sum: f64 },
}

impl Default for EventMix {
    fn default() -> EventMix {
        EventMix {
            shares: SHARES.map(|(.., share)| share),
        }
    }
}

impl EventMix {
    /// With some shares given: the others keep their proportions in what is left of 100, as Monkey does it.
    pub fn with_shares(given: &[(String, f64)]) -> Result<EventMix, EventMixError> {
        let mut mix = EventMix::default();
        let mut fixed = [false; SHARES.len()];
        for (name, share) in given {
            if !(0.0..=100.0).contains(share) {
                return Err(EventMixError::Share {
                    name: name.clone(),
                    share: *share,
                });
            }
            let place = SHARES.iter().position(|(known, ..)| known == name);
            let known = || SHARES.map(|(name, ..)| name).join(", ");
            let place = place.ok_or_else(|| EventMixError::Name {
                name: name.clone(),
                known: known(),
            })?;
            (mix.shares[place], fixed[place]) = (*share, true);
        }
        let sum = |of_fixed: bool| {
            mix.shares
                .iter()
                .zip(fixed)
                .filter(|(_, fixed)| *fixed == of_fixed)
                .map(|(share, _)| share)
                .sum()
        };
        let (given, others): (f64, f64) = (sum(true), sum(false));
        if given > 100.0 {
            return Err(EventMixError::TooMuch { sum: given });
        }
        if others == 0.0 && given < 100.0 {
            return Err(EventMixError::TooLittle { sum: given });
        }
        for (share, _) in mix.shares.iter_mut().zip(fixed).filter(|(_, fixed)| !fixed) {
            *share *= (100.0 - given) / others;
        }
        Ok(mix)
    }

    pub(super) fn draw(&self, rng: &mut Rng) -> MonkeyEvent {
        let mut left = rng.random::<f64>() * self.shares.iter().sum::<f64>();
        for ((_, event, _), share) in SHARES.iter().zip(self.shares) {
            if left < share {
                return *event;
            }
            left -= share;
        }
        MonkeyEvent::Touch
    }
}

/// A key of Android's whole list, each as often as Monkey draws it: most are no letters. `None` stands for one that calls, opens
/// other apps or changes how the phone is set: those are not sent, and on phones most of them are refused to Monkey too.
pub(super) fn random_key(rng: &mut Rng) -> Option<u16> {
    loop {
        let code = rng.random_range(KEYS);
        if !SWITCHES_OFF.contains(&code) {
            return (!leads_away(code)).then_some(code);
        }
    }
}

/// Calls, media, screenshots, what is a television's, recent apps, keys of one app, assistants, brightness, the phone's own gestures.
fn leads_away(code: u16) -> bool {
    matches!(
        code,
        5 | 27 | 64 | 65 | 83..=91 | 117 | 118 | 120 | 126..=130 | 170..=173 | 176..=182 | 187 | 204..=210
            | 219..=226 | 231 | 264..=267 | 272..=275 | 280..=284 | 288..
    )
}

#[cfg(test)]
mod tests {
    use retap_device::seed::Seed;

    use super::*;

    #[test]
    fn what_is_not_given_keeps_its_proportions() {
        let mix = EventMix::with_shares(&[("touch".into(), 50.0), ("nav".into(), 0.0)]).unwrap();
        let of = |name| {
            mix.shares[SHARES
                .iter()
                .position(|(known, ..)| *known == name)
                .unwrap()]
        };
        assert!((mix.shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        assert_eq!((of("touch"), of("nav")), (50.0, 0.0));
        assert!((of("trackball") / of("motion") - 1.5).abs() < 1e-9);
    }

    #[test]
    fn shares_that_cannot_be_are_refused() {
        let with = |name: &str, share| EventMix::with_shares(&[(name.into(), share)]);
        assert!(matches!(with("tuch", 5.0), Err(EventMixError::Name { .. })));
        for share in [101.0, -5.0, f64::NAN, f64::INFINITY] {
            assert!(
                matches!(with("touch", share), Err(EventMixError::Share { .. })),
                "{share}"
            );
        }
        let both = [("touch".to_owned(), 60.0), ("nav".to_owned(), 60.0)];
        assert!(matches!(
            EventMix::with_shares(&both),
            Err(EventMixError::TooMuch { .. })
        ));
        let none: Vec<(String, f64)> = SHARES
            .iter()
            .map(|(name, ..)| ((*name).to_owned(), 0.0))
            .collect();
        assert!(matches!(
            EventMix::with_shares(&none),
            Err(EventMixError::TooLittle { .. })
        ));
    }

    #[test]
    fn events_come_as_often_as_their_share_says() {
        let mix = EventMix::default();
        let mut rng = Seed(1).rng();
        let touches = (0..20_000)
            .filter(|_| mix.draw(&mut rng) == MonkeyEvent::Touch)
            .count();
        assert!((2_800..3_200).contains(&touches), "{touches}");
    }

    #[test]
    fn any_key_is_a_letter_or_a_digit_as_seldom_as_with_android() {
        let mut rng = Seed(1).rng();
        let keys: Vec<_> = (0..20_000).map(|_| random_key(&mut rng)).collect();
        let typed = keys
            .iter()
            .flatten()
            .filter(|code| matches!(code, 7..=16 | 29..=54))
            .count();
        assert!((2_000..2_600).contains(&typed), "36 of 313 keys: {typed}");
        assert!(
            !keys
                .iter()
                .flatten()
                .any(|code| matches!(code, 5 | 6 | 26 | 176 | 187 | 223))
        );
    }
}
