//! Every ordered store that is built in does what a map of maps does.

mod model;

use dbdyno::engines::{fjall, lmdb, redb};
use model::behaves;

#[test]
fn lmdb_is_an_ordered_store() {
    behaves::<lmdb::LmdbStore>(&lmdb::describe(), &[("sync", "nosync")]);
    behaves::<lmdb::LmdbStore>(&lmdb::describe(), &[("sync", "nosync"), ("writemap", "on")]);
}

#[test]
fn redb_is_an_ordered_store() {
    behaves::<redb::RedbStore>(&redb::describe(), &[("durability", "none")]);
}

#[test]
fn fjall_is_an_ordered_store() {
    behaves::<fjall::FjallStore>(&fjall::describe(), &[("persist", "none"), ("separate_values", "16")]);
}
