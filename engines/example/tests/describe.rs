//! Tests an external engine without dbdyno: its program describes itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::{describe::Description, protocol::PROTOCOL};
use std::process::Command;

#[test]
fn the_program_describes_itself() {
    let output = Command::new(env!("CARGO_BIN_EXE_dbdyno-example")).arg("describe").output().unwrap();
    assert!(output.status.success());
    let description: Description = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((description.protocol, description.name.as_str()), (PROTOCOL, "example"));
}
