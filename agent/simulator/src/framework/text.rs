//! Texts of an app: shared with nodes without a copy, and texts that show the time.

use std::hash::{Hash, Hasher};

use retap_shared::Text;
use retap_shared::micros::Micros;

/// Anything that a widget can show. Literals are never copied.
pub(crate) trait IntoText {
    fn into_text(self) -> Text;
}

impl IntoText for &'static str {
    fn into_text(self) -> Text {
        Text::new_static(self)
    }
}

impl IntoText for Text {
    fn into_text(self) -> Text {
        self
    }
}

impl IntoText for &Text {
    fn into_text(self) -> Text {
        self.clone()
    }
}

/// A value that is only shown, such as a time or a number of views: states that differ only in it are the same state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unhashed<T>(pub(crate) T);

impl<T> Hash for Unhashed<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The time of day as `09:41:07`; the phone was switched on at nine.
pub(super) fn time_of_day(now: Micros) -> Unhashed<Text> {
    let seconds = now.as_millis() / 1_000 + 9 * 3_600;
    let mut digits = *b"00:00:00";
    for (place, part) in [
        (0, seconds / 3_600 % 24),
        (3, seconds / 60 % 60),
        (6, seconds % 60),
    ] {
        digits[place] += (part / 10) as u8;
        digits[place + 1] += (part % 10) as u8;
    }
    Unhashed(
        std::str::from_utf8(&digits)
            .map(Text::new)
            .unwrap_or_default(),
    )
}

/// `before`, a number and `after` as one text, without the machinery of `format!`: rows show many of these.
pub(crate) fn number_text(before: &str, value: u64, after: &str) -> Text {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = value;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let mut text = [0; 64];
    let mut end = 0;
    for part in [before.as_bytes(), &digits[start..], after.as_bytes()] {
        let Some(place) = text.get_mut(end..end + part.len()) else {
            break;
        };
        place.copy_from_slice(part);
        end += part.len();
    }
    std::str::from_utf8(&text[..end])
        .map(Text::new)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_day_is_read_off_the_phones_clock() {
        assert_eq!(time_of_day(Micros::from_millis(61_000)).0, "09:01:01");
    }

    #[test]
    fn numbers_stand_between_their_words() {
        assert_eq!(number_text("Cart (", 120, ")"), "Cart (120)");
        assert_eq!(number_text("", 0, " views"), "0 views");
    }

    #[test]
    fn the_time_is_no_part_of_a_states_identity() {
        let hash = |shown: &Unhashed<Text>| {
            let mut hasher = std::hash::DefaultHasher::new();
            (shown, 7).hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(
            hash(&time_of_day(Micros(0))),
            hash(&time_of_day(Micros(9_000_000)))
        );
    }
}
