//! Has the crate built again when a file changes that is carried inside it: a suite, a preset, claims, a theme.

fn main() {
    for folder in ["suites", "presets", "assets"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
