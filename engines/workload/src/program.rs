//! Engines as programs: the workload, compiled for each.

use crate::{crash, kv, sql};
use dbdyno_engine::{
    describe::Description,
    kv::KvEngine,
    serve::{KvProgram, Program, SqlProgram},
    sql::SqlEngine,
};

/// An engine that runs suites of both kinds.
pub const fn both<K: KvEngine, S: SqlEngine>(describe: fn() -> Description) -> Program {
    Program { describe, kv: Some(kv_program::<K>()), sql: Some(sql_program::<S>()), probe: None }
}

/// An engine that runs key-value suites only.
pub const fn kv_only<K: KvEngine>(describe: fn() -> Description) -> Program {
    Program { describe, kv: Some(kv_program::<K>()), sql: None, probe: None }
}

const fn kv_program<E: KvEngine>() -> KvProgram {
    KvProgram { run: kv::run::<E>, commit_forever: crash::commit_forever::<E>, recover: crash::recover::<E> }
}

const fn sql_program<E: SqlEngine>() -> SqlProgram {
    SqlProgram { run: sql::run::<E> }
}
