//! Strangers on the port during a session: garbage, handshakes with other keys, handshakes that stop halfway, and silent
//! streams. The connection of the session survives, and no stranger keeps a slot.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use quinn::{AsyncUdpSocket, Endpoint, TokioRuntime};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use retap_transport::stream::{FramedSocket, PEER};
use retap_transport::udp::PlainUdpSocket;

use crate::environment::TestEnvironment;
use crate::link_phone::{ServedPhone, padded};

/// More than the agent has slots for, on either transport.
const AT_ONCE: usize = 40;
/// Far longer than a silent stream is kept; a test that waits this long has failed.
const FOR_EVER: Duration = Duration::from_secs(120);

/// Reduces over the link while every thread of the flood runs.
fn session_under(transport: &str, flood: impl Fn(SocketAddr, &Flood)) {
    let environment = TestEnvironment::new();
    let trace = padded(&environment, "notes");
    let calm = environment.run(&format!(
        "reduce {trace} --device sim:notes --seed 1 --out calm --json"
    ));
    assert_eq!(calm.code, 0, "{}", calm.err);
    let served = ServedPhone::start(&environment, "sim:notes", transport, "keys.pairing");
    let address = served.address.split_once(':').unwrap().1.parse().unwrap();
    let over = Flood::default();
    let ended = thread::scope(|scope| {
        let host = scope.spawn(|| {
            let line = format!(
                "reduce {trace} --device {} --seed 1 --out run",
                served.device()
            );
            let ended = environment.run(&line);
            over.is_over.store(true, Ordering::Relaxed);
            ended
        });
        // The flood begins after the session: the session must not be disturbed.
        while !served.log(&environment).contains("serving host=") && !over.is_over() {
            thread::sleep(Duration::from_millis(10));
        }
        flood(address, &over);
        host.join().unwrap()
    });
    let log = served.log(&environment);
    assert_eq!(ended.code, 0, "{}\n{log}", ended.err);
    assert_eq!(
        log.matches("serving host=").count(),
        1,
        "the session's connection broke:\n{log}"
    );
    let reduced = |run: &str| {
        environment.read_unclaimed(&format!(
            "{run}/crashes/{}/reduced.retap",
            environment.crashes(run)[0]
        ))
    };
    assert_eq!(reduced("run"), reduced("calm"));
    assert!(
        over.sent.load(Ordering::Relaxed) > 500,
        "that was no flood: {:?}",
        over.sent
    );
    // A host with the right keys can connect afterwards.
    let ended = environment.run(&format!(
        "replay {trace} --times 1 --device {}",
        served.device()
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
}

#[derive(Debug, Default)]
struct Flood {
    is_over: AtomicBool,
    sent: AtomicU64,
}

impl Flood {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn count(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn garbage_and_strangers_on_the_udp_port_do_not_disturb_a_session() {
    session_under("udp", |address, flood| {
        thread::scope(|scope| {
            scope.spawn(|| garbage(address, flood));
            scope.spawn(|| strangers(address, flood));
        });
    });
}

#[test]
fn silent_streams_and_strangers_on_the_tcp_port_do_not_disturb_a_session_and_are_dropped() {
    session_under("tcp", |address, flood| {
        thread::scope(|scope| {
            scope.spawn(|| silent_streams(address, flood));
            scope.spawn(|| garbage_streams(address, flood));
            scope.spawn(|| framed_strangers(address, flood));
        });
    });
}

/// Bytes of every length, half of them with the first byte of a QUIC handshake and QUIC's version.
fn garbage(address: SocketAddr, flood: &Flood) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    while !flood.is_over() {
        for _ in 0..20 {
            let mut bytes = vec![0; rng.random_range(0..1_500)];
            rng.fill_bytes(&mut bytes);
            if bytes.len() > 5 && rng.random_bool(0.5) {
                bytes[..5].copy_from_slice(&[0xc3, 0, 0, 0, 1]);
            }
            // A full send buffer is not a failure of the agent.
            let _ = socket.send_to(&bytes, address);
            flood.count();
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Complete handshakes with wrong keys, and handshakes that stop halfway.
fn strangers(address: SocketAddr, flood: &Flood) {
    while !flood.is_over() {
        attempt_handshakes(flood, Transport::Udp, address, || async {
            let socket: Arc<dyn AsyncUdpSocket> =
                PlainUdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            Some(socket)
        });
    }
}

fn framed_strangers(address: SocketAddr, flood: &Flood) {
    while !flood.is_over() {
        attempt_handshakes(flood, Transport::Stream, PEER, || async {
            let stream = tokio::net::TcpStream::connect(address).await.ok()?;
            Some(FramedSocket::new(stream) as Arc<dyn AsyncUdpSocket>)
        });
    }
}

/// One round of handshakes. A runtime that ends abandons them without closing.
fn attempt_handshakes<S, F>(flood: &Flood, transport: Transport, to: SocketAddr, socket: S)
where
    S: Fn() -> F,
    F: Future<Output = Option<Arc<dyn AsyncUdpSocket>>>,
{
    let (_, keys) = SessionKeys::generate().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut under_way = Vec::new();
        for _ in 0..AT_ONCE {
            let Some(socket) = socket().await else {
                continue;
            };
            let runtime = Arc::new(TokioRuntime);
            let endpoint = Endpoint::new_with_abstract_socket(
                config::endpoint_config(transport),
                None,
                socket,
                runtime,
            )
            .unwrap();
            let config = config::client_config(&keys, transport).unwrap();
            under_way.push((
                endpoint.connect_with(config, to, "agent.retap").unwrap(),
                endpoint,
            ));
            flood.count();
        }
        // The first half waits for the refusal, the others stop after their first packet.
        for (connecting, _) in under_way.drain(..under_way.len() / 2) {
            let met = tokio::time::timeout(Duration::from_secs(2), connecting).await;
            assert!(!matches!(met, Ok(Ok(_))), "a stranger was let in");
        }
    });
}

/// Opens streams that send nothing, each until the agent closes it.
fn silent_streams(address: SocketAddr, flood: &Flood) {
    while !flood.is_over() {
        let streams: Vec<_> = (0..AT_ONCE)
            .filter_map(|_| TcpStream::connect(address).ok())
            .collect();
        for mut stream in streams {
            flood.count();
            stream.set_read_timeout(Some(FOR_EVER)).unwrap();
            let ended = stream.read(&mut [0; 16]);
            let dropped = matches!(&ended, Ok(0))
                || matches!(&ended, Err(e) if e.kind() == ErrorKind::ConnectionReset);
            assert!(dropped, "a silent stream was not dropped: {ended:?}");
        }
    }
}

/// Bytes that are no frames, and frames that are no QUIC.
fn garbage_streams(address: SocketAddr, flood: &Flood) {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    while !flood.is_over() {
        for _ in 0..AT_ONCE {
            let Ok(mut stream) = TcpStream::connect(address) else {
                continue;
            };
            let mut bytes = vec![0; rng.random_range(0..100_000)];
            rng.fill_bytes(&mut bytes);
            // The agent may close the stream at any time.
            let _ = stream.write_all(&bytes);
            flood.count();
        }
        thread::sleep(Duration::from_millis(50));
    }
}
