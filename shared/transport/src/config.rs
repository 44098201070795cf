//! How a QUIC connection of Retap behaves, on either way. Equal on both ends.

use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, ClientConfig, EndpointConfig, IdleTimeout, ServerConfig, TransportConfig,
    VarInt,
};

use crate::keys::{SessionKeys, SessionKeysError};

/// Without a sign of life for this long the other end is gone.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(3);

/// Datagrams in a byte stream cannot be lost or fragmented: large ones cost less each.
const STREAM_DATAGRAM: u16 = 16 << 10;
const UDP_DATAGRAM: u16 = 1_452;

/// How much of one stream may be under way: what a tap's answer can find in front of it. A picture of half a megabyte
/// takes eight round trips.
const STREAM_WINDOW: u32 = 64 << 10;

/// How the datagrams travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Udp,
    Stream,
}

pub fn endpoint_config(way: Transport) -> EndpointConfig {
    let mut config = EndpointConfig::default();
    if way == Transport::Stream {
        config
            .max_udp_payload_size(STREAM_DATAGRAM)
            .expect("more than QUIC's least size of 1200 bytes");
    }
    config
}

pub fn server_config(keys: &SessionKeys, way: Transport) -> Result<ServerConfig, SessionKeysError> {
    let crypto = QuicServerConfig::try_from(keys.server()?)
        .expect("TLS 1.3 has QUIC's initial cipher suite");
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(transport_config(way));
    // One host is served. What waits beyond a few is somebody else's noise.
    config
        .max_incoming(64)
        .incoming_buffer_size(64 << 10)
        .incoming_buffer_size_total(1 << 20);
    Ok(config)
}

pub fn client_config(keys: &SessionKeys, way: Transport) -> Result<ClientConfig, SessionKeysError> {
    let crypto = QuicClientConfig::try_from(keys.client()?)
        .expect("TLS 1.3 has QUIC's initial cipher suite");
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(transport_config(way));
    Ok(config)
}

fn transport_config(way: Transport) -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(Some(
            IdleTimeout::try_from(IDLE_TIMEOUT).expect("seconds fit"),
        ))
        .keep_alive_interval(Some(KEEP_ALIVE))
        .max_concurrent_bidi_streams(VarInt::from_u32(64))
        .max_concurrent_uni_streams(VarInt::from_u32(4))
        .stream_receive_window(VarInt::from_u32(STREAM_WINDOW))
        .datagram_receive_buffer_size(None)
        .ack_frequency_config(Some(rare_acks()))
        .allow_spin(false);
    match way {
        // What Ethernet and Wi-Fi carry. Where it does not get through, quinn goes back to QUIC's least size.
        Transport::Udp => {
            config.initial_mtu(UDP_DATAGRAM);
        }
        Transport::Stream => {
            config
                .initial_mtu(STREAM_DATAGRAM)
                .min_mtu(STREAM_DATAGRAM)
                .mtu_discovery_config(None)
                .congestion_controller_factory(Arc::new(unpaced::NoCongestionControl));
        }
    }
    Arc::new(config)
}

/// An answer acknowledges its request: datagrams that do nothing else would only wake the other end.
fn rare_acks() -> AckFrequencyConfig {
    let mut config = AckFrequencyConfig::default();
    config.ack_eliciting_threshold(VarInt::from_u32(10));
    config
}

/// Over a byte stream TCP already controls congestion; a second control above it would only slow it down.
mod unpaced {
    use std::any::Any;
    use std::sync::Arc;
    use std::time::Instant;

    use quinn::congestion::{Controller, ControllerFactory};
    use quinn_proto::RttEstimator;

    #[derive(Clone, Debug)]
    pub(super) struct NoCongestionControl;

    impl ControllerFactory for NoCongestionControl {
        fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
            Box::new(NoCongestionControl)
        }
    }

    impl Controller for NoCongestionControl {
        fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, _: &RttEstimator) {}

        fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

        fn on_mtu_update(&mut self, _: u16) {}

        /// Above `u32::MAX` quinn does not pace either.
        fn window(&self) -> u64 {
            u64::from(u32::MAX) + 1
        }

        fn clone_box(&self) -> Box<dyn Controller> {
            Box::new(NoCongestionControl)
        }

        fn initial_window(&self) -> u64 {
            self.window()
        }

        fn into_any(self: Box<Self>) -> Box<dyn Any> {
            self
        }
    }
}
