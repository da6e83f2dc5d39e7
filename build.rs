//! Has the program built again when something changes that is carried inside it: a built-in suite, preset or claims file, a
//! migration of the store.

fn main() {
    for folder in ["suites", "presets", "assets/claims", "src/store/schema/migrations"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
