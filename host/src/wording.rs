//! Numbers and names as a person would say them.

/// Names further away than this are not what somebody meant to type.
const SIMILAR: f64 = 0.75;

/// `12,345`.
pub fn group_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 step`, `2 steps`.
pub fn pluralise(number: u64, one: &str) -> String {
    format!(
        "{} {one}{}",
        group_thousands(number),
        if number == 1 { "" } else { "s" }
    )
}

/// `a`, `b` and `c`, each in backticks.
pub fn quoted_list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The name that somebody who typed `typed` most likely meant.
pub fn closest_name<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|name| (name, strsim::jaro_winkler(typed, name)))
        .filter(|(_, similar)| *similar > SIMILAR)
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_read_like_prose() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1_000, 1_234_567]
                .map(group_thousands)
                .each_ref()
                .map(|s| s.as_str())
        );
        assert_eq!(
            (pluralise(1, "step"), pluralise(2_000, "step")),
            ("1 step".into(), "2,000 steps".into())
        );
        assert_eq!(quoted_list(["a", "b", "c"].into_iter()), "`a`, `b` and `c`");
        assert_eq!(quoted_list(["a"].into_iter()), "`a`");
    }

    #[test]
    fn only_names_that_are_near_are_suggested() {
        assert_eq!(
            closest_name("evnts", ["events", "explorer"].into_iter()),
            Some("events")
        );
        assert_eq!(
            closest_name("zzz", ["events", "explorer"].into_iter()),
            None
        );
    }
}
