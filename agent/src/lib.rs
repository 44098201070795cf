//! The half of Retap that runs on the phone: one handler per request, over a `Phone`.
//! Virtual phones call the same handlers in the host's process.

mod act;
pub mod android;
mod capture;
mod checkpoint;
mod control;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod entry;
pub mod handlers;
pub mod in_process;
pub mod listen;
pub mod on_thread;
pub mod outbox;
pub mod phone;
mod play;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod serve;
pub mod server;
mod settle;
pub mod version;
mod watch;
