//! The bench's own loop, written in Java and run in the phone's JVM: asked through a socket in the phone's folder, because
//! the agent knows nothing of it.

use std::io;
use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::{JvmError, JvmPhone, process};

/// Summary of a random walk. Two walks with equal summaries met the same screens and did the same on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomWalkSummary {
    pub taps: u64,
    pub backs: u64,
    /// Number of clean starts.
    pub starts: u64,
    /// Hash of the numbers of nodes and of tappable nodes before each event, and of its place.
    pub seen: u64,
}

impl JvmPhone {
    /// As many events as asked for, each with a wait until `quiet_millis` have passed without a change. Returns how many
    /// seconds it took from the first screen on.
    pub async fn java_walk(
        &self,
        events: u64,
        seed: u64,
        quiet_millis: u64,
    ) -> Result<(f64, RandomWalkSummary), JvmError> {
        let answer = self
            .ask_java_loop(&format!("walk {events} {seed} {quiet_millis}"))
            .await?;
        parse_walk(&answer).ok_or_else(|| malformed_answer(&answer))
    }

    /// Reads the current screen. Returns the microseconds that reading took, without the socket.
    pub async fn java_read(&self) -> Result<f64, JvmError> {
        let answer = self.ask_java_loop("read").await?;
        answer.parse().map_err(|_| malformed_answer(&answer))
    }

    async fn ask_java_loop(&self, question: &str) -> Result<String, JvmError> {
        let running = self.running.borrow().clone();
        let socket = running.process.own_folder().join("direct");
        let failed = |source| JvmError::Run {
            what: "the loop in Java".to_owned(),
            source,
        };
        let mut ended = running.process.ended();
        tokio::select! {
            answer = ask(&socket, question) => answer.map_err(failed),
            why = process::wait_for_exit(&mut ended) => Err(JvmError::Died(why)),
        }
    }
}

async fn ask(socket: &Path, question: &str) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket).await?;
    stream.write_all(format!("{question}\n").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

fn parse_walk(answer: &str) -> Option<(f64, RandomWalkSummary)> {
    let (seconds, counts) = answer.split_once(' ')?;
    let counts: Vec<u64> = counts
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [taps, backs, starts, seen] = counts.try_into().ok()?;
    Some((
        seconds.parse().ok()?,
        RandomWalkSummary {
            taps,
            backs,
            starts,
            seen,
        },
    ))
}

fn malformed_answer(answer: &str) -> JvmError {
    JvmError::Failed {
        what: "the loop in Java".to_owned(),
        why: format!("it answered `{answer}`"),
    }
}
