//! Has the program built again when a built-in suite, preset or claims file changes: these folders are carried inside it.

fn main() {
    for folder in ["suites", "presets", "assets/claims"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
