//! Which app's failures to report, and what has been seen that no reply has carried.

use retap_shared::protocol::{WatchApp, WatchAppReply};

use crate::handlers::Handlers;

impl Handlers {
    pub(crate) fn watch_app(&mut self, watch: &WatchApp) -> WatchAppReply {
        self.phone.watch(&watch.package);
        let mut happened: Vec<_> = self.unsent_events.drain(..).collect();
        self.phone.take_events(&mut happened);
        WatchAppReply { events: happened }
    }
}
