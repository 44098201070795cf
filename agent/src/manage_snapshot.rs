//! Handler of `ManageSnapshot`: saves, restores and discards snapshots.

use retap_shared::protocol::{ManageSnapshot, ManageSnapshotReply};

use crate::handlers::Handlers;
use crate::phone::PhoneError;

impl Handlers {
    pub(crate) fn manage_snapshot(
        &mut self,
        operation: ManageSnapshot,
    ) -> Result<ManageSnapshotReply, PhoneError> {
        let start = self.phone.now();
        let (id, bytes) = match operation {
            ManageSnapshot::Save => self.phone.save_snapshot()?,
            ManageSnapshot::Restore(id) => {
                let bytes = self.phone.restore_snapshot(id)?;
                self.recent_screens.forget_latest();
                (id, bytes)
            }
            ManageSnapshot::Discard(id) => (id, self.phone.discard_snapshot(id)?),
        };
        Ok(ManageSnapshotReply {
            id,
            bytes,
            took: self.phone.now().since(start),
        })
    }
}
