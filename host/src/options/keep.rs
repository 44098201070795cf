//! How long runs are kept and how much space they may take: options of `retap runs prune`.

use std::str::FromStr;
use std::time::Duration;

/// Maximum age of a run, such as `30d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAge(pub Duration);

/// Maximum size of all runs together, such as `2GB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepSize(pub u64);

/// Maximum age, unless another one is named.
pub const DEFAULT_KEEP_AGE: KeepAge = KeepAge(Duration::from_secs(90 * 86_400));
/// Maximum size, unless another one is named.
pub const DEFAULT_KEEP_SIZE: KeepSize = KeepSize(10_000_000_000);

/// A text that is no age or no size.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeepLimitError {
    #[error("`{0}` is not an age; write a number with `h`, `d` or `w`, such as `30d`")]
    Age(String),
    #[error(
        "`{0}` is not a size; write a number with `B`, `kB`, `MB`, `GB` or `TB`, such as `2GB`"
    )]
    Size(String),
}

impl FromStr for KeepAge {
    type Err = KeepLimitError;

    fn from_str(text: &str) -> Result<KeepAge, KeepLimitError> {
        let units = [("h", 3_600), ("d", 86_400), ("w", 7 * 86_400)];
        number_with_unit(text, &units)
            .map(|seconds| KeepAge(Duration::from_secs(seconds)))
            .ok_or_else(|| KeepLimitError::Age(text.to_owned()))
    }
}

impl FromStr for KeepSize {
    type Err = KeepLimitError;

    fn from_str(text: &str) -> Result<KeepSize, KeepLimitError> {
        // The longest first: each of them ends with the last one.
        let units = [
            ("kB", 1_000),
            ("MB", 1_000_000),
            ("GB", 1_000_000_000),
            ("TB", 1_000_000_000_000),
            ("B", 1),
        ];
        number_with_unit(text, &units)
            .map(KeepSize)
            .ok_or_else(|| KeepLimitError::Size(text.to_owned()))
    }
}

fn number_with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    number.trim().parse::<u64>().ok()?.checked_mul(*factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_are_numbers_with_units() {
        let age = |text: &str| text.parse::<KeepAge>().map(|age| age.0.as_secs());
        assert_eq!(age("30d"), Ok(30 * 86_400));
        assert_eq!(age("2w"), Ok(14 * 86_400));
        assert_eq!(age("0h"), Ok(0));
        let size = |text: &str| text.parse::<KeepSize>().map(|size| size.0);
        assert_eq!(size("2GB"), Ok(2_000_000_000));
        assert_eq!(size("17B"), Ok(17));
        for wrong in ["", "30", "d", "-1d", "1.5d", "99999999999999999999w"] {
            assert!(age(wrong).is_err(), "{wrong}");
            assert!(size(&wrong.replace(['d', 'w'], "TB")).is_err(), "{wrong}");
        }
    }
}
