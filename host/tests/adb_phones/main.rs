//! Retap through Debian's real adb and adbd. Each test has two phones in namespaces of its own: programs of a phone
//! (`scripts/adb-phone`) behind adbd, and as the agent either the real server with a simulated phone in it or a JVM phone.
//! `scripts/test-adb` runs these tests: `cargo test` alone does not, because of adbd and the namespaces.

mod bad_input;
mod command_checks;
mod cost;
mod devices;
mod disturbance;
mod doctor;
#[expect(dead_code, reason = "the tests of the program use the rest")]
#[path = "../program/environment.rs"]
mod environment;
mod explore;
mod interrupt;
mod jvm;
mod jvm_agent;
mod lab;
#[path = "../lossy_link/namespace.rs"]
mod namespace;
mod phone;
mod private_network;
mod reduce;
mod running_program;
mod tools;
mod two_hosts;
