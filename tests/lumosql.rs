//! The suite lumosql: the published answers, the same answers from every engine, and the same as a model in another language.

use crate::support::{Place, engine_program, system_sqlite};
use dbdyno::catalog::{Catalog, TestPick, UserFolders};
use dbdyno_engine::{
    EngineError,
    describe::Description,
    engine::Open,
    protocol::SuiteJob,
    settings::Settings,
    sql::{SqlEngine, SqlRow, SqlValueRef},
    suite::{SqlLoad, SqlSuite, Step, TableSpec},
};
use dbdyno_tables::Layered;
use dbdyno_workload::{
    rng::SplitMix64,
    sql::{self, Sink, perform},
};
use serde::Deserialize;
use std::{collections::BTreeMap, fs};

/// Engines and options that must give the same answers to all tests, at every size. None of them waits for the disk.
const AT_EVERY_SIZE: &[&str] =
    &["sqlite:synchronous=off,journal_mode=memory", "lmdb:sync=nosync,layer=sql", "lmdb:sync=nosync,layer=direct"];
/// The others, which run at the smallest size.
const AT_SIZE_1: &[&str] = &["redb:durability=none,layer=sql", "fjall:persist=none,layer=direct,rowsum=crc32c"];
/// Those that differ from one of the above in how they store a row. They run without the tests that read all rows a hundred times.
const OTHER_STORAGE: &[&str] = &["redb:durability=none,layer=direct", "fjall:persist=none,layer=sql"];
/// Options of an engine that is a separate program.
const LMDB1: [&str; 3] = ["layer=sql,encrypt=aes256gcm", "layer=direct,checksum=on", "layer=sql,rowsum=xxh3"];
/// The tests without selections that read all rows.
const WITHOUT_FULL_READS: &str = "1,2,3,4,7,8,9,10,11,12,13,14,15,16,17,18";

/// One run of the model in tests/tables/lumosql/make.py.
#[derive(Deserialize)]
struct Model {
    size: String,
    session_seed: u64,
    /// Rows and verification value by test.
    answers: BTreeMap<u32, (u64, String)>,
}

fn models() -> Vec<Model> {
    let models: Vec<Model> = serde_json::from_str(include_str!("tables/lumosql/answers.json")).unwrap();
    assert!(models.len() > 2 && models.iter().all(|model| model.answers.len() == 18));
    models
}

/// Runs tests of configurations, and asserts that their answers are those of the model.
#[track_caller]
fn answers_as(model: &Model, configurations: &[String], tests: &[&str]) {
    let place = Place::new();
    let engines: Vec<&str> = configurations.iter().flat_map(|one| ["--engine", one]).collect();
    let seed = model.session_seed.to_string();
    let rest = ["--size", &model.size, "--seed", &seed, "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "lumosql"][..], &engines, &rest, tests].concat());
    let found = place.rows("SELECT run_id, engine, test, rows, verification, status FROM results ORDER BY ALL");
    let each = tests.get(1).map_or(18, |tests| tests.split(',').count());
    assert_eq!(found.len(), each * configurations.len(), "each test of each configuration");
    for row in found {
        let (rows, verification) = &model.answers[&row[2].parse().unwrap()];
        let expected = [&row[1], &row[2], &rows.to_string(), verification, "ok"];
        assert_eq!(row[1..].iter().collect::<Vec<_>>(), expected, "{} size {}", row[0], model.size);
    }
}

fn owned(configurations: &[&str]) -> Vec<String> {
    configurations.iter().map(|one| (*one).to_owned()).collect()
}

#[test]
fn every_engine_answers_as_the_model_in_python_does() {
    for model in models() {
        let more = if model.size == "1" { AT_SIZE_1 } else { &[] };
        answers_as(&model, &owned(&[AT_EVERY_SIZE, more].concat()), &[]);
    }
}

#[test]
fn rows_that_are_stored_otherwise_give_the_same_answers() {
    let library = system_sqlite().map(|path| format!("sqlite-lib:library={},synchronous=off", path.display()));
    let lmdb1 = engine_program("lmdb1").map(|_| LMDB1.map(|options| format!("lmdb1:sync=nosync,{options}")));
    let others = owned(OTHER_STORAGE).into_iter().chain(library).chain(lmdb1.into_iter().flatten());
    answers_as(&models()[0], &others.collect::<Vec<_>>(), &["--test", WITHOUT_FULL_READS]);
}

/// A single row takes DuckDB a millisecond, so this runs one size, without the tests that take a minute each.
#[test]
fn duckdb_answers_as_the_model_in_python_does() {
    let place = Place::new();
    let sweep = "duckdb:fsync_mode=none,insert=statement|appender";
    let run = ["run", "--suite", "lumosql", "--engine", sweep, "--seed", "42", "--repeat", "1"];
    place.ok(&[&run[..], &["--test", "1,2,3,5,6,7,8,9,18", "--quiet"]].concat());
    assert_eq!(place.value("SELECT count(DISTINCT label) FROM results"), "2");
    let found = place.rows("SELECT DISTINCT test, rows, verification FROM results ORDER BY test");
    let answers = &models()[0].answers;
    let expected: Vec<[String; 3]> = [1, 2, 3, 5, 6, 7, 8, 9, 18]
        .iter()
        .map(|test| [test.to_string(), answers[test].0.to_string(), answers[test].1.clone()])
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn no_option_of_sqlite_changes_an_answer() {
    let place = Place::new();
    let sweep = "sqlite:synchronous=off,statements=prepared|text,reopen=on|off,transaction=immediate";
    place.ok(&["run", "--suite", "lumosql", "--engine", sweep, "--seed", "42", "--repeat", "1", "--quiet"]);
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results"), "4");
    let found = place.rows("SELECT DISTINCT test, verification FROM results ORDER BY test");
    let expected: Vec<[String; 2]> =
        models()[0].answers.iter().map(|(test, (_, verification))| [test.to_string(), verification.clone()]).collect();
    assert_eq!(found, expected);
}

#[test]
fn no_row_checksum_changes_an_answer() {
    let place = Place::new();
    let sweep = "lmdb:sync=nosync,layer=sql|direct,rowsum=off|crc32c|xxh3|blake3|sha3-256";
    let rest = ["--seed", "42", "--repeat", "1", "--quiet", "--test", "8,9,11"];
    place.ok(&[&["run", "--suite", "lumosql", "--engine", sweep][..], &rest].concat());
    let found = place.rows("SELECT test, verification, count(*) FROM results GROUP BY ALL ORDER BY test");
    let answers = &models()[0].answers;
    let expected = [8, 9, 11].map(|test| [test.to_string(), answers[&test].1.clone(), "10".to_owned()]);
    assert_eq!(found, expected);
}

#[test]
fn tests_that_a_picked_one_needs_run_unmeasured_and_change_nothing() {
    let place = Place::new();
    let engine = "sqlite:synchronous=off";
    let run = ["run", "--suite", "lumosql", "--engine", engine, "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&run[..], &["--test", "10,delete with an index"]].concat());
    let found = place.rows("SELECT test, verification FROM results ORDER BY test");
    let answers = &models()[0].answers;
    assert_eq!(found, [["10", answers[&10].1.as_str()], ["14", answers[&14].1.as_str()]]);
}

/// A value of an answer, in its published form.
#[derive(Debug, Clone, PartialEq)]
enum Answer {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

/// Keeps every row of every answer.
#[derive(Default)]
struct Rows(Vec<Vec<Answer>>);

impl Sink<'_> for Rows {
    fn operation(&mut self) {}

    fn row<R: SqlRow>(&mut self, row: &R) {
        let value = |column| match row.value(column) {
            SqlValueRef::Null => Answer::Null,
            SqlValueRef::Integer(number) => Answer::Integer(number),
            SqlValueRef::Real(number) => Answer::Real(number),
            SqlValueRef::Text(bytes) => Answer::Text(String::from_utf8(bytes.to_vec()).unwrap()),
            SqlValueRef::Blob(bytes) => panic!("the suite stores no blob: {bytes:?}"),
        };
        self.0.push((0..row.columns()).map(value).collect());
    }

    fn rows(&mut self, _: u64) {}

    fn answer(&mut self, _: sql::ObjectAnswer<'_>) -> Result<(), EngineError> {
        panic!("the suite makes no objects")
    }
}

impl Rows {
    fn integers(&self, column: usize) -> Vec<i64> {
        let integer = |row: &Vec<Answer>| match row[column] {
            Answer::Integer(number) => number,
            ref other => panic!("expected a whole number, found {other:?}"),
        };
        self.0.iter().map(integer).collect()
    }

    /// Counts and averages of the first rows, with the averages truncated to the published number of decimals.
    fn first(&self, rows: usize, decimals: i32) -> Vec<(i64, f64)> {
        let scale = 10_f64.powi(decimals);
        let pair = |row: &Vec<Answer>| match row[..] {
            [Answer::Integer(count), Answer::Real(average)] => (count, (average * scale).trunc() / scale),
            _ => panic!("expected a count and an average, found {row:?}"),
        };
        self.0[..rows].iter().map(pair).collect()
    }
}

fn suite(size: &str) -> SqlSuite {
    let catalog = Catalog::new(UserFolders { root: "does-not-exist".into() });
    match catalog.suite("lumosql").unwrap().resolve(size.parse().unwrap(), &Settings::default(), &TestPick::default()) {
        SuiteJob::Sql(suite) => suite,
        SuiteJob::Kv(_) => panic!("lumosql is a suite of kind sql"),
    }
}

/// Runs the suite. Returns the answers of each test, and the rows of `t1` and `t2` after it if the test verifies them.
fn answers<E: SqlEngine>(
    description: &Description,
    options: &[(&str, &str)],
    size: &str,
) -> BTreeMap<u32, (Rows, BTreeMap<String, Rows>)> {
    let place = Place::new();
    let folder = place.path("database");
    fs::create_dir(&folder).unwrap();
    let asked = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = Settings::resolve(description, &asked).unwrap();
    let suite = suite(size);
    let open = Open { folder: &folder, settings: &settings, schema: &[], data_bytes: suite.data_bytes };
    let mut engine = E::open(open, &suite.tables, &suite.indexes).unwrap();
    let reads: BTreeMap<&str, [Step; 1]> =
        suite.tables.iter().map(|table: &TableSpec| (table.name.as_str(), [Step::Read(table.read_all())])).collect();
    let mut answers = BTreeMap::new();
    for test in &suite.tests {
        let mut rng = SplitMix64::stream(1, u64::from(test.number));
        let (mut rows, mut tables) = (Rows::default(), BTreeMap::new());
        let mut session = engine.session().unwrap();
        let SqlLoad::Alone { steps } = &test.load else { panic!("the suite has no actors") };
        perform(&mut session, &suite, steps, &mut rng, &mut rows).unwrap();
        for table in &test.verify {
            let mut content = Rows::default();
            perform(&mut session, &suite, &reads[table.as_str()], &mut rng, &mut content).unwrap();
            tables.insert(table.clone(), content);
        }
        drop(session);
        answers.insert(test.number, (rows, tables));
    }
    engine.check().unwrap();
    engine.close().unwrap();
    answers
}

/// Asserts the published answers at size 1, and those that were published for size 2.
fn gives_the_published_answers<E: SqlEngine>(description: &Description, options: &[(&str, &str)]) {
    let found = answers::<E>(description, options, "1");
    let rows = |test: u32, table: &str| found[&test].1[table].0.len();
    let of = |test: u32| &found[&test].0;
    assert_eq!(of(3).0.len(), 1, "LIMIT 1");
    assert_eq!(of(5).first(4, 3), [(41, 486.365), (40, 598.5), (40, 698.5), (40, 798.5)]);
    assert_eq!((of(5).0.len(), of(5).integers(0).iter().sum::<i64>()), (100, 4013));
    let strings = [(15859, 238012.06), (8538, 251259.42), (8506, 300266.44), (8773, 343643.69), (4602, 252464.62)];
    assert_eq!(of(6).first(5, 2), strings);
    assert_eq!(of(8).first(3, 1), [(5, 39.0), (4, 148.5), (4, 248.5)]);
    assert_eq!((of(8).0.len(), of(8).integers(0).iter().sum::<i64>()), (5000, 25000));
    let t2 = &found[&4].1["t2"];
    let mut b = t2.integers(1);
    assert_eq!((b[..4].to_vec(), b[24_999]), (vec![1, 14_286, 28_571, 42_856], 110_716));
    assert_eq!(b.iter().sum::<i64>(), 6_274_962_500);
    b.sort_unstable();
    b.dedup();
    assert_eq!((b.len(), b[0], b[24_999]), (25_000, 1, 499_986), "all distinct");
    let fifty = t2.0.iter().filter(|row| matches!(&row[2], Answer::Text(text) if text.contains("fifty"))).count();
    assert_eq!(fifty, 4_944);
    assert_eq!((rows(2, "t1"), rows(3, "t1"), rows(4, "t2")), (1_000, 1_000, 25_000));
    assert_eq!((rows(12, "t1"), rows(12, "t2")), (26_000, 51_000));
    assert_eq!(rows(15, "t2"), rows(14, "t2") + 26_000);
    assert_eq!(rows(16, "t1"), 3_000);

    let found = answers::<E>(description, options, "2");
    let of = |test: u32| &found[&test].0;
    assert_eq!(found[&4].1["t2"].integers(1).iter().sum::<i64>(), 12_533_425_000);
    assert_eq!(of(5).first(1, 6), [(81, 497.296_296)]);
    assert_eq!(of(8).first(1, 4), [(9, 47.666_6)]);
    assert_eq!(of(5).integers(0).iter().sum::<i64>(), 18_861);
    assert_eq!((found[&12].1["t1"].0.len(), found[&12].1["t2"].0.len()), (52_000, 102_000));
}

#[test]
fn sqlite_gives_the_published_answers() {
    gives_the_published_answers::<dbdyno_sqlite::Sqlite>(&dbdyno_sqlite::describe(), &[("synchronous", "off")]);
}

#[test]
fn lmdb_gives_the_published_answers_in_both_layers() {
    for layer in ["sql", "direct"] {
        let options = [("sync", "nosync"), ("layer", layer)];
        gives_the_published_answers::<Layered<dbdyno_lmdb::LmdbStore>>(&dbdyno_lmdb::describe(), &options);
    }
}
