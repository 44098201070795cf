//! Notifications that have arrived and that nobody has taken yet. Bounded in number and size: the oldest are dropped first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::phone_event::PhoneEvent;
use retap_shared::session::{MAX_NOTIFICATION_BYTES, MAX_NOTIFICATIONS};
use tokio::sync::Notify;

#[derive(Debug, Default)]
pub(super) struct NotificationInbox {
    state: Mutex<InboxState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct InboxState {
    /// Each with its number of bytes on the wire.
    events: VecDeque<(PhoneEvent, usize)>,
    bytes: usize,
    is_closed: bool,
}

impl NotificationInbox {
    /// The oldest notification, once there is one; `None` once none can come any more.
    pub(super) async fn next(&self) -> Option<PhoneEvent> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut state = self.lock();
                if let Some((event, bytes)) = state.events.pop_front() {
                    state.bytes -= bytes;
                    return Some(event);
                }
                if state.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }

    fn push(&self, event: PhoneEvent, bytes: usize) {
        let mut state = self.lock();
        state.bytes += bytes;
        state.events.push_back((event, bytes));
        while state.events.len() > MAX_NOTIFICATIONS || state.bytes > MAX_NOTIFICATION_BYTES {
            let Some((_, dropped)) = state.events.pop_front() else {
                break;
            };
            state.bytes -= dropped;
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills an inbox. With its last clone the inbox is closed.
#[derive(Clone, Debug)]
pub(super) struct InboxWriter(Arc<InboxCloser>);

#[derive(Debug)]
struct InboxCloser(Arc<NotificationInbox>);

impl InboxWriter {
    pub(super) fn new(inbox: &Arc<NotificationInbox>) -> InboxWriter {
        InboxWriter(Arc::new(InboxCloser(Arc::clone(inbox))))
    }

    pub(super) fn push(&self, event: PhoneEvent, bytes: usize) {
        self.0.0.push(event, bytes);
    }
}

impl Drop for InboxCloser {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::micros::Micros;
    use retap_shared::phone_event::PhoneEventKind;

    use super::*;

    fn event(number: usize) -> PhoneEvent {
        PhoneEvent {
            at: Micros::ZERO,
            kind: PhoneEventKind::Activity(number.to_string().into()),
        }
    }

    async fn taken(inbox: &NotificationInbox) -> Vec<PhoneEvent> {
        let mut taken = Vec::new();
        while let Some(event) = inbox.next().await {
            taken.push(event);
        }
        taken
    }

    #[tokio::test]
    async fn the_newest_notifications_are_kept_when_too_many_come() {
        let inbox = Arc::new(NotificationInbox::default());
        let writer = InboxWriter::new(&inbox);
        (0..MAX_NOTIFICATIONS + 5).for_each(|number| writer.push(event(number), 10));
        drop(writer);
        let kept = taken(&inbox).await;
        assert_eq!(kept.len(), MAX_NOTIFICATIONS);
        assert_eq!(kept[0], event(5));
    }

    #[tokio::test]
    async fn large_notifications_are_bounded_by_their_size() {
        let inbox = Arc::new(NotificationInbox::default());
        let writer = InboxWriter::new(&inbox);
        let half = MAX_NOTIFICATION_BYTES / 2;
        (0..5).for_each(|number| writer.push(event(number), half));
        drop(writer);
        assert_eq!(taken(&inbox).await, [event(3), event(4)]);
    }
}
