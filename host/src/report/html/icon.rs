//! Icons for buttons with a description and no text. They are defined once a page and used by name.

use maud::{Markup, html};

/// Name, words of descriptions that it is used for, and its strokes in a box of 24 units.
const ICONS: [(&str, &[&str], &str); 20] = [
    (
        "back",
        &["back", "navigate up", "up"],
        "M20 12H5m6-6-6 6 6 6",
    ),
    (
        "close",
        &["close", "dismiss", "cancel", "clear"],
        "M6 6l12 12M18 6L6 18",
    ),
    (
        "done",
        &["done", "save", "ok", "confirm"],
        "M5 12.5l5 5L19.5 7",
    ),
    (
        "add",
        &["add", "new", "create", "compose"],
        "M12 5v14M5 12h14",
    ),
    (
        "menu",
        &["menu", "navigation", "drawer"],
        "M4 7h16M4 12h16M4 17h16",
    ),
    (
        "more",
        &["more", "options", "overflow"],
        "M12 5v.1M12 12v.1M12 19v.1",
    ),
    (
        "search",
        &["search", "find"],
        "M16 16l5 5M10.5 4a6.5 6.5 0 1 0 .1 0",
    ),
    (
        "delete",
        &["delete", "remove", "trash", "discard"],
        "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
    ),
    (
        "edit",
        &["edit", "rename", "write"],
        "M4 20l1-5L16 4l4 4L9 19z",
    ),
    ("send", &["send"], "M3 12l18-8-6 17-4-7z"),
    (
        "refresh",
        &["refresh", "reload", "sync", "retry"],
        "M19 12a7 7 0 1 1-2-5l2 2m0-5v5h-5",
    ),
    (
        "cart",
        &["cart", "basket"],
        "M3 5h3l2 10h10l2-7H7M9 19.5v.1M17 19.5v.1",
    ),
    (
        "settings",
        &["settings", "preferences"],
        "M4 8h9m5 0h2M4 16h2m5 0h9M15.5 5.5v5M8.5 13.5v5",
    ),
    (
        "star",
        &["star", "favourite", "favorite", "pin"],
        "M12 4l2.5 5.5 6 .6-4.5 4 1.3 5.9-5.3-3-5.3 3 1.3-5.9-4.5-4 6-.6z",
    ),
    (
        "share",
        &["share", "export"],
        "M12 15V3m-4 4l4-4 4 4M5 12v8h14v-8",
    ),
    (
        "person",
        &["account", "profile", "user"],
        "M12 4a4 4 0 1 0 .1 0M4 21c1-5 4-7 8-7s7 2 8 7",
    ),
    (
        "attach",
        &["attach", "attachment", "attachments"],
        "M19 11l-8 8a5 5 0 0 1-7-7l9-9a3 3 0 0 1 5 5l-9 9",
    ),
    (
        "reply",
        &["reply", "answer", "undo"],
        "M9 6l-6 6 6 6M3 12h10c5 0 8 3 8 7",
    ),
    (
        "mail",
        &["mail", "mark", "read", "unread", "inbox"],
        "M3 6h18v12H3zM3 7l9 7 9-7",
    ),
    ("image", &[], "M3 18l6-8 4 5 3-3 5 6zM16.5 6v.1"),
];

/// Icon for a description, if there is one.
pub(crate) fn named(description: &str) -> Option<&'static str> {
    if description.len() > 40 {
        return None;
    }
    let description = description.to_lowercase();
    let is_word = |word: &str| {
        description
            .split(|one: char| !one.is_alphanumeric())
            .any(|part| part == word)
    };
    let calls = |words: &[&str]| {
        words
            .iter()
            .any(|word| description == *word || is_word(word))
    };
    ICONS
        .iter()
        .find(|(_, words, _)| calls(words))
        .map(|(name, ..)| *name)
}

pub(crate) fn at(name: &str, x: i64, y: i64, size: i64, class: &str) -> Markup {
    html! { use.icon.(class) href={ "#i-" (name) } x=(x) y=(y) width=(size) height=(size) {} }
}

/// Definitions, once a page before the first use.
pub(crate) fn definitions() -> Markup {
    html! {
        svg.definitions aria-hidden="true" width="0" height="0" {
            @for (name, _, strokes) in ICONS {
                symbol id={ "i-" (name) } viewBox="0 0 24 24" { path d=(strokes) {} }
            }
            symbol id="keys" viewBox="0 0 100 44" preserveAspectRatio="none" {
                path d=(keys()) {}
            }
        }
    }
}

/// The keys of a keyboard: three rows of letters, one with the space bar.
fn keys() -> String {
    let mut path = String::new();
    for (row, (count, indent)) in [(10, 1), (9, 6), (7, 16)].into_iter().enumerate() {
        for key in 0..count {
            path += &format!("M{} {}h8v8h-8z", indent + key * 10, 2 + row * 10);
        }
    }
    path + "M1 22h12v8h-12zM87 22h12v8h-12zM1 32h16v8h-16zM20 32h56v8h-56zM79 32h20v8h-20z"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_find_their_pictogram_by_whole_words() {
        assert_eq!(named("Navigate up"), Some("back"));
        assert_eq!(named("More options"), Some("more"));
        assert_eq!(named("Delete note"), Some("delete"));
        assert_eq!(named("Newsletter"), None);
        assert_eq!(named(""), None);
    }
}
