//! What a host can notice of the agent, against a scripted phone.

mod handlers;
mod in_process;
mod scripted;
