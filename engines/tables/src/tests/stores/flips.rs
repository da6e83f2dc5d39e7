//! Flips bits of rows in a store's own files, with a row checksum. A read must return the right answer or an error that reports the
//! damage, never a wrong row.
//!
//! `DBDYNO_FLIPS` sets the number of flips for each store.

use crate::stores::{TestStore, row};
use dbdyno_engine::{
    EngineError,
    engine::EngineInstance,
    ordered::OrderedStore,
    sql::{SqlEngine, SqlSession, SqlValue},
    suite::StatementSpec,
};
use proptest::{
    prelude::Rng,
    test_runner::{RngAlgorithm, TestRng},
};
use serde_json::{Value, from_value, json};
use std::{fs, path::PathBuf};

const ROWS: i64 = 24;

/// The statements: one that inserts a row, then the reads.
fn statements() -> &'static [StatementSpec] {
    let read = |condition: Value| json!({ "read": { "table": "t", "where": condition } });
    let statements = json!([
        { "sql": "INSERT INTO t VALUES (?1, ?2, ?3, ?4)", "direct": { "insert": { "table": "t" } } },
        { "sql": "SELECT * FROM t", "direct": { "read": { "table": "t" } } },
        { "sql": "SELECT * FROM t WHERE a = 3", "direct": read(json!({ "equal": { "column": "a", "value": 3 } })) },
        { "sql": "SELECT * FROM t WHERE c LIKE '%row 1%'", "direct": read(json!({ "like": { "column": "c", "pattern": "%row 1%" } })) },
    ]);
    Box::leak(from_value::<Vec<StatementSpec>>(statements).unwrap().into_boxed_slice())
}

fn text(number: i64) -> String {
    format!("the text of row {number:02}")
}

fn fill<S: OrderedStore>(store: &TestStore, insert: &'static StatementSpec) {
    let mut engine = store.open::<S>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    session.create_index(&store.indexes[0]).unwrap();
    let mut ready = session.prepare(insert).unwrap();
    for number in 0..ROWS {
        let values =
            [SqlValue::Integer(number % 8), SqlValue::Null, SqlValue::Text(text(number)), SqlValue::Blob(vec![7; 3])];
        session.execute(&mut ready, &values).unwrap();
    }
    drop((ready, session));
    engine.close().unwrap();
}

/// Returns the positions of the rows' texts in a store's files.
fn places(store: &TestStore) -> Vec<(PathBuf, usize)> {
    let files = fs::read_dir(store.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut places = Vec::new();
    for file in files.filter(|file| file.is_file()) {
        let bytes = fs::read(&file).unwrap();
        for text in (0..ROWS).map(text) {
            let found = bytes.windows(text.len()).enumerate().filter(|(_, part)| *part == text.as_bytes());
            places.extend(found.flat_map(|(at, _)| (at..at + text.len()).map(|at| (file.clone(), at))));
        }
    }
    places
}

type Answer = Result<Vec<Vec<SqlValue>>, EngineError>;

fn answers<S: OrderedStore>(store: &TestStore, reads: &'static [StatementSpec]) -> Vec<Answer> {
    let mut engine = match store.try_open::<S>() {
        Ok(engine) => engine,
        Err(error) => return reads.iter().map(|_| Err(error.clone())).collect(),
    };
    let mut session = engine.session().unwrap();
    let answer = |read| {
        let mut ready = session.prepare(read)?;
        let mut rows = Vec::new();
        session.query(&mut ready, &[], |found| rows.push(row(found)))?;
        Ok(rows)
    };
    let given = reads.iter().map(answer).collect();
    drop(session);
    engine.close().unwrap();
    given
}

/// Flips bits one after another. `new` creates a store with these values of `layer` and `rowsum`.
pub(crate) fn never_give_a_wrong_answer<S: OrderedStore>(new: impl Fn(&str, &str) -> TestStore) {
    let flips: usize = std::env::var("DBDYNO_FLIPS").map_or(80, |count| count.parse().unwrap());
    let (insert, reads) = statements().split_first().unwrap();
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[19; 32]);
    let (mut done, mut refused) = (0, 0);
    for layer in ["sql", "direct"] {
        for rowsum in ["crc32c", "xxh3", "blake3", "sha3-256"] {
            let store = new(layer, rowsum);
            fill::<S>(&store, insert);
            let right: Vec<_> = answers::<S>(&store, reads).into_iter().map(Result::unwrap).collect();
            let places = places(&store);
            assert!(!places.is_empty() && right.iter().all(|rows| !rows.is_empty()));
            for _ in 0..flips.div_ceil(8) {
                let (file, at) = &places[random.next_u64() as usize % places.len()];
                let whole = fs::read(file).unwrap();
                let mut changed = whole.clone();
                changed[*at] ^= 1 << (random.next_u64() % 8);
                fs::write(file, &changed).unwrap();
                for ((read, right), answer) in reads.iter().zip(&right).zip(answers::<S>(&store, reads)) {
                    match answer {
                        Ok(rows) => assert_eq!(rows, *right, "{layer} {rowsum}: `{}`, byte {at}", read.sql),
                        Err(error) => {
                            assert!(error.message.contains("does not match its checksum"), "{layer} {rowsum}: {error}");
                            refused += 1;
                        }
                    }
                }
                fs::write(file, &whole).unwrap();
                done += 1;
            }
        }
    }
    assert!(refused > done / 4, "{done} bits were flipped, {refused} answers refused");
}

/// Tests that no flipped bit in its files returns a wrong row.
macro_rules! flips_on_disk {
    ($store:ty, $describe:path, quick = $quick:expr) => {
        #[test]
        fn no_flipped_bit_of_a_row_gives_a_wrong_answer() {
            crate::flips::never_give_a_wrong_answer::<$store>(|layer, rowsum| {
                crate::stores::TestStore::new(&$describe(), &[$quick, ("layer", layer), ("rowsum", rowsum)])
            });
        }
    };
}
