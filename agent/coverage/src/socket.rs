//! The socket that the agent reads: abstract, of this process, because Android lets adb's daemon connect to an app but no
//! app to another one's socket. New hits are written in batches, and at once when the reader asks.

use std::io::{self, Read, Write};
#[cfg(target_os = "android")]
use std::os::android::net::SocketAddrExt;
use std::os::fd::{AsRawFd, RawFd};
#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::Duration;

use crate::breakpoints::Breakpoints;
use crate::classes::ClassItems;
use crate::frames::FrameBuffer;

/// How often new hits are written without being asked for: what an app that dies can lose.
const BATCH: Duration = Duration::from_millis(50);
/// How long the reader may leave the socket full before it is taken for dead.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often and how long the name is tried for: an earlier process of the app may still have it.
const BIND_INTERVAL: Duration = Duration::from_millis(100);
const BIND_ATTEMPTS: u32 = 100;
const ROOT: u32 = 0;
const SHELL: u32 = 2_000;
/// What a reader writes: send what is new.
const TAKE: u8 = b'T';
/// Send what is new, and then forget all hits, because a new process of the app begins.
const FORGET: u8 = b'F';

/// Starts the thread that serves the socket. The app goes on if it cannot.
pub(crate) fn serve(name: String, lines: bool, breakpoints: &'static Breakpoints) {
    let thread = std::thread::Builder::new().name("retap-coverage".to_owned());
    let _ = thread.spawn(move || {
        let Some(listener) = listen(&name) else {
            return;
        };
        let mut reader = None;
        loop {
            if let Err(error) = turn(&listener, &mut reader, lines, breakpoints) {
                // The listener itself fails only if the process has no more descriptors: that may pass.
                if reader.is_none() {
                    let _ = error;
                    std::thread::sleep(BIND_INTERVAL);
                }
                reader = None;
            }
        }
    });
}

/// A connected reader, with what it has been told.
struct Reader {
    stream: UnixStream,
    classes: Vec<(&'static ClassItems, Vec<u64>)>,
}

fn listen(name: &str) -> Option<UnixListener> {
    for _ in 0..BIND_ATTEMPTS {
        let address = SocketAddr::from_abstract_name(name).ok()?;
        match UnixListener::bind_addr(&address) {
            Ok(listener) => return listener.set_nonblocking(true).ok().map(|()| listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                std::thread::sleep(BIND_INTERVAL);
            }
            Err(_) => return None,
        }
    }
    None
}

/// Waits for a reader, for what it asks, or for the next batch, and acts on it.
fn turn(
    listener: &UnixListener,
    reader: &mut Option<Reader>,
    lines: bool,
    breakpoints: &Breakpoints,
) -> io::Result<()> {
    let stream = reader.as_ref().map(|reader| reader.stream.as_raw_fd());
    let [has_caller, has_request] = wait(listener.as_raw_fd(), stream)?;
    if has_caller {
        let (stream, _) = listener.accept()?;
        if is_trusted(&stream) {
            // An agent that was started again takes the place of its predecessor.
            *reader = Some(Reader::welcome(stream, lines)?);
        }
        return Ok(());
    }
    let Some(reader) = reader else { return Ok(()) };
    if has_request {
        let mut request = [0_u8; 1];
        match reader.stream.read(&mut request)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => reader.answer(request, breakpoints)?,
        }
    } else if breakpoints.classes.take_news() {
        let mut frames = FrameBuffer::default();
        reader.add_news(breakpoints, &mut frames);
        reader.stream.write_all(frames.bytes())?;
    }
    Ok(())
}

impl Reader {
    fn welcome(stream: UnixStream, lines: bool) -> io::Result<Reader> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let mut frames = FrameBuffer::default();
        frames.hello(std::process::id(), lines);
        let mut reader = Reader {
            stream,
            classes: Vec::new(),
        };
        reader.stream.write_all(frames.bytes())?;
        Ok(reader)
    }

    fn answer(&mut self, request: [u8; 1], breakpoints: &Breakpoints) -> io::Result<()> {
        if ![TAKE, FORGET].contains(&request[0]) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        breakpoints.classes.take_news();
        let mut frames = FrameBuffer::default();
        self.add_news(breakpoints, &mut frames);
        frames.taken(breakpoints.uncovered.counts());
        if request[0] == FORGET {
            breakpoints.classes.forget();
            for (_, told) in &mut self.classes {
                told.fill(0);
            }
        }
        self.stream.write_all(frames.bytes())
    }

    /// Frames of the classes and hits that this reader does not know yet.
    fn add_news(&mut self, breakpoints: &Breakpoints, frames: &mut FrameBuffer) {
        for class in breakpoints.classes.from(self.classes.len()) {
            frames.class(class);
            let told = class.hits().map(|_| 0).collect();
            self.classes.push((class, told));
        }
        for (number, (class, told)) in self.classes.iter_mut().enumerate() {
            for (word, (told, now)) in told.iter_mut().zip(class.hits()).enumerate() {
                let new = now & !*told;
                if new != 0 {
                    frames.hits(number, word, new);
                    *told |= new;
                }
            }
        }
    }
}

/// Whether there is a caller, and a request (or the end) of the reader. Both false: it is time for a batch.
fn wait(listener: RawFd, reader: Option<RawFd>) -> io::Result<[bool; 2]> {
    let entry = |fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    // Negative descriptors are passed over.
    let mut entries = [entry(listener), entry(reader.unwrap_or(-1))];
    let timeout = match reader {
        Some(_) => i32::try_from(BATCH.as_millis()).unwrap_or(i32::MAX),
        None => -1,
    };
    // SAFETY: the list has two entries.
    let ready = unsafe { libc::poll(entries.as_mut_ptr(), 2, timeout) };
    match ready {
        0.. => Ok(entries.map(|entry| entry.revents != 0)),
        _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Ok([false, false]),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The peer is adb's daemon, root, or of this process's own user.
fn is_trusted(stream: &UnixStream) -> bool {
    let mut peer = libc::ucred {
        pid: 0,
        uid: u32::MAX,
        gid: u32::MAX,
    };
    let mut size = libc::socklen_t::try_from(size_of::<libc::ucred>()).unwrap_or_default();
    // SAFETY: the kernel fills in a structure of this size.
    let status = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut size,
        )
    };
    // SAFETY: reads a number of this process.
    let own = unsafe { libc::getuid() };
    status == 0 && [ROOT, SHELL, own].contains(&peer.uid)
}
