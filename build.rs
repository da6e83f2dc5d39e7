//! Tells the program the versions of engine libraries that cannot say it themselves, from Cargo.lock, and has it built
//! again when a built-in suite, preset or claims file changes.

use std::{env, fs, path::PathBuf};

fn main() {
    let lock = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    // These folders are carried inside the program.
    for folder in ["suites", "presets", "assets/claims", "src/store/schema/migrations"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    let text = fs::read_to_string(lock).unwrap_or_default();
    for package in ["redb", "fjall"] {
        let version = locked_version(&text, package).unwrap_or("unknown");
        println!("cargo::rustc-env=DBDYNO_{}_VERSION={version}", package.to_uppercase());
    }
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("\nname = \"{package}\"\n")))?;
    entry.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
}
