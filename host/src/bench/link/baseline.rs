//! Baseline of a round trip: 64 bytes over TCP on this machine, echoed by another thread.

use std::io;
use std::thread::JoinHandle;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::core_placement::CorePlacement;

const LENGTH: usize = 64;

#[derive(Debug)]
pub(super) struct PingPong {
    stream: TcpStream,
    /// Ends when the stream does.
    _echo: JoinHandle<io::Result<()>>,
}

impl PingPong {
    pub(super) async fn start() -> io::Result<PingPong> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let echo = std::thread::spawn(move || {
            CorePlacement::Separate.pin_agent();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async { echo(TcpListener::from_std(listener)?).await })
        });
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(PingPong {
            stream,
            _echo: echo,
        })
    }

    pub(super) async fn once(&mut self) -> io::Result<()> {
        let mut bytes = [7; LENGTH];
        self.stream.write_all(&bytes).await?;
        self.stream.read_exact(&mut bytes).await?;
        Ok(())
    }
}

async fn echo(listener: TcpListener) -> io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let mut bytes = [0; LENGTH];
    while stream.read_exact(&mut bytes).await.is_ok() {
        stream.write_all(&bytes).await?;
    }
    Ok(())
}
