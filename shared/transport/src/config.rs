//! The configuration of QUIC connections, equal on both ends.

use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, ClientConfig, EndpointConfig, IdleTimeout, ServerConfig, TransportConfig,
    VarInt,
};

use crate::keys::{SessionKeys, SessionKeysError};
use crate::knock::KnockKey;

/// Time without a datagram after which the other end counts as lost.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(3);

/// Datagram size in a byte stream. Large datagrams cost less per byte, and none is lost or fragmented.
const STREAM_DATAGRAM: u16 = 16 << 10;
const UDP_DATAGRAM: u16 = 1_452;

/// Maximum number of bytes in flight per stream, which delay the reply to a tap. A screenshot of half a megabyte takes
/// eight round trips.
const STREAM_WINDOW: u32 = 64 << 10;

/// The transport of QUIC's datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// UDP.
    Udp,
    /// Frames in a byte stream.
    Stream,
}

/// The configuration of an endpoint.
pub fn endpoint_config(transport: Transport) -> EndpointConfig {
    let mut config = EndpointConfig::default();
    if transport == Transport::Stream {
        config
            .max_udp_payload_size(STREAM_DATAGRAM)
            .expect("more than QUIC's minimum size of 1200 bytes");
    }
    config
}

/// The configuration of the agent's end.
pub fn server_config(
    keys: &SessionKeys,
    transport: Transport,
) -> Result<ServerConfig, SessionKeysError> {
    let crypto = QuicServerConfig::try_from(keys.server()?)
        .expect("TLS 1.3 has QUIC's initial cipher suite");
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(transport_config(transport));
    // One host is served, so few connections need to wait.
    config
        .max_incoming(64)
        .incoming_buffer_size(64 << 10)
        .incoming_buffer_size_total(1 << 20);
    Ok(config)
}

/// The configuration of the host's end.
pub fn client_config(
    keys: &SessionKeys,
    transport: Transport,
) -> Result<ClientConfig, SessionKeysError> {
    let crypto = QuicClientConfig::try_from(keys.client()?)
        .expect("TLS 1.3 has QUIC's initial cipher suite");
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(transport_config(transport));
    let knock_key = KnockKey::new(keys);
    config.initial_dst_cid_provider(Arc::new(move || knock_key.knock()));
    Ok(config)
}

fn transport_config(transport: Transport) -> Arc<TransportConfig> {
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
    match transport {
        // Fits Ethernet and Wi-Fi. quinn falls back to QUIC's minimum size where it does not get through.
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

/// Rare acknowledgements: a reply acknowledges its request, and further datagrams would only wake the other end.
fn rare_acks() -> AckFrequencyConfig {
    let mut config = AckFrequencyConfig::default();
    config.ack_eliciting_threshold(VarInt::from_u32(10));
    config
}

/// No congestion control: in a byte stream TCP controls congestion, and a second control would slow it down.
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

        /// Above `u32::MAX`, where quinn does not pace either.
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
