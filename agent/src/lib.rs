//! The half of Retap that runs on the phone: one handler per request, over a `Phone`.
//! Virtual phones call the same handlers in the host's process.

mod act;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod agent_process;
pub mod android;
mod capture;
mod control_app;
pub mod handlers;
pub mod in_process;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod jni_exports;
pub mod listen;
mod manage_snapshot;
pub mod outbox;
pub mod phone;
mod play;
pub mod server;
mod settle;
pub mod threaded;
pub mod version;
mod watch_app;
