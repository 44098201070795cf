//! A connection to the library in the app's process. A thread reads what the library writes by itself, so that nothing is
//! lost when the app dies; asking makes the library write what it has kept back.

use std::collections::HashMap;
use std::io::{self, BufReader, Write};
use std::net::Shutdown;
#[cfg(target_os = "android")]
use std::os::android::net::SocketAddrExt;
#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::frames::{Frame, MethodOrLine, UncoveredCode};

/// Timeout for an answer of the library: its thread waits only for the socket.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
const TAKE: &[u8] = b"T";
const FORGET: &[u8] = b"F";

/// Reads the coverage of an app's processes, one after the other.
#[derive(Debug)]
pub struct CoverageReader {
    socket: String,
    process: Option<Process>,
    /// Every item that any process had, by number.
    items: HashMap<u32, MethodOrLine>,
    uncovered: UncoveredCode,
}

/// What was reached since the last call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Numbers of the items, each once for each process.
    pub numbers: Vec<u32>,
    /// True if the library has answered. Otherwise there is no process, or it has ended: what it had sent is there.
    pub is_complete: bool,
}

/// The connection to one process.
#[derive(Debug)]
struct Process {
    stream: UnixStream,
    frames: Receiver<io::Result<Frame>>,
    /// Numbers of the items of each class, by the order in which the library sent them.
    classes: Vec<Vec<Option<u32>>>,
    notes_lines: bool,
}

impl CoverageReader {
    /// A reader of the library that listens at this abstract name, now or later.
    pub fn new(socket: &str) -> CoverageReader {
        CoverageReader {
            socket: socket.to_owned(),
            process: None,
            items: HashMap::new(),
            uncovered: UncoveredCode::default(),
        }
    }

    /// What was reached since the last call, in this process of the app or in the one before.
    pub fn take(&mut self) -> io::Result<Taken> {
        self.ask(TAKE)
    }

    /// The same; all that was reached can be reached anew, because the app begins anew in the same process.
    pub fn take_and_forget(&mut self) -> io::Result<Taken> {
        self.ask(FORGET)
    }

    /// Every method and line that the app's processes had, by number.
    pub fn items(&self) -> &HashMap<u32, MethodOrLine> {
        &self.items
    }

    /// What the library could not cover, when it last answered.
    pub fn uncovered(&self) -> UncoveredCode {
        self.uncovered
    }

    fn ask(&mut self, request: &[u8]) -> io::Result<Taken> {
        let mut taken = Taken::default();
        // The process may have ended: then its successor is asked.
        for _ in 0..2 {
            let mut process = match self.process.take() {
                Some(process) => process,
                None => match Process::connect(&self.socket) {
                    Ok(process) => process,
                    Err(error) if is_absent(&error) => return Ok(taken),
                    Err(error) => return Err(error),
                },
            };
            // If it has ended, what it has written is still to be read.
            let _ = process.stream.write_all(request);
            if self.read_answer(&mut process, &mut taken.numbers)? {
                self.process = Some(process);
                taken.is_complete = true;
                return Ok(taken);
            }
        }
        Ok(taken)
    }

    /// False if the process has ended before its answer.
    fn read_answer(&mut self, process: &mut Process, into: &mut Vec<u32>) -> io::Result<bool> {
        loop {
            let frame = match process.frames.recv_timeout(ANSWER_TIMEOUT) {
                Ok(Ok(frame)) => frame,
                Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => return Err(error),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(false),
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
            };
            match frame {
                Frame::Hello { lines, .. } => process.notes_lines = lines,
                Frame::Class(items) => {
                    // A method that has lines is known by them.
                    let lines = process.notes_lines;
                    let counts =
                        |item: &MethodOrLine| !lines || item.line != 0 || item.first_line == 0;
                    let mut number = |item: MethodOrLine| {
                        let number = item.number();
                        self.items.entry(number).or_insert(item);
                        number
                    };
                    let numbers = items
                        .into_iter()
                        .map(|item| counts(&item).then(|| number(item)));
                    process.classes.push(numbers.collect());
                }
                Frame::Hits { class, word, bits } => {
                    let items = process.classes.get(class as usize).map(Vec::as_slice);
                    into.extend(numbers(items.unwrap_or_default(), word, bits));
                }
                Frame::Taken(uncovered) => {
                    self.uncovered = uncovered;
                    return Ok(true);
                }
            }
        }
    }
}

impl Process {
    fn connect(name: &str) -> io::Result<Process> {
        let stream = UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?;
        stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
        let read = stream.try_clone()?;
        let (send, frames) = channel();
        std::thread::Builder::new()
            .name("retap-coverage-reader".to_owned())
            .spawn(move || forward(read, &send))?;
        Ok(Process {
            stream,
            frames,
            classes: Vec::new(),
            notes_lines: false,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Ends the thread that reads. The other end may be gone.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Reads frames until the first error, which is the end of the process.
fn forward(stream: UnixStream, to: &Sender<io::Result<Frame>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let frame = Frame::read(&mut stream);
        let is_last = frame.is_err();
        if to.send(frame).is_err() || is_last {
            return;
        }
    }
}

/// Numbers of the items whose bits are set in a word of the class's bit map.
fn numbers(items: &[Option<u32>], word: u32, bits: u64) -> impl Iterator<Item = u32> {
    let first = word as usize * 64;
    items
        .iter()
        .skip(first)
        .take(64)
        .enumerate()
        .filter(move |(bit, _)| bits & (1 << bit) != 0)
        .filter_map(|(_, number)| *number)
}

/// Nobody listens: the app does not run, or its library does not.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
    )
}
