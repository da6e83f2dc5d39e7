//! Suites: their files are read and checked, and resolved for one size and one choice of the suite's options.

mod file;
mod kv;
mod sql;
mod sql_check;
mod sql_dry_run;
mod sql_place;

pub(crate) use self::kv::{FileKeys, MOST_THREADS};
pub use self::kv::{GAPS, MOST_RATE, MOST_SECONDS, MOST_SPEED, OFFERED_RATE, Pace, SECONDS, WARM_UP};

use self::file::{FileEngineDefaults, FileKind, SuiteFile, check_known, check_options, check_usual_engines};
use super::{CatalogError, bench::EngineChoice, located::CatalogText};
use dbdyno_engine::{
    describe::OptionSpec,
    names::instead_of,
    protocol::{INVARIANTS_HELD, SuiteJob},
    settings::{Owner, Settings},
    size::Size,
    suite::{SqlSuite, SuiteKind},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};
use toml::Spanned;

/// The prefixes of names of suites that are generated from users' statements and recordings. No file has such a name: these suites can be
/// generated again only from what they were made of.
pub const SCRIPT_NAMES: &str = "sql-";
pub const RECORDING_NAMES: &str = "recorded-";

/// Whether the suite with this name was generated from users' statements, written or recorded.
pub fn is_script(suite: &str) -> bool {
    [SCRIPT_NAMES, RECORDING_NAMES].iter().any(|prefix| suite.starts_with(prefix))
}

/// A checked suite.
#[derive(Debug, Clone)]
pub struct Suite {
    pub name: String,
    /// The kind of engine that it needs.
    pub kind: SuiteKind,
    /// One line about it.
    pub title: String,
    /// The publication that it reproduces.
    pub source: String,
    /// What its records are and what its tests do with them: sizes, shares, transactions. Empty if its file does not say.
    pub about: String,
    /// Notes for readers of its figures.
    pub notes: Vec<String>,
    /// The unit of its size: `records`.
    pub size_unit: String,
    /// Sizes that are used by default.
    pub default_sizes: Vec<Size>,
    pub sizes: Vec<Size>,
    pub options: Vec<OptionSpec>,
    /// The engines that it is usually run on.
    pub usual_engines: Vec<EngineChoice>,
    /// The tests that are measured if a bench names none.
    usual_tests: TestPick,
    /// Engine options as the publication's program sets them.
    engines: Vec<FileEngineDefaults>,
    /// Whether a size may be two numbers, reads and writes.
    pair: bool,
    /// The database that a SQL suite starts from.
    start: Option<PathBuf>,
    /// The recording that its test replays.
    recording: Option<ReplayedRecording>,
    /// The actor whose operations are due at a rate, which the options set.
    pace: Option<Pace>,
    /// The text of its file.
    text: String,
    /// Digests that are independent of the seed, by size and test, for the default options.
    known: BTreeMap<(Size, u32), String>,
    body: SuiteBody,
}

#[derive(Debug, Clone)]
enum SuiteBody {
    Kv(kv::KvBody),
    Sql(sql::SqlBody),
}

/// The recording of a suite.
#[derive(Debug, Clone)]
struct ReplayedRecording {
    /// The folder with the files of the replay.
    folder: PathBuf,
    /// The time from its first call to its last.
    span: Duration,
}

/// The option of suites that replay recordings which says how fast they do, in percent of the recorded speed; 0: as fast as possible.
pub const SPEED: &str = "speed";

/// The listed properties of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestInfo {
    /// Number in the suite.
    pub number: u32,
    pub name: String,
    /// Tests that must run before it.
    pub needs: Vec<u32>,
    /// The published program's output for it.
    pub printed: Option<PrintedAs>,
}

/// The first two fields of a line that a published program prints for a test: `1_simple - insert`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedAs {
    pub benchmark: String,
    /// The timed part of the benchmark.
    pub phase: String,
}

impl TestInfo {
    fn new(number: &Spanned<u32>, name: &str, needs: &[Spanned<u32>]) -> Self {
        let needs = needs.iter().map(|number| *number.get_ref()).collect();
        Self { number: *number.get_ref(), name: name.to_owned(), needs, printed: None }
    }
}

/// The tests of a suite that are measured; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestPick(pub BTreeSet<u32>);

impl TestPick {
    /// Whether a test is measured; with none picked, all are.
    pub fn has(&self, number: u32) -> bool {
        self.0.is_empty() || self.0.contains(&number)
    }

    /// Returns the numbers in the form of a bench.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(u32::to_string).collect()
    }
}

/// A default of an engine option that a suite sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineDefault<'s> {
    pub option: &'s str,
    pub value: &'s str,
    /// Whether the suite names the engine, which must then have the option.
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
        let usual_tests = TestPick(file.usual_tests.iter().map(|number| *number.get_ref()).collect());
        let suite = Self {
            name: name.to_owned(),
            kind: file.kind,
            title: file.title,
            source: file.source,
            about: file.about,
            notes: file.notes,
            size_unit: file.size.name,
            default_sizes: file.size.default.into_iter().map(Size::one).collect(),
            sizes: file.size.choices.into_iter().map(Size::one).collect(),
            options,
            usual_engines: check_usual_engines(&file.usual_engines, source)?,
            usual_tests,
            engines: file.engines,
            pair: file.size.pair,
            start: None,
            recording: None,
            pace: None,
            text: source.text.clone(),
            known,
            body,
        };
        let is_test = |number: &&Spanned<u32>| suite.tests().any(|test| test.number == *number.get_ref());
        match file.usual_tests.iter().find(|number| !is_test(number)) {
            Some(number) => {
                let message = format!("usual_tests {}: expected the number of a test", number.get_ref());
                Err(source.wrong(number.span(), message))
            }
            None => Ok(suite),
        }
    }

    /// Whether it sets defaults of engine options.
    pub fn sets_engine_options(&self) -> bool {
        !self.engines.is_empty()
    }

    /// Returns the defaults that the suite sets for an engine's options, in the order in which they apply: a later one replaces an
    /// earlier one.
    pub fn engine_defaults<'s>(&'s self, engine: &str) -> impl Iterator<Item = EngineDefault<'s>> {
        let applies = move |entry: &&FileEngineDefaults| entry.name.as_deref().is_none_or(|name| name == engine);
        self.engines.iter().filter(applies).flat_map(|entry| {
            let is_named = entry.name.is_some();
            entry.options.iter().map(move |(option, value)| EngineDefault { option, value, is_named })
        })
    }

    /// Returns the suite, starting with a copy of this database.
    #[must_use]
    pub fn starting_from(mut self, database: &Path) -> Self {
        self.start = Some(database.to_owned());
        self
    }

    /// Returns the suite, replaying the files in this folder. `span`: the time from the first recorded call to the last.
    #[must_use]
    pub fn replaying(mut self, folder: &Path, span: Duration) -> Self {
        self.recording = Some(ReplayedRecording { folder: folder.to_owned(), span });
        self
    }

    /// Returns the time that a replay takes at least because its calls are due at times; zero if they are not.
    pub fn recorded_time(&self, settings: &Settings) -> Duration {
        let percent =
            settings.get(SPEED).and_then(|percent| percent.parse().ok()).filter(|percent: &f64| *percent > 0.0);
        let time = self.recording.as_ref().zip(percent).map(|(of, percent)| of.span.as_secs_f64() * 100.0 / percent);
        time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(Duration::ZERO)
    }

    /// Returns the suite with the operations of one actor due at a rate, in a test that ends after a time. The additional options
    /// [`OFFERED_RATE`], [`GAPS`], [`SECONDS`] and [`WARM_UP`] set the rate and times. A test without actors becomes a test of one actor
    /// with one thread.
    ///
    /// # Errors
    /// The error says why none of it can be due at a rate, or lists the actors.
    pub fn paced(mut self, test: u32, actor: Option<&str>) -> Result<Self, String> {
        let SuiteBody::Kv(body) = &self.body else {
            return Err(format!(
                "suite `{}` is of kind {}: only kv suites can run at a given rate",
                self.name,
                self.kind.word()
            ));
        };
        let pace = body.pace(test, actor).map_err(|why| format!("suite `{}`: {why}", self.name))?;
        self.options = body.paced_options(&pace, &self.options);
        self.pace = Some(pace);
        Ok(self)
    }

    /// Returns the actor whose operations are due at a rate.
    pub fn pace(&self) -> Option<&Pace> {
        self.pace.as_ref()
    }

    /// Whether it replays a recording.
    pub fn replays_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Whether it starts with a copy of a database.
    pub fn starts_from_database(&self) -> bool {
        self.start.is_some()
    }

    /// Returns the text of its file, from which it can be parsed again.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns all answers that the file states, by size and test.
    pub fn known_answers(&self) -> impl Iterator<Item = (Size, u32, &str)> {
        self.known.iter().map(|((size, test), answer)| (*size, *test, answer.as_str()))
    }

    /// Returns the correct answer of a test if the file states it; it is the same for every seed.
    pub fn known(&self, size: Size, settings: &Settings, test: u32) -> Option<&str> {
        let has_actors = || matches!(&self.body, SuiteBody::Kv(body) if body.has_actors(&BTreeSet::from([test])));
        if !self.replays_recording() && has_actors() {
            return Some(INVARIANTS_HELD);
        }
        // The answers of a replay do not depend on its speed.
        let is_default =
            |option: &OptionSpec| self.replays_recording() || settings.get(&option.name) == Some(&option.default);
        let known = self.known.get(&(size, test)).filter(|_| self.options.iter().all(is_default));
        known.map(String::as_str)
    }

    /// Returns the suite's tests, in the order they run.
    pub fn tests(&self) -> impl Iterator<Item = TestInfo> {
        match &self.body {
            SuiteBody::Kv(body) => body.tests(),
            SuiteBody::Sql(body) => body.tests(),
        }
        .into_iter()
    }

    /// Returns the suite's options: the defaults, replaced by `asked`.
    ///
    /// # Errors
    /// The suite does not have an option, or the option does not accept a value.
    pub fn settings(
        &self,
        asked: &BTreeMap<String, String>,
    ) -> Result<Settings, dbdyno_engine::settings::SettingError> {
        Settings::resolve_specs(&Owner::Suite(self.name.clone()), &self.options, asked)
    }

    /// Finds tests by number or by name (in any case); an empty list means the usual ones, which are all if the suite names none.
    ///
    /// # Errors
    /// The suite does not have a test; the error lists its tests.
    pub fn pick(&self, wanted: &[String]) -> Result<TestPick, String> {
        if wanted.is_empty() {
            return Ok(self.usual_tests.clone());
        }
        wanted
            .iter()
            .map(|wanted| {
                self.tests()
                    .find(|test| test.name.eq_ignore_ascii_case(wanted) || test.number.to_string() == *wanted)
                    .map(|test| test.number)
                    .ok_or_else(|| {
                        let instead = instead_of(wanted, self.tests().map(|test| test.name));
                        let tests = self.tests().count();
                        format!(
                            "unknown test `{wanted}` of suite `{}`: {instead} (or a number from 1 to {tests}; `dbdyno list tests` lists them)",
                            self.name
                        )
                    })
            })
            .collect::<Result<_, _>>()
            .map(TestPick)
    }

    /// Returns the names of the tests that a bench measures if it names these; none: all.
    pub fn picked_names(&self, wanted: &[String]) -> Option<Vec<String>> {
        let pick = self.pick(wanted).ok().filter(|pick| !pick.0.is_empty())?;
        Some(self.tests().filter(|test| pick.has(test.number)).map(|test| test.name).collect())
    }

    /// Returns the names of the tests at these places, in the form that [`pick`](Self::pick) reads: none if they are the usual ones.
    pub fn names_at(&self, places: &[usize]) -> Vec<String> {
        let is_there = |at: usize| places.contains(&at);
        let is_usual = self.tests().enumerate().all(|(at, test)| is_there(at) == self.usual_tests.has(test.number));
        let there = self.tests().enumerate().filter(|(at, _)| !is_usual && is_there(*at));
        there.map(|(_, test)| test.name).collect()
    }

    /// Returns the sizes that were meant: two numbers with a comma between them are one size only in a suite that has such sizes.
    pub fn sizes_of(&self, size: Size) -> Vec<Size> {
        match size.second {
            Some(second) if !self.pair => vec![Size::one(size.first), Size::one(second)],
            _ => vec![size],
        }
    }

    /// Checks that the suite can run at this size.
    ///
    /// # Errors
    /// The size has two numbers, but the suite accepts one.
    pub fn check_size(&self, size: Size) -> Result<(), String> {
        match size.second {
            Some(_) if !self.pair => {
                Err(format!("size `{size}`: suite `{}` takes one number, the {}", self.name, self.size_unit))
            }
            _ => Ok(()),
        }
    }

    /// Returns the job's part, with every count and statement resolved. It includes tests that a picked one needs, but does not measure
    /// them.
    pub fn resolve(&self, size: Size, settings: &Settings, pick: &TestPick) -> SuiteJob {
        let wanted = self.with_needs(pick);
        let measured = |number: u32| wanted.contains(&number).then(|| pick.has(number));
        match &self.body {
            SuiteBody::Kv(body) => {
                let mut suite = body.resolve(&self.name, size, settings, &measured);
                suite.recording = self.recording.as_ref().map(|recording| recording.folder.clone());
                self.pace.iter().for_each(|pace| pace.apply(&mut suite, settings));
                SuiteJob::Kv(suite)
            }
            SuiteBody::Sql(body) => {
                let recording = self.recording.as_ref().map(|recording| recording.folder.clone());
                let start = self.start.clone();
                SuiteJob::Sql(SqlSuite { start, recording, ..body.resolve(&self.name, size, settings, &measured) })
            }
        }
    }

    /// Returns why an engine that accepts tables and indexes only as data cannot run the picked tests: the line, and what it would
    /// define.
    pub fn refusal(&self, pick: &TestPick) -> Option<&str> {
        match &self.body {
            SuiteBody::Kv(_) => None,
            SuiteBody::Sql(body) => body.refusal(&self.with_needs(pick)),
        }
    }

    /// Whether any of the picked tests needs an engine that several threads can use.
    pub fn needs_threads(&self, pick: &TestPick) -> bool {
        match &self.body {
            SuiteBody::Kv(body) => {
                let tests = self.with_needs(pick);
                body.needs_threads(&tests) || self.pace.as_ref().is_some_and(|pace| tests.contains(&pace.test))
            }
            SuiteBody::Sql(body) => body.has_actors(&self.with_needs(pick)),
        }
    }

    /// Returns the bytes of rows that the tests write, without any overhead: the maximum that the databases hold.
    pub fn data_bytes(&self, size: Size) -> u64 {
        match &self.body {
            SuiteBody::Kv(body) => body.data_bytes(size),
            SuiteBody::Sql(body) => body.data_bytes(size),
        }
    }

    /// Returns the bytes of rows on which the picked tests work, without any overhead: keys and values of the largest database, or the
    /// amount that a SQL suite states. 0 if it states none.
    pub fn payload_bytes(&self, size: Size, pick: &TestPick) -> u64 {
        match &self.body {
            SuiteBody::Kv(body) => body.payload_bytes(size, &self.with_needs(pick)),
            SuiteBody::Sql(body) => body.data_bytes(size),
        }
    }

    /// Returns the operations of each test at a size, by test number, as the basis for time estimates.
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
        // Needs point to earlier tests only, so one pass from the end finds every indirect need.
        for test in tests.iter().rev() {
            if pick.has(test.number) || numbers.contains(&test.number) {
                numbers.insert(test.number);
                numbers.extend(&test.needs);
            }
        }
        numbers
    }
}

pub(super) fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
