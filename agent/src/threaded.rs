//! A `Connection` to a phone that takes its own time: the handlers live on a thread of their own, requests wait for
//! their turn, and a play whose request is dropped ends before its next step. Pictures are taken on a second thread, so
//! that a tap does not wait for one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::{fmt, io};

use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::protocol::{PhoneEvent, Reply, Request};
use retap_shared::verdict::Interruption;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::handlers::{HandlerResult, Handlers, PendingScreenshot, PlayInProgress};
use crate::phone::{Phone, PhoneError};

type ReplyResult = Result<Reply, RequestError>;

pub struct ThreadedConnection {
    requests: Sender<QueuedRequest>,
    notifications: Mutex<mpsc::UnboundedReceiver<PhoneEvent>>,
}

/// A request, and where its answer goes. Whoever asked may have gone meanwhile.
struct QueuedRequest {
    request: Request,
    answer: oneshot::Sender<ReplyResult>,
}

/// A picture that is still to be taken, and where it goes.
struct QueuedScreenshot {
    pixels: PendingScreenshot,
    answer: oneshot::Sender<ReplyResult>,
}

impl ThreadedConnection {
    /// The thread ends, and the phone with it, once the connection is dropped.
    pub fn start(phone: Box<dyn Phone>) -> io::Result<(ThreadedConnection, JoinHandle<()>)> {
        let (jobs, waiting) = channel();
        let (pictures, wanted) = channel();
        let (tell, news) = mpsc::unbounded_channel();
        // It ends with the phone's thread, whose end of the channel is the only one.
        Builder::new()
            .name("retap pixels".to_owned())
            .spawn(move || take_screenshots(&wanted))?;
        let thread = Builder::new()
            .name("retap phone".to_owned())
            .spawn(move || handle_requests(Handlers::new(phone), &waiting, &pictures, &tell))?;
        Ok((
            ThreadedConnection {
                requests: jobs,
                notifications: Mutex::new(news),
            },
            thread,
        ))
    }
}

impl Connection for ThreadedConnection {
    fn request(&self, request: Request) -> BoxFuture<'_, ReplyResult> {
        let (answer, answered) = oneshot::channel();
        let sent = self.requests.send(QueuedRequest { request, answer });
        Box::pin(async move {
            let gone = || Interruption::AgentDied {
                why: "the phone's thread has ended".to_owned(),
            };
            sent.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { self.notifications.lock().await.recv().await })
    }
}

fn handle_requests(
    mut handlers: Handlers,
    waiting: &Receiver<QueuedRequest>,
    pictures: &Sender<QueuedScreenshot>,
    news: &mpsc::UnboundedSender<PhoneEvent>,
) {
    for QueuedRequest {
        request,
        mut answer,
    } in waiting
    {
        // Nobody waits any more: it was cancelled before its turn came.
        if answer.is_closed() {
            continue;
        }
        if let Request::TakeScreenshot(_) = request {
            queue_screenshot(handlers.pending_screenshot(), answer, pictures);
            continue;
        }
        let answered = match handlers.handle(request) {
            Ok(HandlerResult::Done(reply)) => Some(Ok(reply)),
            Ok(HandlerResult::Playing(playing)) => play(*playing, &mut handlers, &mut answer),
            Err(error) => Some(Err(error.into())),
        };
        if let Some(answered) = answered {
            let _ = answer.send(answered);
        }
        while let Some(happening) = handlers.next_unsent_event() {
            let _ = news.send(happening);
        }
    }
}

fn queue_screenshot(
    pixels: Result<PendingScreenshot, PhoneError>,
    answer: oneshot::Sender<ReplyResult>,
    pictures: &Sender<QueuedScreenshot>,
) {
    match pixels {
        // If that thread has ended, so has the answer: whoever waits for it is told.
        Ok(pixels) => drop(pictures.send(QueuedScreenshot { pixels, answer })),
        Err(error) => drop(answer.send(Err(error.into()))),
    }
}

fn take_screenshots(wanted: &Receiver<QueuedScreenshot>) {
    for QueuedScreenshot { pixels, answer } in wanted {
        if !answer.is_closed() {
            let _ = answer.send(pixels.take().map(Reply::from).map_err(RequestError::from));
        }
    }
}

/// `None` if it was cancelled on the way.
fn play(
    mut playing: PlayInProgress,
    handlers: &mut Handlers,
    answer: &mut oneshot::Sender<ReplyResult>,
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
        if answer.is_closed() {
            playing.cancel(handlers);
            return None;
        }
    }
}

impl fmt::Debug for ThreadedConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnThread").finish_non_exhaustive()
    }
}
