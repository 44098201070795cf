//! QUIC's datagrams as plain UDP: one datagram a call, no ECN, no offload. Some Android kernels refuse the control
//! messages that those need, and then no datagram leaves at all.

use std::fmt;
use std::future::Future;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use tokio::io::Interest;
use tokio::net::UdpSocket;

#[derive(Debug)]
pub struct PlainUdp {
    socket: UdpSocket,
}

impl PlainUdp {
    pub async fn bind(address: SocketAddr) -> io::Result<Arc<Self>> {
        Ok(Arc::new(PlainUdp { socket: UdpSocket::bind(address).await? }))
    }
}

impl AsyncUdpSocket for PlainUdp {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Writable { socket: self, waiting: None })
    }

    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        self.socket.try_send_to(transmit.contents, transmit.destination).map(|_| ())
    }

    fn poll_recv(
        &self,
        cx: &mut Context,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.socket.poll_recv_ready(cx))?;
            let mut received = 0;
            while received < buffers.len().min(meta.len()) {
                match self.socket.try_recv_from(&mut buffers[received]) {
                    Ok((len, addr)) => {
                        meta[received] = RecvMeta { addr, len, stride: len, ecn: None, dst_ip: None };
                        received += 1;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) if received == 0 => return Poll::Ready(Err(error)),
                    Err(_) => break,
                }
            }
            if received > 0 {
                return Poll::Ready(Ok(received));
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

/// Every poller waits by itself, so each has a waker of its own.
struct Writable {
    socket: Arc<PlainUdp>,
    waiting: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send + Sync>>>,
}

impl UdpPoller for Writable {
    fn poll_writable(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let waiting = this.waiting.get_or_insert_with(|| {
            let socket = this.socket.clone();
            Box::pin(async move { socket.socket.ready(Interest::WRITABLE).await.map(|_| ()) })
        });
        let ready = ready!(waiting.as_mut().poll(cx));
        this.waiting = None;
        Poll::Ready(ready)
    }
}

impl fmt::Debug for Writable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writable").finish_non_exhaustive()
    }
}
