//! Typed values: choices of engines, options, sizes, times, latency targets.

use super::{Verdict, harness::Target, holds, same, samples, text, told};
use crate::support::Place;
use dbdyno::{
    base::csv::{self, Cells},
    bench::{DataRatio, EngineChoice, MemoryLimit, Spec},
    capacity::Promise,
    engines::Registry,
    tune::OptionChange,
};
use dbdyno_engine::{describe::Description, protocol::CacheStart, size::Size};
use std::{
    ffi::OsStr,
    fmt::{Debug, Display},
    os::unix::ffi::OsStrExt,
    str::FromStr,
};

const WORDS: [&str; 16] = [
    "sqlite:journal_mode=wal,synchronous=off|full",
    r"sqlite-lib?:library=/opt/a\,b=1:2.so",
    r"sqlite.synchronous=off| a\|b |\ c\ ",
    "mmap_size=64MiB",
    "kv.mixed=80/20",
    "10k",
    "2,3M",
    "1_000",
    "1536KiB",
    "999999999T",
    "p99.9=250us",
    "failures=0.1%",
    "p57=1.5s",
    "0.5",
    "warm",
    "1.5h",
];

/// Checks that a parsed value is shown in a form that parses to the same value, and that an error contains `about` or the typed text.
fn shown<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str, about: &str) -> Verdict {
    match text.parse::<T>() {
        Ok(value) => {
            let again = value.to_string().parse::<T>().map_err(|error| format!("`{value}`: {error}"))?;
            same("shown and read", &value, &again)
        }
        Err(error) => told(&error, about, text.as_bytes()),
    }
}

fn words(input: &[u8], sqlite: &Description) -> Verdict {
    let text = text(input);
    shown::<Size>(&text, &text)?;
    shown::<MemoryLimit>(&text, &text)?;
    shown::<DataRatio>(&text, &text)?;
    // Skips texts with a backslash, which would escape the next character. No option's name contains one.
    if !text.contains('\\') {
        shown::<EngineChoice>(&text, &text)?;
    }
    match text.parse::<Promise>() {
        // Only three digits are shown, so this compares the two shown texts.
        Ok(promise) => {
            let again: Promise = promise.to_string().parse().map_err(|error| format!("`{promise}`: {error}"))?;
            same("shown", &again.to_string(), &promise.to_string())?;
        }
        Err(error) => told(&error, &text, input)?,
    }
    if let Err(error) = text.parse::<CacheStart>() {
        told(&error, &text, input)?;
    }
    if let Err(error) = OptionChange::parse(sqlite, &text) {
        told(&error, "expected", input).or_else(|_| told(&error, "did you mean", input))?;
    }
    let mut spec = Spec { suite: "kv".to_owned(), ..Spec::default() };
    if let Err(error) = spec.set_text(&text) {
        told(&error, "expected", input).or_else(|_| told(&error, "did you mean", input))?;
    }
    Spec::tests_of(&[text.clone().into_owned()]);
    // A text written as a CSV cell reads back as the same cell.
    let line = csv::line([text.as_ref()], Cells::Escaped);
    holds(line.ends_with('\n') && csv::unescaped(text.clone().into_owned()).len() <= text.len(), || line)
}

/// Runs the program with a word in several places. It accepts or refuses each word, and never executes it.
fn typed(place: &Place, input: &[u8]) -> Verdict {
    // An argument cannot contain a NUL, and the total length of all arguments is limited.
    let word: Vec<u8> = input.iter().copied().filter(|byte| *byte != 0).take(50_000).collect();
    let word = OsStr::from_bytes(&word);
    let run = ["run", "--suite", "kv", "--dry-run"];
    let commands: [(&[&str], &str); 7] = [
        (&run, "--engine"),
        (&[&run[..], &["--engine", "null"]].concat(), "--set"),
        (&[&run[..], &["--engine", "null"]].concat(), "--budget"),
        (&["results", "--count"], "--store-wait"),
        // The engine does not exist, so the target is only parsed.
        (&["capacity", "--suite", "kv", "--engine", "nosuch", "--test", "2"], "--slo"),
        (&[&run[..], &["--engine", "null"]].concat(), "--config"),
        (&["sql"], "--"),
    ];
    for (arguments, flag) in commands {
        let output = place.command(arguments).arg(flag).arg(word).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        holds(matches!(output.status.code(), Some(0..=2)), || format!("{flag}: {:?} {said}", output.status))?;
        holds(!said.contains("panicked"), || format!("{flag}: {said}"))?;
        holds(!said.chars().any(|c| c.is_control() && c != '\n'), || format!("{flag}: {said:?}"))?;
    }
    Ok(())
}

#[test]
fn typed_words() {
    let registry = Registry::built_in();
    let sqlite = &registry.get("sqlite").unwrap().description;
    Target::new("words", 10_000).fuzz(&samples(WORDS), |input| words(input, sqlite));
}

#[test]
fn command_lines() {
    let place = Place::new();
    Target::new("command-lines", 8).fuzz(&samples(WORDS), |input| typed(&place, input));
}
