//! The page's script, written in TypeScript in `host/page`. Its bundle is committed, so that a build needs no Node;
//! `scripts/test-page` checks that it is up to date.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use ring::digest::{SHA256, digest};

const SCRIPT: &str = include_str!("../../../page/dist/page.js");

pub(crate) fn script() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } }
}

/// The script's hash as a content security policy names it: no other script runs on the page.
pub(crate) fn source_hash() -> String {
    let hash = digest(&SHA256, SCRIPT.as_bytes());
    format!("sha256-{}", STANDARD.encode(hash))
}

/// Returns whether this is the script.
#[cfg(test)]
pub(super) fn matches(text: &str) -> bool {
    text == SCRIPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_does_not_end_its_own_element() {
        let lower = SCRIPT.to_lowercase();
        assert!(!lower.contains("</script") && !lower.contains("<!--"));
    }
}
