//! The loopback device of a new network namespace, which begins switched off.

use std::io;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use super::LauncherError;

/// Number of the loopback device in every namespace.
const LOOPBACK: i32 = 1;
const HEADER_LENGTH: usize = 16;
const MESSAGE_LENGTH: usize = HEADER_LENGTH + 16;

pub(super) fn switch_on() -> Result<(), LauncherError> {
    ask_kernel().map_err(LauncherError::at("switch loopback on"))
}

/// As `ip link set lo up`: one message to the kernel, and its acknowledgement.
fn ask_kernel() -> io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let kernel = SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(&socket, &message(), SendFlags::empty(), &kernel)?;
    let mut answer = [0; 256];
    let (_, length) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    let code = answer[..length.min(answer.len())].get(HEADER_LENGTH..HEADER_LENGTH + 4);
    match code.map(|code| i32::from_ne_bytes(code.try_into().unwrap_or_default())) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// `struct nlmsghdr` and `struct ifinfomsg`: "set the flag IFF_UP of device 1".
fn message() -> [u8; MESSAGE_LENGTH] {
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
    let up = libc::IFF_UP as u32;
    let mut message = [0; MESSAGE_LENGTH];
    message[..4].copy_from_slice(&(MESSAGE_LENGTH as u32).to_ne_bytes());
    message[4..6].copy_from_slice(&libc::RTM_NEWLINK.to_ne_bytes());
    message[6..8].copy_from_slice(&flags.to_ne_bytes());
    message[20..24].copy_from_slice(&LOOPBACK.to_ne_bytes());
    message[24..28].copy_from_slice(&up.to_ne_bytes());
    message[28..32].copy_from_slice(&up.to_ne_bytes());
    message
}
