//! What every command has at hand: the console, and whether the user has asked to stop.

use std::io;
use std::sync::Arc;

use retap_device::stop::Stop;

use crate::exit::Exit;
use crate::failure::Explained;
use crate::os;
use crate::report::console::{Console, Tone};

#[derive(Clone, Debug)]
pub struct Shell {
    pub console: Arc<Console>,
    pub stop: Stop,
}

impl Shell {
    pub fn new(console: Console) -> Shell {
        Shell {
            console: Arc::new(console),
            stop: Stop::new(),
        }
    }

    /// The first Ctrl-C asks to stop, the second does not ask. A thread of its own listens, because the runtime's
    /// clock is paused and the runtime may be busy.
    pub fn listen(&self) -> Result<(), ListenError> {
        let shell = self.clone();
        match ctrlc::try_set_handler(move || shell.interrupted()) {
            // In the background or under `nohup` some signals are ignored, and stay so. The others count as ever.
            Err(ctrlc::Error::MultipleHandlers) => {
                let shell = self.clone();
                os::on_end_asked(move || shell.interrupted()).map_err(ListenError::Signals)
            }
            listening => listening.map_err(ListenError::Interrupt),
        }
    }

    fn interrupted(&self) {
        if self.stop.asked() {
            std::process::exit(Exit::Interrupted as i32);
        }
        self.stop.ask();
        self.console.say(
            Tone::Warning,
            "stopping, and keeping what was observed; Ctrl-C again ends at once",
        );
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("could not listen for Ctrl-C")]
    Interrupt(#[source] ctrlc::Error),
    #[error("could not listen for the signals that ask programs to end")]
    Signals(#[source] io::Error),
}

impl Explained for ListenError {
    fn exit(&self) -> Exit {
        Exit::OwnFault
    }

    fn help(&self) -> String {
        "see whether the system lets programs start threads".into()
    }
}
