//! What `dumpsys battery` says of a phone.

use retap_shared::phone_health::PhoneHealth;

/// The command on the phone.
pub(super) const COMMAND: &str = "dumpsys battery";

/// Battery and temperature in the output of `COMMAND`; none if it has neither.
pub(super) fn parse(output: &str) -> Option<PhoneHealth> {
    let number = |name: &str| {
        let mut lines = output
            .lines()
            .filter_map(|line| line.trim().split_once(':'));
        let (_, value) = lines.find(|(found, _)| *found == name)?;
        value.trim().parse::<i32>().ok()
    };
    let is_present = !output.contains("present: false");
    let level = number("level").filter(|level| is_present && *level >= 0);
    let scale = number("scale").filter(|scale| *scale > 0).unwrap_or(100);
    let health = PhoneHealth {
        // Tenths of a degree. Emulators and phones without a sensor tell 0 or less.
        temperature: number("temperature")
            .filter(|tenths| (1..2_000).contains(tenths))
            .map(|tenths| tenths as f32 / 10.0),
        battery: level.map(|level| (i64::from(level) * 100 / i64::from(scale)).min(100) as u8),
    };
    (health != PhoneHealth::default()).then_some(health)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_output_of_android_is_read() {
        let output = "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  status: 2\n  health: 2\n  \
                      present: true\n  level: 85\n  scale: 100\n  voltage: 4200\n  temperature: 315\n  technology: Li-ion\n";
        let health = parse(output).unwrap();
        assert_eq!((health.temperature, health.battery), (Some(31.5), Some(85)));
        let tablet = parse("  present: false\r\n  level: 0\r\n  temperature: 0\r\n");
        assert_eq!(tablet, None, "a device without a battery tells nothing");
        assert_eq!(parse("level: 30\nscale: 200\n").unwrap().battery, Some(15));
        assert_eq!(parse("/system/bin/sh: dumpsys: not found"), None);
    }

    proptest! {
        #[test]
        fn no_output_makes_it_panic(output in "(level|scale|temperature|present|[a-z]+|: |-?[0-9]{1,12}|\n| )*") {
            let charge = parse(&output).and_then(|health| health.battery);
            prop_assert!(charge.is_none_or(|charge| charge <= 100));
        }
    }
}
