//! The kv suite: every engine gives the same answers under every option, and the same as a model in another language.

use crate::support::{Place, engine_program, has_tool, python};
use dbdyno_engine::{
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    settings::Settings,
    suite::KvStatements,
};
use serde::Deserialize;
use std::{collections::BTreeMap, fs, process::Command};

/// One run of the model in tests/tables/kv/make.py.
#[derive(Deserialize)]
struct Model {
    size: u64,
    session_seed: u64,
    round: u32,
    mixed: String,
    /// Rows and verification value by test.
    answers: BTreeMap<u32, (u64, String)>,
}

fn models() -> Vec<Model> {
    let models: Vec<Model> = serde_json::from_str(include_str!("tables/kv/answers.json")).unwrap();
    assert!(models.len() > 3 && models.iter().all(|model| model.answers.len() == 8));
    models
}

#[test]
fn every_engine_answers_as_the_model_in_python_does() {
    for model in models() {
        let place = Place::new();
        let (size, seed) = (model.size.to_string(), model.session_seed.to_string());
        let (repeat, mixed) = ((model.round + 1).to_string(), format!("kv.mixed={}", model.mixed));
        let mut engines = vec!["sqlite", "lmdb", "redb", "fjall", "log"];
        // A single row takes DuckDB a millisecond.
        if model.size <= 1000 && model.round == 0 {
            engines.push("duckdb");
        }
        engines.extend(engine_program("lmdb1").map(|_| "lmdb1"));
        let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
        let rest = ["--size", &size, "--seed", &seed, "--repeat", &repeat, "--set", &mixed, "--quiet"];
        place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
        let sql = format!(
            "SELECT engine, test, rows, verification, status FROM results WHERE round = {} ORDER BY ALL",
            model.round
        );
        let found = place.rows(&sql);
        assert_eq!(found.len(), engines.len() / 2 * 8, "eight tests on each engine");
        for row in found {
            let test = row[1].parse().unwrap();
            let (rows, verification) = &model.answers[&test];
            let expected = [&row[0], &row[1], &rows.to_string(), verification, "ok"];
            assert_eq!(row, expected, "size {size}, seed {seed}, round {}", model.round);
        }
    }
}

#[test]
fn no_option_changes_an_answer() {
    let place = Place::new();
    let sweeps = [
        "sqlite:journal_mode=delete|truncate|persist|memory|wal|off,synchronous=off",
        "sqlite:synchronous=off|normal|full|extra,journal_mode=wal",
        "sqlite:page_size=512|65536,cache_size=50|-64,journal_mode=wal",
        "sqlite:mmap_size=0|1048576,locking_mode=exclusive,temp_store=memory",
        "sqlite:memory_statistics=on|off,memory=16MiB,synchronous=off",
        "sqlite:auto_vacuum=full|incremental,open_mutex=fullmutex,wal_autocheckpoint=0,journal_mode=wal",
        "sqlite:transaction=deferred|immediate|exclusive,statements=text,read_transaction=held",
        "lmdb:sync=full|nometasync|nosync,writemap=off|on,readahead=off",
        "lmdb:append=on|off,memory=16MiB,sync=nosync",
        "lmdb:sync=mapasync,writemap=on,read_transaction=held,map_size=64MiB",
        "redb:durability=immediate|none,two_phase_commit=on|off,quick_repair=on|off",
        "redb:memory=16MiB",
        "redb:cache_size=0|1MiB,read_transaction=held",
        "duckdb:fsync_mode=standard|none,threads=1,memory_limit=256MiB,checkpoint_threshold=64KiB",
        "duckdb:block_size=16384,statements=text,read_transaction=held",
        "fjall:persist=none|buffer|sync_data|sync_all",
        "fjall:compression=none|lz4,cache_size=0,memtable_size=1MiB,block_size=1KiB,separate_values=16,worker_threads=1,read_transaction=held",
    ];
    let of_lmdb1 = [
        "lmdb1:encrypt=off|chacha20poly1305|aes256gcm,page_size=32768",
        "lmdb1:checksum=on,read_transaction=held,map_size=64MiB,sync=nosync",
        "lmdb1:writemap=on,sync=mapasync,readahead=off",
    ];
    let of_lmdb1 = of_lmdb1.iter().filter(|_| engine_program("lmdb1").is_some());
    let engines: Vec<&str> = sweeps.iter().chain(of_lmdb1).flat_map(|sweep| ["--engine", sweep]).collect();
    let rest = ["--size", "1000", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
    let configurations: u32 = place.value("SELECT count(DISTINCT run_id) FROM results").parse().unwrap();
    assert!(configurations > 35, "{configurations} configurations");
    let differing = place.rows(
        "SELECT test, count(DISTINCT verification) FROM results GROUP BY ALL HAVING count(DISTINCT verification) > 1",
    );
    assert_eq!(differing, [[""; 0]; 0], "tests whose answers differ");
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status <> 'ok'"), "0");
    let model = &models()[0];
    let of_scan = place.value("SELECT DISTINCT verification FROM results WHERE test = 3");
    assert_eq!(of_scan, model.answers[&3].1);
}

#[test]
fn options_in_force_are_read_back_and_a_clamped_one_fails_the_run() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--engine", "sqlite:mmap_size=1TiB", "--test", "1", "--repeat", "1", "--quiet"];
    let done = place.run(&run);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let failure = place.value("SELECT failure FROM run");
    assert!(failure.contains("mmap_size is `2147418112`, requested `1099511627776`"), "{failure}");
    place.ok(&[&run[..], &["--allow-differing-options"]].concat());
    let option = "SELECT asked, in_force FROM run_option WHERE name = 'mmap_size' ORDER BY run_id DESC LIMIT 1";
    assert_eq!(place.rows(option), [["1099511627776", "2147418112"]]);
    assert_eq!(place.value("SELECT DISTINCT options['mmap_size'] FROM results"), "2147418112");
}

#[test]
fn an_option_that_an_engine_does_not_tell_is_shown_as_given() {
    let place = Place::new();
    let engines = ["--engine", "redb:durability=none", "--engine", "sqlite:synchronous=off,transaction=immediate"];
    place.ok(&[&["run", "--suite", "kv", "--test", "1", "--repeat", "1", "--size", "1000", "--quiet"][..], &engines]
        .concat());
    let told = "SELECT name, asked, in_force IS NULL FROM run_option
        WHERE name IN ('durability', 'synchronous', 'transaction') ORDER BY name";
    let expected =
        [["durability", "none", "true"], ["synchronous", "off", "false"], ["transaction", "immediate", "true"]];
    assert_eq!(place.rows(told), expected);
    let shown = place.ok(&["results", "--details"]);
    for part in ["none (as given)", "immediate (as given)"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let synchronous = shown.lines().find(|line| line.trim_start().starts_with("synchronous")).unwrap();
    assert!(!synchronous.contains("as given"), "SQLite tells it: {synchronous}");
}

#[test]
fn tests_that_a_picked_one_needs_run_unmeasured_and_change_nothing() {
    let place = Place::new();
    let run =
        ["run", "--suite", "kv", "--engine", "lmdb", "--size", "1000", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&run[..], &["--test", "exists checks,7"]].concat());
    let found = place.rows("SELECT test, verification FROM results ORDER BY test");
    let answers = &models()[0].answers;
    assert_eq!(found, [["6", answers[&6].1.as_str()], ["7", answers[&7].1.as_str()]]);
}

#[test]
fn sqlites_own_program_reads_what_a_run_left() {
    if !has_tool("sqlite3", &["--version"]) {
        return;
    }
    let place = Place::new();
    let run =
        ["run", "--suite", "kv", "--engine", "sqlite", "--size", "1000", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&run[..], &["--keep-databases"]].concat());
    let database = place.left_behind().remove(0).join("databases/main/sqlite.db");
    let sql = "PRAGMA integrity_check; SELECT count(*), min(length(key)), max(length(key)) FROM kvpairs;";
    let output = Command::new("sqlite3").arg(database).arg(sql).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: u64 = text.lines().nth(1).unwrap().split('|').next().unwrap().parse().unwrap();
    assert!(text.starts_with("ok\n") && text.contains("|12|12"), "{text}");
    assert!((300..1000).contains(&rows), "some of the 1000 keys were deleted: {rows}");
}

#[test]
fn the_quick_preset_gives_80_results_an_engine_that_python_reads_too() {
    let place = Place::new();
    let table = place.ok(&["--preset", "quick", "--repeat", "10"]);
    let opened_and_closed = ["+ open", "close", "in total", "outside the timer"];
    for part in ["1 Sequential writes · 10,000 operations", "8 Bulk insert", "sqlite", "lmdb", "redb"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(opened_and_closed.iter().all(|part| table.contains(part)), "{table}");
    assert!(!table.contains("unequal tiers") && table.contains("tier: 3 power-safe\n"), "{table}");
    assert!(!table.contains("ANSWERS") && !table.contains('✗'), "{table}");
    // Sentences may be of any length; the tables fit a terminal.
    let mut figures = table.lines().filter(|line| !line.starts_with('!') && !line.ends_with('.'));
    assert!(figures.all(|line| line.chars().count() <= 90), "{table}");
    let counts = place.rows("select engine, count(*) from results group by 1 order by 1");
    assert_eq!(counts, [["lmdb", "80"], ["redb", "80"], ["sqlite", "80"]]);
    let script = "
import duckdb, sys
store = duckdb.connect(sys.argv[1], read_only=True)
print(store.sql('select engine, count(*) from results group by 1 order by 1').fetchall())
print(store.sql('select count(*) from results where status = \\'ok\\' and wall_ns > 0 and rate > 0').fetchall())";
    if let Some(answer) = python(script, &place.store()) {
        assert_eq!(answer, "[('lmdb', 80), ('redb', 80), ('sqlite', 80)]\n[(240,)]\n");
    }
    assert_eq!(place.left_behind(), [""; 0].map(std::path::PathBuf::from), "nothing is left in the work folder");
}

#[test]
fn an_appended_load_is_smaller_and_holds_the_same_in_any_order_of_keys() {
    let place = Place::new();
    let loaded = |append: &str| {
        let description = dbdyno_lmdb::describe();
        let asked = BTreeMap::from([("sync", "nosync"), ("append", append)].map(|(a, b)| (a.to_owned(), b.to_owned())));
        let settings = Settings::resolve(&description, &asked).unwrap();
        let folder = place.path(append);
        fs::create_dir_all(&folder).unwrap();
        let mut engine =
            dbdyno_lmdb::Lmdb::open(Open { folder: &folder, settings: &settings, schema: &[], data_bytes: 0 }).unwrap();
        let statements = KvStatements::default();
        let mut session = engine.session(&statements).unwrap();
        let mut rows = Vec::new();
        // Ascending keys, then keys below the existing ones, a last key that is deleted, and keys beyond it again.
        for keys in [(1_000..6_000).collect::<Vec<u32>>(), (0..500).rev().collect(), vec![9_000, 8_000, 9_500]] {
            let mut transaction = session.write().unwrap();
            let mut table = transaction.table().unwrap();
            for key in keys {
                table.put(&key.to_be_bytes(), &[7; 100]).unwrap();
                if key == 9_000 {
                    assert!(table.delete(&key.to_be_bytes()).unwrap());
                }
            }
            transaction.commit().unwrap();
        }
        session.read().unwrap().scan(|key, value| rows.push((key.to_vec(), value.to_vec()))).unwrap();
        engine.check().unwrap();
        engine.close().unwrap();
        (rows, fs::metadata(folder.join("data.mdb")).unwrap().len())
    };
    let ((plain, plain_bytes), (appended, appended_bytes)) = (loaded("off"), loaded("on"));
    assert_eq!(plain.len(), 5_502);
    assert!(plain == appended, "the rows are the same");
    assert!(appended_bytes < plain_bytes, "pages are filled: {appended_bytes} bytes against {plain_bytes}");
}

#[test]
fn lmdbs_map_grows_before_it_is_full() {
    let place = Place::new();
    let description = dbdyno_lmdb::describe();
    let asked = BTreeMap::from([("sync".to_owned(), "nosync".to_owned())]);
    let settings = Settings::resolve(&description, &asked).unwrap();
    let open = Open { folder: &place.path(""), settings: &settings, schema: &[], data_bytes: 0 };
    let mut engine = dbdyno_lmdb::Lmdb::open(open).unwrap();
    let map_size = |engine: &dbdyno_lmdb::Lmdb| engine.in_force().unwrap()["map_size"].parse::<u64>().unwrap();
    let before = map_size(&engine);
    let statements = KvStatements::default();
    let mut session = engine.session(&statements).unwrap();
    let (value, batches, rows) = ([7; 2000], 150_u32, 1_000_u32);
    for batch in 0..batches {
        let mut transaction = session.write().unwrap();
        let mut table = transaction.table().unwrap();
        for row in 0..rows {
            table.put(&(batch * rows + row).to_be_bytes(), &value).unwrap();
        }
        transaction.commit().unwrap();
    }
    let written = u64::from(batches * rows) * value.len() as u64;
    assert!(written > before, "{written} bytes were to overflow a map of {before}");
    assert!(map_size(&engine) > before, "the map has grown");
    engine.check().unwrap();
    engine.close().unwrap();
}

#[test]
fn page_faults_are_counted_and_instructions_where_the_machine_counts_them() {
    let place = Place::new();
    let engines = ["--engine", "sqlite", "--engine", "null"];
    place.ok(&[&["run", "--suite", "kv", "--size", "10000", "--test", "1", "--repeat", "1", "--quiet"][..], &engines]
        .concat());
    // SQLite fills its page cache, in memory that it has not touched before. The engine that does nothing touches no memory.
    let faults = place.rows("SELECT minor_faults, major_faults IS NOT NULL FROM results ORDER BY engine");
    let [null, sqlite] = [0, 1].map(|at| (faults[at][0].parse::<u64>().unwrap(), faults[at][1].as_str()));
    assert!(null.0 < 50 && sqlite.0 > 50, "{faults:?}");
    assert_eq!([null.1, sqlite.1], ["true"; 2]);
    let counted = "SELECT bool_and(instructions IS NULL OR instructions > 10 * operations) FROM results";
    assert_eq!(place.value(counted), "true");
}
