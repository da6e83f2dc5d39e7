//! Result files from other sources.

use super::{Verdict, harness::Target, holds, told};
use crate::{stored::filled, support::asked};
use dbdyno::{
    base::csv::Cells,
    catalog::{Catalog, UserFolders},
    report::{format::Format, results},
    store::{Selection, Store},
};
use std::{fs, path::Path};

/// The results of a store as files of these formats.
fn listings(folder: &Path, formats: &[Format]) -> Vec<Vec<u8>> {
    let store = filled(folder);
    let catalog = Catalog::new(UserFolders { root: folder.to_owned() });
    let written = |format: &Format| {
        let file = folder.join("listing");
        let shape = (*format, Cells::Escaped);
        results::write(&store, &Selection::default(), shape, "dbdyno export", &catalog, &file).unwrap();
        fs::read(file).unwrap()
    };
    formats.iter().map(written).collect()
}

/// The facts of a LumoSQL run, and of its two tests.
const FACTS: [(&str, &str); 12] = [
    ("backend", "lmdb-0.9.29"),
    ("cpu-comment", "AMD EPYC"),
    ("cpu-type", "x86_64"),
    ("end-run", "1650000009"),
    ("option-datasize", "2"),
    ("option-rowsum", "off"),
    ("os-type", "Linux"),
    ("sqlite-version", "3.36.0"),
    ("target", "3.36.0+lmdb-0.9.29"),
    ("tests-ok", "2"),
    ("title", "it's a, title"),
    ("when-run", "1650000000.25"),
];
const TEST_FACTS: [(&str, &str); 6] = [
    ("output-size", "1234"),
    ("real-time", "0.25"),
    ("status", "OK"),
    ("system-cpu-time", "0.001"),
    ("test-name", "2000 INSERTs"),
    ("user-cpu-time", "0.002"),
];

/// A text export of two runs.
fn lumosql_text() -> Vec<u8> {
    let lines =
        |facts: &[(&str, &str)]| -> String { facts.iter().map(|(key, value)| format!("{key} {value}\n")).collect() };
    let run = |digits: &str| {
        let tests: String = (1..3).map(|test| format!("--{test}\n{}", lines(&TEST_FACTS))).collect();
        format!("{} 2\n{}{tests}\n", digits.repeat(32), lines(&FACTS))
    };
    format!("# LumoSQL benchmark data version 0.0\n{}{}", run("A1"), run("B2")).into_bytes()
}

/// The same runs as the database from which the text was exported.
fn lumosql_database(folder: &Path) -> Vec<u8> {
    let path = folder.join("benchmarks.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let tables = "PRAGMA page_size = 512;
                  CREATE TABLE run_data (run_id VARCHAR(128), key VARCHAR(256), value TEXT);
                  CREATE TABLE test_data (run_id VARCHAR(128), test_number INTEGER, key VARCHAR(256), value TEXT);";
    connection.execute_batch(tables).unwrap();
    for run in ["A1", "B2"].map(|digits| digits.repeat(32)) {
        for (key, value) in FACTS {
            connection.execute("INSERT INTO run_data VALUES (?, ?, ?)", [&run, key, value]).unwrap();
        }
        for (test, (key, value)) in ["1", "2"].iter().flat_map(|test| TEST_FACTS.map(|fact| (*test, fact))) {
            connection.execute("INSERT INTO test_data VALUES (?, ?, ?, ?)", [&run, test, key, value]).unwrap();
        }
    }
    connection.close().unwrap();
    fs::read(path).unwrap()
}

/// The numbers of rows in a store.
fn rows(store: &Store) -> Result<Vec<Vec<Option<String>>>, String> {
    let counts = "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM run), (SELECT count(*) FROM result)";
    asked(store, counts).map_err(|error| error.to_string())
}

/// Checks an import: a file is imported completely, and again without any change, or it is refused with an error that names it.
fn import(store: &Store, file: &Path, input: &[u8]) -> Verdict {
    fs::write(file, input).unwrap();
    let before = rows(store)?;
    match store.import(file) {
        Err(error) => {
            told(&error, &file.display().to_string(), input)?;
            let after = rows(store)?;
            holds(before == after, || format!("{before:?} became {after:?} though it was refused: {error}"))
        }
        Ok(_) => {
            let taken = rows(store)?;
            store.import(file).map_err(|error| format!("not a second time: {error}"))?;
            let again = rows(store)?;
            holds(taken == again, || format!("{taken:?} became {again:?} at the second time"))?;
            store.count(&Selection::default()).map(drop).map_err(|error| error.to_string())
        }
    }
}

/// Fuzzes imports of samples that are generated in a folder.
fn fuzz(target: &Target, samples: impl FnOnce(&Path) -> Vec<Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path());
    let store = Store::new(folder.path().join("store.duckdb"));
    store.prepare().unwrap();
    target.fuzz(&samples, |input| import(&store, &folder.path().join("mine"), input));
}

#[test]
fn import_listings() {
    fuzz(&Target::new("import-listings", 12), |folder| listings(folder, &[Format::Csv, Format::Json]));
}

#[test]
fn import_parquet() {
    fuzz(&Target::new("import-parquet", 12), |folder| listings(folder, &[Format::Parquet]));
}

#[test]
fn import_lumosql() {
    fuzz(&Target::new("import-lumosql", 20), |folder| vec![lumosql_text(), lumosql_database(folder)]);
}
