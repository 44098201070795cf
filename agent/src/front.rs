//! What is in front of the display: the wait for an app that was launched, and the look at a display that does not change.

use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::RequestFailure;
use retap_shared::trace::App;

use crate::handlers::Handlers;
use crate::phone::PhoneError;

/// Maximum time from a launch to the app's first window. A cold start on an old phone takes seconds.
const LAUNCH_LIMIT: Micros = Micros::from_millis(15_000);
/// Time after which another app is not a remnant of the moment before the launch.
const OTHER_APP_LIMIT: Micros = Micros::from_millis(3_000);
const POLL_INTERVAL: Micros = Micros::from_millis(100);

impl Handlers {
    /// Wakes the phone, launches the app and waits until a window of it is in front. A start during which the app fails is
    /// one; so is one that leads to another app or to a permission dialog, which is returned.
    pub(crate) fn launch_to_front(&mut self, app: &App) -> Result<Option<Obstacle>, PhoneError> {
        self.phone.wake()?;
        self.phone.launch(app)?;
        let launched = self.phone.now();
        loop {
            let Some(obstacle) = self.phone.obstacle(app)? else {
                return Ok(None);
            };
            if self.has_failed() {
                return Ok(None);
            }
            let waited = self.phone.now().since(launched);
            match obstacle {
                Obstacle::PermissionDialog => return Ok(Some(obstacle)),
                Obstacle::OtherApp(_) if waited >= OTHER_APP_LIMIT => return Ok(Some(obstacle)),
                Obstacle::DisplayOff | Obstacle::LockScreen => drop(self.phone.wake()?),
                _ => {}
            }
            if waited >= LAUNCH_LIMIT {
                return Err(RequestFailure::Obstructed(obstacle).into());
            }
            self.phone.sleep(POLL_INTERVAL);
            if self.phone.now().since(launched) <= waited {
                // Phone time stands still: nothing will change.
                return Err(RequestFailure::Obstructed(obstacle).into());
            }
        }
    }

    /// Wakes a phone on which nothing has changed. Returns true if the display was off or locked: events are lost then.
    pub(crate) fn was_asleep(&mut self) -> Result<bool, PhoneError> {
        self.phone.wake()
    }

    /// True if the app has failed since its events were last taken.
    fn has_failed(&mut self) -> bool {
        self.phone.take_events(&mut self.seen_events);
        let mut events = self.seen_events.iter();
        events.any(|event| matches!(event.kind, PhoneEventKind::Finding(_)))
    }
}
