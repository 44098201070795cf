//! Saving the phone's state, going back to one, giving one up. Where a phone can save only an app's data, the app is stopped for
//! it and begins anew, after saving as after going back.

use retap_device::Device;
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::SharedScreen;

use super::worker::{ExplorationWorker, WorkerError, sort_phone_events};
use crate::journal::{RecordedEvent, RecordedStep};

impl ExplorationWorker<'_> {
    pub(super) async fn take_snapshot(
        &mut self,
        device: &mut Device,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        let saved = match device.take_snapshot().await {
            Ok(saved) => saved,
            Err(error) => return self.refuse_snapshot(error, now),
        };
        let whole = device.description().capabilities.snapshots;
        let did = RecordedEvent::Saved {
            id: saved.id,
            bytes: saved.bytes,
            whole,
        };
        let mut record = self.new_recorded_step(did, Some(now), saved.took);
        if !whole {
            self.settle_after_restart(device, &mut record).await?;
        }
        self.finish_step(device, record).await
    }

    pub(super) async fn restore_snapshot(
        &mut self,
        device: &mut Device,
        id: SnapshotId,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        let restored = match device.restore_snapshot(id).await {
            Ok(restored) => restored,
            Err(error) => return self.refuse_snapshot(error, now),
        };
        let mut record =
            self.new_recorded_step(RecordedEvent::Restored { id }, None, restored.took);
        if device.description().capabilities.snapshots {
            let screen = device.capture().await?;
            record.screen = Some(self.explorer_screen(device, screen).await?);
        } else {
            self.settle_after_restart(device, &mut record).await?;
        }
        self.finish_step(device, record).await
    }

    pub(super) async fn discard_snapshot(
        &mut self,
        device: &mut Device,
        id: SnapshotId,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        match device.discard_snapshot(id).await {
            Ok(dropped) => {
                self.commit(&self.new_recorded_step(
                    RecordedEvent::Dropped { id },
                    Some(now.clone()),
                    dropped.took,
                ))?;
                Ok(Some(now))
            }
            Err(error) => self.refuse_snapshot(error, now),
        }
    }

    /// The app's first screen, as soon as it is quiet, and what happened until then.
    async fn settle_after_restart(
        &mut self,
        device: &mut Device,
        record: &mut RecordedStep,
    ) -> Result<(), WorkerError> {
        let settled = device.settle().await?;
        let screen = device.capture().await?;
        record.screen = Some(self.explorer_screen(device, screen).await?);
        record.took += settled.took;
        sort_phone_events(settled.events, record);
        Ok(())
    }
}
