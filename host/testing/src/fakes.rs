//! Test doubles of phones, and what tests want to know of them afterwards.

use std::sync::{Arc, Mutex};

use retap_device::run_event::{EventSink, RunEvent};
use retap_device::{Device, DevicePool};
use retap_shared::action::Action;
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{Capabilities, DescribePhoneReply, Play, PlayReply, Reply, Request};
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::{Interruption, Verdict};

/// A connection that is a function from a request, and how many came before it, to a reply.
#[derive(Debug)]
pub struct Answering<F> {
    answer: F,
    asked: Mutex<usize>,
}

pub type Answer = Result<Reply, RequestError>;

impl<F: Fn(usize, Request) -> Answer + Send + Sync> Answering<F> {
    pub fn new(answer: F) -> Arc<Answering<F>> {
        Arc::new(Answering {
            answer,
            asked: Mutex::new(0),
        })
    }
}

impl<F: Fn(usize, Request) -> Answer + Send + Sync> Connection for Answering<F> {
    fn request(&self, request: Request) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let before = {
                let mut asked = self.asked.lock().unwrap();
                *asked += 1;
                *asked - 1
            };
            let answer = (self.answer)(before, request);
            let took = match &answer {
                Ok(Reply::PlayReply(played)) => played.took,
                Ok(Reply::ActReply(acted)) => acted.took,
                Ok(Reply::ControlAppReply(controlled)) => controlled.took,
                _ => Micros::ZERO,
            };
            tokio::time::sleep(took.into()).await;
            answer
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { None })
    }
}

pub async fn device<F>(name: &str, answer: F) -> Device
where
    F: Fn(usize, Request) -> Answer + Send + Sync + 'static,
{
    let described = DescribePhoneReply {
        phone: PhoneInfo::default(),
        capabilities: Capabilities::default(),
        apps: Vec::new(),
    };
    // Its description was requested before any request that a test counts.
    let answer = move |before: usize, request| match request {
        Request::DescribePhone(_) => Ok(described.clone().into()),
        other => answer(before - 1, other),
    };
    Device::connect(name.to_owned(), Answering::new(answer))
        .await
        .unwrap()
}

pub fn lost() -> RequestError {
    Interruption::PhoneLost {
        why: "the cable was pulled".to_owned(),
    }
    .into()
}

/// A phone on which a play reaches its target if `does` says so of the numbers of its steps.
pub fn playing(does: impl Fn(&[u32]) -> bool) -> impl Fn(usize, Request) -> Answer {
    move |_, request| match request {
        Request::Play(play) => Ok(played(&play, does(&numbers(&play.steps))).into()),
        other => panic!("only plays are expected, not {other:?}"),
    }
}

pub fn played(play: &Play, reached: bool) -> PlayReply {
    PlayReply {
        verdict: if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        },
        played: play.steps.len() as u32,
        located_by: Vec::new(),
        refusals: Vec::new(),
        events: Vec::new(),
        branches: Vec::new(),
        screens: Vec::new(),
        took: Micros::from_millis(100 + 10 * play.steps.len() as u64),
    }
}

/// A pool of phones that all do the same, of which number `broken` loses its link at the `at`-th request.
pub async fn pool_with_a_broken_one<F>(
    phones: usize,
    broken: usize,
    at: usize,
    does: F,
) -> DevicePool
where
    F: Fn(&[u32]) -> bool + Clone + Send + Sync + 'static,
{
    let mut devices = Vec::new();
    for phone in 0..phones {
        let answer = playing(does.clone());
        let name = format!("phone-{phone}");
        let fails = move |before| phone == broken && before >= at;
        let answer = move |before, request| {
            if fails(before) {
                Err(lost())
            } else {
                answer(before, request)
            }
        };
        devices.push(device(&name, answer).await);
    }
    DevicePool::new(devices)
}

/// A trace whose steps differ by a number each.
pub fn trace(steps: impl IntoIterator<Item = u32>) -> Trace {
    let header = TraceHeader {
        app: App::default(),
        start: StartMode::Clean,
        seed: None,
        target: Some(Target::AnyProblem),
        phone: PhoneInfo::default(),
        pace: ReplayPace::Quiet,
        claim: None,
    };
    Trace {
        header,
        steps: steps.into_iter().map(step).collect(),
    }
}

pub fn step(number: u32) -> Step {
    Step::new(Action::Wait { millis: number })
}

pub fn numbers<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<u32> {
    let number = |step: &Step| match step.action {
        Action::Wait { millis } => millis,
        ref other => panic!("a test's step is a wait, not {other}"),
    };
    steps.into_iter().map(number).collect()
}

/// A sink that keeps its events.
pub fn listening() -> (EventSink, Arc<Mutex<Vec<RunEvent>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&heard);
    (
        Arc::new(move |event| keep.lock().unwrap().push(event)),
        heard,
    )
}

/// Runs to the end in virtual time, for tests that are not `async` themselves.
pub fn in_virtual_time<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(work)
}

/// A number that looks random and is the same every time.
pub fn scrambled(seed: u64, steps: &[u32], attempt: u32) -> u64 {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    for part in steps.iter().copied().chain([attempt]) {
        state = (state ^ u64::from(part).wrapping_add(0x632b_e59b_d9b4_e019))
            .wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^= state >> 29;
    }
    state
}
