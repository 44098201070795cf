//! Saved states: what a checkpoint keeps, and going back to one.

use retap_agent::phone::PhoneError;
use retap_shared::micros::Micros;
use retap_shared::protocol::CheckpointId;

use super::{Front, SimulatedPhone, impossible};
use crate::kit::Process;

/// The state of apps and screen at one moment. Neither the clock nor chance.
pub(super) struct Saved {
    process: Box<dyn Process>,
    front: Front,
    at: Micros,
    bytes: u64,
}

impl SimulatedPhone {
    pub(super) fn save_state(&mut self) -> (CheckpointId, u64) {
        self.next_checkpoint += 1;
        let id = CheckpointId(self.next_checkpoint);
        let bytes = self.process.bytes();
        let mut process = self.process.fork();
        process.forget_drawing();
        self.saved.insert(
            id,
            Saved {
                process,
                front: self.front,
                at: self.world.now,
                bytes,
            },
        );
        (id, bytes)
    }

    pub(super) fn restore_state(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        let saved = self.saved.get_mut(&id).ok_or_else(|| unknown(id))?;
        // Whoever comes back once often does so again: what is drawn now is there the next time.
        saved.process.screen();
        let mut process = saved.process.fork();
        let bytes = saved.bytes;
        process.postpone(self.world.now.since(saved.at));
        (self.process, self.front) = (process, saved.front);
        self.look();
        Ok(bytes)
    }

    pub(super) fn drop_state(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        self.saved
            .remove(&id)
            .map(|saved| saved.bytes)
            .ok_or_else(|| unknown(id))
    }
}

fn unknown(id: CheckpointId) -> PhoneError {
    impossible(format!(
        "there is no checkpoint {}; it was never saved, or has been dropped",
        id.0
    ))
}
