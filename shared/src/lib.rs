//! Types that host and agent share: screens, actions, traces, verdicts, and the protocol between the two.
//! No I/O, no clock, no threads.

#![warn(missing_docs)]

pub mod action;
pub mod app_log;
pub mod bytes;
pub mod codec;
pub mod connection;
pub mod error_text;
pub mod finding;
pub mod fingerprint;
pub mod frame;
pub mod geometry;
mod hex;
pub mod locate;
pub mod log_line;
pub mod micros;
pub mod obstacle;
pub mod phone_event;
pub mod phone_health;
pub mod phone_info;
pub mod protocol;
pub mod screen;
pub mod session;
pub mod target;
pub mod trace;
pub mod verdict;
pub mod widget;

/// Text that is cheap to clone: most strings of a screen are short or repeated.
pub type Text = smol_str::SmolStr;
