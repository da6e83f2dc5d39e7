//! Every built-in ordered store behaves like a map of maps.

mod model;

use model::behaves;

#[test]
fn lmdb_is_an_ordered_store() {
    behaves::<dbdyno_lmdb::LmdbStore>(&dbdyno_lmdb::describe(), &[("sync", "nosync")]);
    behaves::<dbdyno_lmdb::LmdbStore>(&dbdyno_lmdb::describe(), &[("sync", "nosync"), ("writemap", "on")]);
}

#[test]
fn redb_is_an_ordered_store() {
    behaves::<dbdyno_redb::RedbStore>(&dbdyno_redb::describe(), &[("durability", "none")]);
}

#[test]
fn fjall_is_an_ordered_store() {
    behaves::<dbdyno_fjall::FjallStore>(&dbdyno_fjall::describe(), &[("persist", "none"), ("separate_values", "16")]);
}
