//! The plans of statements, as the measured loop asks for them.

use dbdyno_engine::{
    engine::{EngineInstance, Open},
    settings::Settings,
    sql::{SqlEngine, SqlSession},
    suite::StatementSpec,
};
use dbdyno_sqlite::{Sqlite, describe};
use rusqlite::Connection;
use std::collections::BTreeMap;

#[test]
fn an_index_turns_a_scan_into_a_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings::resolve(&describe(), &BTreeMap::new()).expect("SQLite's defaults");
    let open = Open { folder: folder.path(), settings: &settings, schema: &[], data_bytes: 0 };
    let mut engine: Sqlite<Connection> = SqlEngine::open(open, &[], &[]).expect("a database");
    let mut session = engine.session().expect("a session");
    session.run("CREATE TABLE t(a INTEGER, b INTEGER)", None).expect("a table");
    let mut plan = |index: Option<&'static str>, sql: &str| {
        index.into_iter().for_each(|index| session.run(index, None).expect("an index"));
        session.plan(&StatementSpec { sql: sql.to_owned(), ..StatementSpec::default() }, &[])
    };
    assert_eq!(plan(None, "SELECT b FROM t WHERE a = ?1").expect("a plan"), ["SCAN t"]);
    let indexed = plan(Some("CREATE INDEX i ON t(a)"), "SELECT b FROM t WHERE a = ?1").expect("a plan");
    assert_eq!(indexed, ["SEARCH t USING INDEX i (a=?)"]);
    assert_eq!(plan(None, "UPDATE t SET b = b + 1 WHERE a = ?1").expect("a plan"), ["SEARCH t USING INDEX i (a=?)"]);
    assert!(plan(None, "INSERT INTO t VALUES (?1, ?2)").expect("a plan").is_empty(), "it finds no rows");
    assert!(plan(None, "SELECT * FROM missing").is_err());
    drop(session);
    engine.close().expect("a database that closes");
}
