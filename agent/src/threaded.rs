//! A `Connection` to a phone whose calls block: the handlers run on a thread of their own, and requests wait for their
//! turn. Screenshots are taken on a second thread, so that a tap does not wait for one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::{fmt, io};

use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request};
use retap_shared::verdict::Interruption;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::dispatch::{HandlerResult, PlayInProgress};
use crate::handlers::Handlers;
use crate::phone::{Phone, PhoneError};
use crate::take_screenshot::PendingScreenshot;

type ReplyResult = Result<Reply, RequestError>;

/// A connection to a phone on a thread of its own.
pub struct ThreadedConnection {
    requests: Sender<QueuedRequest>,
    notifications: Mutex<mpsc::UnboundedReceiver<PhoneEvent>>,
}

/// A request, and the sender for its reply, which is closed once the request is cancelled.
struct QueuedRequest {
    request: Request,
    reply: oneshot::Sender<ReplyResult>,
}

/// A screenshot that has not been taken yet, and the sender for its reply.
struct QueuedScreenshot {
    pending: PendingScreenshot,
    reply: oneshot::Sender<ReplyResult>,
}

impl ThreadedConnection {
    /// Starts the threads. They end once the connection is dropped, and the phone is dropped with them.
    pub fn start(phone: Box<dyn Phone>) -> io::Result<(ThreadedConnection, JoinHandle<()>)> {
        let (requests, request_queue) = channel();
        let (screenshots, screenshot_queue) = channel();
        let (event_sender, events) = mpsc::unbounded_channel();
        // Ends with the phone's thread, which holds the only sender.
        Builder::new()
            .name("retap pixels".to_owned())
            .spawn(move || take_screenshots(&screenshot_queue))?;
        let thread = Builder::new()
            .name("retap phone".to_owned())
            .spawn(move || {
                handle_requests(
                    Handlers::new(phone),
                    &request_queue,
                    &screenshots,
                    &event_sender,
                );
            })?;
        let connection = ThreadedConnection {
            requests,
            notifications: Mutex::new(events),
        };
        Ok((connection, thread))
    }
}

impl Connection for ThreadedConnection {
    fn request(&self, request: Request) -> BoxFuture<'_, ReplyResult> {
        let (reply, received) = oneshot::channel();
        let sent = self.requests.send(QueuedRequest { request, reply });
        Box::pin(async move {
            let ended = || Interruption::AgentDied {
                why: "the phone's thread has ended".to_owned(),
            };
            sent.map_err(|_| ended())?;
            received.await.map_err(|_| ended())?
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { self.notifications.lock().await.recv().await })
    }
}

fn handle_requests(
    mut handlers: Handlers,
    requests: &Receiver<QueuedRequest>,
    screenshots: &Sender<QueuedScreenshot>,
    events: &mpsc::UnboundedSender<PhoneEvent>,
) {
    for QueuedRequest { request, mut reply } in requests {
        // The request was cancelled before its turn.
        if reply.is_closed() {
            continue;
        }
        if let Request::TakeScreenshot(_) = request {
            queue_screenshot(handlers.pending_screenshot(), reply, screenshots);
            continue;
        }
        let result = match handlers.handle(request) {
            Ok(HandlerResult::Done(reply)) => Some(Ok(reply)),
            Ok(HandlerResult::Playing(playing)) => play(*playing, &mut handlers, &mut reply),
            Err(error) => Some(Err(error.into())),
        };
        if let Some(result) = result {
            let _ = reply.send(result);
        }
        while let Some(event) = handlers.next_unsent_event() {
            let _ = events.send(event);
        }
    }
}

fn queue_screenshot(
    pending: Result<PendingScreenshot, PhoneError>,
    reply: oneshot::Sender<ReplyResult>,
    screenshots: &Sender<QueuedScreenshot>,
) {
    match pending {
        // If that thread has ended, the reply's sender is dropped, and the request ends with an interruption.
        Ok(pending) => drop(screenshots.send(QueuedScreenshot { pending, reply })),
        Err(error) => drop(reply.send(Err(error.into()))),
    }
}

fn take_screenshots(queue: &Receiver<QueuedScreenshot>) {
    for QueuedScreenshot { pending, reply } in queue {
        if !reply.is_closed() {
            let _ = reply.send(pending.take().map(Reply::from).map_err(RequestError::from));
        }
    }
}

/// Plays to the end; `None` if the request was cancelled.
fn play(
    mut playing: PlayInProgress,
    handlers: &mut Handlers,
    reply: &mut oneshot::Sender<ReplyResult>,
) -> Option<ReplyResult> {
    loop {
        match playing.advance(handlers) {
            Ok(Some(played)) => return Some(Ok(played.into())),
            Ok(None) => {}
            Err(error) => {
                playing.cancel(handlers);
                return Some(Err(error.into()));
            }
        }
        if reply.is_closed() {
            playing.cancel(handlers);
            return None;
        }
    }
}

impl fmt::Debug for ThreadedConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadedConnection").finish_non_exhaustive()
    }
}
