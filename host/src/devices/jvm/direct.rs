//! The bench's own loop, written in Java and run in the phone's JVM: asked for by a file in the phone's folder and
//! answered by another, because the agent knows nothing of it.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{JvmError, JvmPhone, process};

const LOOK: Duration = Duration::from_millis(20);

/// What a walk did: two that are equal met the same screens and did the same there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    pub taps: u64,
    pub backs: u64,
    /// Clean starts on the way.
    pub starts: u64,
    /// A hash of how many nodes there were before each event, how many of them could be tapped, and where it went.
    pub seen: u64,
}

impl JvmPhone {
    /// As many events as asked for, each with a wait until `quiet_millis` have passed without a change. Returns how many
    /// seconds it took from the first screen on.
    pub async fn direct_walk(
        &self,
        events: u64,
        seed: u64,
        quiet_millis: u64,
    ) -> Result<(f64, Walked), JvmError> {
        let answer = self.ask_directly(&format!("walk {events} {seed} {quiet_millis}")).await?;
        walked(&answer).ok_or_else(|| strange(&answer))
    }

    /// Reads the screen that is there so many times: what each time took, in microseconds.
    pub async fn direct_reads(&self, times: usize) -> Result<Vec<f64>, JvmError> {
        let answer = self.ask_directly(&format!("read {times}")).await?;
        let numbers: Result<Vec<f64>, _> = answer.split_whitespace().map(str::parse).collect();
        numbers.map_err(|_| strange(&answer))
    }

    async fn ask_directly(&self, question: &str) -> Result<String, JvmError> {
        let running = self.running.borrow().clone();
        let folder = running.process.folder();
        let failed = |source| JvmError::Run { what: "the loop in Java".to_owned(), source };
        let (part, answer) = (folder.join("direct.asked"), folder.join("direct.answer"));
        std::fs::write(&part, question).map_err(failed)?;
        std::fs::rename(&part, folder.join("direct.request")).map_err(failed)?;
        let mut ended = running.process.ended();
        tokio::select! {
            read = read(&answer) => read.map_err(failed),
            why = process::wait(&mut ended) => Err(JvmError::Died(why)),
        }
    }
}

async fn read(answer: &Path) -> io::Result<String> {
    while !answer.exists() {
        tokio::time::sleep(LOOK).await;
    }
    let text = std::fs::read_to_string(answer)?;
    std::fs::remove_file(answer)?;
    Ok(text)
}

fn walked(answer: &str) -> Option<(f64, Walked)> {
    let (seconds, counts) = answer.split_once(' ')?;
    let counts: Vec<u64> = counts.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [taps, backs, starts, seen] = counts.try_into().ok()?;
    Some((seconds.parse().ok()?, Walked { taps, backs, starts, seen }))
}

fn strange(answer: &str) -> JvmError {
    JvmError::Failed { what: "the loop in Java".to_owned(), why: format!("it answered `{answer}`") }
}
