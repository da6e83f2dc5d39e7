//! Tests that the environment behaves like a map of maps, with and without protection of its pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../tests/ordered/model.rs"]
mod model;

use dbdyno_engine_lmdb1::{Lmdb1Store, describe};
use model::behaves;

#[test]
fn lmdb1_is_an_ordered_store() {
    for protection in
        [("checksum", "off"), ("checksum", "on"), ("encrypt", "chacha20poly1305"), ("encrypt", "aes256gcm")]
    {
        behaves::<Lmdb1Store>(&describe(), &[("sync", "nosync"), protection]);
    }
}
