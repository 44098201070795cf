//! Runs a program to its end, or ends it and all that it started when the command is cancelled.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use retap_device::CancellationToken;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The program's output; `None` if the command was cancelled meanwhile. Streams that the caller has set stay as they are.
pub fn output_unless_cancelled(
    command: &mut Command,
    cancellation: &CancellationToken,
) -> io::Result<Option<Output>> {
    // A group of its own can be ended as a whole: a build starts programs of its own.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().map(read_on_thread);
    let stderr = child.stderr.take().map(read_on_thread);
    let status = wait_unless_cancelled(&mut child, cancellation);
    let stdout = collect(stdout);
    let stderr = collect(stderr);
    Ok(status?.map(|status| Output {
        status,
        stdout,
        stderr,
    }))
}

fn wait_unless_cancelled(
    child: &mut Child,
    cancellation: &CancellationToken,
) -> io::Result<Option<ExitStatus>> {
    loop {
        if cancellation.is_cancelled() {
            kill_group(child);
            child.wait()?;
            return Ok(None);
        }
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None => thread::sleep(POLL_INTERVAL),
        }
    }
}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

/// Reads a stream to its end beside the others, so that no full pipe holds the program up.
fn read_on_thread(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is the output.
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

fn collect(reader: Option<JoinHandle<Vec<u8>>>) -> Vec<u8> {
    reader
        .and_then(|reader| reader.join().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_ends_by_itself_has_its_output() {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo out; echo err >&2; exit 3"])
            .stderr(Stdio::piped());
        let output = output_unless_cancelled(&mut command, &CancellationToken::new());
        let output = output.unwrap().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (output.stdout.as_slice(), output.stderr.as_slice()),
            (&b"out\n"[..], &b"err\n"[..])
        );
    }

    #[test]
    fn a_cancelled_command_ends_the_program_and_what_it_started() {
        let cancellation = CancellationToken::new();
        let cancelled = cancellation.clone();
        let mut command = Command::new("sh");
        // Both hold the pipe open: the output ends only when both have ended.
        command.args(["-c", "sleep 1000 & sleep 1000"]);
        let canceller = thread::spawn(move || cancelled.cancel());
        let output = output_unless_cancelled(&mut command, &cancellation);
        assert!(output.unwrap().is_none());
        canceller.join().unwrap();
    }
}
