//! QUIC's datagrams over plain UDP: one datagram per call, no ECN, no offload. Some Android kernels refuse the control
//! messages that these need, and then send no datagram at all.

use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A UDP socket that is registered for reading only. Registered for writing too, it would wake its owner whenever the
/// other end receives a datagram, and the wake-up would delay the other end's reply.
#[derive(Debug)]
pub struct PlainUdpSocket {
    socket: AsyncFd<UdpSocket>,
    /// True if the system's buffer had no room for the last datagram.
    full: AtomicBool,
}

impl PlainUdpSocket {
    /// Binds an address.
    pub fn bind(address: SocketAddr) -> io::Result<Arc<Self>> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        let socket = registered(socket, Interest::READABLE)?;
        Ok(Arc::new(PlainUdpSocket {
            socket,
            full: AtomicBool::new(false),
        }))
    }
}

fn registered(socket: UdpSocket, interest: Interest) -> io::Result<AsyncFd<UdpSocket>> {
    // SAFETY: a `UdpSocket` owns its descriptor and gives the same one each time, until it is dropped.
    Ok(unsafe { AsyncFd::register_with_interest(socket, interest) }?)
}

impl AsyncUdpSocket for PlainUdpSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(UdpWriteWaiter {
            socket: self,
            waiting: None,
        })
    }

    /// Sends a datagram. Without a network the datagram is lost, as any datagram may be: after an error quinn would stop
    /// the connection, and its users would wait for ever.
    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        match self
            .socket
            .get_ref()
            .send_to(transmit.contents, transmit.destination)
        {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.full.store(true, Ordering::Relaxed);
                Err(error)
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn poll_recv(
        &self,
        cx: &mut Context,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut readable = ready!(self.socket.poll_read_ready(cx))?;
            let mut received = 0;
            while received < buffers.len().min(meta.len()) {
                match self.socket.get_ref().recv_from(&mut buffers[received]) {
                    Ok((len, addr)) => {
                        meta[received] = RecvMeta {
                            addr,
                            len,
                            stride: len,
                            ecn: None,
                            dst_ip: None,
                        };
                        received += 1;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        readable.clear_ready();
                        break;
                    }
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
        self.socket.get_ref().local_addr()
    }
}

/// Waits until the system has room for datagrams. Waits are rare, so each registers the socket again.
#[derive(Debug)]
struct UdpWriteWaiter {
    socket: Arc<PlainUdpSocket>,
    waiting: Option<AsyncFd<UdpSocket>>,
}

impl UdpPoller for UdpWriteWaiter {
    fn poll_writable(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.socket.full.load(Ordering::Relaxed) {
            this.waiting = None;
            return Poll::Ready(Ok(()));
        }
        let waiting = match this.waiting.take() {
            Some(waiting) => waiting,
            None => registered(
                this.socket.socket.get_ref().try_clone()?,
                Interest::WRITABLE,
            )?,
        };
        match this.waiting.insert(waiting).poll_write_ready(cx) {
            Poll::Ready(ready) => {
                drop(ready?);
                this.socket.full.store(false, Ordering::Relaxed);
                this.waiting = None;
                Poll::Ready(Ok(()))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_datagram_that_cannot_be_sent_is_lost_without_an_error() {
        let socket = PlainUdpSocket::bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let too_long_for_udp = vec![0; 70_000];
        let destination = socket.local_addr().unwrap();
        assert!(
            socket
                .socket
                .get_ref()
                .send_to(&too_long_for_udp, destination)
                .is_err()
        );
        let transmit = Transmit {
            destination,
            ecn: None,
            contents: &too_long_for_udp,
            segment_size: None,
            src_ip: None,
        };
        socket.try_send(&transmit).unwrap();
    }
}
