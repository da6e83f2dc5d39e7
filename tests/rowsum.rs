//! Errors that a checksum of each row finds in the files of real stores.

use crate::support::Place;
use dbdyno_engine::{
    EngineError,
    describe::Description,
    engine::{EngineInstance, Open},
    ordered::OrderedStore,
    settings::Settings,
    sql::{SqlEngine, SqlRow, SqlSession, SqlValue, SqlValueRef},
    suite::{StatementSpec, TableSpec},
};
use dbdyno_tables::Layered;
use serde_json::{from_value, json};
use std::fs;

/// Stores a row in a file, flips a bit of its text there, and reads it. Returns the text or the error.
fn read_after_a_flip<S: OrderedStore>(
    description: &Description,
    options: &[(&str, &str)],
) -> Result<String, EngineError> {
    let place = Place::new();
    let folder = place.path("database");
    fs::create_dir(&folder).unwrap();
    let asked = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = Settings::resolve(description, &asked).unwrap();
    let tables: [TableSpec; 1] =
        from_value(json!([{ "name": "t", "columns": [{ "name": "c", "type": "TEXT" }] }])).unwrap();
    let open = || {
        let open = Open { folder: &folder, settings: &settings, schema: &[], data_bytes: 1 << 20 };
        Layered::<S>::open(open, &tables, &[]).unwrap()
    };
    let [insert, read]: [StatementSpec; 2] = from_value(json!([
        { "sql": "INSERT INTO t VALUES (?1)", "direct": { "insert": { "table": "t" } } },
        { "sql": "SELECT c FROM t", "direct": { "read": { "table": "t" } } },
    ]))
    .unwrap();
    {
        let mut engine = open();
        let mut session = engine.session().unwrap();
        session.create_table(&tables[0]).unwrap();
        let mut ready = session.prepare(&insert).unwrap();
        session.execute(&mut ready, &[SqlValue::Text("the marker of this row".to_owned())]).unwrap();
        drop(ready);
        drop(session);
        engine.close().unwrap();
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let found: Vec<usize> =
            bytes.windows(10).enumerate().filter(|(_, part)| *part == b"the marker").map(|(at, _)| at).collect();
        found.iter().for_each(|at| bytes[*at] ^= 0x20);
        fs::write(&path, bytes).unwrap();
    }
    let mut engine = open();
    let mut session = engine.session().unwrap();
    let mut ready = session.prepare(&read).unwrap();
    let mut seen = String::new();
    session.query(&mut ready, &[], |row| {
        if let SqlValueRef::Text(bytes) = row.value(0) {
            seen = String::from_utf8(bytes.to_vec()).unwrap();
        }
    })?;
    Ok(seen)
}

#[test]
fn a_bit_flipped_in_the_file_is_reported_under_a_row_checksum_and_returned_without() {
    fn both<S: OrderedStore>(description: &Description, fast: (&str, &str)) {
        for layer in ["sql", "direct"] {
            let read = |rowsum| read_after_a_flip::<S>(description, &[fast, ("layer", layer), ("rowsum", rowsum)]);
            assert_eq!(read("off").unwrap(), "The marker of this row");
            let error = read("blake3").unwrap_err();
            assert!(error.message.contains("the row 1 of table `t` does not match its checksum"), "{layer}: {error}");
        }
    }
    both::<dbdyno_lmdb::LmdbStore>(&dbdyno_lmdb::describe(), ("sync", "nosync"));
    both::<dbdyno_redb::RedbStore>(&dbdyno_redb::describe(), ("durability", "none"));
}
