//! Targets in the words of the command line: advice for wrong ones, and descriptions that are safe for a terminal.

use retap_shared::target::{Target, TargetError};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::sanitise_terminal::{self, INLINE_WIDTH};

/// Describes a target on one line, without control characters.
pub fn describe(target: &Target) -> String {
    sanitise_terminal::sanitise_line(&target.to_string(), INLINE_WIDTH)
}

impl UserError for TargetError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            TargetError::Pattern { .. } => {
                "write `log:REGEX`, with a backslash before characters that stand for themselves"
                    .into()
            }
            TargetError::Unknown(_) | TargetError::NoneNamed => {
                "name one with `--target`: `crash`, `activity:NAME`, `screen:TEXT` or `log:REGEX`"
                    .into()
            }
            TargetError::UnknownNeverRule(_) | TargetError::UnknownAlwaysRule(_) => {
                "correct the rule in `retap.toml`".into()
            }
        }
    }
}
