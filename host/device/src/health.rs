//! When a phone must rest: it is too hot, or its battery is low. The limits to begin and to end a rest differ, so that a phone
//! near one of them does not come and go.

use std::time::Duration;

use retap_shared::phone_health::PhoneHealth;

/// Shortest time between two looks at the same phone.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(30);
/// Temperature in °C at which a phone must rest, and below which it is used again.
const HOT: f32 = 45.0;
const COOL: f32 = 40.0;
/// Charge in percent below which a phone must rest, and at which it is used again.
const LOW: u8 = 15;
const CHARGED: u8 = 25;

/// Why the phone must rest; none if it is fit.
pub(crate) fn reason_to_rest(health: PhoneHealth) -> Option<String> {
    match health {
        PhoneHealth {
            temperature: Some(heat),
            ..
        } if heat >= HOT => Some(format!(
            "it is too hot with {heat:.0} °C, until it is below {COOL:.0} °C"
        )),
        PhoneHealth {
            battery: Some(charge),
            ..
        } if charge < LOW => Some(format!(
            "its battery is low with {charge} %, until it has {CHARGED} %"
        )),
        _ => None,
    }
}

/// True if a phone that rests may be used again.
pub(crate) fn is_rested(health: PhoneHealth) -> bool {
    health.temperature.is_none_or(|heat| heat < COOL)
        && health.battery.is_none_or(|charge| charge >= CHARGED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(temperature: f32, battery: u8) -> PhoneHealth {
        PhoneHealth {
            temperature: Some(temperature),
            battery: Some(battery),
        }
    }

    #[test]
    fn a_phone_rests_when_it_is_hot_or_its_battery_is_low() {
        assert_eq!(reason_to_rest(health(44.9, 15)), None);
        assert!(
            reason_to_rest(health(45.0, 90))
                .unwrap()
                .contains("too hot with 45")
        );
        assert!(
            reason_to_rest(health(30.0, 14))
                .unwrap()
                .contains("low with 14 %")
        );
        assert_eq!(reason_to_rest(PhoneHealth::default()), None);
    }

    #[test]
    fn a_rest_ends_later_than_it_would_begin() {
        assert!(!is_rested(health(41.0, 90)) && reason_to_rest(health(41.0, 90)).is_none());
        assert!(!is_rested(health(30.0, 20)) && reason_to_rest(health(30.0, 20)).is_none());
        assert!(is_rested(health(39.0, 25)) && is_rested(PhoneHealth::default()));
    }
}
