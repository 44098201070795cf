//! Byte streams that have not said yet who they are. Their number is bounded: the next one takes the place of the oldest
//! of the peer that has most, so that silent streams keep nobody out.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Maximum number of streams that wait for their first packet.
pub(crate) const MAX_WAITING: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct WaitingStreams {
    waiting: Mutex<Vec<WaitingStream>>,
}

#[derive(Debug)]
struct WaitingStream {
    number: u64,
    address: Option<IpAddr>,
    /// Dropped to close the stream.
    _evict: oneshot::Sender<()>,
}

/// The place of one stream, until it is dropped.
#[derive(Debug)]
pub(crate) struct WaitingPlace {
    number: u64,
    streams: Arc<WaitingStreams>,
    evicted: oneshot::Receiver<()>,
}

impl WaitingStreams {
    /// Adds a stream, and evicts another one if there are too many.
    pub(crate) fn enter(self: &Arc<Self>, number: u64, address: Option<IpAddr>) -> WaitingPlace {
        let (evict, evicted) = oneshot::channel();
        let mut waiting = self.lock();
        if waiting.len() >= MAX_WAITING {
            let of = |address| {
                let same = waiting.iter().filter(|stream| stream.address == address);
                same.count()
            };
            // The oldest of the peers with most streams: the first with the largest count.
            let most = waiting.iter().map(|stream| of(stream.address)).max();
            let oldest = waiting
                .iter()
                .position(|stream| Some(of(stream.address)) == most);
            oldest.map(|oldest| waiting.remove(oldest));
        }
        waiting.push(WaitingStream {
            number,
            address,
            _evict: evict,
        });
        WaitingPlace {
            number,
            streams: Arc::clone(self),
            evicted,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WaitingStream>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingPlace {
    /// Returns once another stream has taken the place.
    pub(crate) async fn evicted(&mut self) {
        let _ = (&mut self.evicted).await;
    }
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        let number = self.number;
        self.streams.lock().retain(|stream| stream.number != number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_next_stream_evicts_the_oldest_of_the_peer_that_has_most() {
        let streams = Arc::new(WaitingStreams::default());
        let peer = |last| Some(IpAddr::from([192, 0, 2, last]));
        let mut lonely = streams.enter(0, peer(9));
        let mut crowd: Vec<_> = (1..MAX_WAITING as u64)
            .map(|number| streams.enter(number, peer(1)))
            .collect();
        let _next = streams.enter(1_000, peer(2));
        crowd[0].evicted().await;
        assert_eq!(
            lonely.evicted.try_recv(),
            Err(oneshot::error::TryRecvError::Empty)
        );
        assert_eq!(streams.lock().len(), MAX_WAITING);
        drop((crowd, lonely, _next));
        assert!(streams.lock().is_empty());
    }
}
