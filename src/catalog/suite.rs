//! Suite files: read, checked, and resolved for one size and one choice of the suite's options.

use super::{CatalogError, located::Source};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec, one_of},
    protocol::SuiteJob,
    settings::Settings,
    size::Size,
    suite::{KeyOrder, KvStatements, KvSuite, KvTest, Operation, SuiteKind, Transaction, Work},
    template::Template,
    tuning::Tuning,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// A checked suite.
#[derive(Debug, Clone)]
pub struct Suite {
    /// Its name.
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
    /// Sizes offered.
    pub sizes: Vec<Size>,
    /// Its options.
    pub options: Vec<OptionSpec>,
    sql: Statements,
    tests: Vec<Test>,
}

/// What is listed of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestInfo {
    /// Number in the suite.
    pub number: u32,
    /// Name in the suite.
    pub name: String,
    /// Tests that have to run before it.
    pub needs: Vec<u32>,
}

/// Which tests of a suite are measured; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestPick(pub BTreeSet<u32>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    kind: SuiteKind,
    title: String,
    source: String,
    #[serde(default)]
    notes: Vec<String>,
    size: SizeAxis,
    #[serde(default, rename = "option")]
    options: Vec<Spanned<FileOption>>,
    sql: FileSql,
    #[serde(rename = "test")]
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeAxis {
    name: String,
    default: Vec<u64>,
    choices: Vec<u64>,
}

#[derive(Deserialize)]
struct FileOption {
    name: String,
    #[serde(flatten)]
    kind: OptionKind,
    default: String,
    help: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSql {
    schema: Vec<String>,
    get: String,
    put: String,
    delete: String,
    exists: String,
    scan: String,
}

#[derive(Debug, Clone)]
struct Statements {
    schema: Vec<String>,
    statements: KvStatements,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    number: Spanned<u32>,
    name: String,
    #[serde(default)]
    needs: Vec<Spanned<u32>>,
    database: String,
    operations: Spanned<Operations>,
    keys: KeyOrder,
    key: Template,
    work: Spanned<Vec<FileWork>>,
    transaction: Transaction,
    #[serde(default = "one")]
    clock_every: Spanned<u64>,
    #[serde(default)]
    verify_state: bool,
    #[serde(default)]
    sql: SqlChanges,
    #[serde(default)]
    when: Vec<When>,
}

fn one() -> Spanned<u64> {
    Spanned::new(0..0, 1)
}

/// A count that follows the size.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Operations {
    share: f64,
    #[serde(default = "least_operations")]
    least: u64,
}

fn least_operations() -> u64 {
    1
}

impl Operations {
    fn of(self, size: u64) -> u64 {
        ((size as f64 * self.share).round() as u64).max(self.least)
    }
}

#[derive(Debug, Clone, Deserialize)]
struct FileWork {
    #[serde(default = "one_weight")]
    weight: u64,
    #[serde(flatten)]
    operation: Operation,
}

fn one_weight() -> u64 {
    1
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SqlChanges {
    get: Option<String>,
    put: Option<String>,
    delete: Option<String>,
    exists: Option<String>,
    scan: Option<String>,
}

/// What a value of a suite option changes in a test.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    option: Spanned<String>,
    is: Spanned<String>,
    work: Option<Spanned<Vec<FileWork>>>,
    transaction: Option<Transaction>,
}

impl Suite {
    /// Reads and checks a suite's file.
    pub(super) fn parse(name: &str, source: &Source) -> Result<Self, CatalogError> {
        let file: File = source.parse()?;
        if file.name.get_ref() != name {
            let message = format!("name: expected `{name}`, the file's own name");
            return Err(source.wrong(file.name.span(), message));
        }
        let options = check_options(&file.options, source)?;
        check_tests(&file.tests, &options, source)?;
        let sql = file.sql;
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
            sql: Statements {
                schema: sql.schema,
                statements: KvStatements {
                    get: sql.get,
                    put: sql.put,
                    delete: sql.delete,
                    exists: sql.exists,
                    scan: sql.scan,
                },
            },
            tests: file.tests,
        })
    }

    /// The suite's tests, in the order they run.
    pub fn tests(&self) -> impl Iterator<Item = TestInfo> {
        self.tests.iter().map(|test| TestInfo {
            number: *test.number.get_ref(),
            name: test.name.clone(),
            needs: test.needs.iter().map(|number| *number.get_ref()).collect(),
        })
    }

    /// The suite's options: defaults, with `asked` in their place.
    pub fn settings(
        &self,
        asked: &BTreeMap<String, String>,
    ) -> Result<Settings, dbdyno_engine::settings::SettingError> {
        Settings::resolve_specs(&format!("suite `{}`", self.name), &self.options, asked)
    }

    /// Tests by number or by name (any case); none means all.
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
    pub fn check_size(&self, size: Size) -> Result<(), String> {
        match size.second {
            None => Ok(()),
            Some(_) => Err(format!("size `{size}`: suite `{}` takes one number, the {}", self.name, self.size_unit)),
        }
    }

    /// The job's part: every count and statement resolved. Tests that a picked one needs are there, unmeasured.
    pub fn resolve(&self, size: Size, settings: &Settings, pick: &TestPick) -> SuiteJob {
        let measured = |test: &Test| pick.0.is_empty() || pick.0.contains(test.number.get_ref());
        let wanted = self.with_needs(&measured);
        let tests: Vec<KvTest> = self
            .tests
            .iter()
            .filter(|test| wanted.contains(test.number.get_ref()))
            .map(|test| self.resolve_test(test, size.first, settings, measured(test)))
            .collect();
        SuiteJob::Kv(KvSuite {
            name: self.name.clone(),
            data_bytes: self.data_bytes(size),
            schema: self.sql.schema.clone(),
            tests,
        })
    }

    /// Bytes of keys and values that the tests write: what the databases hold at most, without any overhead.
    pub fn data_bytes(&self, size: Size) -> u64 {
        let written = |test: &Test| {
            let value = test.work.get_ref().iter().filter_map(|work| match &work.operation {
                Operation::Put { value } => Some(value.len()),
                _ => None,
            });
            let row = value.max().map_or(0, |value| value + test.key.len()) as u64;
            row.saturating_mul(test.operations.get_ref().of(size.first))
        };
        self.tests.iter().map(written).sum()
    }

    /// Operations of each test at a size, by test number: what an estimate of time starts from.
    pub fn operations(&self, size: Size, pick: &TestPick) -> Vec<(u32, u64)> {
        let wanted = self.with_needs(&|test| pick.0.is_empty() || pick.0.contains(test.number.get_ref()));
        self.tests
            .iter()
            .filter(|test| wanted.contains(test.number.get_ref()))
            .map(|test| (*test.number.get_ref(), test.operations.get_ref().of(size.first)))
            .collect()
    }

    fn with_needs(&self, wanted: &dyn Fn(&Test) -> bool) -> BTreeSet<u32> {
        let mut numbers = BTreeSet::new();
        // Needs point to earlier tests only, so one pass from the end meets every need of a need.
        for test in self.tests.iter().rev() {
            if wanted(test) || numbers.contains(test.number.get_ref()) {
                numbers.insert(*test.number.get_ref());
                numbers.extend(test.needs.iter().map(|number| *number.get_ref()));
            }
        }
        numbers
    }

    fn resolve_test(&self, test: &Test, size: u64, settings: &Settings, measured: bool) -> KvTest {
        let chosen = |when: &&When| settings.get(when.option.get_ref()) == Some(when.is.get_ref().as_str());
        let mut work = &test.work;
        let mut transaction = test.transaction;
        for when in test.when.iter().filter(chosen) {
            work = when.work.as_ref().unwrap_or(work);
            transaction = when.transaction.unwrap_or(transaction);
        }
        let base = &self.sql.statements;
        let sql = |change: &Option<String>, base: &String| change.as_ref().unwrap_or(base).clone();
        KvTest {
            number: *test.number.get_ref(),
            name: test.name.clone(),
            measured,
            database: test.database.clone(),
            operations: test.operations.get_ref().of(size),
            records: size,
            keys: test.keys,
            key: test.key.clone(),
            work: work
                .get_ref()
                .iter()
                .map(|work| Work { weight: work.weight, operation: work.operation.clone() })
                .collect(),
            transaction,
            clock_every: *test.clock_every.get_ref(),
            verify_state: test.verify_state,
            sql: KvStatements {
                get: sql(&test.sql.get, &base.get),
                put: sql(&test.sql.put, &base.put),
                delete: sql(&test.sql.delete, &base.delete),
                exists: sql(&test.sql.exists, &base.exists),
                scan: sql(&test.sql.scan, &base.scan),
            },
        }
    }
}

fn check_options(options: &[Spanned<FileOption>], source: &Source) -> Result<Vec<OptionSpec>, CatalogError> {
    options
        .iter()
        .map(|spanned| {
            let option = spanned.get_ref();
            let default = option.kind.canonical(&option.default).map_err(|expected| {
                let message = format!("option `{}`: default `{}`: expected {expected}", option.name, option.default);
                source.wrong(spanned.span(), message)
            })?;
            Ok(OptionSpec {
                name: option.name.clone(),
                kind: option.kind.clone(),
                default,
                help: option.help.clone(),
                fresh: true,
                tuning: Tuning::default(),
            })
        })
        .collect()
}

fn check_tests(tests: &[Test], options: &[OptionSpec], source: &Source) -> Result<(), CatalogError> {
    let mut seen = Vec::new();
    for test in tests {
        let number = *test.number.get_ref();
        if seen.last().is_some_and(|&last| number <= last) || number == 0 {
            let message = format!("number {number}: expected numbers from 1 that rise from test to test");
            return Err(source.wrong(test.number.span(), message));
        }
        for need in &test.needs {
            if !seen.contains(need.get_ref()) {
                let message = format!("needs {}: expected the number of an earlier test", need.get_ref());
                return Err(source.wrong(need.span(), message));
            }
        }
        let operations = test.operations.get_ref();
        if !(operations.share > 0.0 && operations.share <= 1_000.0 && operations.least > 0) {
            let message = "operations: expected a share above 0 and at most 1000, and a least of 1 or more";
            return Err(source.wrong(test.operations.span(), message));
        }
        if *test.clock_every.get_ref() == 0 {
            return Err(source.wrong(test.clock_every.span(), "clock_every: expected 1 or more"));
        }
        if !is_plain_word(&test.database) {
            let message = format!("database `{}`: expected a word of letters, digits, - and _", test.database);
            return Err(source.wrong(test.number.span(), message));
        }
        check_work(&test.work, test.transaction, source)?;
        for when in &test.when {
            check_when(when, test, options, source)?;
        }
        seen.push(number);
    }
    if seen.is_empty() {
        return Err(source.wrong(0..0, "test: expected at least one"));
    }
    Ok(())
}

fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn check_work(work: &Spanned<Vec<FileWork>>, transaction: Transaction, source: &Source) -> Result<(), CatalogError> {
    let wrong = |message: &str| Err(source.wrong(work.span(), format!("work: {message}")));
    let work_list = work.get_ref();
    if work_list.is_empty() || work_list.iter().any(|work| work.weight == 0 || work.weight > 1_000_000) {
        return wrong("expected at least one operation, each with a weight from 1 to 1000000");
    }
    if work_list.len() > 1 && work_list.iter().any(|work| work.operation == Operation::Scan) {
        return wrong("a scan reads every row and cannot be mixed with other operations");
    }
    check_transaction(work_list, transaction).or_else(|message| wrong(&message))
}

/// Whether operations can be done in this kind of transaction.
fn check_transaction(work: &[FileWork], transaction: Transaction) -> Result<(), String> {
    let writes = work.iter().any(|work| work.operation.writes());
    let scans = work.iter().any(|work| work.operation == Operation::Scan);
    match transaction {
        Transaction::Read if writes => Err("a read transaction cannot hold put or delete".to_owned()),
        Transaction::Batch(0) => Err("a transaction of batch = 0 holds nothing: expected 1 or more".to_owned()),
        Transaction::One | Transaction::Batch(_) if scans => Err("a scan runs in a read transaction".to_owned()),
        _ => Ok(()),
    }
}

fn check_when(when: &When, test: &Test, options: &[OptionSpec], source: &Source) -> Result<(), CatalogError> {
    let name = when.option.get_ref();
    let option = options.iter().find(|option| option.name == *name).ok_or_else(|| {
        let names: Vec<String> = options.iter().map(|option| option.name.clone()).collect();
        source.wrong(when.option.span(), format!("option `{name}`: expected {}", one_of(&names)))
    })?;
    let value = when.is.get_ref();
    if option.kind.canonical(value).as_ref() != Ok(value) {
        let message = format!("is `{value}`: expected {}", option.kind.expected());
        return Err(source.wrong(when.is.span(), message));
    }
    match &when.work {
        Some(work) => check_work(work, when.transaction.unwrap_or(test.transaction), source),
        None => check_transaction(test.work.get_ref(), when.transaction.unwrap_or(test.transaction))
            .map_err(|message| source.wrong(when.is.span(), message)),
    }
}
