//! What a host can notice of the agent, against a scripted phone.

mod api_levels;
mod handlers;
mod in_process;
mod on_thread;
mod scripted;
