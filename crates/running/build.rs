//! Records how the program was built, so that a session can store the build that measured it.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=DBDYNO_BUILD_PROFILE={}", profile());
    println!("cargo::rustc-env=DBDYNO_BUILD_FLAGS={}", flags());
}

/// Returns the build profile. Cargo's `PROFILE` is only `release` or `debug`; the folder has the profile's own name:
/// target/PROFILE/build/PACKAGE/out.
fn profile() -> String {
    let folder = env::var("OUT_DIR").unwrap_or_default();
    let name = Path::new(&folder).ancestors().nth(3).and_then(Path::file_name);
    name.map_or_else(|| env::var("PROFILE").unwrap_or_default(), |name| name.to_string_lossy().into_owned())
}

fn flags() -> String {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let version = Command::new(variable("RUSTC")).arg("--version").output();
    let version = version.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned()).unwrap_or_default();
    let level = format!("opt-level={}", variable("OPT_LEVEL"));
    let rustflags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    let facts = [version, variable("TARGET"), level, rustflags];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(", ")
}
