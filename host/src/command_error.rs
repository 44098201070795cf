//! Why a command could not do its work: an error that also knows what the user can do, and how the program ends.

use std::error::Error;

use crate::exit::CommandExit;

/// An error that a command may end with: it has details and a remedy.
pub trait UserError: Error + Send + Sync + 'static {
    fn exit(&self) -> CommandExit;
    /// Details, one per line, such as every mistake of a file.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }
    /// The remedy, as a whole sentence without a full stop.
    fn help(&self) -> String;
}

#[derive(Debug)]
pub struct CommandError(Box<dyn UserError>);

impl<E: UserError> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError(Box::new(error))
    }
}

impl CommandError {
    pub fn exit(&self) -> CommandExit {
        self.0.exit()
    }

    pub fn details(&self) -> Vec<String> {
        self.0.details()
    }

    pub fn help(&self) -> String {
        self.0.help()
    }

    /// The error and its causes, outermost first. A cause that only says again what stands above it is left out.
    pub fn chain(&self) -> Vec<String> {
        let mut lines = vec![self.0.to_string()];
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let line = error.to_string();
            let repeats = lines
                .last()
                .is_some_and(|above| above.contains(&line) || line.ends_with(above.as_str()));
            if !repeats {
                lines.push(line);
            }
            cause = error.source();
        }
        lines
    }
}
