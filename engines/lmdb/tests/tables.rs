//! SQL tables on the store do what they do in SQLite.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../tables/src/tests/stores/flips.rs"]
mod flips;
#[path = "../../tables/src/tests/stores/mod.rs"]
mod stores;

use dbdyno_lmdb::{LmdbStore, describe};
use stores::{TestStore, logic, scripts};

fn store(rowsum: &str) -> TestStore {
    TestStore::new(&describe(), &[("sync", "nosync"), ("rowsum", rowsum)])
}

#[test]
fn random_scripts_give_the_answers_of_plain_sqlite() {
    scripts::agree::<LmdbStore>(100, store);
}

#[test]
fn logic_tests_give_the_answers_of_plain_sqlite() {
    logic::agree::<LmdbStore>(|| store("off"));
}

#[test]
fn no_flipped_bit_of_a_row_gives_a_wrong_answer() {
    flips::never_give_a_wrong_answer::<LmdbStore>(|layer, rowsum| {
        TestStore::new(&describe(), &[("sync", "nosync"), ("layer", layer), ("rowsum", rowsum)])
    });
}
