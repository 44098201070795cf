//! Strangers before the session: a thousand a second on the port of a phone that nobody uses yet. The paired host gets in.
//! `--nocapture` shows how long it took.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, Endpoint, TokioRuntime, UdpPoller};
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;

use crate::environment::TestEnvironment;
use crate::link_phone::ServedPhone;

/// Pause between two strangers.
const PAUSE: Duration = Duration::from_micros(500);
/// Number of strangers before the host comes: far more than the agent has places for.
const CROWD: u64 = 300;
/// Number of silent streams that are held open at a time.
const HELD_STREAMS: usize = 400;

/// Lets the crowd come, and then the paired host in its midst.
#[expect(clippy::print_stderr, reason = "the time is measured, and not tested")]
fn gets_in(transport: &str, stranger: impl FnMut(SocketAddr) + Send) {
    let environment = TestEnvironment::new();
    let served = ServedPhone::start(&environment, "sim:notes", transport, "keys.pairing");
    let address: SocketAddr = served.address.split_once(':').unwrap().1.parse().unwrap();
    let is_over = AtomicBool::new(false);
    let strangers = AtomicU64::new(0);
    let began = Instant::now();
    thread::scope(|scope| {
        let mut stranger = stranger;
        let is_over = &is_over;
        let strangers = &strangers;
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                stranger(address);
                strangers.fetch_add(1, Ordering::Relaxed);
                thread::sleep(PAUSE);
            }
        });
        while strangers.load(Ordering::Relaxed) < CROWD {
            thread::yield_now();
        }
        let knocked = Instant::now();
        let ended = environment.run(&format!("screen --device {}", served.device()));
        let took = knocked.elapsed();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(ended.code, 0, "{}\n{}", ended.err, served.log(&environment));
        let count = strangers.load(Ordering::Relaxed);
        let rate = count as f64 / began.elapsed().as_secs_f64();
        eprintln!(
            "{transport}: in and out in {took:?} among {count} strangers, {rate:.0} a second"
        );
    });
}

#[test]
fn the_paired_host_gets_in_among_silent_handshakes_of_strangers() {
    let handshakes = first_packets(200);
    let sockets: Vec<UdpSocket> = (1..=50)
        .map(|last| UdpSocket::bind((format!("127.0.0.{last}"), 0)).unwrap())
        .collect();
    let mut number = 0;
    gets_in("udp", |address| {
        let socket = &sockets[number % sockets.len()];
        // A full send buffer is not a failure of the agent.
        let _ = socket.send_to(&handshakes[number % handshakes.len()], address);
        number += 1;
    });
}

#[test]
fn the_paired_host_gets_in_among_silent_streams() {
    let mut held = VecDeque::new();
    gets_in("tcp", |address| {
        held.extend(TcpStream::connect(address));
        if held.len() > HELD_STREAMS {
            held.pop_front();
        }
    });
}

/// The first packets of so many handshakes with other keys.
fn first_packets(count: usize) -> Vec<Vec<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (_, keys) = SessionKeys::generate().unwrap();
    runtime.block_on(async {
        let socket = Arc::new(RecordingSocket::default());
        let endpoint = Endpoint::new_with_abstract_socket(
            config::endpoint_config(Transport::Udp),
            None,
            socket.clone(),
            Arc::new(TokioRuntime),
        )
        .unwrap();
        let mut under_way = Vec::new();
        while socket.sent.lock().unwrap().len() < count {
            let config = config::client_config(&keys, Transport::Udp).unwrap();
            let nobody = "192.0.2.1:9".parse().unwrap();
            under_way.push(
                endpoint
                    .connect_with(config, nobody, "agent.retap")
                    .unwrap(),
            );
            tokio::task::yield_now().await;
        }
        let sent = socket.sent.lock().unwrap();
        sent.clone()
    })
}

/// A socket that keeps what is sent, and never receives anything.
#[derive(Debug, Default)]
struct RecordingSocket {
    sent: Mutex<Vec<Vec<u8>>>,
}

impl AsyncUdpSocket for RecordingSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(RecordingPoller)
    }

    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        self.sent.lock().unwrap().push(transmit.contents.to_vec());
        Ok(())
    }

    fn poll_recv(
        &self,
        _: &mut Context,
        _: &mut [IoSliceMut<'_>],
        _: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(([127, 0, 0, 1], 1).into())
    }
}

#[derive(Debug)]
struct RecordingPoller;

impl UdpPoller for RecordingPoller {
    fn poll_writable(self: Pin<&mut Self>, _: &mut Context) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
