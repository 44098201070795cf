//! What both halves of Retap speak of: screens, actions, traces, verdicts, and the protocol between them.
//! No I/O, no clock, no threads.

pub mod action;
pub mod app_log;
pub mod bytes;
pub mod codec;
pub mod connection;
pub mod fingerprint;
pub mod frame;
mod hex;
pub mod locate;
pub mod micros;
pub mod protocol;
pub mod screen;
pub mod session;
pub mod trace;
pub mod verdict;

/// Text that is cheap to clone: most strings of a screen are short or repeated.
pub type Text = smol_str::SmolStr;
