//! A proxy that has the keys of both ends changes what it passes on: thousands of answers, requests and notifications. Each is
//! refused or taken for what it says; nothing panics, hangs or ends the other end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quinn::{Endpoint, RecvStream, SendStream, TokioRuntime};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_agent::in_process::InProcessConnection;
use retap_device::{Device, DeviceError};
use retap_shared::action::{Action, Key};
use retap_shared::codec;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{Act, ManageSnapshot, TakeScreenshot, WatchApp};
use retap_shared::protocol::{
    AppCommand, Capture, ControlApp, DescribePhone, Play, Request, Settle,
};
use retap_shared::session::{
    HELLO_LIMIT, Hello, NumberedNotification, REPLY_LIMIT, REQUEST_LIMIT, RequestEnvelope,
    RequestResult, Welcome,
};
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step};
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use retap_transport::{receive, send};
use tokio::time::timeout;

use super::hostile_host::HostileHost;
use super::network::{MemoryNetwork, NetworkFaults};
use super::{AGENT, connect};

/// Number of changed answers, and of changed requests.
const CHANGED: usize = 2_000;
/// Changed requests of one session.
const PER_SESSION: usize = 100;
/// Longest wait for an answer, in virtual time. A changed request may ask for a wait of its own.
const PATIENCE: Duration = Duration::from_secs(3_600);

fn phone() -> Arc<InProcessConnection> {
    let phone = retap_simulator::open("sim:notes").unwrap();
    Arc::new(InProcessConnection::new(Box::new(phone)))
}

fn app() -> App {
    App {
        package: "com.example.notes".into(),
        ..App::default()
    }
}

fn tap(x: i32, y: i32) -> Step {
    Step::new(Action::Tap(Point { x, y }))
}

/// One request of each kind, as a host would send it.
fn requests() -> Vec<Request> {
    let play = Play {
        app: app(),
        start: StartMode::Clean,
        steps: vec![
            tap(270, 1854),
            Step::new(Action::Key(Key::Back)),
            tap(540, 630),
        ],
        target: Some(Target::AnyProblem),
        pace: ReplayPace::Quiet,
        settle: Settle::default(),
        final_wait: Micros::from_millis(100),
        record: true,
    };
    let act = Act {
        step: tap(270, 1854),
        settle: Settle::default(),
        held_screen: None,
    };
    let start = ControlApp {
        app: app(),
        command: AppCommand::Start(StartMode::Clean),
    };
    let watch = WatchApp {
        package: app().package,
    };
    vec![
        DescribePhone.into(),
        watch.into(),
        start.into(),
        Capture { held_screen: None }.into(),
        act.into(),
        Settle::default().into(),
        play.into(),
        ManageSnapshot::Save.into(),
        TakeScreenshot.into(),
    ]
}

/// Bytes with one to four changes: turned bits, other numbers, parts that are cut, doubled, swapped or invented.
fn changed(bytes: &[u8], rng: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        if bytes.is_empty() {
            bytes.push(rng.random());
        }
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..=16)).min(bytes.len());
        match rng.random_range(0..7) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 => bytes[at] = [0, 1, 250, 251, 252, 253, 255][rng.random_range(0..7)],
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let part = bytes[at..end].to_vec();
                let place = rng.random_range(0..=bytes.len());
                bytes.splice(place..place, part);
            }
            _ => {
                let invented: Vec<u8> = (0..rng.random_range(1..9)).map(|_| rng.random()).collect();
                bytes.splice(at..end, invented);
            }
        }
    }
    bytes
}

/// An agent in front of a simulated phone that changes what the phone answers.
struct ChangingAgent {
    phone: Arc<InProcessConnection>,
    rng: Mutex<Pcg64Mcg>,
    changed: AtomicUsize,
}

impl ChangingAgent {
    async fn serve(self: Arc<Self>, endpoint: Endpoint) -> Option<()> {
        while let Some(incoming) = endpoint.accept().await {
            let quic = incoming.await.ok()?;
            let (mut answer, mut question) = quic.accept_bi().await.ok()?;
            receive::<Hello>(&mut question, HELLO_LIMIT).await.ok()?;
            send(&mut answer, &Welcome::Accepted { incarnation: 1 })
                .await
                .ok()?;
            let mut news = quic.open_uni().await.ok()?;
            news.write_all(&self.notification()).await.ok()?;
            while let Ok((answer, request)) = quic.accept_bi().await {
                tokio::spawn(Arc::clone(&self).answer(answer, request));
            }
        }
        None
    }

    fn notification(&self) -> Vec<u8> {
        let notification = NumberedNotification {
            number: 1,
            event: PhoneEvent {
                at: Micros::ZERO,
                kind: PhoneEventKind::Activity("com.example/.Main".into()),
            },
        };
        let bytes = changed(
            &codec::encode(&notification).unwrap(),
            &mut self.rng.lock().unwrap(),
        );
        let length = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        [&length, bytes.as_slice()].concat()
    }

    async fn answer(
        self: Arc<Self>,
        mut answer: SendStream,
        mut request: RecvStream,
    ) -> Option<()> {
        let envelope: RequestEnvelope = receive(&mut request, REQUEST_LIMIT).await.ok()?;
        let is_description = matches!(envelope.request, Request::DescribePhone(_));
        let result = match self.phone.request(envelope.request).await {
            Ok(reply) => RequestResult::Reply(reply),
            Err(RequestError::Failed(failure)) => RequestResult::Failed(failure),
            Err(RequestError::Interrupted(why)) => RequestResult::Interrupted(why),
        };
        let mut bytes = codec::encode(&result).unwrap();
        {
            let mut rng = self.rng.lock().unwrap();
            // Without a true description there would be no other requests.
            if !is_description || rng.random_bool(0.2) {
                bytes = changed(&bytes, &mut rng);
                self.changed.fetch_add(1, Ordering::Relaxed);
            }
        }
        answer.write_all(&bytes).await.ok()?;
        answer.finish().ok()
    }
}

/// What a host does with a phone, until an answer ends its work there.
async fn work(device: &mut Device) -> Result<(), DeviceError> {
    loop {
        refused(device.watch(&app().package).await)?;
        refused(device.capture().await)?;
        refused(device.step(tap(270, 1854)).await)?;
        refused(device.settle().await)?;
        refused(device.step(tap(540, 630)).await)?;
        if let Some(Request::Play(play)) = requests().into_iter().nth(6) {
            refused(device.play(play).await)?;
        }
        refused(device.screenshot().await)?;
        refused(device.take_snapshot().await)?;
    }
}

/// A refusal is the answer to one request, and ends nothing.
fn refused<T>(answer: Result<T, DeviceError>) -> Result<(), DeviceError> {
    match answer {
        Ok(_) | Err(DeviceError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

#[tokio::test(start_paused = true)]
async fn changed_answers_and_notifications_are_refused_or_taken_and_never_end_the_host() {
    let agent = Arc::new(ChangingAgent {
        phone: phone(),
        rng: Mutex::new(Pcg64Mcg::seed_from_u64(1)),
        changed: AtomicUsize::new(0),
    });
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let mut sessions = 0;
    while agent.changed.load(Ordering::Relaxed) < CHANGED {
        let network = MemoryNetwork::new(sessions, NetworkFaults::default());
        let endpoint = Endpoint::new_with_abstract_socket(
            config::endpoint_config(Transport::Udp),
            Some(config::server_config(&agent_keys, Transport::Udp).unwrap()),
            network.socket(AGENT),
            Arc::new(TokioRuntime),
        )
        .unwrap();
        let serving = tokio::spawn(Arc::clone(&agent).serve(endpoint));
        let link = Arc::new(connect(&network, &host_keys, "host").await.unwrap());
        if let Ok(mut device) = Device::connect("phone".into(), link).await {
            let error = work(&mut device).await.unwrap_err();
            assert!(!error.to_string().is_empty());
        }
        serving.abort();
        sessions += 1;
    }
    assert!(
        sessions > 20,
        "only {sessions} sessions were ended by an answer"
    );
}

#[tokio::test(start_paused = true)]
async fn changed_requests_are_refused_or_answered_and_the_agent_serves_an_honest_host_afterwards() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let requests = requests();
    let mut refused = 0;
    for _ in 0..CHANGED / PER_SESSION {
        let host = HostileHost::new(phone());
        let quic = host.greeted().await;
        for number in 1..=PER_SESSION as u64 {
            let envelope = RequestEnvelope {
                number,
                oldest_open: number,
                notifications_seen: 0,
                only_known: false,
                request: requests[rng.random_range(0..requests.len())].clone(),
            };
            let bytes = changed(&codec::encode(&envelope).unwrap(), &mut rng);
            let (mut out, mut back) = quic.open_bi().await.unwrap();
            out.write_all(&bytes).await.unwrap();
            out.finish().unwrap();
            // One that asks for a longer wait is cancelled when its stream is dropped.
            let answered =
                timeout(PATIENCE, receive::<RequestResult>(&mut back, REPLY_LIMIT)).await;
            refused += usize::from(!matches!(answered, Ok(Ok(RequestResult::Reply(_)))));
        }
        host.leave_to_an_honest_host(quic).await;
    }
    assert!(
        (1..CHANGED).contains(&refused),
        "{refused} of {CHANGED} changed requests were refused"
    );
}
