//! The SQL part of a suite file: its steps have the form of a job's, with names for values that depend on the size.

use super::{
    PrintedAs, TestInfo,
    file::{SuiteFile, check_numbers},
    is_plain_word,
    sql_check::{SqlChecker, popularity},
    sql_dry_run::DEFINES,
};
use crate::{CatalogError, located::CatalogText};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    settings::Settings,
    size::Size,
    suite::{
        Choice, Draw, Expression, IndexSpec, ReplaySpec, SqlActor, SqlLoad, SqlSuite, SqlTest, StatementSpec, Step,
        TableSpec, main_database,
    },
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// The checked tests with their tables.
#[derive(Debug, Clone)]
pub(super) struct SqlBody {
    tables: Vec<TableSpec>,
    indexes: Vec<IndexSpec>,
    /// Maximum bytes of stored rows.
    bytes: Expression,
    tests: Vec<FileSqlTest>,
    /// By the test's number: the definition that engines refuse if they accept tables only as data, with its line.
    refused: Vec<(u32, String)>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileSqlTest {
    number: Spanned<u32>,
    name: String,
    #[serde(default)]
    needs: Vec<Spanned<u32>>,
    /// Label of the database on which it runs.
    #[serde(default = "in_main")]
    database: Spanned<String>,
    #[serde(default = "empty")]
    prepare: Spanned<Vec<Step>>,
    #[serde(default = "empty")]
    steps: Spanned<Vec<Step>>,
    /// The published program's output for it.
    printed: Option<PrintedAs>,
    /// Used instead of steps if several threads do them.
    #[serde(default = "empty")]
    actors: Spanned<Vec<SqlActor>>,
    /// Used instead of steps if a recording is replayed.
    replay: Option<Spanned<ReplaySpec>>,
    #[serde(default = "no_rows")]
    rows_walked: Spanned<Expression>,
    #[serde(default)]
    verify: Vec<Spanned<String>>,
    #[serde(default)]
    verify_schema: Vec<Spanned<String>>,
}

fn in_main() -> Spanned<String> {
    Spanned::new(0..0, main_database())
}

fn empty<T>() -> Spanned<Vec<T>> {
    Spanned::new(0..0, Vec::new())
}

fn no_rows() -> Spanned<Expression> {
    Spanned::new(0..0, Expression::Number(0))
}

/// The names for the size in expressions: reads and writes, equal if the size is one number.
const SIZE_NAMES: [&str; 2] = ["R", "W"];

impl SqlBody {
    /// Checks the SQL part of a file.
    pub(super) fn check(
        file: &SuiteFile<FileSqlTest>,
        options: &[OptionSpec],
        source: &CatalogText,
    ) -> Result<Self, CatalogError> {
        if let Some(sql) = &file.sql {
            return Err(source
                .wrong(sql.span(), "a suite of kind sql has no [sql]: its statements are in the steps of its tests"));
        }
        let Some(bytes) = &file.size.bytes else {
            let message = "size: missing field `bytes`: bytes of rows that the tests store at most, such as \"1000*W\"";
            return Err(source.wrong(0..0, message));
        };
        let integers = options.iter().filter(|option| matches!(option.kind, OptionKind::Integer { .. }));
        let constants = SIZE_NAMES.into_iter().chain(integers.map(|option| option.name.as_str())).collect();
        let checker = SqlChecker::new(&file.tables, &file.indexes, constants, source)?;
        checker.constant(bytes)?;
        check_numbers(file.tests.iter().map(|test| (&test.number, test.needs.as_slice())), source)?;
        let dry = checker.dry_run()?;
        let mut refused = Vec::new();
        for (place, test) in file.tests.iter().enumerate() {
            let lists = [("prepare", &test.prepare), ("steps", &test.steps)];
            let of_test = checker.test(place, lists, dry.as_ref())?;
            refused.extend(of_test.into_iter().map(|error| (*test.number.get_ref(), error.to_string())));
            if dry.is_none() {
                let all = test.prepare.get_ref().iter().chain(test.steps.get_ref());
                let all = all.chain(test.actors.get_ref().iter().flat_map(|actor| &actor.steps));
                refused.extend(defining(all).map(|sql| (*test.number.get_ref(), format!("`{sql}`: {DEFINES}"))));
            }
            checker.actors(place, &test.actors, dry.as_ref())?;
            let loads = [!test.steps.get_ref().is_empty(), !test.actors.get_ref().is_empty(), test.replay.is_some()];
            if loads.into_iter().filter(|is_there| *is_there).count() != 1 {
                let message =
                    format!("test {}: expected at least one step, or at least one actor", test.number.get_ref());
                // The list that is present but empty, if there is one.
                let lists = [test.steps.span(), test.actors.span()];
                let span = lists.into_iter().find(|span| !span.is_empty()).unwrap_or_else(|| test.number.span());
                return Err(source.wrong(span, message));
            }
            if !is_plain_word(test.database.get_ref()) {
                let message =
                    format!("database `{}`: expected a word of letters, digits, - and _", test.database.get_ref());
                return Err(source.wrong(test.database.span(), message));
            }
            if let Some(replay) = &test.replay {
                let number = *test.number.get_ref();
                refused.push((number, format!("test {number}: recorded statements are SQL")));
                let speed = Spanned::new(replay.span(), replay.get_ref().speed.clone());
                checker.constant(&speed)?;
            }
            checker.constant(&test.rows_walked)?;
            test.verify.iter().chain(&test.verify_schema).try_for_each(|table| checker.verified(table))?;
        }
        Ok(Self {
            tables: file.tables.iter().map(|table| table.get_ref().clone()).collect(),
            indexes: file.indexes.iter().map(|index| index.get_ref().clone()).collect(),
            bytes: bytes.get_ref().clone(),
            tests: file.tests.clone(),
            refused,
        })
    }

    /// Returns why an engine that accepts tables only as data cannot run one of these tests, with the line.
    pub(super) fn refusal(&self, tests: &BTreeSet<u32>) -> Option<&str> {
        self.refused.iter().find(|(number, _)| tests.contains(number)).map(|(_, reason)| reason.as_str())
    }

    pub(super) fn tests(&self) -> Vec<TestInfo> {
        let info = |test: &FileSqlTest| TestInfo {
            printed: test.printed.clone(),
            ..TestInfo::new(&test.number, &test.name, &test.needs)
        };
        self.tests.iter().map(info).collect()
    }

    /// Whether any of these tests has several threads.
    pub(super) fn has_actors(&self, tests: &BTreeSet<u32>) -> bool {
        let has = |test: &FileSqlTest| {
            tests.contains(test.number.get_ref()) && (!test.actors.get_ref().is_empty() || test.replay.is_some())
        };
        self.tests.iter().any(has)
    }

    /// Returns the job's part. `measured`: `None` if a test of this number is left out, otherwise whether it is measured.
    pub(super) fn resolve(
        &self,
        name: &str,
        size: Size,
        settings: &Settings,
        measured: &dyn Fn(u32) -> Option<bool>,
    ) -> SqlSuite {
        let constants = constants(size, settings);
        let resolve = |test: &FileSqlTest| {
            let measured = measured(*test.number.get_ref())?;
            let names = |tables: &[Spanned<String>]| tables.iter().map(|table| table.get_ref().clone()).collect();
            let all = |steps: &[Step]| steps.iter().map(|step| with_groups(step.resolve(&constants))).collect();
            Some(SqlTest {
                number: *test.number.get_ref(),
                name: test.name.clone(),
                measured,
                database: test.database.get_ref().clone(),
                prepare: all(test.prepare.get_ref()),
                load: match (&test.replay, test.actors.get_ref().as_slice()) {
                    (Some(replay), _) => {
                        let replay = replay.get_ref();
                        let speed = replay.speed.resolve(&constants);
                        SqlLoad::Replay { replay: ReplaySpec { speed, ..replay.clone() } }
                    }
                    (None, []) => SqlLoad::Alone { steps: all(test.steps.get_ref()) },
                    (None, actors) => SqlLoad::Actors {
                        actors: actors
                            .iter()
                            .map(|actor| SqlActor { steps: all(&actor.steps), ..actor.clone() })
                            .collect(),
                    },
                },
                rows_walked: count(test.rows_walked.get_ref(), &constants),
                verify: names(&test.verify),
                verify_schema: names(&test.verify_schema),
            })
        };
        SqlSuite {
            name: name.to_owned(),
            start: None,
            recording: None,
            data_bytes: count(&self.bytes, &constants),
            tables: self.tables.clone(),
            indexes: self.indexes.clone(),
            tests: self.tests.iter().filter_map(resolve).collect(),
        }
    }

    pub(super) fn data_bytes(&self, size: Size) -> u64 {
        count(&self.bytes, &constants(size, &Settings::default()))
    }

    pub(super) fn operations(&self, size: Size) -> Vec<(u32, u64)> {
        let suite = self.resolve("", size, &Settings::default(), &|_| Some(true));
        suite.tests.iter().map(|test| (test.number, test.operations())).collect()
    }
}

/// Returns the first statement among steps that creates, changes or drops a table or something else of a schema.
fn defining<'s>(mut steps: impl Iterator<Item = &'s Step>) -> Option<&'s str> {
    steps.find_map(|step| match step {
        Step::Run { sql, .. } => {
            let word = sql.split_whitespace().next().unwrap_or_default();
            ["CREATE", "ALTER", "DROP"].iter().any(|define| word.eq_ignore_ascii_case(define)).then_some(sql.as_str())
        }
        step => defining(step.inner().into_iter()),
    })
}

/// Returns the value of every constant: the size, and options that are whole numbers.
fn constants(size: Size, settings: &Settings) -> BTreeMap<String, i64> {
    let [reads, writes] = [size.first, size.second.unwrap_or(size.first)].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    let options = settings.iter().filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    options.chain([("R".to_owned(), reads), ("W".to_owned(), writes)]).collect()
}

/// Returns a step in which the popularity of drawn numbers is that of groups.
fn with_groups(step: Step) -> Step {
    let all = |steps: Vec<Step>| steps.into_iter().map(with_groups).collect();
    match step {
        Step::Read(statement) => Step::Read(drawn_by_groups(statement)),
        Step::Write(statement) => Step::Write(drawn_by_groups(statement)),
        Step::Repeat { count, variable, from, steps } => Step::Repeat { count, variable, from, steps: all(steps) },
        Step::Transaction { begin, steps, name } => Step::Transaction { begin, steps: all(steps), name },
        Step::Mix(choices) => {
            Step::Mix(choices.into_iter().map(|choice| Choice { steps: all(choice.steps), ..choice }).collect())
        }
        other => other,
    }
}

fn drawn_by_groups(mut statement: StatementSpec) -> StatementSpec {
    for draw in statement.draw.values_mut() {
        let Draw::Keys { below, keys } = draw else { continue };
        let groups = below.count().and_then(|below| popularity(keys).ok()?.groups(below));
        *draw = groups.map_or_else(|| Draw::Below(below.clone()), |popular| Draw::Popular { popular });
    }
    statement
}

fn count(expression: &Expression, constants: &BTreeMap<String, i64>) -> u64 {
    expression.resolve(constants).count().unwrap_or(0)
}
