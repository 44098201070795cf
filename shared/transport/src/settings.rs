//! How a QUIC connection of Retap behaves, on either way. Equal on both ends.

use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, ClientConfig, EndpointConfig, IdleTimeout, ServerConfig, TransportConfig,
    VarInt,
};

use crate::keys::{Keys, KeysError};

/// Without a sign of life for this long the other end is gone.
pub const SILENCE: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(3);

/// Datagrams in a byte stream cannot be lost or fragmented: large ones cost less each.
const STREAM_DATAGRAM: u16 = 16 << 10;
const UDP_DATAGRAM: u16 = 1_452;

/// How much of one stream may be under way: what a tap's answer can find in front of it. A picture of half a megabyte
/// takes eight round trips.
const UNDER_WAY: u32 = 64 << 10;

/// How the datagrams travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Udp,
    Stream,
}

pub fn endpoint(way: Way) -> EndpointConfig {
    let mut config = EndpointConfig::default();
    if way == Way::Stream {
        config
            .max_udp_payload_size(STREAM_DATAGRAM)
            .expect("more than QUIC's least size of 1200 bytes");
    }
    config
}

pub fn server(keys: &Keys, way: Way) -> Result<ServerConfig, KeysError> {
    let crypto = QuicServerConfig::try_from(keys.server()?)
        .expect("TLS 1.3 has QUIC's initial cipher suite");
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(transport(way));
    // One host is served. What waits beyond a few is somebody else's noise.
    config
        .max_incoming(64)
        .incoming_buffer_size(64 << 10)
        .incoming_buffer_size_total(1 << 20);
    Ok(config)
}

pub fn client(keys: &Keys, way: Way) -> Result<ClientConfig, KeysError> {
    let crypto = QuicClientConfig::try_from(keys.client()?)
        .expect("TLS 1.3 has QUIC's initial cipher suite");
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(transport(way));
    Ok(config)
}

fn transport(way: Way) -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(Some(IdleTimeout::try_from(SILENCE).expect("seconds fit")))
        .keep_alive_interval(Some(KEEP_ALIVE))
        .max_concurrent_bidi_streams(VarInt::from_u32(64))
        .max_concurrent_uni_streams(VarInt::from_u32(4))
        .stream_receive_window(VarInt::from_u32(UNDER_WAY))
        .datagram_receive_buffer_size(None)
        .ack_frequency_config(Some(rare_acks()))
        .allow_spin(false);
    match way {
        // What Ethernet and Wi-Fi carry. Where it does not get through, quinn goes back to QUIC's least size.
        Way::Udp => {
            config.initial_mtu(UDP_DATAGRAM);
        }
        Way::Stream => {
            config
                .initial_mtu(STREAM_DATAGRAM)
                .min_mtu(STREAM_DATAGRAM)
                .mtu_discovery_config(None)
                .congestion_controller_factory(Arc::new(unpaced::Unpaced));
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
    pub(super) struct Unpaced;

    impl ControllerFactory for Unpaced {
        fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
            Box::new(Unpaced)
        }
    }

    impl Controller for Unpaced {
        fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, _: &RttEstimator) {}

        fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

        fn on_mtu_update(&mut self, _: u16) {}

        /// Above `u32::MAX` quinn does not pace either.
        fn window(&self) -> u64 {
            u64::from(u32::MAX) + 1
        }

        fn clone_box(&self) -> Box<dyn Controller> {
            Box::new(Unpaced)
        }

        fn initial_window(&self) -> u64 {
            self.window()
        }

        fn into_any(self: Box<Self>) -> Box<dyn Any> {
            self
        }
    }
}
