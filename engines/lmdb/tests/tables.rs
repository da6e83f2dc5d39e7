//! Tests that SQL tables on the store behave as in SQLite.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../tables/src/tests/stores/flips.rs"]
#[macro_use]
mod flips;
#[path = "../../tables/src/tests/stores/on_disk.rs"]
#[macro_use]
mod on_disk;
#[path = "../../tables/src/tests/stores/mod.rs"]
mod stores;

use dbdyno_lmdb::{LmdbStore, describe};

tables_on_disk!(LmdbStore, describe, quick = ("sync", "nosync"));
flips_on_disk!(LmdbStore, describe, quick = ("sync", "nosync"));
