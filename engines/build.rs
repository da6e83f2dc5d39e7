//! The build script of engines whose library cannot say its version: it is in Cargo.lock. The library has the name of the
//! package behind `dbdyno-`.

use std::{env, fs, path::PathBuf};

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let library = package.trim_start_matches("dbdyno-");
    let lock = folder.ancestors().map(|folder| folder.join("Cargo.lock")).find(|lock| lock.exists());
    let version = lock.and_then(|lock| {
        println!("cargo::rerun-if-changed={}", lock.display());
        locked_version(&fs::read_to_string(lock).ok()?, library)
    });
    println!("cargo::rustc-env=LIBRARY_VERSION={}", version.unwrap_or_else(|| "unknown".to_owned()));
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("\nname = \"{package}\"\n")))?;
    let version = entry.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))?;
    Some(version.to_owned())
}
