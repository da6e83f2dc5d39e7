//! LumoSQL benchmark databases, built from their documented format: every fact is a row of text.

use super::{dbdyno, sql};
use std::{
    fs,
    path::{Path, PathBuf},
};

const TESTS: [&str; 17] = [
    "Creating database and tables",
    "{w}000 INSERTs",
    "{w}00 UPDATEs without an index, upgrading a read-only transaction",
    "{w}5000 INSERTs in a transaction",
    "{r}00 SELECTs without an index",
    "{r}00 SELECTs on a string comparison",
    "Creating an index",
    "{r}000 SELECTs with an index",
    "{w}000 UPDATEs without an index",
    "{w}5000 UPDATEs with an index",
    "{w}5000 text UPDATEs with an index",
    "INSERTs from a SELECT",
    "DELETE without an index",
    "DELETE with an index",
    "A big INSERT after a big DELETE",
    "A big DELETE followed by many small INSERTs",
    "DROP TABLE",
];
const BACKENDS: [Option<(&str, &str)>; 3] = [None, Some(("lmdb", "0.9.29")), Some(("bdb", "18.1.40"))];
const SIZES: [&str; 3] = ["1", "2", "2,3"];
/// Runs of each backend at each size.
const RUNS: usize = 30;

/// A benchmark database under construction.
pub(super) struct Database {
    connection: rusqlite::Connection,
    path: PathBuf,
}

/// 64 upper-case hexadecimal digits. Run identifiers differ in the first ones.
pub(super) fn run_id(backend: usize, size: usize, run: usize) -> String {
    format!("{:02X}{backend}{size}{}", 255 - run, "AB01".repeat(15))
}

/// Wall time in ms. The median of 30 runs is 14.5 above the smallest.
fn time(backend: usize, test: usize, run: usize) -> usize {
    1000 * backend + 20 * test + (run * 7) % RUNS
}

impl Database {
    pub(super) fn new(folder: &Path) -> Self {
        let path = folder.join("benchmarks.sqlite");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE run_data (run_id VARCHAR(128), key VARCHAR(256), value TEXT);
                 CREATE TABLE test_data (run_id VARCHAR(128), test_number INTEGER, key VARCHAR(256), value TEXT);
                 BEGIN;",
            )
            .unwrap();
        let database = Self { connection, path };
        for backend in 0..BACKENDS.len() {
            for size in 0..SIZES.len() {
                (0..RUNS).for_each(|run| database.add_run(backend, size, run));
            }
        }
        database
    }

    pub(super) fn fact(&self, run: &str, key: &str, value: &str) {
        self.connection.execute("INSERT INTO run_data VALUES (?, ?, ?)", [run, key, value]).unwrap();
    }

    pub(super) fn test_fact(&self, run: &str, test: usize, key: &str, value: &str) {
        let sql = "INSERT INTO test_data VALUES (?, ?, ?, ?)";
        self.connection.execute(sql, rusqlite::params![run, test as i64, key, value]).unwrap();
    }

    pub(super) fn change(&self, sql: &str, run: &str) {
        assert!(self.connection.execute(sql, [run]).unwrap() > 0, "{sql}");
    }

    fn add_run(&self, backend: usize, size: usize, run: usize) {
        let id = run_id(backend, size, run);
        let start = 1_650_000_000 + 1000 * run + 100 * backend + 10 * size;
        for (key, value) in [
            ("when-run", start.to_string().as_str()),
            ("end-run", &(start + 5).to_string()),
            ("tests-ok", "17"),
            ("tests-fail", "0"),
            ("tests-intr", "0"),
            ("title", "a title | with a bar"),
            ("sqlite-version", "3.39.2"),
            ("sqlite-name", "3.39.2"),
            ("cpu-comment", "AMD EPYC 7763 \u{1b}[31m"),
            ("disk-comment", "NVMe"),
            ("cpu-type", "x86_64"),
            ("os-type", "Linux"),
            ("os-version", "5.15"),
            ("byte-order", "littleEndian"),
            ("word-size", "8"),
            ("option-datasize", SIZES[size]),
            ("option-rowsum", "off"),
            ("option-sqlite3_journal", "default"),
            ("option-discard_output", "off"),
        ] {
            self.fact(&id, key, value);
        }
        if let Some((name, version)) = BACKENDS[backend] {
            self.fact(&id, "backend-name", name);
            self.fact(&id, "backend-version", version);
            self.fact(&id, "backend", &format!("{name}-{version}"));
            self.fact(&id, "target", &format!("3.39.2+{name}-{version}"));
        }
        let (reads, writes) = SIZES[size].split_once(',').unwrap_or((SIZES[size], SIZES[size]));
        for (at, name) in TESTS.iter().enumerate() {
            let test = at + 1;
            let ms = time(backend, test, run);
            self.test_fact(&id, test, "test-name", &name.replace("{w}", writes).replace("{r}", reads));
            self.test_fact(&id, test, "real-time", &format!("{}.{:03}", ms / 1000, ms % 1000));
            self.test_fact(&id, test, "user-cpu-time", "0.002");
            self.test_fact(&id, test, "system-cpu-time", "0.001");
            self.test_fact(&id, test, "status", "OK");
            self.test_fact(&id, test, "output-size", &(100 * test).to_string());
        }
    }

    /// Adds the oddities of old and broken files, each in its own run.
    pub(super) fn spoil(&self) {
        let id = |run| run_id(1, 0, run);
        self.fact(&id(0), "title", "the last title");
        self.test_fact(&id(0), 1, "real-time", "9.5");
        self.change("DELETE FROM run_data WHERE key = 'when-run' AND run_id = ?", &id(1));
        self.change("UPDATE run_data SET value = 'yesterday' WHERE key = 'when-run' AND run_id = ?", &id(2));
        self.change("DELETE FROM run_data WHERE key = 'end-run' AND run_id = ?", &id(3));
        self.change("UPDATE run_data SET value = '1' WHERE key = 'tests-intr' AND run_id = ?", &id(4));
        self.change("UPDATE run_data SET value = '3' WHERE key = 'tests-fail' AND run_id = ?", &id(5));
        for (test, status) in [(2, "NRESULTS"), (3, "ERR1"), (4, "SIGSEGV")] {
            let sql = format!(
                "UPDATE test_data SET value = '{status}' WHERE key = 'status' AND test_number = {test} AND run_id = ?"
            );
            self.change(&sql, &id(5));
        }
        self.change(
            "UPDATE test_data SET value = 'soon' WHERE key = 'real-time' AND test_number = 5 AND run_id = ?",
            &id(6),
        );
        self.fact(&id(6), "colour", "red|green");
        self.test_fact(&id(6), 5, "cache-misses", "17");
        self.change("DELETE FROM run_data WHERE key IN ('option-datasize', 'option-rowsum') AND run_id = ?", &id(7));
        // The same tests under another file's numbers, and tests that LumoSQL does not have.
        self.change("UPDATE test_data SET test_number = 118 - test_number WHERE run_id = ?", &id(8));
        for test in [50, 51] {
            self.test_fact(&id(8), test, "test-name", &format!("{test} Frobnications"));
            self.test_fact(&id(8), test, "real-time", "1.25");
            self.test_fact(&id(8), test, "status", "OK");
        }
        self.test_fact("no hexadecimal digits", 1, "real-time", "1");
        self.connection.execute("INSERT INTO run_data VALUES (NULL, 'a', 'b')", []).unwrap();
        // A backend that answers a range wrongly, always in the same way.
        let wrong = "UPDATE test_data SET value = '49999' WHERE key = 'output-size' AND test_number = 8 AND run_id IN
                     (SELECT run_id FROM run_data WHERE key = 'backend-name' AND value = 'bdb' AND ? = '')";
        self.change(wrong, "");
    }

    pub(super) fn finished(self) -> PathBuf {
        self.connection.execute_batch("COMMIT").unwrap();
        self.connection.close().unwrap();
        self.path
    }
}

#[test]
fn hundreds_of_runs_give_medians_that_are_exactly_those_computed_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let file = Database::new(folder.path()).finished();
    let before = fs::read(&file).unwrap();
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    assert!(
        said.contains("LumoSQL") && said.contains("runs    270 new") && said.contains("results 4,590 new"),
        "{said}"
    );
    assert!(!said.contains('!'), "nothing is odd: {said}");
    let rows = sql(
        &store,
        "SELECT engine, engine_version, size, test, count(*), median(wall_ns)::BIGINT, any_value(cpu_ns) FROM results
         GROUP BY ALL ORDER BY engine, size, test",
    );
    assert_eq!(rows.len(), 3 * 3 * 17);
    let mut expected = Vec::new();
    for (backend, engine) in [(2, "bdb,18.1.40"), (1, "lmdb,0.9.29"), (0, "sqlite,3.39.2")] {
        for size in ["1", "2", "\"2,3\""] {
            for test in 1..=17 {
                // The median of 30 values one millisecond apart.
                let median = (1000 * backend + 20 * test) * 1_000_000_u64 + 14_500_000;
                expected.push(format!("{engine},{size},{test},30,{median},3000000"));
            }
        }
    }
    assert_eq!(rows, expected);
    let group =
        dbdyno(&store, &["results", "engine=lmdb", "size=2,3", "test=4", "--group-by", "backend", "--format", "csv"]);
    assert!(group.good().ends_with("lmdb-0.9.29,30,30,30,30,1094.5,1080.0,1109.0\n"));

    let tables = dump(&store);
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    assert!(said.contains("runs    0 new · 270 here already"), "{said}");
    assert_eq!(dump(&store), tables, "twice is once");
    assert_eq!(fs::read(&file).unwrap(), before);
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let beside = |name: &String| name.starts_with(file.file_name().unwrap().to_str().unwrap());
    assert_eq!(names.filter(beside).count(), 1, "no file appears beside it");
}

#[test]
fn imported_backends_are_compared_to_ratios_computed_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let file = Database::new(folder.path()).finished();
    let store = folder.path().join("store.duckdb");
    dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    let sides = ["--a", "engine=lmdb size=1", "--b", "engine=sqlite size=1", "--format", "json"];
    let json = dbdyno(&store, &[&["compare"][..], &sides].concat()).good();
    let comparison: dbdyno::compare::Comparison = serde_json::from_str(&json).unwrap();
    assert_eq!((comparison.a.runs, comparison.b.runs, comparison.lines.len()), (30, 30, 17));
    for line in &comparison.lines {
        let (a, b) = (line.a.as_ref().unwrap(), line.b.as_ref().unwrap());
        let of = |backend: u32| f64::from(1000 * backend + 20 * line.test) * 1e6 + 14.5e6;
        assert_eq!((a.median, b.median), (of(1), of(0)), "test {}", line.test);
        let found = line.found.as_ref().unwrap();
        assert_eq!(found.median_ratio, of(1) / of(0));
        assert!(!found.paired && found.verdict == dbdyno::stats::Verdict::Slower, "{found:?}");
    }
    let by_size = ["--a", "engine=lmdb", "--b", "engine=sqlite", "--by", "size", "--format", "json"];
    let json = dbdyno(&store, &[&["compare"][..], &by_size].concat()).good();
    let comparison: dbdyno::compare::Comparison = serde_json::from_str(&json).unwrap();
    let over = comparison.by_size.unwrap();
    assert_eq!(over.len(), 17);
    let alike = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    assert!(over.iter().all(|test| test.sizes.len() == 3 && alike(test.min, test.max) && test.left_out.is_empty()));
}

/// Every row of the tables that an import fills.
pub(super) fn dump(store: &Path) -> Vec<Vec<String>> {
    let tables = ["host", "session", "run", "run_option", "run_key", "result", "result_key", "warning"];
    tables.map(|table| sql(store, &format!("SELECT * FROM {table} ORDER BY ALL"))).into()
}

#[test]
fn odd_rows_are_kept_counted_and_left_out_of_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path());
    database.spoil();
    let file = database.finished();
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    for note in [
        "runs    271 new",
        "without a valid when-run: 3,",
        "without end-run: 1,",
        "interrupted tests: 1,",
        "failed tests: 1,",
        "status other than OK: 4,",
        "always differs from other engines': 90,",
        "run_data that repeat a key of their run: 1,",
        "test_data that repeat a key of their test: 1,",
        "not a number of seconds: 1,",
        "not 64 hexadecimal digits: 1,",
        "other than LumoSQL's 18: 3,",
        "runs without a recorded datasize: 1,",
        "options that runs do not record: 5,",
        "facts of runs with unknown keys: 1,",
        "facts of tests with unknown keys: 1,",
        "rows without run_id, key or value, or with a test number that is not a number: 1,",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    let states = sql(&store, "SELECT run_status, count(*) FROM runs GROUP BY ALL ORDER BY ALL");
    assert_eq!(states, ["crashed,1", "done,265", "failed,1", "interrupted,1", "invalid,3"]);
    let count = |terms: &[&str]| dbdyno(&store, &[&["results", "--count"], terms].concat()).good();
    assert_eq!(count(&["run_status=completed"]), format!("{}\n", 265 * 17 + 2));
    assert_eq!(count(&["run_status=interrupted|crashed"]), "34\n");
    assert_eq!(count(&["run_status=invalid"]), "35\n");
    assert_eq!(count(&["title=the last title"]), "17\n", "the last of two counts");
    assert_eq!(count(&[r"colour=red\|green"]), "17\n");
    assert_eq!(count(&["rowsum!"]), "18\n", "an assumed option is missing");
    assert_eq!(count(&["rowsum=off"]), format!("{}\n", 270 * 17 + 2 + 1), "and has its default's value");
    assert_eq!(count(&["target!"]), format!("{}\n", 90 * 17 + 1), "native runs have no target");
    assert_eq!(count(&["backend!", "engine=sqlite"]), format!("{}\n", 90 * 17));
    assert_eq!(count(&["cpu=*epyc*", "lumosql-run-id=FF10*"]), "17\n");

    // The median of lmdb at size 1, test 2. Runs 1 and 2 are invalid, and the test failed in run 5.
    let mut times: Vec<usize> = (0..30).filter(|run| ![1, 2, 5].contains(run)).map(|run| time(1, 2, run)).collect();
    times.sort_unstable();
    let median = sql(
        &store,
        "SELECT median(wall_ns)::BIGINT, count(wall_ns) FROM results WHERE engine = 'lmdb' AND size = '1' AND test = 2",
    );
    assert_eq!(median, [format!("{},27", times[13] * 1_000_000)]);
    let failed = "SELECT r.failure, v.status, v.wall_ns, r.wall_ns FROM result r JOIN results v USING (run_id, test)
                  WHERE r.failure IN ('NRESULTS', 'ERR1', 'SIGSEGV') ORDER BY test";
    let kept = [(2, "NRESULTS"), (3, "ERR1"), (4, "SIGSEGV")]
        .map(|(test, status)| format!("{status},failed,,{}", time(1, test, 5) * 1_000_000));
    assert_eq!(sql(&store, failed), kept, "the times are kept, and in no statistics");
    assert_eq!(
        sql(&store, "SELECT value FROM result_key WHERE key IN ('cache-misses', 'real-time') ORDER BY 1"),
        ["17", "soon"]
    );
    let renumbered = "SELECT count(*) FROM results v JOIN result_key k USING (run_id, test)
                      WHERE k.key = 'lumosql-test-number' AND test <= 17 AND value::INTEGER = 118 - test";
    assert_eq!(sql(&store, renumbered), ["17"]);
    assert_eq!(
        sql(&store, "SELECT count(*), count(DISTINCT engine) FROM results WHERE status = 'disagrees'"),
        ["90,1"]
    );
    let details = dbdyno(&store, &["results", "--details", "rowsum!", "engine=lmdb"]).good();
    assert!(details.contains("off (assumed: the imported file does not say)"), "{details}");
    assert!(details.contains("\\u{1b}[31m") && !details.contains('\u{1b}'), "{details}");
}

#[test]
fn two_files_that_share_runs_are_united() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    [&one, &two].iter().for_each(|folder| fs::create_dir(folder).unwrap());
    let (first, second) = (Database::new(&one), Database::new(&two));
    first.change("DELETE FROM run_data WHERE substr(run_id, 3, 1) = '0' AND ? = ''", "");
    first.change("DELETE FROM test_data WHERE substr(run_id, 3, 1) = '0' AND ? = ''", "");
    let (first, second) = (first.finished(), second.finished());
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", first.to_str().unwrap(), second.to_str().unwrap()]).good();
    assert!(said.contains("runs    180 new") && said.contains("runs    90 new · 180 here already"), "{said}");
}

#[test]
fn a_log_beside_the_file_is_read_without_touching_either() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path());
    database.connection.execute_batch("COMMIT; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;").unwrap();
    database.fact("AB".repeat(32).as_str(), "when-run", "1650000000");
    // The program that writes is still running, so its log exists too.
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut entries: Vec<PathBuf> = entries.filter(|path| !path.to_string_lossy().contains("duckdb")).collect();
        entries.sort();
        entries
    };
    let contents = || {
        names()
            .iter()
            .filter(|path| !path.ends_with("benchmarks.sqlite-shm"))
            .map(|path| fs::read(path).unwrap())
            .collect::<Vec<_>>()
    };
    let (before, bytes) = (names(), contents());
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", database.path.to_str().unwrap()]).good();
    assert!(said.contains("runs    271 new"), "the row that is only in the log: {said}");
    assert_eq!((names(), contents()), (before, bytes));
}

#[test]
fn other_and_broken_databases_are_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.duckdb");
    let other = folder.path().join("other.sqlite");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE run_data (a)").unwrap();
    let said = dbdyno(&store, &["import", other.to_str().unwrap()]).refused(2);
    assert!(said.contains("without the tables run_data and test_data"), "{said}");
    let file = Database::new(folder.path()).finished();
    let mut bytes = fs::read(&file).unwrap();
    let half = bytes.len() / 2;
    bytes[half..half + 20_000].fill(0x5a);
    fs::write(&file, &bytes).unwrap();
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).refused(2);
    assert!(said.contains("benchmarks.sqlite"), "{said}");
    assert_eq!(sql(&store, "SELECT count(*) FROM run"), ["0"]);
}
