//! LMDB 1.0 as an engine of dbdyno.

use std::process::ExitCode;

fn main() -> ExitCode {
    dbdyno_engine::serve::main(&dbdyno_engine_lmdb1::PROGRAM)
}
