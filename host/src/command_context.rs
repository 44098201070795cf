//! What every command has at hand: the console, and whether the user has asked to stop.

use std::io;
use std::sync::Arc;

use retap_device::CancellationToken;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::os;
use crate::report::console::{Console, LineStyle};

#[derive(Clone, Debug)]
pub struct CommandContext {
    pub console: Arc<Console>,
    pub cancellation: CancellationToken,
}

impl CommandContext {
    pub fn new(console: Console) -> CommandContext {
        CommandContext {
            console: Arc::new(console),
            cancellation: CancellationToken::new(),
        }
    }

    /// The first Ctrl-C asks to stop, the second does not ask. A thread of its own listens, because the runtime's
    /// clock is paused and the runtime may be busy.
    pub fn install_signal_handlers(&self) -> Result<(), SignalHandlerError> {
        let shell = self.clone();
        match ctrlc::try_set_handler(move || shell.on_interrupt()) {
            // In the background or under `nohup` some signals are ignored, and stay so. The others count as ever.
            Err(ctrlc::Error::MultipleHandlers) => {
                let shell = self.clone();
                os::on_termination_signal(move || shell.on_interrupt())
                    .map_err(SignalHandlerError::Signals)
            }
            listening => listening.map_err(SignalHandlerError::Interrupt),
        }
    }

    fn on_interrupt(&self) {
        if self.cancellation.is_cancelled() {
            std::process::exit(CommandExit::Interrupted as i32);
        }
        self.cancellation.cancel();
        self.console.print(
            LineStyle::Warning,
            "stopping, and keeping what was observed; Ctrl-C again ends at once",
        );
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SignalHandlerError {
    #[error("could not listen for Ctrl-C")]
    Interrupt(#[source] ctrlc::Error),
    #[error("could not listen for the signals that ask programs to end")]
    Signals(#[source] io::Error),
}

impl UserError for SignalHandlerError {
    fn exit(&self) -> CommandExit {
        CommandExit::InternalError
    }

    fn help(&self) -> String {
        "see whether the system lets programs start threads".into()
    }
}
