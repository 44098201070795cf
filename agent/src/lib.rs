//! The half of Retap that runs on the phone: one handler per request, over a `Phone`.
//! Simulated phones call the same handlers in the host's process.

mod act;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod agent_process;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod android;
mod capture;
mod control_app;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod coverage;
mod describe_phone;
pub mod dispatch;
mod front;
pub mod handlers;
pub mod handshake_gate;
pub mod in_process;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod jni_exports;
pub mod listen;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod log;
mod manage_snapshot;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod options;
pub mod outbox;
pub mod phone;
mod play;
mod read_log;
mod recent_screens;
pub mod server;
mod settle;
mod take_screenshot;
pub mod threaded;
pub mod version;
mod waiting_streams;
mod watch_app;
