//! Suite files: read, checked, and resolved for one size and one choice of the suite's options.

mod kv;
mod sql;
mod sql_check;
mod sql_dry_run;
mod sql_place;

pub use self::kv::{GAPS, MOST_RATE, MOST_SECONDS, OFFERED_RATE, Pace, SECONDS, WARM_UP};

use super::{CatalogError, located::CatalogText};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec, one_of},
    protocol::{INVARIANTS_HELD, SuiteJob},
    settings::Settings,
    size::Size,
    suite::{Expression, IndexSpec, SqlSuite, SuiteKind, TableSpec},
    tuning::Tuning,
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use toml::Spanned;

/// A checked suite.
#[derive(Debug, Clone)]
pub struct Suite {
    pub name: String,
    /// What it asks of an engine.
    pub kind: SuiteKind,
    /// One line about it.
    pub title: String,
    /// What it reproduces.
    pub source: String,
    /// What a reader of its figures has to know.
    pub notes: Vec<String>,
    /// What the size counts: `records`.
    pub size_unit: String,
    /// Sizes used when none is asked for.
    pub default_sizes: Vec<Size>,
    pub sizes: Vec<Size>,
    pub options: Vec<OptionSpec>,
    /// How the publication's program uses engines.
    engines: Vec<FileEngine>,
    /// Whether a size may be two numbers, reads and writes.
    pair: bool,
    /// The database that a SQL suite starts from.
    start: Option<PathBuf>,
    /// The actor whose operations are due at a rate that the options say.
    pace: Option<Pace>,
    /// The text of its file.
    text: String,
    /// Digests that do not depend on the seed, by size and test, of the default options.
    known: BTreeMap<(Size, u32), String>,
    body: SuiteBody,
}

#[derive(Debug, Clone)]
enum SuiteBody {
    Kv(kv::KvBody),
    Sql(sql::SqlBody),
}

/// What is listed of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestInfo {
    /// Number in the suite.
    pub number: u32,
    pub name: String,
    /// Tests that have to run before it.
    pub needs: Vec<u32>,
    /// What the published program prints of it.
    pub printed: Option<PrintedAs>,
}

/// The first two fields of a line that a published program prints of a test: `1_simple - insert`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedAs {
    pub benchmark: String,
    /// What of the benchmark was timed.
    pub phase: String,
}

impl TestInfo {
    fn new(number: &Spanned<u32>, name: &str, needs: &[Spanned<u32>]) -> Self {
        let needs = needs.iter().map(|number| *number.get_ref()).collect();
        Self { number: *number.get_ref(), name: name.to_owned(), needs, printed: None }
    }
}

/// Which tests of a suite are measured; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestPick(pub BTreeSet<u32>);

impl TestPick {
    /// Whether a test is measured; with none picked, all are.
    pub fn has(&self, number: u32) -> bool {
        self.0.is_empty() || self.0.contains(&number)
    }

    /// The numbers as a bench names tests.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(u32::to_string).collect()
    }
}

/// The file's kind alone, which says how to read the rest.
#[derive(Deserialize)]
struct FileKind {
    kind: SuiteKind,
}

/// A file with tests of type `T`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile<T> {
    name: Spanned<String>,
    kind: SuiteKind,
    title: String,
    source: String,
    #[serde(default)]
    notes: Vec<String>,
    size: SizeAxis,
    #[serde(default, rename = "option")]
    options: Vec<Spanned<FileOption>>,
    #[serde(default, rename = "engine")]
    engines: Vec<FileEngine>,
    sql: Option<Spanned<kv::FileSql>>,
    #[serde(default, rename = "table")]
    tables: Vec<Spanned<TableSpec>>,
    #[serde(default, rename = "index")]
    indexes: Vec<Spanned<IndexSpec>>,
    #[serde(rename = "test")]
    tests: Vec<T>,
    /// Answers that are known from elsewhere.
    #[serde(default)]
    known: Vec<Spanned<FileKnown>>,
}

/// Answers that do not depend on the seed, of the suite's default options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileKnown {
    size: String,
    /// Digests by the test's number.
    answers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeAxis {
    name: String,
    default: Vec<u64>,
    choices: Vec<u64>,
    /// Whether a size may be two numbers, reads and writes.
    #[serde(default)]
    pair: bool,
    /// Bytes of rows that a SQL suite stores at most.
    bytes: Option<Spanned<Expression>>,
}

#[derive(Deserialize)]
struct FileOption {
    name: String,
    #[serde(flatten)]
    kind: OptionKind,
    default: String,
    help: String,
}

/// Defaults of engine options on this suite.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEngine {
    /// The engine; without a name, every engine that has the options.
    name: Option<String>,
    options: BTreeMap<String, String>,
}

/// A default of an engine option that a suite sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineDefault<'s> {
    pub option: &'s str,
    pub value: &'s str,
    /// Whether the suite names the engine, which then has to have the option.
    pub is_named: bool,
}

impl Suite {
    /// Reads and checks a suite's file.
    pub(super) fn parse(name: &str, source: &CatalogText) -> Result<Self, CatalogError> {
        match source.parse::<FileKind>()?.kind {
            SuiteKind::Kv => Self::from_file(name, source, source.parse()?, |file, options| {
                kv::KvBody::check(file, options, source).map(SuiteBody::Kv)
            }),
            SuiteKind::Sql => Self::from_file(name, source, source.parse()?, |file, options| {
                sql::SqlBody::check(file, options, source).map(SuiteBody::Sql)
            }),
        }
    }

    fn from_file<T>(
        name: &str,
        source: &CatalogText,
        file: SuiteFile<T>,
        check: impl FnOnce(&SuiteFile<T>, &[OptionSpec]) -> Result<SuiteBody, CatalogError>,
    ) -> Result<Self, CatalogError> {
        if file.name.get_ref() != name {
            let message = format!("name: expected `{name}`, the file's own name");
            return Err(source.wrong(file.name.span(), message));
        }
        let options = check_options(&file.options, source)?;
        let body = check(&file, &options)?;
        let known = check_known(&file.known, source)?;
        Ok(Self {
            name: name.to_owned(),
            kind: file.kind,
            title: file.title,
            source: file.source,
            notes: file.notes,
            size_unit: file.size.name,
            default_sizes: file.size.default.into_iter().map(Size::one).collect(),
            sizes: file.size.choices.into_iter().map(Size::one).collect(),
            options,
            engines: file.engines,
            pair: file.size.pair,
            start: None,
            pace: None,
            text: source.text.clone(),
            known,
            body,
        })
    }

    /// Whether it sets defaults of engine options.
    pub fn sets_engine_options(&self) -> bool {
        !self.engines.is_empty()
    }

    /// The defaults that the suite sets for an engine's options, in the order in which they apply: a later one replaces an earlier one.
    pub fn engine_defaults<'s>(&'s self, engine: &str) -> impl Iterator<Item = EngineDefault<'s>> {
        let applies = move |entry: &&FileEngine| entry.name.as_deref().is_none_or(|name| name == engine);
        self.engines.iter().filter(applies).flat_map(|entry| {
            let is_named = entry.name.is_some();
            entry.options.iter().map(move |(option, value)| EngineDefault { option, value, is_named })
        })
    }

    /// The same suite, begun with a copy of this database.
    #[must_use]
    pub fn starting_from(mut self, database: &Path) -> Self {
        self.start = Some(database.to_owned());
        self
    }

    /// The same suite, in which the operations of an actor of a test are due at a rate, and that test ends with time: as its options
    /// [`OFFERED_RATE`], [`GAPS`], [`SECONDS`] and [`WARM_UP`] say, which it has beside its own. A test without actors becomes
    /// one of one actor with one thread.
    ///
    /// # Errors
    /// Why nothing of it can be due at a rate, or which actors there are.
    pub fn paced(mut self, test: u32, actor: Option<&str>) -> Result<Self, String> {
        let SuiteBody::Kv(body) = &self.body else {
            return Err(format!(
                "suite `{}` is of kind {}: only operations of kv can be due at a rate",
                self.name,
                self.kind.word()
            ));
        };
        let pace = body.pace(test, actor).map_err(|why| format!("suite `{}`: {why}", self.name))?;
        self.options = body.paced_options(&pace, &self.options);
        self.pace = Some(pace);
        Ok(self)
    }

    /// The actor whose operations are due at a rate.
    pub fn pace(&self) -> Option<&Pace> {
        self.pace.as_ref()
    }

    /// Whether it begins with a copy of a database.
    pub fn starts_from_database(&self) -> bool {
        self.start.is_some()
    }

    /// The text of its file, from which it can be read again.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All answers that the file states, by size and test.
    pub fn known_answers(&self) -> impl Iterator<Item = (Size, u32, &str)> {
        self.known.iter().map(|((size, test), answer)| (*size, *test, answer.as_str()))
    }

    /// The right answer of a test, where the file states it: the same for every seed.
    pub fn known(&self, size: Size, settings: &Settings, test: u32) -> Option<&str> {
        if matches!(&self.body, SuiteBody::Kv(body) if body.has_actors(&BTreeSet::from([test]))) {
            return Some(INVARIANTS_HELD);
        }
        let is_default = |option: &OptionSpec| settings.get(&option.name) == Some(&option.default);
        let known = self.known.get(&(size, test)).filter(|_| self.options.iter().all(is_default));
        known.map(String::as_str)
    }

    /// The suite's tests, in the order they run.
    pub fn tests(&self) -> impl Iterator<Item = TestInfo> {
        match &self.body {
            SuiteBody::Kv(body) => body.tests(),
            SuiteBody::Sql(body) => body.tests(),
        }
        .into_iter()
    }

    /// The suite's options: defaults, with `asked` in their place.
    ///
    /// # Errors
    /// An option that the suite does not have, or a value that it does not take.
    pub fn settings(
        &self,
        asked: &BTreeMap<String, String>,
    ) -> Result<Settings, dbdyno_engine::settings::SettingError> {
        Settings::resolve_specs(&format!("suite `{}`", self.name), &self.options, asked)
    }

    /// Tests by number or by name (any case); none means all.
    ///
    /// # Errors
    /// A test that the suite does not have, with those that it has.
    pub fn pick(&self, wanted: &[String]) -> Result<TestPick, String> {
        wanted
            .iter()
            .map(|wanted| {
                self.tests()
                    .find(|test| test.name.eq_ignore_ascii_case(wanted) || test.number.to_string() == *wanted)
                    .map(|test| test.number)
                    .ok_or_else(|| {
                        let names: Vec<String> =
                            self.tests().map(|test| format!("{} {}", test.number, test.name)).collect();
                        format!("suite `{}` has no test `{wanted}`: expected {}", self.name, one_of(&names))
                    })
            })
            .collect::<Result<_, _>>()
            .map(TestPick)
    }

    /// The size, if the suite can run at it.
    ///
    /// # Errors
    /// A size of two numbers, where the suite takes one.
    pub fn check_size(&self, size: Size) -> Result<(), String> {
        match size.second {
            Some(_) if !self.pair => {
                Err(format!("size `{size}`: suite `{}` takes one number, the {}", self.name, self.size_unit))
            }
            _ => Ok(()),
        }
    }

    /// The job's part: every count and statement resolved. Tests that a picked one needs are there, unmeasured.
    pub fn resolve(&self, size: Size, settings: &Settings, pick: &TestPick) -> SuiteJob {
        let wanted = self.with_needs(pick);
        let measured = |number: u32| wanted.contains(&number).then(|| pick.has(number));
        match &self.body {
            SuiteBody::Kv(body) => {
                let mut suite = body.resolve(&self.name, size, settings, &measured);
                self.pace.iter().for_each(|pace| pace.apply(&mut suite, settings));
                SuiteJob::Kv(suite)
            }
            SuiteBody::Sql(body) => {
                let start = self.start.clone();
                SuiteJob::Sql(SqlSuite { start, ..body.resolve(&self.name, size, settings, &measured) })
            }
        }
    }

    /// Why an engine that takes tables and indexes as data only cannot run the picked tests: the line, and what it would define.
    pub fn refusal(&self, pick: &TestPick) -> Option<&str> {
        match &self.body {
            SuiteBody::Kv(_) => None,
            SuiteBody::Sql(body) => body.refusal(&self.with_needs(pick)),
        }
    }

    /// Whether any of the picked tests has several threads.
    pub fn has_actors(&self, pick: &TestPick) -> bool {
        match &self.body {
            SuiteBody::Kv(body) => {
                let tests = self.with_needs(pick);
                body.has_actors(&tests) || self.pace.as_ref().is_some_and(|pace| tests.contains(&pace.test))
            }
            SuiteBody::Sql(body) => body.has_actors(&self.with_needs(pick)),
        }
    }

    /// Bytes of rows that the tests write: what the databases hold at most, without any overhead.
    pub fn data_bytes(&self, size: Size) -> u64 {
        match &self.body {
            SuiteBody::Kv(body) => body.data_bytes(size),
            SuiteBody::Sql(body) => body.data_bytes(size),
        }
    }

    /// Bytes of rows that the picked tests work on, without any overhead: keys and values of the largest database, or what a SQL suite
    /// says that it stores. 0: it does not say.
    pub fn payload_bytes(&self, size: Size, pick: &TestPick) -> u64 {
        match &self.body {
            SuiteBody::Kv(body) => body.payload_bytes(size, &self.with_needs(pick)),
            SuiteBody::Sql(body) => body.data_bytes(size),
        }
    }

    /// Operations of each test at a size, by test number: what an estimate of time starts from.
    pub fn operations(&self, size: Size, pick: &TestPick) -> Vec<(u32, u64)> {
        let wanted = self.with_needs(pick);
        let mut operations = match &self.body {
            SuiteBody::Kv(body) => body.operations(size),
            SuiteBody::Sql(body) => body.operations(size),
        };
        operations.retain(|(number, _)| wanted.contains(number));
        operations
    }

    fn with_needs(&self, pick: &TestPick) -> BTreeSet<u32> {
        let tests: Vec<TestInfo> = self.tests().collect();
        let mut numbers = BTreeSet::new();
        // Needs point to earlier tests only, so one pass from the end meets every need of a need.
        for test in tests.iter().rev() {
            if pick.has(test.number) || numbers.contains(&test.number) {
                numbers.insert(test.number);
                numbers.extend(&test.needs);
            }
        }
        numbers
    }
}

fn check_options(options: &[Spanned<FileOption>], source: &CatalogText) -> Result<Vec<OptionSpec>, CatalogError> {
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

fn check_known(
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

/// Numbers rise from 1, and needs point to earlier tests.
fn check_numbers<'t>(
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

pub(super) fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
