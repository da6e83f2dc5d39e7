//! Tests that the program's file name selects its engine.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{os::unix::fs::symlink, process::Command};

#[test]
fn a_name_that_is_no_engine_is_refused_with_what_it_may_be() {
    let output = Command::new(env!("CARGO_BIN_EXE_dbdyno-handwritten")).arg("describe").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("expected `dbdyno-engine-ENGINE`, where ENGINE is sqlite, lmdb, redb or fjall"), "{said}");
}

#[test]
fn its_description_has_the_name_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["redb-by-hand", "lmdb-by-dbdyno"] {
        let link = folder.path().join(format!("dbdyno-engine-{name}"));
        symlink(env!("CARGO_BIN_EXE_dbdyno-handwritten"), &link).unwrap();
        let output = Command::new(&link).arg("describe").output().unwrap();
        assert!(output.status.success());
        let description = String::from_utf8(output.stdout).unwrap();
        assert!(description.contains(&format!("\"name\":\"{name}\"")), "{description}");
    }
}
