//! The half of Retap that runs on the phone: one handler per request, over a `Phone`.
//! Virtual phones call the same handlers in the host's process.

mod act;
mod capture;
mod checkpoint;
mod control;
pub mod handlers;
pub mod in_process;
pub mod link;
pub mod listen;
pub mod outbox;
pub mod phone;
mod play;
pub mod server;
mod settle;
mod watch;
