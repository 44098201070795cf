//! A phone with the state that the handlers keep between requests. Each handler is in a file of its own; `dispatch`
//! calls them.

use std::collections::VecDeque;
use std::fmt;

use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;

use crate::phone::Phone;
use crate::recent_screens::RecentScreens;

/// Handles requests, one at a time.
pub struct Handlers {
    pub(crate) phone: Box<dyn Phone>,
    pub(crate) recent_screens: RecentScreens,
    /// Events that no reply has carried, oldest first, such as those of a cancelled play.
    pub(crate) unsent_events: VecDeque<PhoneEvent>,
    /// Phone time of the last start of an app.
    pub(crate) app_started: Micros,
    /// Events that were looked at already, but not taken by a reply, oldest first.
    pub(crate) seen_events: Vec<PhoneEvent>,
}

impl Handlers {
    /// Creates handlers for a phone.
    pub fn new(phone: Box<dyn Phone>) -> Self {
        Handlers {
            phone,
            recent_screens: RecentScreens::default(),
            unsent_events: VecDeque::new(),
            app_started: Micros::ZERO,
            seen_events: Vec::new(),
        }
    }

    /// Phone time.
    pub fn now(&self) -> Micros {
        self.phone.now()
    }

    /// The next event that no reply has carried. Each event is returned once.
    pub fn next_unsent_event(&mut self) -> Option<PhoneEvent> {
        self.unsent_events.pop_front()
    }

    pub(crate) fn take_events(&mut self) -> Vec<PhoneEvent> {
        self.phone.take_events(&mut self.seen_events);
        std::mem::take(&mut self.seen_events)
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("phone", &self.phone.info())
            .finish_non_exhaustive()
    }
}
