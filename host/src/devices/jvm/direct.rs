//! The bench's own loop, written in Java and run in the phone's JVM: asked for by a file in the phone's folder and
//! answered by another, because the agent knows nothing of it.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{JvmError, JvmPhone, process};

const LOOK: Duration = Duration::from_millis(20);

/// What the loop took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direct {
    pub events: f64,
    pub seconds: f64,
    pub us_per_node: f64,
}

impl JvmPhone {
    /// As many events as asked for, each with a wait until `quiet_millis` have passed without a change.
    pub async fn direct(&self, events: u64, seed: u64, quiet_millis: u64) -> Result<Direct, JvmError> {
        let running = self.running.borrow().clone();
        let folder = running.process.folder();
        let failed = |source| JvmError::Run { what: "the loop in Java".to_owned(), source };
        let (part, answer) = (folder.join("direct.asked"), folder.join("direct.answer"));
        std::fs::write(&part, format!("{events} {seed} {quiet_millis}")).map_err(failed)?;
        std::fs::rename(&part, folder.join("direct.request")).map_err(failed)?;
        let mut ended = running.process.ended();
        tokio::select! {
            read = read(&answer) => parse(&read.map_err(failed)?),
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

fn parse(text: &str) -> Result<Direct, JvmError> {
    let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    match numbers.as_deref() {
        Ok([events, seconds, us_per_node]) => {
            Ok(Direct { events: *events, seconds: *seconds, us_per_node: *us_per_node })
        }
        _ => Err(JvmError::Failed {
            what: "the loop in Java".to_owned(),
            why: format!("it answered `{text}`"),
        }),
    }
}
