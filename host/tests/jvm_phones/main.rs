//! JVM phones through the real program: scenarios in real apps and in the sample app, one seed twice, system events, two
//! phones at once, killed JVMs, and what is missing. `scripts/test-jvm-phone` runs these tests: `cargo test` alone does
//! not, because of the JVM phone and the apps.

mod apps;
#[expect(dead_code, reason = "the tests of phones on adb use the rest")]
#[path = "../adb_phones/command_checks.rs"]
mod command_checks;
mod coverage;
#[path = "../program/descendants.rs"]
mod descendants;
#[expect(dead_code, reason = "the tests of the program use the rest")]
#[path = "../program/environment.rs"]
mod environment;
mod killed;
mod missing;
mod recorded;
mod repeat;
#[expect(dead_code, reason = "the tests of phones on adb use the rest")]
#[path = "../adb_phones/running_program.rs"]
mod running_program;
mod sample;
mod scenarios;
mod shell;
mod turns;
