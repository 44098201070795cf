//! Handler of `WatchApp`: chooses the app whose events are reported, and returns the events that no reply has carried.

use retap_shared::protocol::{WatchApp, WatchAppReply};

use crate::handlers::Handlers;

impl Handlers {
    pub(crate) fn watch_app(&mut self, watch: &WatchApp) -> WatchAppReply {
        self.phone.watch(&watch.package);
        let mut events: Vec<_> = self.unsent_events.drain(..).collect();
        self.phone.take_events(&mut events);
        WatchAppReply { events }
    }
}
