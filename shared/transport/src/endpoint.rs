//! The agent's QUIC endpoints, over UDP or over a byte stream.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{AsyncUdpSocket, Endpoint, ServerConfig, TokioRuntime};

use crate::config::{Transport, endpoint_config};
use crate::stream::{ByteStream, FramedSocket};
use crate::udp::PlainUdpSocket;

/// Creates a server's endpoint on a UDP address.
pub fn udp_server(address: SocketAddr, config: ServerConfig) -> io::Result<Endpoint> {
    server(PlainUdpSocket::bind(address)?, Transport::Udp, config)
}

/// Creates a server's endpoint over one byte stream, of which `head` has been read already.
pub fn stream_server(
    stream: impl ByteStream,
    head: &[u8],
    config: ServerConfig,
) -> io::Result<Endpoint> {
    let socket = FramedSocket::with_head(stream, head);
    server(socket, Transport::Stream, config)
}

fn server(
    socket: Arc<dyn AsyncUdpSocket>,
    transport: Transport,
    config: ServerConfig,
) -> io::Result<Endpoint> {
    let endpoint = endpoint_config(transport);
    Endpoint::new_with_abstract_socket(endpoint, Some(config), socket, Arc::new(TokioRuntime))
}
