//! Whatever is read from outside, arbitrary and damaged: nothing panics, hangs or takes memory without end, what is refused is refused
//! with the name of the file or value, and what is taken reads back to the same.
//!
//! Each target is a test. It replays `tests/fuzz/corpus/TARGET`, then so many cases from a fixed seed; with `DBDYNO_FUZZ_SECONDS` it
//! goes on for that long from a seed of its own, which it prints. See `tests/fuzz.sh`.

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

/// What a target says of an input: nothing, or what does not hold.
type Verdict = Result<(), String>;

/// The input as text, as a file of text is read.
fn text(input: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(input)
}

/// That something holds.
fn holds(is_so: bool, what: impl FnOnce() -> String) -> Verdict {
    if is_so { Ok(()) } else { Err(what()) }
}

/// That two values are the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Verdict {
    holds(one == other, || format!("{what}: {one:?} and {other:?}"))
}

/// That a refusal names what it is about, is not much longer than that, and is shown without anything that a terminal obeys.
fn told(error: &impl Display, about: &str, input: &[u8]) -> Verdict {
    let error = error.to_string();
    holds(error.contains(about), || format!("the refusal does not name {about:?}: {error}"))?;
    let most = 8 * input.len() + (16 << 10);
    holds(error.len() <= most, || format!("a refusal of {} bytes: {error:.200}", error.len()))?;
    let shown: Vec<String> = error.lines().map(plain).collect();
    holds(!shown.iter().any(|line| line.contains(char::is_control)), || format!("a control character: {shown:?}"))
}

/// The files with this ending in a folder of the repository, by name.
fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Texts as samples.
fn samples<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Vec<Vec<u8>> {
    texts.into_iter().map(|text| text.as_ref().to_vec()).collect()
}
