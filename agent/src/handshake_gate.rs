//! Who may shake hands: the paired host at once, by its knock; strangers after they have proven their address, a few at a
//! time, and fewer of each address.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_transport::keys::SessionKeys;
use retap_transport::knock::KnockKey;

/// Maximum number of connections at a time whose host has knocked.
const MAX_PAIRED: usize = 16;
/// Maximum number of strangers' handshakes at a time.
const MAX_STRANGERS: usize = 8;
/// Maximum number of those with the same address.
const MAX_STRANGERS_PER_ADDRESS: usize = 4;
/// Number of knocks that are remembered. A knock counts once: somebody who has seen it cannot use it again.
const REMEMBERED_KNOCKS: usize = 4_096;

/// The gate of one agent.
#[derive(Debug)]
pub struct HandshakeGate {
    knock_key: KnockKey,
    state: Arc<Mutex<GateState>>,
}

#[derive(Debug, Default)]
struct GateState {
    used_knocks: VecDeque<Vec<u8>>,
    paired: usize,
    strangers: HashMap<Option<IpAddr>, usize>,
}

/// A place at the gate, until it is dropped.
#[derive(Debug)]
pub struct HandshakePlace {
    peer: GatePeer,
    state: Arc<Mutex<GateState>>,
}

/// Who asks for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatePeer {
    /// The paired host has knocked.
    PairedHost,
    /// Somebody at this address; none on a stream without addresses.
    Stranger(Option<IpAddr>),
}

impl HandshakeGate {
    /// The gate of an agent with these keys.
    pub fn new(keys: &SessionKeys) -> HandshakeGate {
        HandshakeGate {
            knock_key: KnockKey::new(keys),
            state: Arc::default(),
        }
    }

    /// Who sends a first packet with this destination from this address. A knock counts once.
    pub fn identify(&self, destination: &[u8], address: Option<IpAddr>) -> GatePeer {
        if !self.knock_key.recognises(destination) {
            return GatePeer::Stranger(address);
        }
        let mut state = lock(&self.state);
        if state.used_knocks.iter().any(|used| used == destination) {
            return GatePeer::Stranger(address);
        }
        if state.used_knocks.len() == REMEMBERED_KNOCKS {
            state.used_knocks.pop_front();
        }
        state.used_knocks.push_back(destination.to_vec());
        GatePeer::PairedHost
    }

    /// A place for this peer, if there is one.
    pub fn enter(&self, peer: GatePeer) -> Option<HandshakePlace> {
        let mut state = lock(&self.state);
        match peer {
            GatePeer::PairedHost if state.paired < MAX_PAIRED => state.paired += 1,
            GatePeer::Stranger(address) => {
                let all: usize = state.strangers.values().sum();
                let same = state.strangers.entry(address).or_default();
                if all >= MAX_STRANGERS || *same >= MAX_STRANGERS_PER_ADDRESS {
                    return None;
                }
                *same += 1;
            }
            GatePeer::PairedHost => return None,
        }
        Some(HandshakePlace {
            peer,
            state: Arc::clone(&self.state),
        })
    }
}

impl Drop for HandshakePlace {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        match self.peer {
            GatePeer::PairedHost => state.paired -= 1,
            GatePeer::Stranger(address) => {
                if let Some(same) = state.strangers.get_mut(&address) {
                    *same -= 1;
                }
                state.strangers.retain(|_, count| *count > 0);
            }
        }
    }
}

fn lock(state: &Mutex<GateState>) -> MutexGuard<'_, GateState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paired_host_has_a_place_while_strangers_fill_theirs() {
        let (agent, host) = SessionKeys::generate().unwrap();
        let gate = HandshakeGate::new(&agent);
        let address = |last| Some(IpAddr::from([192, 0, 2, last]));
        let crowd: Vec<_> = (0..100)
            .filter_map(|number| gate.enter(gate.identify(&[number; 20], address(number % 3))))
            .collect();
        assert_eq!(crowd.len(), MAX_STRANGERS);
        let knock = KnockKey::new(&host).knock();
        let peer = gate.identify(&knock, address(1));
        assert_eq!(peer, GatePeer::PairedHost);
        assert!(gate.enter(peer).is_some());
        drop(crowd);
        assert!(gate.enter(GatePeer::Stranger(None)).is_some());
    }

    #[test]
    fn one_address_has_only_its_share_of_the_places() {
        let (agent, _) = SessionKeys::generate().unwrap();
        let gate = HandshakeGate::new(&agent);
        let stranger = GatePeer::Stranger(Some(IpAddr::from([192, 0, 2, 1])));
        let other = GatePeer::Stranger(Some(IpAddr::from([192, 0, 2, 2])));
        let crowd: Vec<_> = (0..100).filter_map(|_| gate.enter(stranger)).collect();
        assert_eq!(crowd.len(), MAX_STRANGERS_PER_ADDRESS);
        assert!(gate.enter(other).is_some());
    }

    #[test]
    fn a_knock_that_somebody_repeats_is_a_strangers() {
        let (agent, host) = SessionKeys::generate().unwrap();
        let gate = HandshakeGate::new(&agent);
        let knock = KnockKey::new(&host).knock();
        assert_eq!(gate.identify(&knock, None), GatePeer::PairedHost);
        assert_eq!(gate.identify(&knock, None), GatePeer::Stranger(None));
    }
}
