//! The dbdyno program.

use std::process::ExitCode;

fn main() -> ExitCode {
    dbdyno::cli::main()
}
