//! The agent as a host sees it, with a scripted phone.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod api_levels;
mod front;
mod handlers;
mod in_process;
mod scripted;
mod threaded;
