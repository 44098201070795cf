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

/// An option that help texts name, and that a run replaces by the whole command.
const RESUME_OPTION: &str = "`--resume`";

#[derive(Debug)]
pub struct CommandError {
    error: Box<dyn UserError>,
    /// Command that resumes the run that failed.
    resume: Option<String>,
}

impl<E: UserError> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError {
            error: Box::new(error),
            resume: None,
        }
    }
}

impl CommandError {
    /// The error of a run that this command resumes.
    pub fn resumed_by(self, command: String) -> CommandError {
        CommandError {
            resume: Some(command),
            ..self
        }
    }

    pub fn exit(&self) -> CommandExit {
        self.error.exit()
    }

    /// True if it is no failure: the user asked to stop.
    pub fn is_interruption(&self) -> bool {
        self.exit() == CommandExit::Interrupted
    }

    pub fn details(&self) -> Vec<String> {
        self.error.details()
    }

    /// The remedy. A run that can be resumed is named.
    pub fn help(&self) -> String {
        let help = self.error.help();
        match &self.resume {
            Some(command) => help.replace(RESUME_OPTION, &format!("`{command}`")),
            None => help,
        }
    }

    /// The error and its causes, outermost first. A cause that only says again what stands above it is left out.
    pub fn chain(&self) -> Vec<String> {
        let mut lines = vec![self.error.to_string()];
        let mut cause = self.error.source();
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
