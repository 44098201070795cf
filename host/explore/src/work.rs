//! Hands sessions to free devices in order. A session whose device is lost is played again on another one.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use futures_util::future::try_join_all;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, DevicePool};

use super::progress::Progress;
use super::session::Session;
use super::{ExploreError, ExploreSettings, MakeExplorer};
use crate::journal::{ExplorationJournal, SessionRecord};

pub(super) struct Work<'a> {
    pub(super) pool: &'a DevicePool,
    pub(super) make: &'a MakeExplorer<'a>,
    pub(super) settings: &'a ExploreSettings,
    pub(super) seed: Seed,
    pub(super) journal: &'a dyn ExplorationJournal,
    pub(super) sink: &'a EventSink,
    pub(super) stop: &'a CancellationToken,
    pub(super) progress: &'a Progress<'a>,
}

#[derive(Default)]
pub(super) struct Played {
    /// Those that were stopped before their end are among them.
    pub(super) records: Vec<(u32, SessionRecord)>,
    pub(super) stopped: bool,
}

impl Work<'_> {
    pub(super) async fn play(&self, sessions: VecDeque<u32>) -> Result<Played, ExploreError> {
        let workers = self.pool.len().clamp(1, sessions.len().max(1));
        let queue = Mutex::new(sessions);
        let played = try_join_all((0..workers).map(|_| self.work(&queue))).await?;
        Ok(played.into_iter().fold(Played::default(), Played::with))
    }

    async fn work(&self, queue: &Mutex<VecDeque<u32>>) -> Result<Played, ExploreError> {
        let mut played = Played::default();
        loop {
            let next = queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some(number) = next else {
                return Ok(played);
            };
            if self.stop.is_cancelled() {
                return Ok(Played {
                    stopped: true,
                    ..played
                });
            }
            let (record, stopped) = Box::pin(self.session(number)).await?;
            if !stopped {
                self.journal.note_session(&record)?;
                let SessionRecord {
                    session,
                    events,
                    took,
                    ..
                } = record;
                self.progress.ended(took);
                (self.sink)(RunEvent::SessionEnded {
                    session,
                    events,
                    took,
                    recalled: false,
                });
            }
            played.records.push((number, record));
            played.stopped |= stopped;
        }
    }

    /// The record of a session, and whether it was stopped before its end.
    async fn session(&self, number: u32) -> Result<(SessionRecord, bool), ExploreError> {
        let mut deaths = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            let device = lease.name().to_owned();
            let seed = self.seed.derive("session", u64::from(number));
            (self.sink)(RunEvent::SessionStarted {
                session: number,
                device: device.clone(),
                seed: seed.0,
            });
            let mut session = Session::new(self, number, seed, lease.description().phone.clone());
            lease.set_settle(self.settings.settle);
            match session.play(&mut lease).await {
                Ok(stopped) => return Ok((session.into_record(), stopped)),
                Err(error) => {
                    self.progress.forget(session.events());
                    let app = self.settings.app.app.package.to_string();
                    let refused = |fault| ExploreError::Refused { device, app, fault };
                    lease
                        .release_failed(error, &mut deaths, self.sink)
                        .map_err(refused)?;
                }
            }
        }
    }
}

impl Played {
    fn with(mut self, other: Played) -> Played {
        self.records.extend(other.records);
        self.stopped |= other.stopped;
        self
    }
}
