//! A `Connection` to a phone that takes its own time: the handlers live on a thread of their own, requests wait for
//! their turn, and a play whose request is dropped ends before its next step.

use std::fmt;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::protocol::{Happening, Reply, Request};
use retap_shared::verdict::Interruption;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::handlers::{Handled, Handlers, Playing};
use crate::phone::Phone;

type Answer = Result<Reply, RequestError>;

pub struct OnThread {
    jobs: Sender<Job>,
    news: Mutex<mpsc::UnboundedReceiver<Happening>>,
}

/// A request, and where its answer goes. Whoever asked may have gone meanwhile.
struct Job {
    request: Request,
    answer: oneshot::Sender<Answer>,
}

impl OnThread {
    /// The thread ends, and the phone with it, once the connection is dropped.
    pub fn start(phone: Box<dyn Phone>) -> io::Result<(OnThread, JoinHandle<()>)> {
        let (jobs, waiting) = channel();
        let (tell, news) = mpsc::unbounded_channel();
        let thread = std::thread::Builder::new()
            .name("retap phone".to_owned())
            .spawn(move || work(Handlers::new(phone), &waiting, &tell))?;
        Ok((OnThread { jobs, news: Mutex::new(news) }, thread))
    }
}

impl Connection for OnThread {
    fn request(&self, request: Request) -> Pending<'_, Answer> {
        let (answer, answered) = oneshot::channel();
        let sent = self.jobs.send(Job { request, answer });
        Box::pin(async move {
            let gone = || Interruption::AgentDied { why: "the phone's thread has ended".to_owned() };
            sent.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        })
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        Box::pin(async { self.news.lock().await.recv().await })
    }
}

fn work(mut handlers: Handlers, waiting: &Receiver<Job>, news: &mpsc::UnboundedSender<Happening>) {
    for Job { request, mut answer } in waiting {
        // Nobody waits any more: it was cancelled before its turn came.
        if answer.is_closed() {
            continue;
        }
        let answered = match handlers.handle(request) {
            Ok(Handled::Done(reply)) => Some(Ok(reply)),
            Ok(Handled::Playing(playing)) => play(*playing, &mut handlers, &mut answer),
            Err(error) => Some(Err(error.into())),
        };
        if let Some(answered) = answered {
            let _ = answer.send(answered);
        }
        while let Some(happening) = handlers.next_unsent() {
            let _ = news.send(happening);
        }
    }
}

/// `None` if it was cancelled on the way.
fn play(
    mut playing: Playing,
    handlers: &mut Handlers,
    answer: &mut oneshot::Sender<Answer>,
) -> Option<Answer> {
    loop {
        match playing.advance(handlers) {
            Ok(Some(played)) => return Some(Ok(played.into())),
            Ok(None) => {}
            Err(error) => {
                playing.abandon(handlers);
                return Some(Err(error.into()));
            }
        }
        if answer.is_closed() {
            playing.abandon(handlers);
            return None;
        }
    }
}

impl fmt::Debug for OnThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnThread").finish_non_exhaustive()
    }
}
