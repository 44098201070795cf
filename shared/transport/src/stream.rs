//! QUIC's datagrams framed in one byte stream, which adb can forward. The stream has one peer, so every datagram has the
//! same invented address.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use retap_shared::frame::{FrameReader, MAX_PAYLOAD, write_frame};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::knock::{FIRST_DESTINATION_END, first_destination};

/// The address of the peer of every stream.
pub const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// Number of queued bytes from which datagrams wait: small enough that a screenshot delays a tap little, large enough to
/// keep the stream busy.
const QUEUE: usize = 128 << 10;
/// Number of bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// A byte stream that is read and written without blocking.
pub trait ByteStream: Send + Sync + fmt::Debug + 'static {
    /// Waits until the stream can be read.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
    /// Waits until the stream can be written.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
    /// Reads bytes that have arrived.
    fn try_read(&self, into: &mut [u8]) -> io::Result<usize>;
    /// Writes as many bytes as fit.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;
}

/// Reads the start of a stream until it is known where its first packet goes. At most those bytes are read.
pub async fn read_head(stream: &impl ByteStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(FIRST_DESTINATION_END);
    let mut chunk = [0; FIRST_DESTINATION_END];
    while first_destination(&head)
        .map_err(io::Error::other)?
        .is_none()
    {
        std::future::poll_fn(|cx| stream.poll_readable(cx)).await?;
        let room = FIRST_DESTINATION_END - head.len();
        match stream.try_read(&mut chunk[..room]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => head.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(head)
}

/// Implements `ByteStream` for tokio's streams, with a function to call after each read.
macro_rules! byte_streams {
    ($($stream:ty, $after_read:expr;)*) => { $(
        impl ByteStream for $stream {
            fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.poll_read_ready(cx)
            }

            fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.poll_write_ready(cx)
            }

            fn try_read(&self, into: &mut [u8]) -> io::Result<usize> {
                let count = <$stream>::try_read(self, into)?;
                $after_read(self);
                Ok(count)
            }

            fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
                <$stream>::try_write(self, bytes)
            }
        }
    )* };
}

byte_streams! {
    TcpStream, set_quickack;
    UnixStream, |_| ();
}

/// Acknowledges at once. adb's server uses Nagle's algorithm on forwarded ports: it sends nothing after a small datagram
/// until that is acknowledged, which the system delays by 40 ms. The option must be set after every read.
fn set_quickack(stream: &TcpStream) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = stream.set_quickack(true);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = stream;
}

/// A socket for QUIC over a byte stream.
#[derive(Debug)]
pub struct FramedSocket<S> {
    state: Arc<StreamState<S>>,
    read_state: Mutex<FrameReadState>,
    pollers: AtomicU64,
    drainer: AbortHandle,
}

/// The state that the socket shares with the task that drains its queue.
#[derive(Debug)]
struct StreamState<S> {
    stream: S,
    write_queue: Mutex<FrameWriteQueue>,
    /// Notified when the stream has not taken all queued bytes.
    queued: Notify,
}

#[derive(Debug)]
struct FrameReadState {
    frames: FrameReader,
    chunk: Box<[u8]>,
}

#[derive(Debug, Default)]
struct FrameWriteQueue {
    queue: Vec<u8>,
    /// Number of queued bytes that the stream has taken.
    taken: usize,
    /// The tasks that wait for room, by poller.
    waiting: HashMap<u64, Waker>,
    failed: bool,
}

impl<S: ByteStream> FramedSocket<S> {
    /// Creates a socket, and the task that drains its queue.
    pub fn new(stream: S) -> Arc<Self> {
        FramedSocket::with_head(stream, &[])
    }

    /// Creates a socket for a stream of which `head` has been read already.
    pub fn with_head(stream: S, head: &[u8]) -> Arc<Self> {
        let mut frames = FrameReader::new(MAX_PAYLOAD);
        frames.push(head);
        let state = Arc::new(StreamState {
            stream,
            write_queue: Mutex::default(),
            queued: Notify::new(),
        });
        let drainer = tokio::spawn(state.clone().keep_draining()).abort_handle();
        let reading = FrameReadState {
            frames,
            chunk: vec![0; CHUNK].into_boxed_slice(),
        };
        Arc::new(FramedSocket {
            state,
            read_state: Mutex::new(reading),
            pollers: AtomicU64::new(0),
            drainer,
        })
    }
}

impl<S> Drop for FramedSocket<S> {
    fn drop(&mut self) {
        self.drainer.abort();
    }
}

impl<S: ByteStream> StreamState<S> {
    async fn keep_draining(self: Arc<Self>) {
        loop {
            self.queued.notified().await;
            if std::future::poll_fn(|cx| self.poll_drain(cx))
                .await
                .is_err()
            {
                return;
            }
        }
    }

    fn poll_drain(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.lock_write_queue().drain(&self.stream)? {
                return Poll::Ready(Ok(()));
            }
            ready!(self.stream.poll_writable(cx))?;
        }
    }
}

impl<S> StreamState<S> {
    fn lock_write_queue(&self) -> MutexGuard<'_, FrameWriteQueue> {
        self.write_queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameWriteQueue {
    /// Writes queued bytes to the stream. Returns true once the queue is empty.
    fn drain(&mut self, stream: &impl ByteStream) -> io::Result<bool> {
        while self.taken < self.queue.len() {
            match stream.try_write(&self.queue[self.taken..]) {
                Ok(count) => self.taken += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    self.failed = true;
                    self.wake();
                    return Err(error);
                }
            }
        }
        let empty = self.taken == self.queue.len();
        if empty {
            self.queue.clear();
            self.taken = 0;
        } else if self.taken > QUEUE / 2 {
            self.queue.drain(..self.taken);
            self.taken = 0;
        }
        if self.has_room() {
            self.wake();
        }
        Ok(empty)
    }

    fn has_room(&self) -> bool {
        self.queue.len() - self.taken < QUEUE
    }

    fn wake(&mut self) {
        for (_, waker) in self.waiting.drain() {
            waker.wake();
        }
    }
}

impl<S: ByteStream> AsyncUdpSocket for FramedSocket<S> {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        let id = self.pollers.fetch_add(1, Ordering::Relaxed);
        Box::pin(StreamWriteWaiter {
            state: self.state.clone(),
            id,
        })
    }

    /// Queues a frame completely or not at all. A broken stream loses datagrams without an error, because quinn would
    /// leave the users of the connection waiting for ever; the reader reports the error and ends the connection.
    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        let mut writing = self.state.lock_write_queue();
        if writing.failed {
            return Ok(());
        }
        if !writing.has_room() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        write_frame(transmit.contents, &mut writing.queue).map_err(io::Error::other)?;
        if let Ok(false) = writing.drain(&self.state.stream) {
            self.state.queued.notify_one();
        }
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut reading = self
            .read_state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let FrameReadState { frames, chunk } = &mut *reading;
        loop {
            let mut received = 0;
            while received < buffers.len().min(meta.len()) {
                let Some(frame) = frames.next_frame().map_err(io::Error::other)? else {
                    break;
                };
                // A datagram that is too long is dropped, as a network would drop it.
                if frame.len() > buffers[received].len() {
                    continue;
                }
                let len = frame.len();
                buffers[received][..len].copy_from_slice(frame);
                meta[received] = RecvMeta {
                    addr: PEER,
                    len,
                    stride: len,
                    ecn: None,
                    dst_ip: None,
                };
                received += 1;
            }
            if received > 0 {
                return Poll::Ready(Ok(received));
            }
            ready!(self.state.stream.poll_readable(cx))?;
            match self.state.stream.try_read(chunk) {
                // Any error but ConnectionReset, which quinn ignores.
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => frames.push(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::BrokenPipe, error)));
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(PEER)
    }
}

/// A task that waits for room in the queue.
#[derive(Debug)]
struct StreamWriteWaiter<S> {
    state: Arc<StreamState<S>>,
    id: u64,
}

impl<S: ByteStream> UdpPoller for StreamWriteWaiter<S> {
    fn poll_writable(self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        let mut writing = self.state.lock_write_queue();
        if writing.failed || writing.has_room() {
            return Poll::Ready(Ok(()));
        }
        writing.waiting.insert(self.id, cx.waker().clone());
        Poll::Pending
    }
}

impl<S> Drop for StreamWriteWaiter<S> {
    fn drop(&mut self) {
        self.state.lock_write_queue().waiting.remove(&self.id);
    }
}

const _: () = assert!(MAX_PAYLOAD >= 16 << 10, "a datagram fits a frame");

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_broken_stream_loses_datagrams_and_the_reader_gets_an_error() {
        let (near, far) = UnixStream::pair().unwrap();
        let socket = FramedSocket::new(near);
        drop(far);
        let datagram = [0; 1_000];
        let transmit = Transmit {
            destination: PEER,
            ecn: None,
            contents: &datagram,
            segment_size: None,
            src_ip: None,
        };
        for _ in 0..1_000 {
            socket.try_send(&transmit).unwrap();
        }
        let mut room = socket.clone().create_io_poller();
        std::future::poll_fn(|cx| room.as_mut().poll_writable(cx))
            .await
            .unwrap();
        let mut buffer = [0; 16];
        let mut meta = [RecvMeta::default()];
        let read = std::future::poll_fn(|cx| {
            socket.poll_recv(cx, &mut [IoSliceMut::new(&mut buffer)], &mut meta)
        });
        read.await.unwrap_err();
    }
}
