//! The parts of a suite's file that suites of both kinds share, and their checks.

use super::{
    super::{
        CatalogError,
        bench::{EngineChoice, SpecError},
        located::CatalogText,
    },
    kv::FileSql,
};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    size::Size,
    suite::{Expression, IndexSpec, SuiteKind, TableSpec},
    tuning::Tuning,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The file's kind alone, which determines how to read the rest.
#[derive(Deserialize)]
pub(super) struct FileKind {
    pub(super) kind: SuiteKind,
}

/// A file with tests of type `T`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SuiteFile<T> {
    pub(super) name: Spanned<String>,
    pub(super) kind: SuiteKind,
    pub(super) title: String,
    pub(super) source: String,
    #[serde(default)]
    pub(super) about: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    pub(super) size: SizeAxis,
    #[serde(default, rename = "option")]
    pub(super) options: Vec<Spanned<FileOption>>,
    /// Where the file names none, three engines that run every suite.
    #[serde(default = "usual_engines")]
    pub(super) usual_engines: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) usual_tests: Vec<Spanned<u32>>,
    #[serde(default, rename = "engine")]
    pub(super) engines: Vec<FileEngineDefaults>,
    pub(super) sql: Option<Spanned<FileSql>>,
    #[serde(default, rename = "table")]
    pub(super) tables: Vec<Spanned<TableSpec>>,
    #[serde(default, rename = "index")]
    pub(super) indexes: Vec<Spanned<IndexSpec>>,
    #[serde(rename = "test")]
    pub(super) tests: Vec<T>,
    /// Answers that are known from other sources.
    #[serde(default)]
    pub(super) known: Vec<Spanned<FileKnown>>,
}

/// Answers that are independent of the seed, for the suite's default options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileKnown {
    pub(super) size: String,
    /// Digests by the test's number.
    pub(super) answers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SizeAxis {
    pub(super) name: String,
    pub(super) default: Vec<u64>,
    pub(super) choices: Vec<u64>,
    /// Whether a size may be two numbers, reads and writes.
    #[serde(default)]
    pub(super) pair: bool,
    /// Maximum bytes of rows that a SQL suite stores.
    pub(super) bytes: Option<Spanned<Expression>>,
}

#[derive(Deserialize)]
pub(super) struct FileOption {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) kind: OptionKind,
    pub(super) default: String,
    pub(super) help: String,
}

/// Defaults of engine options on this suite.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileEngineDefaults {
    /// The engine; without a name, every engine that has the options.
    pub(super) name: Option<String>,
    pub(super) options: BTreeMap<String, String>,
}

fn usual_engines() -> Vec<Spanned<String>> {
    ["sqlite", "lmdb", "redb"].map(|name| Spanned::new(0..0, name.to_owned())).to_vec()
}

pub(super) fn check_usual_engines(
    engines: &[Spanned<String>],
    source: &CatalogText,
) -> Result<Vec<EngineChoice>, CatalogError> {
    let parse = |engine: &Spanned<String>| {
        let wrong = |error: SpecError| source.wrong(engine.span(), format!("usual_engines: {error}"));
        engine.get_ref().parse().map_err(wrong)
    };
    engines.iter().map(parse).collect()
}

pub(super) fn check_options(
    options: &[Spanned<FileOption>],
    source: &CatalogText,
) -> Result<Vec<OptionSpec>, CatalogError> {
    options
        .iter()
        .map(|spanned| {
            let option = spanned.get_ref();
            let default = option.kind.canonical(&option.default).map_err(|expected| {
                let message = format!("option `{}`: default `{}`: expected {expected}", option.name, option.default);
                source.wrong(spanned.span(), message)
            })?;
            let option = OptionSpec {
                name: option.name.clone(),
                kind: option.kind.clone(),
                default,
                help: option.help.clone(),
                fresh: true,
                tuning: Tuning::default(),
                memory: None,
            };
            option.check_name().map_err(|message| source.wrong(spanned.span(), message))?;
            Ok(option)
        })
        .collect()
}

pub(super) fn check_known(
    known: &[Spanned<FileKnown>],
    source: &CatalogText,
) -> Result<BTreeMap<(Size, u32), String>, CatalogError> {
    let mut all = BTreeMap::new();
    for spanned in known {
        let wrong = |message: String| source.wrong(spanned.span(), message);
        let size = spanned.get_ref().size.parse().map_err(wrong)?;
        for (number, digest) in &spanned.get_ref().answers {
            let number = number.parse().map_err(|_| wrong(format!("answers: `{number}`: expected a test's number")))?;
            all.insert((size, number), digest.clone());
        }
    }
    Ok(all)
}

/// Checks that numbers increase from 1, and that needs point to earlier tests.
pub(super) fn check_numbers<'t>(
    tests: impl Iterator<Item = (&'t Spanned<u32>, &'t [Spanned<u32>])>,
    source: &CatalogText,
) -> Result<(), CatalogError> {
    let mut seen = Vec::new();
    for (spanned, needs) in tests {
        let number = *spanned.get_ref();
        if seen.last().is_some_and(|&last| number <= last) || number == 0 {
            let message = format!("number {number}: expected numbers from 1 that rise from test to test");
            return Err(source.wrong(spanned.span(), message));
        }
        for need in needs {
            if !seen.contains(need.get_ref()) {
                let message = format!("needs {}: expected the number of an earlier test", need.get_ref());
                return Err(source.wrong(need.span(), message));
            }
        }
        seen.push(number);
    }
    if seen.is_empty() {
        return Err(source.wrong(0..0, "test: expected at least one"));
    }
    Ok(())
}
