//! The suite drivers: answers that the application keeps, the published sizes of files, threads with their own handles, and the lines of
//! the published program.

use crate::support::{Place, system_sqlite};
use std::{env, fs};

const AS_PUBLISHED: &str = "journal_mode=delete,synchronous=full,foreign_keys=on,busy_timeout=5000";

#[test]
fn every_engine_of_sql_makes_the_same_objects_of_the_same_rows() {
    let place = Place::new();
    let mut engines = vec![format!("sqlite:{AS_PUBLISHED}"), "sqlite:statements=text".to_owned()];
    // A single row takes DuckDB a millisecond, without its appender.
    engines.push("duckdb:insert=appender".to_owned());
    engines.extend(system_sqlite().map(|path| format!("sqlite-lib:library={},foreign_keys=on", path.display())));
    let arguments: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    place.ok(&[&["run", "--suite", "drivers", "--size", "1", "--repeat", "1", "--quiet"][..], &arguments].concat());
    let answers = "SELECT test, count(DISTINCT verification), count(*), string_agg(DISTINCT status, ','), max(rows) FROM results \
                   WHERE actor IS NULL GROUP BY test ORDER BY test";
    let rows = [10_000, 10_000, 421, 400, 4_202, 4_000, 100, 1_000, 10_000, 100, 100, 100, 20_000, 40_000, 80_000];
    let expected: Vec<Vec<String>> = (1..)
        .zip(rows)
        .map(|(test, rows)| {
            [test, 1, engines.len()]
                .map(|number| number.to_string())
                .into_iter()
                .chain(["ok".to_owned(), rows.to_string()])
                .collect()
        })
        .collect();
    assert_eq!(place.rows(answers), expected);
    let readers = place
        .rows("SELECT DISTINCT test, operations, rows FROM results WHERE actor = 'reader' AND engine = 'duckdb' ORDER BY test");
    assert_eq!(readers, [["13", "2", "20000"], ["14", "4", "40000"], ["15", "8", "80000"]], "a read by each thread");
}

/// Files whose row counts do not follow from the size. Their sizes are published for ten, a hundred and a thousand users.
#[test]
fn files_have_the_published_sizes() {
    let place = Place::new();
    let engine = format!("sqlite:{AS_PUBLISHED}");
    place.ok(&[
        "run", "--suite", "drivers", "--size", "1", "--test", "7,8,9", "--repeat", "1", "--engine", &engine, "--quiet",
    ]);
    let sizes = place.rows("SELECT database_bytes FROM results ORDER BY test");
    assert_eq!(sizes, [["36864"], ["36864"], ["94208"]]);
}

/// Takes minutes and gigabytes: `cargo test --release --test integration -- --ignored drivers`.
#[test]
#[ignore = "minutes, and 4 GB on the disk"]
fn files_of_the_published_size_have_the_published_sizes() {
    let place = Place::new();
    let engine = format!("sqlite:{AS_PUBLISHED}");
    place.ok(&["run", "--suite", "drivers", "--size", "100", "--repeat", "1", "--engine", &engine, "--quiet"]);
    let sizes = place.rows("SELECT database_bytes FROM results WHERE actor IS NULL ORDER BY test");
    let published = [
        58_687_488,
        58_687_488,
        4_550_656,
        4_550_656,
        25_554_944,
        25_554_944,
        36_864,
        36_864,
        94_208,
        501_981_184,
        1_003_761_664,
        2_007_330_816,
        56_573_952,
        56_573_952,
        56_573_952_u64,
    ];
    assert_eq!(sizes.concat(), published.map(|bytes| bytes.to_string()));
}

#[test]
fn results_are_printed_as_the_published_program_prints_them() {
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "drivers", "--size", "1", "--test", "1,2,7,13", "--repeat", "2", "--engine", "sqlite",
        "--quiet",
    ]);
    let file = place.path("lines.txt");
    place.ok(&["export", "suite=drivers", "--format", "lines", "--out", file.to_str().unwrap()]);
    let text = fs::read_to_string(file).unwrap();
    let heads: Vec<&str> = text.lines().map(|line| line.rsplit_once(" - ").map_or(line, |(head, _)| head)).collect();
    let of_run = [
        "1_simple - insert - sqlite    ",
        "1_simple - query  - sqlite    ",
        "1_simple - dbsize - sqlite    ",
        "4_many/0010 - query  - sqlite    ",
        "4_many/0010 - dbsize - sqlite    ",
        "6_concurrent/2 - query  - sqlite    ",
        "6_concurrent/2 - dbsize - sqlite    ",
    ];
    assert_eq!(heads, [&of_run[..], &[""], &of_run].concat());
    assert!(text.contains("4_many/0010 - dbsize - sqlite     -      36864\n"), "{text}");
    let none = place.run(&["export", "suite=kv", "--format", "lines", "--out", "x"]);
    assert!(none.code == Some(2) && none.stderr.contains("nothing to print"), "{}", none.stderr);
}

/// A user's suite with two wrong expectations: of values, and of a count.
#[test]
fn an_answer_that_is_not_the_right_one_fails_the_run_and_says_where() {
    let suite = |count: &str, value: &str| {
        format!(
            "name = \"mine\"\nkind = \"sql\"\ntitle = \"t\"\nsource = \"s\"\n[size]\nname = \"n\"\ndefault = [1]\nchoices = [1]\nbytes = \"1\"\n\
             [[table]]\nname = \"t\"\ncolumns = [{{ name = \"a\", type = \"INTEGER\" }}, {{ name = \"b\", type = \"TEXT\" }}]\n\
             [[test]]\nnumber = 1\nname = \"one\"\nprepare = [{{ create_table = \"t\" }}, {{ repeat = 5, steps = [\n\
             {{ write = \"INSERT INTO t VALUES (?1, ?2)\", bind = [\"i\", {{ digits = \"i\", prefix = \"x\" }}] }} ] }}]\n\
             steps = [{{ read = \"SELECT a, b FROM t ORDER BY a\", objects = [{{ name = \"thing\", count = {count}, values = [\"n\", {value}] }}] }}]\n"
        )
    };
    let place = Place::new();
    let run = |text: String| {
        fs::write(place.path("config/suites/mine.toml"), text).unwrap();
        place.run(&["run", "--suite", "mine", "--engine", "sqlite", "--repeat", "1"])
    };
    let right = run(suite("5", "{ digits = \"n\", prefix = \"x\" }"));
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    let wrong = run(suite("5", "{ digits = \"n/4\", prefix = \"x\" }"));
    let told = [&wrong.stdout[..], &wrong.stderr].concat();
    assert!(
        wrong.code == Some(1) && told.contains("`thing` 1, column 2 is Text(\"x1\"), expected Text(\"x0\")"),
        "{told}"
    );
    let few = run(suite("6", "{ digits = \"n\", prefix = \"x\" }"));
    let told = [&few.stdout[..], &few.stderr].concat();
    assert!(few.code == Some(1) && told.contains("5 objects `thing`, expected 6"), "{told}");
    let columns = run(suite("5", "1, 1"));
    assert!(
        columns.code == Some(2) && columns.stderr.contains("objects: expected a value for each of 2 columns, found 3")
    );
}

#[test]
fn steps_of_threads_that_are_none_are_told_with_their_line() {
    let place = Place::new();
    let suite = |steps: &str| {
        format!(
            "name = \"mine\"\nkind = \"sql\"\ntitle = \"t\"\nsource = \"s\"\n[size]\nname = \"n\"\ndefault = [1]\nchoices = [1]\nbytes = \"1\"\n\
             [[table]]\nname = \"t\"\ncolumns = [{{ name = \"a\", type = \"INTEGER\" }}]\n[[test]]\nnumber = 1\nname = \"one\"\n\
             prepare = [{{ create_table = \"t\" }}]\nactors = [{{ name = \"r\", threads = 2, steps = [{steps}] }}]\n"
        )
    };
    for (steps, expected) in [
        ("", "expected reads and writes"),
        ("{ write = \"DELETE FROM t WHERE a = ?1\", bind = [\"threat\"] }", "`thread`"),
    ] {
        fs::write(place.path("config/suites/mine.toml"), suite(steps)).unwrap();
        let refused = place.run(&["run", "--suite", "mine", "--engine", "sqlite", "--dry-run"]);
        assert!(refused.code == Some(2) && refused.stderr.contains(expected), "{steps}: {}", refused.stderr);
        assert!(refused.stderr.contains("mine.toml:1"), "the line: {}", refused.stderr);
    }
    fs::write(place.path("config/suites/mine.toml"), suite("{ read = \"SELECT a FROM t\" }")).unwrap();
    let one_thread = place.run(&["run", "--suite", "mine", "--engine", "redb", "--dry-run"]);
    assert!(one_thread.code == Some(2) && one_thread.stderr.contains("works with one thread"), "{}", one_thread.stderr);
}

/// The Go drivers, if a variable names a folder with their programs.
#[test]
fn the_go_drivers_answer_as_sqlite_through_rust_does() {
    let Some(folder) = env::var_os("DBDYNO_GO_ENGINES") else { return };
    let place = Place::new();
    for program in fs::read_dir(folder).unwrap() {
        let program = program.unwrap();
        fs::copy(program.path(), place.path("engines").join(program.file_name())).unwrap();
    }
    let drivers = ["mattn", "modernc", "ncruces", "glebarez", "zombiezen", "crawshaw", "eaton", "bvinc"];
    let engines: Vec<String> = drivers.iter().map(|driver| format!("go-{driver}:{AS_PUBLISHED}")).collect();
    let reference = format!("sqlite:{AS_PUBLISHED}");
    let arguments: Vec<&str> = engines.iter().chain([&reference]).flat_map(|engine| ["--engine", engine]).collect();
    place.ok(&[&["run", "--suite", "drivers", "--size", "1", "--repeat", "1", "--quiet"][..], &arguments].concat());
    let found = place.rows(
        "SELECT DISTINCT test, count(DISTINCT verification), count(*), string_agg(DISTINCT status, ','), count(DISTINCT database_bytes) \
         FROM results WHERE actor IS NULL GROUP BY test ORDER BY test",
    );
    assert_eq!(found.len(), 15);
    for row in found {
        assert_eq!(row[1..], ["1", "9", "ok", "1"], "test {}: one answer, one size of file", row[0]);
    }
}

/// Readers alongside writers with a rate: the figures of Go's threads are the same as those of Rust's.
#[test]
fn the_threads_of_go_drivers_are_told_of_as_those_of_rust() {
    let Some(folder) = env::var_os("DBDYNO_GO_ENGINES") else { return };
    let place = Place::new();
    for program in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        fs::copy(program.path(), place.path("engines").join(program.file_name())).unwrap();
    }
    let options = "journal_mode=wal,synchronous=off";
    let (rust, go) = (format!("sqlite:{options}"), format!("go-mattn:{options}"));
    place.ok(&[
        "run",
        "--suite",
        "contention",
        "--size",
        "1000",
        "--repeat",
        "1",
        "--quiet",
        "--engine",
        &rust,
        "--engine",
        &go,
        "--set",
        "contention.seconds=1",
        "--set",
        "contention.writer_rate=1000",
    ]);
    let told = |engine: &str| {
        place.rows(&format!(
            "SELECT test, actor, status, verification, busy IS NULL, backlog IS NULL, fairness_ppm IS NULL, response_p50_ns IS NULL \
             FROM results WHERE engine = '{engine}' ORDER BY test, actor"
        ))
    };
    let found = told("go-mattn");
    assert!(found.len() > 8 && found.iter().any(|row| row[3] == "invariants:held"), "{found:?}");
    assert_eq!(found, told("sqlite"));
}
