//! Which app's failures to report, and what has been seen that no reply has carried.

use retap_shared::protocol::{Watch, Watched};

use crate::handlers::Handlers;

impl Handlers {
    pub(crate) fn watch(&mut self, watch: &Watch) -> Watched {
        self.phone.watch(&watch.package);
        let mut happened: Vec<_> = self.unsent.drain(..).collect();
        self.phone.take_happenings(&mut happened);
        Watched { happened }
    }
}
