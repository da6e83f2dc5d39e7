//! Changes bytes anywhere in a store with a row checksum: a read must return the right answer or an error, never a wrong row.

use super::{MemoryStore, SqlValue, TestStore, execute, in_memory, memory, row};
use crate::{LayeredSession, rowsum::Rowsum};
use dbdyno_engine::{
    EngineError,
    sql::{SqlEngine, SqlSession},
    suite::StatementSpec,
};
use proptest::{
    prelude::Rng,
    test_runner::{RngAlgorithm, TestRng},
};
use serde_json::{from_value, json};
use std::collections::BTreeMap;

type Trees = Vec<BTreeMap<Vec<u8>, Vec<u8>>>;

/// The reads, and whether each reads its whole tree.
fn reads() -> [(StatementSpec, bool); 7] {
    let range =
        |column: &str, from: i64, below: i64| json!({ "range": { "column": column, "from": from, "below": below } });
    [
        (json!({ "sql": "SELECT * FROM t", "direct": { "read": { "table": "t" } } }), true),
        (json!({ "sql": "SELECT * FROM n", "direct": { "read": { "table": "n" } } }), true),
        (
            json!({ "sql": "SELECT count(*), avg(a) FROM t", "direct": { "count_average": { "table": "t", "column": "a" } } }),
            true,
        ),
        (
            json!({ "sql": "SELECT * FROM t WHERE a >= -1000 AND a < 1000",
                    "direct": { "read": { "table": "t", "where": range("a", -1_000, 1_000) } } }),
            false,
        ),
        (
            json!({ "sql": "SELECT * FROM t WHERE a = 3",
                    "direct": { "read": { "table": "t", "where": { "equal": { "column": "a", "value": 3 } } } } }),
            false,
        ),
        (
            json!({ "sql": "SELECT * FROM t WHERE a >= 2 AND a < 5", "direct": { "read": { "table": "t", "where": range("a", 2, 5) } } }),
            false,
        ),
        (
            json!({ "sql": "SELECT * FROM t WHERE c = 'row 7'",
                    "direct": { "read": { "table": "t", "where": { "equal": { "column": "c", "value": "row 7" } } } } }),
            false,
        ),
    ]
    .map(|(spec, whole)| (from_value(spec).unwrap(), whole))
}

fn answer(
    session: &mut LayeredSession<'_, MemoryStore>,
    read: &'static StatementSpec,
) -> Result<Vec<Vec<SqlValue>>, EngineError> {
    let mut ready = session.prepare(read)?;
    let mut rows = Vec::new();
    session.query(&mut ready, &[], |found| rows.push(row(found)))?;
    Ok(rows)
}

/// Returns every answer; all are errors if the store cannot be opened.
fn answers(store: &TestStore, reads: &'static [(StatementSpec, bool)]) -> Vec<Result<Vec<Vec<SqlValue>>, EngineError>> {
    match store.try_open() {
        Err(error) => reads.iter().map(|_| Err(error.clone())).collect(),
        Ok(mut engine) => {
            let mut session = engine.session().unwrap();
            reads.iter().map(|(read, _)| answer(&mut session, read)).collect()
        }
    }
}

/// Returns a store with rows of every type, and its contents.
fn filled(layer: &str, rowsum: &str) -> (TestStore, Trees) {
    let build = in_memory(&[("rowsum", rowsum)]);
    let mut engine = build.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    build.tables.iter().for_each(|table| session.create_table(table).unwrap());
    [0, 2].iter().for_each(|place| session.create_index(&build.indexes[*place]).unwrap());
    for number in 0..24 {
        let text = SqlValue::Text(format!("row {number}"));
        let values =
            [SqlValue::Integer(number % 8), SqlValue::Real(number as f64 / 4.0), text, SqlValue::Blob(vec![7; 3])];
        execute(&mut session, "INSERT INTO t VALUES (?1, ?2, ?3, ?4)", &values).unwrap();
        execute(&mut session, "INSERT INTO n VALUES (?1, ?2, ?3, ?4)", &values).unwrap();
    }
    drop(session);
    drop(engine);
    let mut trees = Trees::new();
    memory::tamper(build.folder.path(), |held| trees.clone_from(held));
    let settings = in_memory(&[("rowsum", rowsum), ("layer", layer)]).settings;
    (TestStore { settings, ..build }, trees)
}

/// Flips a random bit, and returns whether it was part of a key.
fn flip(trees: &mut Trees, random: &mut TestRng) -> bool {
    let bytes: usize = trees.iter().flatten().map(|(key, value)| key.len() + value.len()).sum();
    let mut place = random.next_u64() as usize % bytes;
    let bit = 1 << (random.next_u64() % 8);
    for tree in trees {
        let keys: Vec<Vec<u8>> = tree.keys().cloned().collect();
        for key in keys {
            let value = tree.get_mut(&key).unwrap();
            if place < key.len() {
                let (mut changed, value) = (key.clone(), value.clone());
                changed[place] ^= bit;
                tree.remove(&key);
                tree.insert(changed, value);
                return true;
            }
            place -= key.len();
            if place < value.len() {
                value[place] ^= bit;
                return false;
            }
            place -= value.len();
        }
    }
    unreachable!("the place is within the bytes")
}

#[test]
fn no_changed_byte_gives_a_wrong_answer() {
    let reads: &'static [(StatementSpec, bool)] = Box::leak(Box::new(reads()));
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[17; 32]);
    let (mut found, mut missed) = (0, 0);
    for layer in ["sql", "direct"] {
        for (rowsum, _) in &Rowsum::ALL[1..] {
            let (store, whole) = filled(layer, rowsum);
            let right: Vec<_> = answers(&store, reads).into_iter().map(Result::unwrap).collect();
            assert!(right.iter().all(|rows| !rows.is_empty()));
            for _ in 0..150 {
                let mut trees = whole.clone();
                let in_key = flip(&mut trees, &mut random);
                memory::tamper(store.folder.path(), |held| held.clone_from(&trees));
                for (((read, sees_all), right), answer) in reads.iter().zip(&right).zip(answers(&store, reads)) {
                    let Ok(rows) = answer.map_err(|error| {
                        let known = ["does not match its checksum", "there is no row", "has no row"];
                        assert!(known.iter().any(|words| error.message.contains(words)), "{layer} {rowsum}: {error}");
                        found += 1;
                    }) else {
                        continue;
                    };
                    if rows == *right {
                        continue;
                    }
                    // A row that has moved out of a range is not read there, and no row checksum can detect that.
                    let fewer = rows.iter().all(|row| right.contains(row)) && rows.len() < right.len();
                    assert!(in_key && !sees_all && fewer, "{layer} {rowsum}: `{}` gives {rows:?}", read.sql);
                    missed += 1;
                }
            }
        }
    }
    assert!(found > 2_000, "{found} answers were refused, {missed} had fewer rows");
}
