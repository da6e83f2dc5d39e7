//! Loops as an engineer would write them by hand to measure one library. All inputs are generated before. Inside the timer nothing is
//! drawn, digested or recorded, and the clock is read twice per test. Every value is read to its last byte. The cost of dbdyno's measured
//! loop is the difference to these.
//!
//! One program for all libraries. Its file name selects the engine, `dbdyno-engine-ENGINE-by-hand`, optionally with a suffix that
//! distinguishes two builds. `dbdyno-engine-ENGINE-by-dbdyno` is dbdyno's own loop in the same build.

mod by_hand;
mod fjall;
mod inputs;
mod lmdb;
mod redb;
mod run;
mod sqlite;

use by_hand::ByHand;
use dbdyno_engine::{
    describe::{Conflict, Description},
    say,
    serve::{self, KvProgram, Program},
    suite::SuiteKind,
};
use std::{env, path::Path, process::ExitCode};

const HAND: &str = "-by-hand";
const DBDYNO: &str = "-by-dbdyno";

/// Returns the engine's name, from the program's file name.
fn name() -> String {
    let path = env::args().next().unwrap_or_default();
    let file = Path::new(&path).file_name().and_then(|file| file.to_str()).unwrap_or_default();
    file.trim_start_matches("dbdyno-engine-").to_owned()
}

fn main() -> ExitCode {
    let name = name();
    let by_hand = name.contains(HAND);
    let program = match name.split_once(if by_hand { HAND } else { DBDYNO }) {
        Some(("sqlite", _)) => program::<dbdyno_sqlite::Sqlite>(by_hand),
        Some(("lmdb", _)) => program::<dbdyno_lmdb::Lmdb>(by_hand),
        Some(("redb", _)) => program::<dbdyno_redb::Redb>(by_hand),
        Some(("fjall", _)) => program::<dbdyno_fjall::Fjall>(by_hand),
        _ => {
            let expected = "sqlite, lmdb, redb or fjall, followed by `-by-hand` or `-by-dbdyno`: copy or link it";
            say!("error: this program is called `{name}`: expected `dbdyno-engine-ENGINE`, where ENGINE is {expected}");
            return ExitCode::from(2);
        }
    };
    serve::main(&program)
}

fn program<E: ByHand>(by_hand: bool) -> Program {
    let kv = E::ADAPTER.kv.map(|adapter| if by_hand { KvProgram { run: run::run::<E>, ..adapter } } else { adapter });
    let describe = if by_hand { describe_by_hand::<E> } else { describe::<E> };
    Program { describe, kv, sql: None, probe: None }
}

/// Returns the adapter's description under another name, so that both accept the same options, with the same tiers.
fn describe<E: ByHand>() -> Description {
    Description { name: name(), suites: vec![SuiteKind::Kv], ..(E::ADAPTER.describe)() }
}

fn describe_by_hand<E: ByHand>() -> Description {
    let adapter = describe::<E>();
    let lacks = |option: &(&str, &[&str])| Conflict::new(&[*option], "there is no handwritten loop for it");
    Description {
        about: format!("{}, with a handwritten loop", adapter.about),
        conflicts: adapter.conflicts.into_iter().chain(E::LACKS.iter().map(lacks)).collect(),
        ..adapter
    }
}
