//! The key-value part of a suite file.

mod check;
mod file;
mod keys;
mod paced;

pub(super) use self::file::{FileKvTest, FileSql};
pub use self::paced::{GAPS, MOST_RATE, MOST_SECONDS, OFFERED_RATE, Pace, SECONDS, WARM_UP};

pub use self::check::MOST_SPEED;
pub(crate) use self::{check::MOST_THREADS, keys::FileKeys};

use self::file::{FileActor, FileNumber, FileWork, Operations, SchemaWhen};
use super::{TestInfo, file::SuiteFile};
use crate::{CatalogError, located::CatalogText};
use dbdyno_engine::{
    describe::OptionSpec,
    settings::Settings,
    size::Size,
    suite::{
        Arrival, KvActor, KvActors, KvAlone, KvCompaction, KvLoad, KvStatements, KvSuite, KvTest, KvWork, Operation,
        Template, TransactionScope, Work,
    },
};
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// The checked tests with their statements.
#[derive(Debug, Clone)]
pub(super) struct KvBody {
    schema: Vec<String>,
    other_schemas: Vec<SchemaWhen>,
    statements: KvStatements,
    tests: Vec<TestBody>,
    /// The bytes of keys and values of a recording.
    recorded_bytes: u64,
}

/// A checked test.
#[derive(Debug, Clone)]
struct TestBody {
    file: FileKvTest,
    load: LoadBody,
}

#[derive(Debug, Clone)]
enum LoadBody {
    Alone(AloneBody),
    /// As the file has them.
    Actors,
    Compaction,
}

/// The fields of a test of one thread.
#[derive(Debug, Clone)]
struct AloneBody {
    operations: Operations,
    keys: FileKeys,
    work: Vec<FileWork>,
    transaction: TransactionScope,
}

impl KvBody {
    /// Checks the key-value part of a file.
    pub(super) fn check(
        file: &SuiteFile<FileKvTest>,
        options: &[OptionSpec],
        source: &CatalogText,
    ) -> Result<Self, CatalogError> {
        let Some(sql) = file.sql.as_ref().map(Spanned::get_ref) else {
            return Err(source.wrong(0..0, "missing field `sql`: the statements of engines that speak SQL"));
        };
        let mut tables = file.tables.iter().map(Spanned::span).chain(file.indexes.iter().map(Spanned::span));
        if let Some(span) = tables.next() {
            return Err(source.wrong(span, "a suite of kind kv has no table or index"));
        }
        let is_recorded = file.tests.iter().flat_map(|test| &test.actors).any(|actor| actor.get_ref().is_recorded());
        let recorded_bytes = match &file.size.bytes {
            None => 0,
            Some(bytes) => bytes.get_ref().count().filter(|_| is_recorded).ok_or_else(|| {
                source
                    .wrong(bytes.span(), "bytes of a suite of kind kv: expected a number, and only with recorded keys")
            })?,
        };
        for when in &sql.when {
            check::check_condition(options, (&when.option, &when.is), source)?;
        }
        Ok(Self {
            schema: sql.schema.clone(),
            other_schemas: sql.when.clone(),
            statements: KvStatements {
                get: sql.get.clone(),
                put: sql.put.clone(),
                delete: sql.delete.clone(),
                exists: sql.exists.clone(),
                scan: sql.scan.clone(),
                range: sql.range.clone(),
            },
            tests: check::check_tests(&file.tests, options, source)?,
            recorded_bytes,
        })
    }

    pub(super) fn tests(&self) -> Vec<TestInfo> {
        self.tests.iter().map(|test| TestInfo::new(&test.file.number, &test.file.name, &test.file.needs)).collect()
    }

    /// Returns the job's part. `measured`: `None` if a test of this number is left out, otherwise whether it is measured.
    pub(super) fn resolve(
        &self,
        name: &str,
        size: Size,
        settings: &Settings,
        measured: &dyn Fn(u32) -> Option<bool>,
    ) -> KvSuite {
        let resolve = |test: &TestBody| {
            let measured = measured(test.number())?;
            Some(self.resolve_test(test, size.first, settings, measured))
        };
        KvSuite {
            name: name.to_owned(),
            data_bytes: self.data_bytes(size),
            schema: self.schema(settings).to_vec(),
            recording: None,
            tests: self.tests.iter().filter_map(resolve).collect(),
        }
    }

    /// Returns the statements that create the table. If several conditions hold, the last one decides.
    fn schema(&self, settings: &Settings) -> &[String] {
        let holds = |when: &&SchemaWhen| settings.get(when.option.get_ref()) == Some(when.is.get_ref().as_str());
        self.other_schemas.iter().rev().find(holds).map_or(&self.schema, |when| &when.schema)
    }

    /// Returns the bytes of keys and values in the largest database that these tests fill: the writes of tests that use every record
    /// once.
    pub(super) fn payload_bytes(&self, size: Size, tests: &BTreeSet<u32>) -> u64 {
        let mut databases: BTreeMap<&str, u64> = BTreeMap::new();
        for test in self.tests.iter().filter(|test| tests.contains(&test.number())) {
            if matches!(&test.load, LoadBody::Alone(alone) if alone.keys.is_each_once()) {
                *databases.entry(&test.file.database).or_default() += test.written_bytes(size, Template::mean_len);
            }
        }
        databases.into_values().max().unwrap_or(0).max(self.recorded_bytes)
    }

    pub(super) fn data_bytes(&self, size: Size) -> u64 {
        self.tests
            .iter()
            .map(|test| test.written_bytes(size, Template::len))
            .fold(self.recorded_bytes, u64::saturating_add)
    }

    pub(super) fn operations(&self, size: Size) -> Vec<(u32, u64)> {
        let at_size = |operations: &Operations| operations.at_size(size.first);
        let operations = |test: &TestBody| match &test.load {
            LoadBody::Compaction => 1,
            LoadBody::Alone(alone) => at_size(&alone.operations),
            LoadBody::Actors => {
                test.actors().filter_map(|actor| actor.operations.as_ref()).map(|it| at_size(it.get_ref())).sum()
            }
        };
        self.tests.iter().map(|test| (test.number(), operations(test))).collect()
    }

    /// Whether any of these tests needs an engine that several threads can use. One thread of recorded operations does not.
    pub(super) fn needs_threads(&self, tests: &BTreeSet<u32>) -> bool {
        let is_one = |actor: &FileActor| actor.is_recorded() && actor.threads == FileNumber::Number(1);
        let needs = |test: &&TestBody| !matches!(test.actors().collect::<Vec<_>>()[..], [only] if is_one(only));
        let of_actors = self.tests.iter().filter(|test| matches!(test.load, LoadBody::Actors));
        of_actors.filter(|test| tests.contains(&test.number())).any(|test| needs(&test))
    }

    /// Whether any of these tests has actors.
    pub(super) fn has_actors(&self, tests: &BTreeSet<u32>) -> bool {
        self.tests.iter().any(|test| matches!(test.load, LoadBody::Actors) && tests.contains(&test.number()))
    }

    fn resolve_test(&self, test: &TestBody, size: u64, settings: &Settings, measured: bool) -> KvTest {
        let TestBody { file, load } = test;
        let base = &self.statements;
        let sql = |change: &Option<String>, base: &String| change.as_ref().unwrap_or(base).clone();
        KvTest {
            number: test.number(),
            name: file.name.clone(),
            measured,
            database: file.database.clone(),
            records: size,
            key: file.key.clone(),
            load: match load {
                LoadBody::Alone(alone) => KvLoad::Alone(resolve_alone(file, alone, size, settings)),
                LoadBody::Actors => KvLoad::Actors(resolve_actors(test, size, settings)),
                LoadBody::Compaction => KvLoad::Compaction(KvCompaction { compact: true }),
            },
            verify_state: file.verify_state,
            sql: KvStatements {
                get: sql(&file.sql.get, &base.get),
                put: sql(&file.sql.put, &base.put),
                delete: sql(&file.sql.delete, &base.delete),
                exists: sql(&file.sql.exists, &base.exists),
                scan: sql(&file.sql.scan, &base.scan),
                range: sql(&file.sql.range, &base.range),
            },
        }
    }
}

impl TestBody {
    /// Returns the bytes of keys and values that it writes, if each has this length.
    fn written_bytes(&self, size: Size, length: fn(&Template) -> usize) -> u64 {
        let LoadBody::Alone(alone) = &self.load else { return 0 };
        let value = alone.work.iter().filter_map(|work| match &work.operation {
            Operation::Put { value } | Operation::Insert { value } => Some(length(value)),
            _ => None,
        });
        let row = value.max().map_or(0, |value| value + length(&self.file.key)) as u64;
        row.saturating_mul(alone.operations.at_size(size.first))
    }

    fn number(&self) -> u32 {
        *self.file.number.get_ref()
    }

    fn actors(&self) -> impl Iterator<Item = &FileActor> {
        self.file.actors.iter().map(Spanned::get_ref)
    }
}

fn resolve_alone(file: &FileKvTest, alone: &AloneBody, size: u64, settings: &Settings) -> KvAlone {
    let mut work = alone.work.as_slice();
    let mut transaction = alone.transaction;
    for when in &file.when {
        if settings.get(when.option.get_ref()) == Some(when.is.get_ref().as_str()) {
            work = when.work.as_ref().map_or(work, |work| work.get_ref());
            transaction = when.transaction.unwrap_or(transaction);
        }
    }
    KvAlone {
        operations: alone.operations.at_size(size),
        work: KvWork { keys: alone.keys.at_size(size), work: resolve_work(work), transaction },
        clock_every: file.clock_every.as_ref().map_or(1, |every| *every.get_ref()),
    }
}

fn resolve_actors(test: &TestBody, size: u64, settings: &Settings) -> KvActors {
    let ms = |seconds: &Option<Spanned<FileNumber>>| {
        seconds.as_ref().and_then(|seconds| resolve_number(seconds.get_ref(), settings)).map(|seconds| seconds * 1_000)
    };
    let time_ms = ms(&test.file.seconds);
    let actor = |actor: &FileActor| KvActor {
        name: actor.name.clone(),
        threads: resolve_number(&actor.threads, settings).unwrap_or(0) as u32,
        work: KvWork {
            keys: actor.keys.at_size(size),
            work: resolve_work(actor.work.get_ref()),
            transaction: actor.transaction,
        },
        arrival: actor
            .rate
            .as_ref()
            .and_then(|rate| resolve_number(rate, settings))
            .map(|rate| Arrival { rate, gaps: actor.gaps }),
        speed: actor.speed.as_ref().and_then(|speed| resolve_number(speed, settings)).filter(|speed| *speed > 0),
        operations: actor.operations.as_ref().map(|operations| operations.get_ref().at_size(size)),
        during: time_ms.and_then(|time_ms| actor.during(time_ms)),
    };
    KvActors {
        actors: test.actors().map(actor).collect(),
        time_ms,
        warm_up_ms: ms(&test.file.warm_up_seconds).unwrap_or(0),
        followed: test.file.followed,
    }
}

/// Returns `None` if the option has a word instead of a number.
fn resolve_number(number: &FileNumber, settings: &Settings) -> Option<u64> {
    match number {
        FileNumber::Number(number) => Some(*number),
        FileNumber::Option(name) => settings.get(name)?.parse().ok(),
    }
}

fn resolve_work(all: &[FileWork]) -> Vec<Work> {
    let work =
        |work: &FileWork| Work { weight: work.weight, name: work.name.clone(), operation: work.operation.clone() };
    all.iter().map(work).collect()
}
