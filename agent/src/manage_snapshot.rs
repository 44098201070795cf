//! Saving the phone's state, going back to it, forgetting it.

use retap_shared::protocol::{ManageSnapshot, ManageSnapshotReply};

use crate::handlers::Handlers;
use crate::phone::PhoneError;

impl Handlers {
    pub(crate) fn manage_snapshot(
        &mut self,
        checkpoint: ManageSnapshot,
    ) -> Result<ManageSnapshotReply, PhoneError> {
        let start = self.phone.now();
        let (id, bytes) = match checkpoint {
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
