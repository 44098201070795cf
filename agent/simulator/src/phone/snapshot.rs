//! Snapshots: saving and restoring the state of apps and screen.

use retap_agent::phone::PhoneError;
use retap_shared::micros::Micros;
use retap_shared::protocol::SnapshotId;

use super::{FrontScreen, SimulatedPhone, impossible};
use crate::framework::AppProcess;

/// The state of apps and screen at one moment. Neither the clock nor chance.
pub(super) struct SimulatedSnapshot {
    process: Box<dyn AppProcess>,
    front: FrontScreen,
    at: Micros,
    bytes: u64,
}

impl SimulatedPhone {
    pub(super) fn save_state(&mut self) -> (SnapshotId, u64) {
        self.next_checkpoint += 1;
        let id = SnapshotId(self.next_checkpoint);
        let bytes = self.process.state_size();
        let mut process = self.process.fork();
        process.forget_drawing();
        self.snapshots.insert(
            id,
            SimulatedSnapshot {
                process,
                front: self.front,
                at: self.world.now,
                bytes,
            },
        );
        (id, bytes)
    }

    pub(super) fn restore_state(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        let saved = self.snapshots.get_mut(&id).ok_or_else(|| unknown(id))?;
        // A snapshot is often restored again, so the drawn screen is kept.
        saved.process.screen();
        let mut process = saved.process.fork();
        let bytes = saved.bytes;
        process.postpone(self.world.now.since(saved.at));
        (self.process, self.front) = (process, saved.front);
        self.refresh_screen();
        Ok(bytes)
    }

    pub(super) fn drop_state(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.snapshots
            .remove(&id)
            .map(|saved| saved.bytes)
            .ok_or_else(|| unknown(id))
    }
}

fn unknown(id: SnapshotId) -> PhoneError {
    impossible(format!(
        "there is no snapshot {}; it was never saved, or it was discarded",
        id.0
    ))
}
