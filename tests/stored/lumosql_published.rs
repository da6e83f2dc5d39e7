//! A results database of the size and shape of LumoSQL's published one: 900 runs, ten sizes, three backends and their options. One command
//! produces the published table.

use crate::support::Place;
use std::{fmt::Write as _, path::Path};

const SIZES: [&str; 10] = ["2", "3", "4", "5", "6", "8", "10", "15", "20", "30"];

/// The time of lmdbv1 relative to SQLite's own B-tree by test, as published: median, smallest and largest over the sizes.
const PUBLISHED: [[f64; 3]; 18] = [
    [2.06, 0.71, 3.20],
    [0.32, 0.23, 0.72],
    [1.57, 0.93, 1.72],
    [0.91, 0.66, 1.14],
    [0.28, 0.14, 0.30],
    [0.43, 0.26, 0.57],
    [1.23, 0.80, 2.05],
    [0.08, 0.06, 0.15],
    [1.67, 1.24, 1.72],
    [0.34, 0.19, 0.42],
    [0.90, 0.71, 1.16],
    [0.16, 0.06, 0.68],
    [0.20, 0.08, 0.27],
    [0.43, 0.22, 1.03],
    [0.13, 0.05, 0.81],
    [0.39, 0.21, 0.57],
    [0.17, 0.09, 0.37],
    [0.42, 0.31, 0.79],
];

/// The names of LumoSQL's tests in the suite, at size 1.
const NAMES: [&str; 18] = [
    "Creating database and tables",
    "1000 INSERTs",
    "100 UPDATEs without an index, upgrading a read-only transaction",
    "25000 INSERTs in a transaction",
    "100 SELECTs without an index",
    "100 SELECTs on a string comparison",
    "Creating an index",
    "5000 SELECTs with an index",
    "1000 UPDATEs without an index",
    "25000 UPDATEs with an index",
    "25000 text UPDATEs with an index",
    "INSERTs from a SELECT",
    "DELETE without an index",
    "DELETE with an index",
    "A big INSERT after a big DELETE",
    "A big DELETE followed by many small INSERTs",
    "DROP TABLE",
    "Transient :memory: databases attached and detached",
];

/// A configuration: backend with version, options, number of runs at each size, and its time relative to the first.
type Ran = (Option<(&'static str, &'static str)>, &'static [(&'static str, &'static str)], usize, f64);

const LMDBV1: Option<(&str, &str)> = Some(("lmdbv1", "1.0"));
const LMDB: Option<(&str, &str)> = Some(("lmdb", "0.9.35"));
const RAN: [Ran; 8] = [
    (None, &[("rowsum", "off")], 11, 1.0),
    (None, &[("rowsum", "on")], 11, 4.0),
    (LMDB, &[("rowsum", "off")], 10, 1.0),
    (LMDB, &[("rowsum", "on")], 10, 3.0),
    (LMDBV1, &[("rowsum", "off"), ("lmdbv1_encrypt", "off"), ("lmdbv1_checksum", "off")], 12, 1.0),
    (LMDBV1, &[("rowsum", "on"), ("lmdbv1_encrypt", "off"), ("lmdbv1_checksum", "off")], 12, 2.0),
    (LMDBV1, &[("rowsum", "off"), ("lmdbv1_encrypt", "on"), ("lmdbv1_checksum", "off")], 12, 1.5),
    (LMDBV1, &[("rowsum", "off"), ("lmdbv1_encrypt", "off"), ("lmdbv1_checksum", "on")], 12, 1.1),
];

/// Ten ratios with this median, smallest and largest.
fn ratios([median, min, max]: [f64; 3]) -> [f64; 10] {
    let low = |part: f64| min + (median - min) * part;
    let high = |part: f64| median + (max - median) * part;
    [low(0.0), low(0.3), low(0.6), low(0.9), median, median, high(0.1), high(0.4), high(0.7), high(1.0)]
}

fn write(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut sql = "CREATE TABLE run_data (run_id VARCHAR(128), key VARCHAR(256), value TEXT);
        CREATE TABLE test_data (run_id VARCHAR(128), test_number INTEGER, key VARCHAR(256), value TEXT); BEGIN;"
        .to_owned();
    let mut count = 0;
    for (size, datasize) in SIZES.iter().enumerate() {
        for (backend, options, runs, factor) in RAN {
            for run in 0..runs {
                count += 1;
                let id = format!("{count:04X}{}", "AB01".repeat(15));
                let start = 1_782_000_000 + 100 * count;
                let mut fact = |key: &str, value: &str| {
                    writeln!(sql, "INSERT INTO run_data VALUES ('{id}', '{key}', '{value}');").unwrap();
                };
                for (key, value) in [
                    ("when-run", start.to_string().as_str()),
                    ("end-run", &(start + 5).to_string()),
                    ("tests-ok", "18"),
                    ("tests-fail", "0"),
                    ("tests-intr", "0"),
                    ("sqlite-version", "3.53.1"),
                    ("cpu-type", "x86_64"),
                    ("os-type", "Linux"),
                    ("option-datasize", datasize),
                ] {
                    fact(key, value);
                }
                options.iter().for_each(|(name, value)| fact(&format!("option-{name}"), value));
                if let Some((name, version)) = backend {
                    fact("backend-name", name);
                    fact("backend-version", version);
                }
                for (at, published) in PUBLISHED.iter().enumerate() {
                    // The runs spread around their median, with equal numbers above and below.
                    let noise = 1.0 + 0.001 * (run as f64 - (runs - 1) as f64 / 2.0);
                    let ratio = if backend.is_some() { ratios(*published)[size] } else { 1.0 };
                    let seconds = ratio * factor * noise;
                    for (key, value) in [
                        ("test-name", NAMES[at].to_owned()),
                        ("real-time", format!("{seconds:.6}")),
                        ("status", "OK".to_owned()),
                    ] {
                        writeln!(sql, "INSERT INTO test_data VALUES ('{id}', {}, '{key}', '{value}');", at + 1)
                            .unwrap();
                    }
                }
            }
        }
    }
    assert_eq!(count, 900);
    connection.execute_batch(&(sql + "COMMIT;")).unwrap();
}

#[test]
fn one_command_answers_with_the_published_table() {
    let place = Place::new();
    let file = place.path("published.sqlite");
    write(&file);
    place.ok(&["import", file.to_str().unwrap()]);
    let text = place.ok(&["compare", "--a", "engine=lmdbv1", "--b", "engine=sqlite"]);
    let (_, summary) = text.split_once("over sizes:").expect("a summary over the sizes");
    let blocks: Vec<&str> = summary.lines().filter(|line| line.contains("rowsum=")).collect();
    assert!(blocks.len() >= 4, "a block of each configuration of lmdbv1: {text}");
    let plain = summary
        .split_once("lmdbv1_checksum=off lmdbv1_encrypt=off rowsum=off")
        .unwrap_or_else(|| panic!("the block without any option: {summary}"));
    for (at, [median, min, max]) in PUBLISHED.iter().enumerate() {
        let start = format!("{} {}", at + 1, NAMES[at]);
        let line = plain.1.lines().find(|line| line.trim_start().starts_with(&start)).unwrap();
        let shown = |ratio: f64| if ratio < 0.0995 { format!("{ratio:.3}") } else { format!("{ratio:.2}") };
        let expected = format!("[{}, {}]", shown(*min), shown(*max));
        assert!(line.contains(&shown(*median)) && line.contains(&expected), "{line}: published {median} {expected}");
    }
    // The claims agree as well. They choose the configuration of each side without any option.
    let json = place.ok(&["claims", "lumosql", "--format", "json"]);
    let table: serde_json::Value = serde_json::from_str(&json).unwrap();
    let imported = table["comparisons"].as_array().unwrap().iter().filter(|one| one["origin"] == "imported");
    let rows: Vec<&serde_json::Value> = imported.flat_map(|one| one["rows"].as_array().unwrap()).collect();
    assert!(rows.len() > 18 && rows.iter().all(|row| row["obstacle"].is_null()), "{rows:?}");
    for row in &rows[..PUBLISHED.len()] {
        assert_eq!(row["reproduction"], "agrees", "{row}");
    }
}
