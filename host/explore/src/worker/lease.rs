//! A worker's lease of a phone: how it begins, how it ends, and what a dead agent means for it.

use retap_device::run_event::RunEvent;
use retap_device::seed::Seed;
use retap_device::{DeviceError, DeviceLease};
use retap_shared::action::SystemEventKinds;

use super::Worker;
use crate::error::ExploreError;
use crate::journal::{RecordedEvent, RecordedStep};

/// Number of events after which an agent's death is forgiven.
const EVENTS_TO_FORGIVE_DEATH: u32 = 100;

/// Deaths of the agent under one worker.
pub(super) struct AgentDeaths {
    pub(super) count: u32,
    /// Number of the worker's events at the last one.
    pub(super) last_event: u32,
}

impl Worker<'_> {
    /// Prepares a phone, and announces its capabilities to the strategy.
    pub(super) fn begin_lease(&self, lease: &mut DeviceLease, seed: Seed) {
        self.exploration.emit(RunEvent::SessionStarted {
            session: self.session(),
            device: lease.name().to_owned(),
            seed: seed.0,
        });
        let mut state = self.exploration.lock_state();
        let settle = state.explorer.settle();
        lease.set_settle(settle.unwrap_or(self.exploration.settings.settle));
        let description = lease.description();
        state.workers[self.number].phone = description.phone.clone();
        let supported = description.capabilities.system_events;
        state
            .explorer
            .set_worker_capabilities(self.number, supported);
        // The capabilities of simulated phones are known.
        let is_unknown =
            state.explorer.wants_system_events() && description.phone.kind != "simulated";
        drop(state);
        let missing = SystemEventKinds::all() - supported;
        if is_unknown && !missing.is_empty() {
            self.warn(format!(
                "`{}` cannot do these system events, which are left out: {missing}",
                lease.name()
            ));
        }
    }

    /// Gives back a phone that must rest, and records that its snapshots are lost.
    pub(super) fn release_to_rest(
        &self,
        lease: DeviceLease,
        why: String,
    ) -> Result<(), ExploreError> {
        let mut lost = RecordedStep::new(self.number, RecordedEvent::SnapshotsLost);
        self.exploration.commit(&mut lost)?;
        lease.rest(why);
        Ok(())
    }

    /// Gives back or quarantines a phone after an error, and records that its snapshots are lost.
    pub(super) fn release_failed(
        &self,
        lease: DeviceLease,
        error: DeviceError,
        deaths: &mut AgentDeaths,
    ) -> Result<(), ExploreError> {
        let mut lost = RecordedStep::new(self.number, RecordedEvent::SnapshotsLost);
        self.exploration.commit(&mut lost)?;
        // A phone that restarts every night is not one on which the agent cannot live.
        let events = self.exploration.lock_state().workers[self.number].events;
        if events.saturating_sub(deaths.last_event) > EVENTS_TO_FORGIVE_DEATH {
            deaths.count = 0;
        }
        deaths.last_event = events;
        let device = lease.name().to_owned();
        lease
            .release_failed(error, &mut deaths.count, self.exploration.context.events)
            .map_err(|fault| ExploreError::Refused {
                device,
                app: self.exploration.settings.app.app.package.to_string(),
                fault,
            })
    }
}
