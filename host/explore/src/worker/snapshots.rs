//! Taking, restoring and discarding snapshots. For an app-data snapshot the app restarts, both when it is taken and when it is
//! restored.

use retap_device::{Device, DeviceError};
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::SharedScreen;

use super::{Worker, WorkerError};
use crate::journal::{RecordedEvent, RecordedStep};

impl Worker<'_> {
    pub(super) async fn take_snapshot(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
    ) -> Result<RecordedStep, WorkerError> {
        let taken = match device.take_snapshot().await {
            Ok(taken) => taken,
            Err(error) => return self.refuse_snapshot(error, screen),
        };
        let whole_phone = device.description().capabilities.snapshots;
        let event = RecordedEvent::SnapshotTaken {
            id: taken.id,
            bytes: taken.bytes,
            whole_phone,
        };
        let mut record = RecordedStep::new(self.number, event);
        record.took = taken.took;
        if whole_phone {
            record.screen = Some(screen);
        } else {
            self.settle_after_restart(device, &mut record).await?;
        }
        Ok(record)
    }

    pub(super) async fn restore_snapshot(
        &mut self,
        device: &mut Device,
        id: SnapshotId,
        screen: SharedScreen,
    ) -> Result<RecordedStep, WorkerError> {
        let restored = match device.restore_snapshot(id).await {
            Ok(restored) => restored,
            // A restore that failed half-way leaves a state that nobody knows: the app is started clean.
            Err(error) if error.is_phone_failure() => return Err(error.into()),
            Err(error) => return self.refuse_snapshot(error, screen),
        };
        let mut record = RecordedStep::new(self.number, RecordedEvent::SnapshotRestored { id });
        record.took = restored.took;
        if device.description().capabilities.snapshots {
            let screen = device.capture().await?;
            record.screen = Some(self.explorer_screen(device, screen).await?);
        } else {
            self.settle_after_restart(device, &mut record).await?;
        }
        Ok(record)
    }

    pub(super) async fn discard_snapshot(
        &mut self,
        device: &mut Device,
        id: SnapshotId,
        screen: SharedScreen,
    ) -> Result<RecordedStep, WorkerError> {
        let discarded = match device.discard_snapshot(id).await {
            Ok(discarded) => discarded,
            Err(error) => return self.refuse_snapshot(error, screen),
        };
        Ok(RecordedStep {
            screen: Some(screen),
            took: discarded.took,
            ..RecordedStep::new(self.number, RecordedEvent::SnapshotDiscarded { id })
        })
    }

    /// Counts a snapshot request that the phone refused as an event. Nothing has happened.
    fn refuse_snapshot(
        &self,
        error: DeviceError,
        screen: SharedScreen,
    ) -> Result<RecordedStep, WorkerError> {
        let refusal = match error {
            DeviceError::Refused(failure) if failure.phone_failure().is_some() => {
                failure.phone_failure()
            }
            error if error.is_interruption() => return Err(error.into()),
            _ => None,
        };
        self.exploration.count_event();
        Ok(RecordedStep {
            refusal,
            ..self.refusal(screen)
        })
    }

    /// Waits until the restarted app is quiet, and records its first screen and what the phone reported meanwhile.
    async fn settle_after_restart(
        &mut self,
        device: &mut Device,
        record: &mut RecordedStep,
    ) -> Result<(), WorkerError> {
        let settled = device.settle().await?;
        record.took += settled.took;
        record.add_phone_events(settled.events);
        let screen = match device.capture().await {
            Ok(screen) => self.explorer_screen(device, screen).await,
            Err(error) => Err(error.into()),
        };
        record.set_screen(screen)
    }
}
