//! Loops as somebody writes them by hand who measures one library: all inputs are made before, nothing is drawn, digested or
//! recorded inside the timer, and the clock is read twice a test. What is read is read to its last byte. What dbdyno's measured
//! loop costs is the difference to these.
//!
//! One program for all libraries. It is the engine that its file is named after, `dbdyno-engine-ENGINE-by-hand`, perhaps with
//! something behind that tells two builds apart. `dbdyno-engine-ENGINE-by-dbdyno` is dbdyno's own loop in the same build.

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

/// The engine's name: the file's, as far as it is one.
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
            let expected = "sqlite, lmdb, redb or fjall with `-by-hand` or `-by-dbdyno` behind: copy or link it";
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

/// The adapter's description under another name, so that both take the same options, with the same tiers.
fn describe<E: ByHand>() -> Description {
    Description { name: name(), suites: vec![SuiteKind::Kv], ..(E::ADAPTER.describe)() }
}

fn describe_by_hand<E: ByHand>() -> Description {
    let adapter = describe::<E>();
    let lacks = |option: &(&str, &[&str])| Conflict::new(&[*option], "no loop is written by hand for it");
    Description {
        about: format!("{}, with a loop written by hand", adapter.about),
        conflicts: adapter.conflicts.into_iter().chain(E::LACKS.iter().map(lacks)).collect(),
        ..adapter
    }
}
