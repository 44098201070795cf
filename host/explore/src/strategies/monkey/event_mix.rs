//! Shares of the kinds of events in Monkey: Android's own figures, and how options change them.

use std::ops::RangeInclusive;

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::draw_weighted;

/// A kind of event, after Monkey's options.
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

/// Names of Monkey's options, and the shares in percent that `MonkeySourceRandom` has for them.
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

/// Key codes that Monkey draws from: all of Android 15 except the last.
const KEYS: RangeInclusive<u16> = 1..=317;
/// Keys that Monkey replaces by another one: end of call, power, sleep and soft sleep.
const SWITCHES_OFF: [u16; 4] = [6, 26, 223, 276];

/// Shares of all kinds of events in percent; their sum is 100.
#[derive(Clone, Debug, PartialEq)]
pub struct EventMix {
    shares: [f64; SHARES.len()],
}

/// Shares that make no mix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EventMixError {
    /// No kind of event has this name.
    #[error("unknown kind of event `{name}`; known are {known}")]
    Name {
        /// The given name.
        name: String,
        /// All names.
        known: String,
    },
    /// A share is not a percentage.
    #[error("the share of `{name}` must be a number from 0 to 100, not {share}")]
    Share {
        /// Name of the kind.
        name: String,
        /// The given share.
        share: f64,
    },
    /// The given shares exceed 100.
    #[error("the given shares add up to {sum}, more than 100")]
    TooMuch {
        /// Sum of the given shares.
        sum: f64,
    },
    /// The given shares are less than 100, and no other kind can fill the rest.
    #[error("the given shares add up to {sum}, and no other kind is left to make up 100")]
    TooLittle {
        /// Sum of the given shares.
        sum: f64,
    },
}

impl Default for EventMix {
    fn default() -> EventMix {
        EventMix {
            shares: SHARES.map(|(.., share)| share),
        }
    }
}

impl EventMix {
    /// Mix with some given shares. The others keep their proportions in the rest of 100, as in Monkey.
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
            let index = SHARES.iter().position(|(known, ..)| known == name);
            let known = || SHARES.map(|(name, ..)| name).join(", ");
            let index = index.ok_or_else(|| EventMixError::Name {
                name: name.clone(),
                known: known(),
            })?;
            mix.shares[index] = *share;
            fixed[index] = true;
        }
        let sum = |of_fixed: bool| -> f64 {
            mix.shares
                .iter()
                .zip(fixed)
                .filter(|(_, fixed)| *fixed == of_fixed)
                .map(|(share, _)| share)
                .sum()
        };
        let given = sum(true);
        let others = sum(false);
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

    /// Draws a kind of event.
    pub(super) fn draw(&self, rng: &mut Rng) -> MonkeyEvent {
        let drawn = draw_weighted(self.shares.iter().copied(), rng);
        drawn.map_or(MonkeyEvent::Touch, |index| SHARES[index].1)
    }
}

/// Draws a key code as Monkey does: from all of Android, so that few are letters. `None` for a key that calls, opens other apps or
/// changes settings: it is not sent, and on phones most of them are refused to Monkey too.
pub(super) fn random_key(rng: &mut Rng) -> Option<u16> {
    loop {
        let code = rng.random_range(KEYS);
        if !SWITCHES_OFF.contains(&code) {
            return (!leaves_app(code)).then_some(code);
        }
    }
}

/// True for keys of calls, media, screenshots, televisions, recent apps, single apps, assistants, brightness and system gestures.
fn leaves_app(code: u16) -> bool {
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
    fn shares_that_are_not_given_keep_their_proportions() {
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
    fn invalid_shares_are_errors() {
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
    fn events_are_drawn_in_proportion_to_their_shares() {
        let mix = EventMix::default();
        let mut rng = Seed(1).rng();
        let touches = (0..20_000)
            .filter(|_| mix.draw(&mut rng) == MonkeyEvent::Touch)
            .count();
        assert!((2_800..3_200).contains(&touches), "{touches}");
    }

    #[test]
    fn a_random_key_is_a_letter_or_digit_as_rarely_as_in_monkey() {
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
