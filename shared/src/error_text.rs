//! Errors as text for logs and replies.

use std::iter::successors;

/// Formats an error and all its causes on one line, separated by colons.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
