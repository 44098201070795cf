//! Calendar time in UTC, for names of directories and for people.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcTime(pub u64);

impl UtcTime {
    pub fn now() -> UtcTime {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        UtcTime(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// `20260414-123005`: names with it sort by time.
    pub fn file_stamp(self) -> String {
        let (year, month, day, hour, minute, second) = self.parts();
        format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
    }

    /// `2026-04-14 12:30:05 UTC`.
    pub fn to_text(self) -> String {
        let (year, month, day, hour, minute, second) = self.parts();
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }

    fn parts(self) -> (u64, u64, u64, u64, u64, u64) {
        let seconds = self.0 / 1_000;
        let (year, month, day) = civil(seconds / 86_400);
        (
            year,
            month,
            day,
            seconds / 3_600 % 24,
            seconds / 60 % 60,
            seconds % 60,
        )
    }
}

/// Days since 1970 as year, month, day: Howard Hinnant's `civil_from_days`, for days that are not before 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let from_march_0000 = days + 719_468;
    let era = from_march_0000 / 146_097;
    let day_of_era = from_march_0000 % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_have_known_names() {
        let cases = [
            (0, "19700101-000000"),
            (951_782_399, "20000228-235959"),
            (951_782_400, "20000229-000000"),
            (1_776_169_805, "20260414-123005"),
            (4_107_542_400, "21000301-000000"),
        ];
        for (seconds, name) in cases {
            assert_eq!(UtcTime(seconds * 1_000 + 999).file_stamp(), name);
        }
        assert_eq!(
            UtcTime(1_776_169_805_000).to_text(),
            "2026-04-14 12:30:05 UTC"
        );
    }
}
