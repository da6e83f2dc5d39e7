//! Makes Cargo rebuild the crate when an embedded file changes: a suite, a preset, claims, a theme.

fn main() {
    for folder in ["suites", "presets", "assets"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
