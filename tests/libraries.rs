//! Libraries that engines load at run time: the user's own, if a variable names one, and stand-ins that are compiled here.

use crate::support::{Place, has_tool};
use std::{env, process::Command};

/// The library that a variable names, or None if it is not set.
pub(crate) fn named_by(variable: &str) -> Option<String> {
    let found = env::var(variable).ok();
    if found.is_none() {
        eprintln!("not checked: {variable} names no library");
    }
    found
}

/// Compiles a library from `tests/libraries/SOURCE.c` with these macros, as NAME or NAME=VALUE. Returns None without a C compiler.
pub(crate) fn stand_in(place: &Place, source: &str, macros: &[&str]) -> Option<String> {
    if !has_tool("cc", &["--version"]) {
        return None;
    }
    let library = place.path(&format!("lib{source}{}.so", macros.concat()));
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(&library)
        .args(macros.iter().map(|one| format!("-D{one}")))
        .arg(format!("{}/tests/libraries/{source}.c", env!("CARGO_MANIFEST_DIR")))
        .status();
    assert!(compiled.unwrap().success(), "{source} with {macros:?}");
    Some(library.to_str().unwrap().to_owned())
}
