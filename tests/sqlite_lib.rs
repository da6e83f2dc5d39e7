//! Any other build of SQLite, loaded by a worker. It gives the same answers, options and sync calls as the built-in one, and the same tiers
//! if it is known to obey its pragmas.

use crate::support::{Place, has_tool, python_sqlite_version, system_sqlite};
use std::{fs, process::Command};

fn with_library(options: &str) -> Option<String> {
    let path = system_sqlite()?;
    Some(format!("sqlite-lib:library={},{options}", path.display()))
}

#[test]
fn another_build_of_sqlite_answers_and_syncs_as_the_one_built_in() {
    let Some(library) = with_library("journal_mode=wal,synchronous=full|off") else { return };
    let place = Place::new();
    let engines = ["--engine", "sqlite:journal_mode=wal,synchronous=full|off", "--engine", &library];
    let rest = ["--size", "3000", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
    assert_eq!(
        place.value("SELECT count(*) FROM results WHERE status = 'ok'"),
        "32",
        "eight tests, four configurations"
    );
    let of = |engine: &str| {
        place.rows(&format!(
            "SELECT test, options['synchronous'], syncs, verification FROM results WHERE engine = '{engine}' ORDER BY ALL"
        ))
    };
    assert_eq!(of("sqlite-lib"), of("sqlite"));
    let syncs = place.value(
        "SELECT syncs FROM results WHERE engine = 'sqlite-lib' AND test = 1 AND options['synchronous'] = 'full'",
    );
    assert_eq!(syncs, "3", "one sync of the log for each of three commits");
}

#[test]
fn the_version_that_is_stored_is_that_of_the_library() {
    let Some(library) = with_library("synchronous=off") else { return };
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "kv", "--engine", &library, "--size", "1000", "--test", "1", "--repeat", "1", "--quiet",
    ]);
    let stored = place.value("SELECT DISTINCT engine_version FROM results");
    assert!(stored.starts_with("3.") && stored.split('.').all(|part| part.parse::<u32>().is_ok()), "{stored}");
    if let Some(version) = python_sqlite_version(&system_sqlite().unwrap()) {
        assert_eq!(stored, version);
    }
}

/// Compiles a C library whose functions override those of the system's SQLite, to imitate a different build. Returns its path, or None
/// without a C compiler.
pub(crate) fn changed(place: &Place, name: &str, functions: &str) -> Option<String> {
    let (real, source, library) =
        (system_sqlite()?, place.path(&format!("{name}.c")), place.path(&format!("lib{name}.so")));
    if !has_tool("cc", &["--version"]) {
        return None;
    }
    let real = format!("#define REAL(name) dlsym(dlopen({:?}, RTLD_NOW), name)\n", real.to_str().unwrap());
    let head = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n";
    fs::write(&source, [head, &real, functions].concat()).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .args(["-Wl,--no-as-needed", "-ldl"])
        .arg(system_sqlite()?)
        .status();
    assert!(compiled.unwrap().success());
    Some(library.to_str().unwrap().to_owned())
}

/// A build in which a PRAGMA with this prefix returns no row.
const WITHOUT_PAGE_SIZE: &str = r#"
int sqlite3_prepare_v2(void *db, const char *sql, int length, void **statement, const char **tail) {
    int (*prepare)(void *, const char *, int, void **, const char **) = REAL("sqlite3_prepare_v2");
    if (!strncmp(sql, "PRAGMA page_size", 16)) return prepare(db, "SELECT 1 WHERE 0", -1, statement, tail);
    return prepare(db, sql, length, statement, tail);
}"#;

const WITH_CODEC: &str = r#"
const char *sqlite3_compileoption_get(int at) {
    const char *(*get)(int) = REAL("sqlite3_compileoption_get");
    return at == 0 ? "HAS_CODEC" : get(at - 1);
}"#;

#[test]
fn the_tier_of_a_library_is_sqlites_where_it_is_known_to_obey_and_unknown_elsewhere() {
    let Some(plain) = with_library("journal_mode=wal,synchronous=full") else { return };
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--size", "1000", "--test", "1", "--repeat", "1", "--quiet"];
    place.ok(&[&run[..], &["--engine", &plain, "--engine", "sqlite:journal_mode=wal,synchronous=full"]].concat());
    assert_eq!(place.value("SELECT list(DISTINCT tier) FROM results"), "[3]");
    let warnings = "SELECT count(*) FROM warning WHERE linter = 'unequal tiers'";
    assert_eq!(place.value(warnings), "0");
    let source = place.value("SELECT engine_source FROM run WHERE engine = 'sqlite-lib'");
    let own = place.value("SELECT engine_source FROM run WHERE engine = 'sqlite'");
    for source in [&source, &own] {
        let hash = source.rsplit(' ').next().unwrap();
        assert!(source.starts_with("20") && [40, 64].contains(&hash.len()), "a check-in of SQLite: {source}");
    }
    let Some(codec) = changed(&place, "codec", WITH_CODEC) else { return };
    let codec = format!("sqlite-lib:library={codec},journal_mode=wal,synchronous=full");
    let plan = place.ok(&[&run[..], &["--engine", &codec, "--dry-run"]].concat());
    assert!(plan.contains("tier unknown: the library is not known to obey") && plan.contains("HAS_CODEC"), "{plan}");
    let said =
        place.ok(&[&run[..], &["--engine", &codec, "--engine", "sqlite:journal_mode=wal,synchronous=full"]].concat());
    assert!(said.contains("commits may not be equally durable everywhere"), "{said}");
    assert_eq!(place.value(warnings), "1");
    let found = place.rows("SELECT tier IS NULL, count(*) FROM results GROUP BY ALL ORDER BY ALL");
    assert_eq!(found, [["false", "3"], ["true", "1"]]);
    assert_eq!(place.ok(&["results", "tier=unknown", "--count"]).trim(), "1");
    assert_eq!(place.ok(&["results", "tier>=0", "--count"]).trim(), "3");
}

#[test]
fn an_option_that_a_library_does_not_have_is_refused_before_anything_is_run() {
    let place = Place::new();
    let Some(library) = changed(&place, "other", WITHOUT_PAGE_SIZE) else { return };
    let run = ["run", "--suite", "kv", "--size", "1000", "--test", "1", "--repeat", "1", "--quiet", "--engine"];
    let done = place.run(&[&run[..], &[&format!("sqlite-lib:library={library},page_size=8192")]].concat());
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    let says =
        "option `page_size` of engine `sqlite-lib` cannot be `8192`: the library does not report PRAGMA page_size";
    assert!(done.stderr.contains(says), "{}", done.stderr);
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
    place.ok(&[&run[..], &[&format!("sqlite-lib:library={library}")]].concat());
    let found = place.rows("SELECT asked, in_force IS NULL FROM run_option WHERE name = 'page_size'");
    assert_eq!(found, [["4096", "true"]], "it is as given, and nothing is in force that was read back");
}

#[test]
fn a_key_is_for_a_cipher_and_is_never_stored() {
    let Some(plain) = with_library("synchronous=off") else { return };
    let place = Place::new();
    let key = place.path("key");
    fs::write(&key, "correct horse\n").unwrap();
    let run = ["run", "--suite", "kv", "--size", "1000", "--seed", "42", "--repeat", "1", "--quiet", "--engine"];
    let with_key = |engine: &str| format!("{engine},key={}", key.display());
    let done = place.run(&[&run[..], &[&with_key(&plain)]].concat());
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    let library = system_sqlite().unwrap();
    let says = format!("option `key`: library {} has no cipher", library.display());
    assert!(done.stderr.contains(&says), "{}", done.stderr);
    // Uses a real SQLCipher if there is one. Distributions keep the library's own name.
    let Some(cipher) = std::env::var_os("DBDYNO_SQLCIPHER").map(|path| path.into_string().unwrap()) else {
        eprintln!("not checked: DBDYNO_SQLCIPHER names no libsqlcipher");
        return;
    };
    let cipher = format!("sqlite-lib:library={cipher},journal_mode=wal,synchronous=off");
    let keep = ["--keep-databases", "--engine", &cipher];
    place.ok(&[&run[..], &[&with_key(&cipher)], &keep].concat());
    let found = place.rows("SELECT DISTINCT verification IS NOT NULL, status, tier IS NULL FROM results");
    assert_eq!(found, [["true", "ok", "true"]]);
    assert_eq!(
        place.value("SELECT count(DISTINCT verification) FROM results WHERE test = 2"),
        "1",
        "answers are the same"
    );
    let digest = place.rows("SELECT asked IS NULL, in_force FROM run_option WHERE name = 'key_digest'");
    assert_eq!(digest, [["true", &format!("blake3:{}", &blake3::hash(b"correct horse").to_hex()[..16])]]);
    let mut plain = 0;
    let mut encrypted = 0;
    for file in files_below(&place.path("work")).iter().filter(|path| path.ends_with("sqlite.db")) {
        *(if fs::read(file).unwrap().starts_with(b"SQLite format 3") { &mut plain } else { &mut encrypted }) += 1;
    }
    assert!(plain > 0 && plain == encrypted, "{plain} plain and {encrypted} encrypted files");
    let store = fs::read(place.store()).unwrap();
    assert!(!store.windows(13).any(|bytes| bytes == b"correct horse"), "the passphrase is nowhere in the store");
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn every_option_of_sqlite_is_one_of_the_loaded_library_too() {
    let Some(library) = with_library("synchronous=off") else { return };
    let place = Place::new();
    let sweeps = [
        "journal_mode=delete|truncate|persist|memory|wal|off",
        "page_size=512|65536,cache_size=50,auto_vacuum=incremental,journal_mode=wal,wal_autocheckpoint=0",
        "mmap_size=1048576,locking_mode=exclusive,temp_store=memory,open_mutex=fullmutex",
        "transaction=immediate|exclusive,statements=text,read_transaction=held",
    ];
    let engines: Vec<String> = sweeps.iter().map(|sweep| format!("{library},{sweep}")).collect();
    let mut run = vec!["run", "--suite", "kv", "--size", "1000", "--seed", "42", "--repeat", "1", "--quiet"];
    engines.iter().for_each(|engine| run.extend(["--engine", engine]));
    place.ok(&run);
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results"), "11");
    let differing = place.rows(
        "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1 OR count(DISTINCT status) > 1",
    );
    assert_eq!(differing, [[""; 0]; 0], "tests whose answers differ");
    let in_force = "SELECT DISTINCT options['open_mutex'], options['page_size'] FROM results ORDER BY ALL";
    assert_eq!(
        place.rows(in_force),
        [["fullmutex", "4096"], ["nomutex", "4096"], ["nomutex", "512"], ["nomutex", "65536"]]
    );
}

#[test]
fn a_library_that_is_none_of_sqlite_is_refused_and_nothing_is_run() {
    let place = Place::new();
    let text = place.path("text.so");
    fs::write(&text, "not a library").unwrap();
    let own = format!("sqlite-lib:library={}", text.display());
    for (engine, part) in [
        ("sqlite-lib:library=", "option `library` is empty"),
        ("sqlite-lib:library=/nowhere/libsqlite3.so", "library /nowhere/libsqlite3.so cannot be loaded"),
        (&own, "cannot be loaded"),
        ("sqlite-lib:library=libno.so", "library libno.so cannot be loaded"),
        (
            "sqlite-lib:library=libc.so.6",
            "library libc.so.6 is not a build of SQLite: it has no function sqlite3_libversion",
        ),
    ] {
        let done = place.run(&["run", "--suite", "kv", "--engine", "sqlite", "--engine", engine]);
        assert_eq!(done.code, Some(2), "{engine}: {}", done.stderr);
        assert!(done.stderr.contains(part), "{engine}: expected `{part}` in: {}", done.stderr);
    }
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
    let tuned = ["tune", "try", "--engine", "sqlite-lib:library=/nowhere.so", "--suite", "kv", "synchronous=off"];
    let done = place.run(&tuned);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("library /nowhere.so cannot be loaded"), "{}", done.stderr);
    assert_eq!(place.value("SELECT count(*) FROM run"), "0", "nothing is run");
}

#[test]
fn a_library_that_crashes_when_it_is_loaded_takes_nothing_with_it() {
    let place = Place::new();
    place.engine(
        "odd",
        r#"
[ "$1" = describe ] && echo '{"protocol":1,"name":"odd","about":"x","version":"1","suites":["kv"],
  "options":[{"name":"library","type":"path","default":"","help":"x"}]}' && exit 0
kill -9 $$"#,
    );
    let done = place.run(&["run", "--suite", "kv", "--engine", "odd:library=/x"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("engine `odd`: it gave no answer (signal: 9"), "{}", done.stderr);
}

#[test]
fn begin_concurrent_is_refused_where_the_library_lacks_it() {
    let Some(library) = with_library("journal_mode=wal,transaction=concurrent") else { return };
    let place = Place::new();
    let done = place.run(&["run", "--suite", "contention", "--engine", &library, "--repeat", "1"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(
        done.stderr.contains("the library has no BEGIN CONCURRENT: expected a build of SQLite's branch"),
        "{}",
        done.stderr
    );
}

#[test]
fn several_threads_have_connections_of_a_loaded_library() {
    let Some(library) = with_library("journal_mode=wal,synchronous=off,busy_handler=yield") else { return };
    let place = Place::new();
    let set = ["--set", "contention.seconds=1", "--set", "contention.writers=2", "--test", "4,5", "--size", "1000"];
    place.ok(&[&["run", "--suite", "contention", "--engine", &library, "--repeat", "1", "--quiet"][..], &set].concat());
    let found = place.rows("SELECT DISTINCT verification, status FROM results WHERE actor IS NULL");
    assert_eq!(found, [["invariants:held", "ok"]]);
}
