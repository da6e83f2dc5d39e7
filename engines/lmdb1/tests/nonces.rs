//! Tests that no nonce is used twice with a key, whatever earlier state a database is restored to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::{fs, path::Path};
use support::{GUARDED, file_of, write};

fn copy(from: &Path, to: &Path) {
    for file in ["data.mdb", "key"] {
        fs::copy(from.join(file), to.join(file)).unwrap();
    }
}

/// With the same key and nonce, the XOR of two encrypted pages is the XOR of their texts.
#[test]
fn a_database_put_back_to_an_earlier_state_never_uses_a_nonce_again() {
    const LENGTH: usize = 1500;
    for option in [GUARDED[0], GUARDED[1]] {
        let state = tempfile::tempdir().unwrap();
        write(state.path(), option, &[(b"key".to_vec(), vec![0; LENGTH])]).unwrap();
        let [one, other] = [0x55, 0xaa].map(|byte| {
            let folder = tempfile::tempdir().unwrap();
            copy(state.path(), folder.path());
            write(folder.path(), option, &[(b"key".to_vec(), vec![byte; LENGTH])]).unwrap();
            fs::read(file_of(folder.path())).unwrap()
        });
        assert_eq!(one.len(), other.len(), "{option}: the same pages were written");
        let differ: Vec<u8> = one.iter().zip(&other).map(|(one, other)| one ^ other).collect();
        let told = differ.windows(16).any(|window| window == [0x55 ^ 0xaa; 16]);
        assert!(!told, "{option}: the files tell how the texts differ");
        assert!(one[8192..] != other[8192..], "{option}: something was written");
    }
}
