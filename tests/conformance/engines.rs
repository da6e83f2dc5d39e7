//! Engines that follow the protocol, and engines that do not.

use super::{PYDICT, Told, checked, put_python, with};
use crate::support::{Place, built_program, engine_program, has_tool, processes_with, wait_until};
use std::fs;

/// Checks an engine that must have no failed check.
#[track_caller]
fn passes(place: &Place, engine: &str) -> Vec<Told> {
    let (told, done) = checked(place, &["check-engine", engine]);
    assert_eq!(done.code, Some(0), "{engine}: {}{}", done.stdout, done.stderr);
    assert!(with(&told, "failed").is_empty() && with(&told, "passed").len() > 5, "{engine}: {}", done.stdout);
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
    told
}

#[test]
fn built_in_engines_keep_to_the_protocol() {
    let place = Place::new();
    for engine in ["sqlite", "lmdb", "redb", "fjall", "log", "files", "duckdb"] {
        let told = passes(&place, engine);
        let passed = with(&told, "passed");
        let answered = passed.iter().filter(|check| check.starts_with("kv, ")).count();
        assert_eq!(answered, 10, "{engine}: {told:?}");
        let every = [
            "description",
            "open",
            "unknown option",
            "another version",
            "progress",
            "end of stdin",
            "SIGTERM",
            "crash",
        ];
        for check in every.into_iter().chain(["turns"]) {
            assert!(passed.contains(&check), "{engine}, {check}: {told:?}");
        }
    }
    let sqlite = passes(&place, "sqlite:journal_mode=wal,synchronous=off");
    assert!(with(&sqlite, "passed").contains(&"kv-more, several threads: transfers beside audits"), "{sqlite:?}");
    assert_eq!(with(&sqlite, "passed").iter().filter(|check| check.starts_with("sql, ")).count(), 10);
    let null = checked(&place, &["check-engine", "null"]);
    assert_eq!(null.1.code, Some(0), "{}", null.1.stdout);
    if engine_program("lmdb1").is_some() {
        passes(&place, "lmdb1");
    }
}

/// Programs in Go, if a variable names a folder with them: the example of a store, and a driver for each way to call SQLite.
#[test]
fn engines_in_go_keep_to_the_protocol() {
    let Some(folder) = std::env::var_os("DBDYNO_GO_ENGINES") else {
        eprintln!("not checked: DBDYNO_GO_ENGINES names no folder with programs in Go");
        return;
    };
    let place = Place::new();
    for program in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        std::os::unix::fs::symlink(program.path(), place.path("engines").join(program.file_name())).unwrap();
    }
    for engine in ["goexample", "go-mattn", "go-zombiezen", "go-bvinc"] {
        if !place.path(&format!("engines/dbdyno-engine-{engine}")).exists() {
            eprintln!("not checked: {engine} is not built");
            continue;
        }
        let told = passes(&place, engine);
        let passed = with(&told, "passed");
        let answered = |kind: &str| passed.iter().filter(|check| check.starts_with(kind)).count();
        assert_eq!((answered("kv, "), answered("kv-more, ")), (10, 14), "{engine}: {told:?}");
        assert!(passed.contains(&"turns"), "{engine}: {told:?}");
    }
}

#[test]
fn the_shipped_examples_pass() {
    let place = Place::new();
    if let Some(program) = built_program("dbdyno-example") {
        fs::copy(program, place.path("engines/dbdyno-engine-example")).unwrap();
        passes(&place, "example");
    }
    if !has_tool("python3", &["--version"]) {
        return;
    }
    // As the page describes: both files go into a folder of DBDYNO_ENGINE_PATH.
    for file in ["dbdyno-engine-pydict", "dbdyno_worker.py"] {
        let from = concat!(env!("CARGO_MANIFEST_DIR"), "/engines/python/");
        fs::copy(format!("{from}{file}"), place.path("engines").join(file)).unwrap();
    }
    let told = passes(&place, "pydict");
    let skipped = with(&told, "skipped");
    assert!(skipped.contains(&"kv-more, popular keys") && skipped.contains(&"sql"), "{told:?}");
    assert!(with(&told, "passed").contains(&"option sync"), "{told:?}");
    let text = place.run(&["check-engine", "pydict:sync=off"]);
    assert!(text.stdout.contains("✓  option sync: read back as full, off\n"), "{}", text.stdout);
    assert!(text.stdout.contains("\n-  sql: the engine has no suites of kind sql\n"), "{}", text.stdout);
    assert!(text.stderr.contains("checks: ") && text.stderr.contains(" 0 failed"), "{}", text.stderr);
}

/// Checks the engine in Python with changes. Returns the failed checks.
#[track_caller]
fn red(engine: &[(&str, &str)], module: &[(&str, &str)]) -> Option<Vec<Told>> {
    if !has_tool("python3", &["--version"]) {
        return None;
    }
    let place = Place::new();
    put_python(&place, "odd", engine, module);
    let (told, done) = checked(&place, &["check-engine", "odd"]);
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
    let root = place.path("");
    wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
    Some(told.into_iter().filter(|one| one.outcome == "failed").collect())
}

#[track_caller]
fn is_red_at(red: Option<Vec<Told>>, checks: &[(&str, &str)]) {
    let Some(red) = red else { return };
    let names: Vec<&str> = red.iter().map(|one| one.check.as_str()).collect();
    assert_eq!(names, checks.iter().map(|(check, _)| *check).collect::<Vec<_>>(), "{red:?}");
    for (one, (_, says)) in red.iter().zip(checks) {
        assert!(one.reason.contains(says), "{}: expected `{says}` in: {}", one.check, one.reason);
    }
}

#[test]
fn wrong_answers_are_red_at_the_tests_that_read() {
    let lying = red(&[("return self.rows.get(key)", "return (self.rows.get(key) or b'')[:-1] or None")], &[]);
    is_red_at(
        lying,
        &[
            ("kv, gets of keys that are drawn", "wrong answers: checksum 3:"),
            ("kv, kinds of operation by their weights", "expected 3:"),
            ("kv, the first database, opened again", "wrong answers"),
        ],
    );
}

#[test]
fn a_wrong_number_of_rows_is_red() {
    let counting = red(&[], &[("operations=done, rows=rows,", "operations=done, rows=rows + 1,")]);
    let Some(red) = counting else { return };
    let says = |one: &Told| one.reason.starts_with("`rows` is ") || one.reason.contains(" rows of ");
    assert!(red.len() > 9 && red.iter().all(says), "{red:?}");
}

#[test]
fn counters_that_are_not_described_are_red() {
    let counting = red(&[], &[("operations=done, rows=rows,", "operations=done, rows=rows, **{\"counter:gets\": 1},")]);
    let Some(red) = counting else { return };
    let says = |one: &Told| one.reason == "the counter `counter:gets` is not among the description's `counters`";
    assert!(red.len() > 9 && red.iter().all(says), "{red:?}");
}

#[test]
fn an_engine_that_ignores_that_it_is_to_stop_is_red_there() {
    let deaf = red(&[], &[("    def stop(*_):\n", "    def stop(*_):\n        return\n")]);
    is_red_at(
        deaf,
        &[("end of stdin", "continued after the end of stdin"), ("SIGTERM", "after SIGTERM and was killed")],
    );
    let untidy = red(&[], &[("shutil.rmtree(job[\"folder\"], ignore_errors=True)", "pass")]);
    is_red_at(untidy, &[("end of stdin", "left the job's folder"), ("SIGTERM", "left the job's folder")]);
}

#[test]
fn an_engine_that_takes_what_it_does_not_know_is_red_there() {
    let lax = red(&[], &[("        check_option(description, name, value)\n", "        pass\n")]);
    is_red_at(
        lax,
        &[
            ("unknown option", "the option `no-such-option` was accepted: it sent `opened`"),
            ("bad value of an option", "`sync` with `no such value` was accepted"),
        ],
    );
    let newer = red(&[], &[("if job[\"protocol\"] != description[\"protocol\"]:", "if False:")]);
    is_red_at(newer, &[("another version", "protocol 99 was accepted")]);
    let mute = red(&[], &[("sys.exit(f\"engine `{description['name']}` has no option `{name}`\")", "os._exit(1)")]);
    is_red_at(mute, &[("unknown option", "was not refused with a message")]);
}

#[test]
fn an_engine_that_does_not_tell_how_far_it_is_is_red_there() {
    let silent = red(&[], &[("for target in (watch, report):", "for target in (watch,):")]);
    is_red_at(silent, &[("progress", "no `progress` event within 5 s")]);
    let stuck = red(&[], &[("said[\"operations\"] = done", "said[\"operations\"] = 7")]);
    is_red_at(stuck, &[("progress", "events without an increase")]);
}

#[test]
fn an_engine_that_does_not_rest_in_the_turns_of_others_is_red_there() {
    let restless = red(&[], &[("        self.go_on()\n        self.away_cpu", "        self.away_cpu")]);
    is_red_at(restless, &[("turns", " while other workers had their turns, before it was told to go on")]);
    let talkative = red(&[], &[(" and not NOW.get(\"away\")", "")]);
    is_red_at(talkative, &[("turns", "it sent `progress` while other workers had their turns")]);
}

#[test]
fn an_option_that_is_not_in_force_is_red_there() {
    let fixed = red(&[("return {\"sync\": self.sync}", "return {\"sync\": \"full\"}")], &[]);
    is_red_at(fixed, &[("option sync", "with `off`: options in force differ: sync is `full`, requested `off`")]);
}

#[test]
fn an_invalid_description_is_red_there() {
    let default = red(&[("\"default\": \"full\"", "\"default\": \"always\"")], &[]);
    is_red_at(default, &[("description", "default `always` of option `sync`: expected full or off")]);
    let condition = red(&[("\"when\": {\"sync\": [\"off\"]}", "\"when\": {\"fsync\": [\"off\"]}")], &[]);
    is_red_at(condition, &[("description", "`tiers`: `when` has the unknown option `fsync`")]);
    let counters = red(&[("\"tiers\": ", "\"counters\": {\"Gets\": \"\"}, \"tiers\": ")], &[]);
    is_red_at(counters, &[("description", "counter `Gets`: expected a name of lower-case letters")]);
    let place = Place::new();
    place.engine("odd", "echo '{\"protocol\": 2}'");
    let (told, done) = checked(&place, &["check-engine", "odd"]);
    assert_eq!((done.code, told.len()), (Some(1), 1), "{told:?}");
    assert!(told[0].check == "description" && told[0].reason.contains("missing field `name`"), "{told:?}");
}

#[test]
fn an_engine_that_does_not_open_is_not_asked_for_more() {
    let broken = red(&[("self.replay()", "self.reply()")], &[]);
    is_red_at(broken, &[("open", "its log ends with: AttributeError: 'Store' object has no attribute 'reply'")]);
}

#[test]
fn what_is_no_engine_or_no_configuration_is_bad_usage() {
    let place = Place::new();
    for (engine, says) in [
        ("nobody", "unknown engine `nobody`"),
        ("sqlite:journal_mode=wal|delete", "option `journal_mode` has several values: expected one"),
        ("sqlite:journal=wal", "unknown option `journal` of engine `sqlite`"),
    ] {
        let done = place.run(&["check-engine", engine]);
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(says), "{engine}: {}", done.stderr);
    }
}

#[test]
fn engines_to_start_from_are_short() {
    assert!(PYDICT.lines().count() < 100);
    let example = include_str!("../../engines/example/src/main.rs");
    let code = |line: &&str| line.chars().any(char::is_alphanumeric) && !line.trim_start().starts_with("//");
    assert!(example.lines().filter(code).count() < 100);
}
