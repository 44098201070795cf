//! Saving the phone's state, going back to it, forgetting it.

use retap_shared::protocol::{Checkpoint, Checkpointed};

use crate::handlers::Handlers;
use crate::phone::PhoneError;

impl Handlers {
    pub(crate) fn checkpoint(
        &mut self,
        checkpoint: Checkpoint,
    ) -> Result<Checkpointed, PhoneError> {
        let start = self.phone.now();
        let (id, bytes) = match checkpoint {
            Checkpoint::Save => self.phone.save()?,
            Checkpoint::Restore(id) => {
                let bytes = self.phone.restore(id)?;
                self.recent.forget_latest();
                (id, bytes)
            }
            Checkpoint::Drop(id) => (id, self.phone.drop_checkpoint(id)?),
        };
        Ok(Checkpointed {
            id,
            bytes,
            took: self.phone.now().since(start),
        })
    }
}
