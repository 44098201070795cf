//! Waiting until the screen is quiet, by the phone's clock.

use retap_shared::protocol::{Settle, SettleReply};

use crate::handlers::Handlers;
use crate::phone::Phone;

impl Handlers {
    pub(crate) fn settle(&mut self, wait: Settle) -> SettleReply {
        let start = self.phone.now();
        let quiet = settle(self.phone.as_mut(), wait);
        let happened = self.take_events();
        SettleReply {
            quiet,
            events: happened,
            took: self.phone.now().since(start),
        }
    }
}

/// True once nothing has changed for `wait.quiet`, false if `wait.limit` came first or the phone's clock stands still. The
/// quiet counts from now at the earliest: an app that has not yet begun to react is not quiet.
pub(crate) fn settle(phone: &mut dyn Phone, wait: Settle) -> bool {
    let start = phone.now();
    let end = start + wait.limit;
    loop {
        let now = phone.now();
        let quiet_at = phone.last_change().max(start) + wait.quiet;
        if now >= quiet_at {
            return true;
        }
        if now >= end {
            return false;
        }
        phone.sleep(quiet_at.min(end).since(now));
        if phone.now() <= now {
            return false;
        }
    }
}
