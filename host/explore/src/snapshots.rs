//! Saving the phone's state, going back to one, giving one up. Where a phone can save only an app's data, the app is stopped for
//! it and begins anew, after saving as after going back.

use retap_device::Device;
use retap_shared::protocol::CheckpointId;
use retap_shared::screen::SharedScreen;

use super::walker::{Halt, Walk, sort};
use crate::journal::{WalkRecord, Walked};

impl Walk<'_> {
    pub(super) async fn save(
        &mut self,
        device: &mut Device,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        let saved = match device.save().await {
            Ok(saved) => saved,
            Err(error) => return self.refused(error, now),
        };
        let whole = device.described().can.checkpoints;
        let did = Walked::Saved {
            id: saved.id,
            bytes: saved.bytes,
            whole,
        };
        let mut record = self.record(did, Some(now), saved.took);
        if !whole {
            self.begin_anew(device, &mut record).await?;
        }
        self.conclude(device, record).await
    }

    pub(super) async fn restore(
        &mut self,
        device: &mut Device,
        id: CheckpointId,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        let restored = match device.restore(id).await {
            Ok(restored) => restored,
            Err(error) => return self.refused(error, now),
        };
        let mut record = self.record(Walked::Restored { id }, None, restored.took);
        if device.described().can.checkpoints {
            let screen = device.capture().await?;
            record.screen = Some(self.seen(device, screen).await?);
        } else {
            self.begin_anew(device, &mut record).await?;
        }
        self.conclude(device, record).await
    }

    pub(super) async fn give_up(
        &mut self,
        device: &mut Device,
        id: CheckpointId,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        match device.forget(id).await {
            Ok(dropped) => {
                self.note(&self.record(Walked::Dropped { id }, Some(now.clone()), dropped.took))?;
                Ok(Some(now))
            }
            Err(error) => self.refused(error, now),
        }
    }

    /// The app's first screen, as soon as it is quiet, and what happened until then.
    async fn begin_anew(
        &mut self,
        device: &mut Device,
        record: &mut WalkRecord,
    ) -> Result<(), Halt> {
        let settled = device.settle().await?;
        let screen = device.capture().await?;
        record.screen = Some(self.seen(device, screen).await?);
        record.took += settled.took;
        sort(settled.happened, record);
        Ok(())
    }
}
