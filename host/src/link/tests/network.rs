//! A network in memory that loses, duplicates, delays and reorders datagrams, with interruptions. All its behaviour comes
//! from its seed; on a paused clock it is reproducible.

use std::collections::{HashMap, VecDeque};
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use tokio::time::Instant;

#[derive(Clone, Debug, Default)]
pub(super) struct NetworkFaults {
    /// Percentage of datagrams.
    pub(super) lost: u64,
    pub(super) doubled: u64,
    pub(super) delay: Duration,
    /// Maximum additional delay, drawn for each datagram; it reorders them.
    pub(super) jitter: Duration,
    /// Interruptions: start and length.
    pub(super) cuts: Vec<(Duration, Duration)>,
}

#[derive(Debug)]
pub(super) struct MemoryNetwork {
    faults: NetworkFaults,
    start: Instant,
    random: Mutex<u64>,
    sockets: Mutex<HashMap<SocketAddr, Weak<MemorySocket>>>,
    last_port: Mutex<u16>,
    /// All datagrams that were sent, for tests that replay them.
    pub(super) heard: Mutex<Vec<(SocketAddr, Vec<u8>)>>,
}

#[derive(Debug)]
pub(super) struct MemorySocket {
    address: SocketAddr,
    network: Arc<MemoryNetwork>,
    inbox: Mutex<VecDeque<(SocketAddr, Vec<u8>)>>,
    reader: Mutex<Option<Waker>>,
}

impl MemoryNetwork {
    pub(super) fn new(seed: u64, faults: NetworkFaults) -> Arc<MemoryNetwork> {
        Arc::new(MemoryNetwork {
            faults,
            start: Instant::now(),
            random: Mutex::new(seed.wrapping_mul(2).wrapping_add(1)),
            sockets: Mutex::default(),
            last_port: Mutex::new(1000),
            heard: Mutex::default(),
        })
    }

    pub(super) fn socket(self: &Arc<Self>, address: SocketAddr) -> Arc<MemorySocket> {
        let socket = Arc::new(MemorySocket {
            address,
            network: self.clone(),
            inbox: Mutex::default(),
            reader: Mutex::default(),
        });
        self.sockets
            .lock()
            .unwrap()
            .insert(address, Arc::downgrade(&socket));
        socket
    }

    pub(super) fn remove(&self, address: SocketAddr) {
        self.sockets.lock().unwrap().remove(&address);
    }

    /// Removes a socket: its datagrams are not delivered any more.
    pub(super) fn silence_all_but(&self, address: SocketAddr) {
        self.sockets
            .lock()
            .unwrap()
            .retain(|other, _| *other == address);
    }

    pub(super) fn fresh_address(&self) -> SocketAddr {
        let mut port = self.last_port.lock().unwrap();
        *port += 1;
        (Ipv4Addr::LOCALHOST, *port).into()
    }

    /// Injects a datagram as an attacker could.
    pub(super) fn inject(self: &Arc<Self>, from: SocketAddr, to: SocketAddr, datagram: &[u8]) {
        self.deliver_later(from, to, datagram, Duration::ZERO);
    }

    fn send(self: &Arc<Self>, from: SocketAddr, to: SocketAddr, datagram: &[u8]) {
        self.heard.lock().unwrap().push((to, datagram.to_vec()));
        let now = self.start.elapsed();
        let cut = self
            .faults
            .cuts
            .iter()
            .any(|(from, span)| (*from..*from + *span).contains(&now));
        // Datagrams of a removed socket are dropped too.
        let gone = self
            .sockets
            .lock()
            .unwrap()
            .get(&from)
            .is_none_or(|socket| socket.strong_count() == 0);
        if cut || gone || self.draw(100) < self.faults.lost {
            return;
        }
        let copies = 1 + usize::from(self.draw(100) < self.faults.doubled);
        for _ in 0..copies {
            let jitter = self.draw(self.faults.jitter.as_millis() as u64 + 1);
            self.deliver_later(
                from,
                to,
                datagram,
                self.faults.delay + Duration::from_millis(jitter),
            );
        }
    }

    fn deliver_later(
        self: &Arc<Self>,
        from: SocketAddr,
        to: SocketAddr,
        datagram: &[u8],
        delay: Duration,
    ) {
        let network = self.clone();
        let datagram = datagram.to_vec();
        tokio::spawn(async move {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            let socket = network
                .sockets
                .lock()
                .unwrap()
                .get(&to)
                .and_then(Weak::upgrade);
            let Some(socket) = socket else { return };
            socket.inbox.lock().unwrap().push_back((from, datagram));
            if let Some(waker) = socket.reader.lock().unwrap().take() {
                waker.wake();
            }
        });
    }

    /// xorshift64, good enough for faults.
    pub(super) fn draw(&self, below: u64) -> u64 {
        let mut state = self.random.lock().unwrap();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state % below.max(1)
    }
}

impl AsyncUdpSocket for MemorySocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(AlwaysWritable)
    }

    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        self.network
            .send(self.address, transmit.destination, transmit.contents);
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        *self.reader.lock().unwrap() = Some(cx.waker().clone());
        let Some((addr, datagram)) = self.inbox.lock().unwrap().pop_front() else {
            return Poll::Pending;
        };
        let len = datagram.len();
        buffers[0][..len].copy_from_slice(&datagram);
        meta[0] = RecvMeta {
            addr,
            len,
            stride: len,
            ecn: None,
            dst_ip: None,
        };
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

#[derive(Debug)]
struct AlwaysWritable;

impl UdpPoller for AlwaysWritable {
    fn poll_writable(self: Pin<&mut Self>, _: &mut Context) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
