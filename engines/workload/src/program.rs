//! Engines as programs: compiles the workload for each engine.

use crate::{
    crash,
    kv::{self, KvOneThread, KvThreading, SharedDatabase},
    sql,
};
use dbdyno_engine::{
    describe::Description,
    kv::{KvEngine, KvThreads},
    serve::{KvProgram, Program, SqlProgram},
    sql::{SqlEngine, SqlThreads},
};

/// Returns the program of an engine that runs suites of both kinds. It runs tests of several threads only for keys and values.
pub const fn both<K: KvThreads, S: SqlEngine>(describe: fn() -> Description) -> Program {
    Program {
        describe,
        kv: Some(kv_program::<K, SharedDatabase>()),
        sql: Some(sql_program::<S, sql::SqlOneThread>()),
        probe: None,
    }
}

/// Like [`both`], for an engine that gives each thread its own connection: it runs tests of several threads for both kinds.
pub const fn connecting<K: KvThreads, S: SqlThreads>(describe: fn() -> Description) -> Program {
    Program { sql: Some(sql_program::<S, sql::HandlePerThread>()), ..both::<K, S>(describe) }
}

/// Returns the program of an engine that runs only key-value suites, and of those only the tests of one thread.
///
/// ```
/// use dbdyno_engine::{describe::Description, plain::Plain, serve::Program, suite::SuiteKind};
/// use dbdyno_workload::program;
/// # use dbdyno_engine::{EngineError, engine::Open, kv::{KvRead, KvWrite}, plain::PlainStore};
/// # struct MyStore;
/// # impl PlainStore for MyStore {
/// #     const MAIN_FILE: &'static str = "none";
/// #     fn open(_: Open<'_>) -> Result<Self, EngineError> { Ok(Self) }
/// #     fn commit(&mut self) -> Result<(), EngineError> { Ok(()) }
/// #     fn roll_back(&mut self) {}
/// #     fn check(&mut self) -> Result<(), EngineError> { Ok(()) }
/// # }
/// # impl KvRead for MyStore {
/// #     fn get<R>(&mut self, _: &[u8], _: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> { Ok(None) }
/// #     fn range(&mut self, _: &[u8], _: u64, _: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> { Ok(()) }
/// # }
/// # impl KvWrite for MyStore {
/// #     fn put(&mut self, _: &[u8], _: &[u8]) -> Result<(), EngineError> { Ok(()) }
/// #     fn delete(&mut self, _: &[u8]) -> Result<bool, EngineError> { Ok(false) }
/// # }
///
/// fn describe() -> Description {
///     Description::new("mystore", "one line about it", "2.1", &[SuiteKind::Kv])
/// }
///
/// // A store that implements `PlainStore`. In a program `main` serves it: `dbdyno_engine::serve::main(&PROGRAM)`.
/// static PROGRAM: Program = program::kv_only::<Plain<MyStore>>(describe);
/// assert_eq!((PROGRAM.describe)().name, "mystore");
/// assert!(PROGRAM.kv.is_some() && PROGRAM.sql.is_none());
/// ```
pub const fn kv_only<K: KvEngine>(describe: fn() -> Description) -> Program {
    Program { describe, kv: Some(kv_program::<K, KvOneThread>()), sql: None, probe: None }
}

/// Like [`kv_only`], for an engine whose database threads share or each connect to: it also runs tests of several threads.
pub const fn kv_with_threads<K: KvThreads>(describe: fn() -> Description) -> Program {
    Program { kv: Some(kv_program::<K, SharedDatabase>()), ..kv_only::<K>(describe) }
}

const fn kv_program<E: KvEngine, T: KvThreading<E>>() -> KvProgram {
    KvProgram { run: kv::run::<E, T>, commit_forever: crash::commit_forever::<E, T>, recover: crash::recover::<E> }
}

const fn sql_program<E: SqlEngine, T: sql::SqlThreading<E>>() -> SqlProgram {
    SqlProgram { run: sql::run::<E, T> }
}
