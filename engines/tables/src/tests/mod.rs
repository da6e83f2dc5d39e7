//! Tests of both layers on a store in memory.

mod counters;
mod differences;
mod direct;
mod failures;
mod flips;
mod memory;
mod plans;
mod stores;

use self::{
    memory::MemoryStore,
    stores::{TestStore, execute, owned, query, row},
};
use super::{LayeredSession, options};
use dbdyno_engine::{describe::Description, sql::SqlValue, suite::SuiteKind};

fn in_memory(asked: &[(&str, &str)]) -> TestStore {
    let description = Description { options: options(), ..Description::new("memory", "", "", &[SuiteKind::Sql]) };
    TestStore::new(&description, asked)
}

/// Returns the first column as whole numbers.
fn numbers(session: &mut LayeredSession<'_, MemoryStore>, sql: &str) -> Vec<i64> {
    let number = |row: Vec<SqlValue>| match row[0] {
        SqlValue::Integer(number) => number,
        ref other => panic!("{other:?} is no whole number"),
    };
    query(session, sql, &[]).unwrap().into_iter().map(number).collect()
}

#[test]
fn random_scripts_give_the_answers_of_plain_sqlite() {
    stores::scripts::agree::<MemoryStore>(1_000, |rowsum| in_memory(&[("rowsum", rowsum)]));
}

#[test]
fn logic_tests_give_the_answers_of_plain_sqlite() {
    stores::logic::agree::<MemoryStore>(|| in_memory(&[]));
}
