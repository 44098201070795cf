//! The program `retap`: everything is in the library of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    retap::main()
}
