//! Handler of `Settle`: waits in phone time until the screen has not changed for a while.

use retap_shared::protocol::{Settle, SettleReply};

use crate::handlers::Handlers;
use crate::phone::Phone;

impl Handlers {
    pub(crate) fn settle(&mut self, limits: Settle) -> SettleReply {
        let start = self.phone.now();
        let quiet = settle(self.phone.as_mut(), limits);
        let events = self.take_events();
        SettleReply {
            quiet,
            events,
            took: self.phone.now().since(start),
        }
    }
}

/// Returns true once nothing has changed for `limits.quiet`, false after `limits.limit` or if phone time stands still.
/// The quiet time begins with the call at the earliest, because an app may not have reacted yet.
pub(crate) fn settle(phone: &mut dyn Phone, limits: Settle) -> bool {
    let start = phone.now();
    let end = start + limits.limit;
    loop {
        let now = phone.now();
        let quiet_at = phone.last_change().max(start) + limits.quiet;
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
