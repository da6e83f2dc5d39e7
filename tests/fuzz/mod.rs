//! Arbitrary and damaged input from outside. Nothing panics, hangs or uses unlimited memory. Errors name the file or value. Accepted input
//! reads back the same.
//!
//! Each target is a test. It replays `tests/fuzz/corpus/TARGET`, then runs its cases from a fixed seed. With `DBDYNO_FUZZ_SECONDS` it
//! continues for that long from its own seed, which it prints. See `tests/fuzz.sh`.

mod catalog;
mod command_line;
mod harness;
mod imports;
mod journal;
mod mutate;
mod programs;
mod scripts;
mod selections;
mod words;

use dbdyno::base::units::plain;
use std::{borrow::Cow, fmt::Display, fs, path::Path};

/// The result for an input: the error is a check that failed.
type Verdict = Result<(), String>;

/// Decodes the input in the same way as a text file.
fn text(input: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(input)
}

/// Checks that a condition is true.
fn holds(is_so: bool, what: impl FnOnce() -> String) -> Verdict {
    if is_so { Ok(()) } else { Err(what()) }
}

/// Checks that two values are the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Verdict {
    holds(one == other, || format!("{what}: {one:?} and {other:?}"))
}

/// Checks that an error contains `about`, is not much longer than that, and contains nothing that a terminal would execute.
fn told(error: &impl Display, about: &str, input: &[u8]) -> Verdict {
    let error = error.to_string();
    holds(error.contains(about), || format!("the refusal does not name {about:?}: {error}"))?;
    let most = 8 * input.len() + (16 << 10);
    holds(error.len() <= most, || format!("a refusal of {} bytes: {error:.200}", error.len()))?;
    let shown: Vec<String> = error.lines().map(plain).collect();
    holds(!shown.iter().any(|line| line.contains(char::is_control)), || format!("a control character: {shown:?}"))
}

/// The files with this extension in a folder of the repository, sorted by name.
fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Converts texts to samples.
fn samples<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Vec<Vec<u8>> {
    texts.into_iter().map(|text| text.as_ref().to_vec()).collect()
}
