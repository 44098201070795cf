//! A `Connection` to a phone that takes its own time: the handlers live on a thread of their own, requests wait for
//! their turn, and a play whose request is dropped ends before its next step. Pictures are taken on a second thread, so
//! that a tap does not wait for one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::{fmt, io};

use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::protocol::{Happening, Reply, Request};
use retap_shared::verdict::Interruption;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::handlers::{Handled, Handlers, Pixels, Playing};
use crate::phone::{Phone, PhoneError};

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

/// A picture that is still to be taken, and where it goes.
struct Picture {
    pixels: Pixels,
    answer: oneshot::Sender<Answer>,
}

impl OnThread {
    /// The thread ends, and the phone with it, once the connection is dropped.
    pub fn start(phone: Box<dyn Phone>) -> io::Result<(OnThread, JoinHandle<()>)> {
        let (jobs, waiting) = channel();
        let (pictures, wanted) = channel();
        let (tell, news) = mpsc::unbounded_channel();
        // It ends with the phone's thread, whose end of the channel is the only one.
        Builder::new()
            .name("retap pixels".to_owned())
            .spawn(move || take_pictures(&wanted))?;
        let thread = Builder::new()
            .name("retap phone".to_owned())
            .spawn(move || work(Handlers::new(phone), &waiting, &pictures, &tell))?;
        Ok((
            OnThread {
                jobs,
                news: Mutex::new(news),
            },
            thread,
        ))
    }
}

impl Connection for OnThread {
    fn request(&self, request: Request) -> Pending<'_, Answer> {
        let (answer, answered) = oneshot::channel();
        let sent = self.jobs.send(Job { request, answer });
        Box::pin(async move {
            let gone = || Interruption::AgentDied {
                why: "the phone's thread has ended".to_owned(),
            };
            sent.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        })
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        Box::pin(async { self.news.lock().await.recv().await })
    }
}

fn work(
    mut handlers: Handlers,
    waiting: &Receiver<Job>,
    pictures: &Sender<Picture>,
    news: &mpsc::UnboundedSender<Happening>,
) {
    for Job {
        request,
        mut answer,
    } in waiting
    {
        // Nobody waits any more: it was cancelled before its turn came.
        if answer.is_closed() {
            continue;
        }
        if let Request::Screenshot(_) = request {
            hand_over(handlers.pixels(), answer, pictures);
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

fn hand_over(
    pixels: Result<Pixels, PhoneError>,
    answer: oneshot::Sender<Answer>,
    pictures: &Sender<Picture>,
) {
    match pixels {
        // If that thread has ended, so has the answer: whoever waits for it is told.
        Ok(pixels) => drop(pictures.send(Picture { pixels, answer })),
        Err(error) => drop(answer.send(Err(error.into()))),
    }
}

fn take_pictures(wanted: &Receiver<Picture>) {
    for Picture { pixels, answer } in wanted {
        if !answer.is_closed() {
            let _ = answer.send(pixels.take().map(Reply::from).map_err(RequestError::from));
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
