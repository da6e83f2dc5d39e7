//! The key-value part of a suite file.

use super::{SuiteFile, TestInfo, check_numbers, is_plain_word};
use crate::catalog::{CatalogError, located::CatalogText};
use dbdyno_engine::{
    describe::{OptionSpec, one_of},
    settings::Settings,
    size::Size,
    suite::{KeyOrder, KvStatements, KvSuite, KvTest, Operation, Template, TransactionScope, Work},
};
use serde::Deserialize;
use toml::Spanned;

/// The checked tests with their statements.
#[derive(Debug, Clone)]
pub(super) struct KvBody {
    schema: Vec<String>,
    statements: KvStatements,
    tests: Vec<FileKvTest>,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileSql {
    schema: Vec<String>,
    get: String,
    put: String,
    delete: String,
    exists: String,
    scan: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileKvTest {
    number: Spanned<u32>,
    name: String,
    #[serde(default)]
    needs: Vec<Spanned<u32>>,
    database: String,
    operations: Spanned<Operations>,
    keys: KeyOrder,
    key: Template,
    work: Spanned<Vec<FileWork>>,
    transaction: TransactionScope,
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
    fn at_size(self, size: u64) -> u64 {
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
    transaction: Option<TransactionScope>,
}

impl KvBody {
    /// The checked key-value part of a file.
    pub(super) fn check(
        file: &SuiteFile<FileKvTest>,
        options: &[OptionSpec],
        source: &CatalogText,
    ) -> Result<Self, CatalogError> {
        let Some(sql) = file.sql.as_ref().map(Spanned::get_ref) else {
            return Err(source.wrong(0..0, "missing field `sql`: the statements of engines that speak SQL"));
        };
        let tables = file.tables.iter().map(Spanned::span).chain(file.indexes.iter().map(Spanned::span));
        if let Some(span) = tables.chain(file.size.bytes.iter().map(Spanned::span)).next() {
            return Err(source.wrong(span, "a suite of kind kv has no table, index or bytes"));
        }
        check_tests(&file.tests, options, source)?;
        Ok(Self {
            schema: sql.schema.clone(),
            statements: KvStatements {
                get: sql.get.clone(),
                put: sql.put.clone(),
                delete: sql.delete.clone(),
                exists: sql.exists.clone(),
                scan: sql.scan.clone(),
            },
            tests: file.tests.clone(),
        })
    }

    pub(super) fn tests(&self) -> Vec<TestInfo> {
        self.tests.iter().map(|test| TestInfo::new(&test.number, &test.name, &test.needs)).collect()
    }

    /// The job's part. `measured`: whether a test of this number is there, and then whether it is measured.
    pub(super) fn resolve(
        &self,
        name: &str,
        size: Size,
        settings: &Settings,
        measured: &dyn Fn(u32) -> Option<bool>,
    ) -> KvSuite {
        let resolve = |test: &FileKvTest| {
            let measured = measured(*test.number.get_ref())?;
            Some(self.resolve_test(test, size.first, settings, measured))
        };
        KvSuite {
            name: name.to_owned(),
            data_bytes: self.data_bytes(size),
            schema: self.schema.clone(),
            tests: self.tests.iter().filter_map(resolve).collect(),
        }
    }

    pub(super) fn data_bytes(&self, size: Size) -> u64 {
        let written = |test: &FileKvTest| {
            let value = test.work.get_ref().iter().filter_map(|work| match &work.operation {
                Operation::Put { value } => Some(value.len()),
                _ => None,
            });
            let row = value.max().map_or(0, |value| value + test.key.len()) as u64;
            row.saturating_mul(test.operations.get_ref().at_size(size.first))
        };
        self.tests.iter().map(written).sum()
    }

    pub(super) fn operations(&self, size: Size) -> Vec<(u32, u64)> {
        self.tests.iter().map(|test| (*test.number.get_ref(), test.operations.get_ref().at_size(size.first))).collect()
    }

    fn resolve_test(&self, test: &FileKvTest, size: u64, settings: &Settings, measured: bool) -> KvTest {
        let chosen = |when: &&When| settings.get(when.option.get_ref()) == Some(when.is.get_ref().as_str());
        let mut work = &test.work;
        let mut transaction = test.transaction;
        for when in test.when.iter().filter(chosen) {
            work = when.work.as_ref().unwrap_or(work);
            transaction = when.transaction.unwrap_or(transaction);
        }
        let base = &self.statements;
        let sql = |change: &Option<String>, base: &String| change.as_ref().unwrap_or(base).clone();
        KvTest {
            number: *test.number.get_ref(),
            name: test.name.clone(),
            measured,
            database: test.database.clone(),
            operations: test.operations.get_ref().at_size(size),
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

fn check_tests(tests: &[FileKvTest], options: &[OptionSpec], source: &CatalogText) -> Result<(), CatalogError> {
    check_numbers(tests.iter().map(|test| (&test.number, test.needs.as_slice())), source)?;
    for test in tests {
        let operations = test.operations.get_ref();
        if !(operations.share > 0.0 && operations.share <= 1_000.0 && operations.least > 0) {
            let message = "operations: expected a share above 0 and at most 1000, and `least` of 1 or more";
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
    }
    Ok(())
}

fn check_work(
    work: &Spanned<Vec<FileWork>>,
    transaction: TransactionScope,
    source: &CatalogText,
) -> Result<(), CatalogError> {
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
fn check_transaction(work: &[FileWork], transaction: TransactionScope) -> Result<(), String> {
    let writes = work.iter().any(|work| work.operation.writes());
    let scans = work.iter().any(|work| work.operation == Operation::Scan);
    match transaction {
        TransactionScope::Read if writes => Err("a read transaction cannot hold put or delete".to_owned()),
        TransactionScope::Batch(0) => Err("a transaction of batch = 0 holds nothing: expected 1 or more".to_owned()),
        TransactionScope::One | TransactionScope::Batch(_) if scans => {
            Err("a scan runs in a read transaction".to_owned())
        }
        _ => Ok(()),
    }
}

fn check_when(
    when: &When,
    test: &FileKvTest,
    options: &[OptionSpec],
    source: &CatalogText,
) -> Result<(), CatalogError> {
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
