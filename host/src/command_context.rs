//! The context of a command: the console, and the cancellation by the user.

use std::io;
use std::sync::Arc;

use retap_device::CancellationToken;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::os;
use crate::report::console::{Console, LineStyle};

/// Console and cancellation of a command.
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

    /// Cancels at the first Ctrl-C and exits at the second. A separate thread listens, because the runtime's clock may be
    /// paused and the runtime busy.
    pub fn install_signal_handlers(&self) -> Result<(), SignalHandlerError> {
        let context = self.clone();
        match ctrlc::try_set_handler(move || context.on_interrupt()) {
            // In the background or under `nohup` some signals are ignored, and stay ignored. The others are handled.
            Err(ctrlc::Error::MultipleHandlers) => {
                let context = self.clone();
                os::on_termination_signal(move || context.on_interrupt())
                    .map_err(SignalHandlerError::Signals)
            }
            listening => listening.map_err(SignalHandlerError::Interrupt),
        }
    }

    /// Printed and no run event: a command without a run can be cancelled too, and this thread has no sink.
    fn on_interrupt(&self) {
        if self.cancellation.is_cancelled() {
            std::process::exit(CommandExit::Interrupted as i32);
        }
        self.cancellation.cancel();
        self.console.print(
            LineStyle::Warning,
            "stopping, all observations are kept; press Ctrl-C again to exit at once",
        );
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SignalHandlerError {
    #[error("could not listen for Ctrl-C")]
    Interrupt(#[source] ctrlc::Error),
    #[error("could not listen for termination signals")]
    Signals(#[source] io::Error),
}

impl UserError for SignalHandlerError {
    fn exit(&self) -> CommandExit {
        CommandExit::InternalError
    }

    fn help(&self) -> String {
        "see whether the system allows more threads".into()
    }
}
