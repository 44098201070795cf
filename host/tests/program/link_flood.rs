//! Strangers on the port while a session works: garbage, handshakes with other keys, handshakes that stop halfway, and
//! streams that say nothing. The session's one connection goes on, and none of the strangers keeps a place.

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

use crate::link_phone::{Served, padded};
use crate::retap::Desk;

/// More than the agent has places for, on either way.
const AT_ONCE: usize = 40;
/// Far longer than a silent stream is kept; a test that waits this long has failed.
const FOR_EVER: Duration = Duration::from_secs(120);

/// A reduction over the link, and what every thread of the flood does until that is done.
fn session_under(way: &str, flood: impl Fn(SocketAddr, &Flood)) {
    let desk = Desk::new();
    let trace = padded(&desk, "notes");
    let calm = desk.run(&format!(
        "reduce {trace} --device sim:notes --seed 1 --out calm --json"
    ));
    assert_eq!(calm.code, 0, "{}", calm.err);
    let served = Served::start(&desk, "sim:notes", way, "keys.pairing");
    let address = served.address.split_once(':').unwrap().1.parse().unwrap();
    let over = Flood::default();
    let ended = thread::scope(|scope| {
        let host = scope.spawn(|| {
            let line = format!(
                "reduce {trace} --device {} --seed 1 --out run",
                served.device()
            );
            let ended = desk.run(&line);
            over.is_over.store(true, Ordering::Relaxed);
            ended
        });
        // The flood begins once the session is there: it is the session that must not be disturbed.
        while !served.log(&desk).contains("serving host=") && !over.is_over() {
            thread::sleep(Duration::from_millis(10));
        }
        flood(address, &over);
        host.join().unwrap()
    });
    let log = served.log(&desk);
    assert_eq!(ended.code, 0, "{}\n{log}", ended.err);
    assert_eq!(
        log.matches("serving host=").count(),
        1,
        "the session's connection broke:\n{log}"
    );
    let reduced = |run: &str| {
        desk.read(&format!(
            "{run}/crashes/{}/reduced.retap",
            desk.crashes(run)[0]
        ))
    };
    assert_eq!(reduced("run"), reduced("calm"));
    assert!(
        over.sent.load(Ordering::Relaxed) > 500,
        "that was no flood: {:?}",
        over.sent
    );
    // And whoever has the keys comes in after it.
    let ended = desk.run(&format!(
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
            // A full buffer is the flood's own trouble.
            let _ = socket.send_to(&bytes, address);
            flood.count();
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whole handshakes with keys that are not the phone's, and halves of which the rest never comes.
fn strangers(address: SocketAddr, flood: &Flood) {
    while !flood.is_over() {
        knock(flood, Transport::Udp, address, || async {
            let socket: Arc<dyn AsyncUdpSocket> =
                PlainUdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            Some(socket)
        });
    }
}

fn framed_strangers(address: SocketAddr, flood: &Flood) {
    while !flood.is_over() {
        knock(flood, Transport::Stream, PEER, || async {
            let stream = tokio::net::TcpStream::connect(address).await.ok()?;
            Some(FramedSocket::new(stream) as Arc<dyn AsyncUdpSocket>)
        });
    }
}

/// One round of knocking. A runtime that ends takes its half of the handshakes with it, without a word to the agent.
fn knock<S, F>(flood: &Flood, way: Transport, to: SocketAddr, socket: S)
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
                config::endpoint_config(way),
                None,
                socket,
                runtime,
            )
            .unwrap();
            let config = config::client_config(&keys, way).unwrap();
            under_way.push((
                endpoint.connect_with(config, to, "agent.retap").unwrap(),
                endpoint,
            ));
            flood.count();
        }
        // The first half is seen through to its refusal, the others stay where they are after their first move.
        for (connecting, _) in under_way.drain(..under_way.len() / 2) {
            let met = tokio::time::timeout(Duration::from_secs(2), connecting).await;
            assert!(!matches!(met, Ok(Ok(_))), "a stranger was let in");
        }
    });
}

/// Each is kept open until the agent has closed it.
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
            // The agent may hang up in the middle of it.
            let _ = stream.write_all(&bytes);
            flood.count();
        }
        thread::sleep(Duration::from_millis(50));
    }
}
