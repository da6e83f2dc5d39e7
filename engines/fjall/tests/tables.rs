//! SQL tables on the store do what they do in SQLite.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../tables/src/tests/stores/mod.rs"]
mod stores;

use dbdyno_fjall::{FjallStore, describe};
use stores::{TestStore, logic, scripts};

fn store(rowsum: &str) -> TestStore {
    TestStore::new(&describe(), &[("persist", "none"), ("rowsum", rowsum)])
}

#[test]
fn random_scripts_give_the_answers_of_plain_sqlite() {
    scripts::agree::<FjallStore>(100, store);
}

#[test]
fn logic_tests_give_the_answers_of_plain_sqlite() {
    logic::agree::<FjallStore>(|| store("off"));
}
