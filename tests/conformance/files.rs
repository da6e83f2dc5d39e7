//! Suites and presets of users: generated as a starting point, and checked.

use super::{checked, with};
use crate::support::{Done, Place, wait_until};
use std::fs;

#[test]
fn what_is_written_to_start_from_is_valid_and_runs() {
    let place = Place::new();
    for kind in ["kv", "sql"] {
        let name = format!("my-{kind}");
        let said = place.ok(&["new", "suite", &name, "--kind", kind]);
        let (path, next) = said.trim_end().split_once('\n').unwrap();
        assert_eq!(path, place.path(&format!("config/suites/{name}.toml")).to_str().unwrap());
        assert_eq!(next, format!("next: dbdyno check-suite {path}"));
        let (told, done) = checked(&place, &["check-suite", path]);
        assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
        assert_eq!(
            with(&told, "passed"),
            ["file", "sizes", told[2].check.as_str(), told[3].check.as_str(), "run", "place"]
        );
        assert!(told[2].check.starts_with("test 1 ") && told[3].reason.ends_with(", after 1"), "{told:?}");
        assert!(told[2].reason.starts_with("1,00"), "options at their defaults are put in: {told:?}");
        assert_eq!(with(&told, "skipped"), ["known answers"]);
        let said = place.ok(&["new", "preset", &format!("bench-{kind}"), "--suite", &name]);
        assert!(said.ends_with(&format!("next: dbdyno --preset bench-{kind} --dry-run\n")), "{said}");
        let plan = place.ok(&["--preset", &format!("bench-{kind}"), "--dry-run"]);
        assert!(plan.starts_with(&format!("{name}: 3 configurations x 6 rounds = 18 runs")), "{plan}");
    }
    place.ok(&[
        "run", "--suite", "my-kv", "--engine", "sqlite", "--engine", "lmdb", "--size", "100", "--repeat", "1",
        "--quiet",
    ]);
    assert_eq!(place.rows("SELECT DISTINCT status FROM results"), [["ok"]]);
}

#[test]
fn nothing_is_written_over_or_put_before_what_is_built_in() {
    let place = Place::new();
    let file = place.path("config/suites/mine.toml");
    fs::write(&file, "mine").unwrap();
    for (arguments, says) in [
        (["new", "suite", "mine"], "mine.toml already exists, and is left unchanged"),
        (["new", "suite", "kv"], "there is a built-in suite `kv`: choose another name"),
        (["new", "preset", "quick"], "there is a built-in preset `quick`"),
        (["new", "suite", "../mine"], "expected a name of letters, digits, - and _"),
    ] {
        let done = place.run(&arguments);
        assert_eq!(done.code, Some(2), "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(says), "{arguments:?}: {}", done.stderr);
    }
    let done = place.run(&["new", "preset", "mine", "--suite", "nope"]);
    assert!(done.code == Some(2) && done.stderr.contains("unknown suite `nope`"), "{}", done.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(fs::read_dir(place.path("config/presets")).unwrap().count(), 0);
}

/// Checks the new suite of keys and values with a change. Returns the check of the file and the checks after it.
#[track_caller]
fn changed(from: &str, to: &str) -> (Vec<super::Told>, Option<i32>) {
    let place = Place::new();
    place.ok(&["new", "suite", "mine"]);
    let file = place.path("config/suites/mine.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "`{from}` is there to be changed");
    fs::write(&file, text.replace(from, to)).unwrap();
    let (told, done) = checked(&place, &["check-suite", file.to_str().unwrap()]);
    (told, done.code)
}

#[test]
fn a_mistake_in_a_suite_is_told_with_its_line_and_field() {
    for (from, to, says) in [
        ("keys = \"uniform\"", "keys = \"uniformly\"", "keys `uniformly`: did you mean `uniform`?"),
        ("needs = [1] ", "needs = [7] ", "needs 7: expected the number of an earlier test"),
        ("operations = { share = 1.0 }", "operatoins = { share = 1.0 }", "unknown field `operatoins`"),
        ("session_{key:012}", "session_{row:012}", "session_{row:012}"),
        ("option = \"hot\"", "option = \"cold\"", "cold"),
        ("name = \"mine\" ", "name = \"other\" ", "name: expected `mine`, the file's own name"),
    ] {
        let (told, code) = changed(from, to);
        assert_eq!((code, with(&told, "failed")), (Some(1), vec!["file"]), "{to}: {told:?}");
        let (_, place) = told[0].reason.split_once("mine.toml:").unwrap();
        let line: usize = place.split(':').next().unwrap().parse().unwrap();
        assert!(line > 1 && told[0].reason.contains(says), "{to}: {}", told[0].reason);
    }
}

#[test]
fn known_answers_are_looked_at_and_held_against_a_run() {
    let known = |answers: &str| {
        let table = format!("[[known]]\nsize = \"1000\"\nanswers = {{ {answers} }}");
        let (told, code) =
            changed("# [[known]]\n# size = \"1000\"\n# answers = { 1 = \"3:0123456789abcdef\" }", &table);
        let failed = told.into_iter().find(|one| one.outcome == "failed");
        (failed.map(|one| format!("{}: {}", one.check, one.reason)).unwrap_or_default(), code)
    };
    let (failed, code) = known("9 = \"3:0123456789abcdef\"");
    assert_eq!(
        (failed.as_str(), code),
        ("known answers: size 1000 has an answer of test 9: expected one of 1, 2", Some(1))
    );
    assert!(known("1 = \"0123\"").0.contains("`0123`: expected `3:` and 16 hexadecimal digits"));
    let (failed, code) = known("1 = \"3:0123456789abcdef\"");
    assert!(code == Some(1) && failed.starts_with("run: test 1: sqlite answers `3:"), "{failed}");
    let right = failed.split('`').nth(1).unwrap().to_owned();
    assert_eq!(known(&format!("1 = \"{right}\"")), (String::new(), Some(0)));
}

#[test]
fn statements_that_a_reference_refuses_are_red_at_the_run() {
    let (told, code) = changed("scan = \"SELECT key, value FROM kvpairs", "scan = \"SELECT key, value FROM nothing");
    assert_eq!((code, with(&told, "failed")), (Some(1), vec!["run"]), "{told:?}");
    assert!(told.iter().any(|one| one.reason.contains("nothing")), "{told:?}");
}

#[test]
fn what_takes_long_is_not_run_and_other_files_are_told_of() {
    let place = Place::new();
    place.ok(&["new", "suite", "mine"]);
    let elsewhere = place.path("mine.toml");
    let text = fs::read_to_string(place.path("config/suites/mine.toml")).unwrap();
    fs::write(
        &elsewhere,
        text.replace("default = [1_000]", "default = [100_000_000]")
            .replace("[1_000, 10_000, 100_000]", "[100_000_000]"),
    )
    .unwrap();
    let (told, done) = checked(&place, &["check-suite", elsewhere.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{}", done.stdout);
    assert_eq!(with(&told, "skipped"), ["known answers", "run", "place"]);
    assert!(
        told.iter().any(|one| one.reason.contains("dbdyno run --suite mine --engine sqlite --size 100000000")),
        "{told:?}"
    );
    let done = place.run(&["check-suite", place.path("nowhere.toml").to_str().unwrap()]);
    assert!(done.code == Some(2) && done.stderr.contains("nowhere.toml"), "{}", done.stderr);
}

#[test]
fn built_in_suites_pass() {
    let place = Place::new();
    for name in ["kv", "contention", "drivers", "lumosql", "soak"] {
        let path = format!("{}/suites/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let (told, done) = checked(&place, &["check-suite", &path]);
        assert_eq!(done.code, Some(0), "{name}: {told:?}");
        if name == "kv" {
            assert!(
                told.iter().any(|one| one.check == "test 3 Sequential scan" && one.reason.starts_with("every row"))
            );
            assert!(told.iter().any(|one| one.reason.ends_with("4 with the known answer")), "{told:?}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_file_is_told_while_another_dbdyno_measures() {
    let place = Place::new();
    fs::create_dir_all(place.path("runtime/dbdyno")).unwrap();
    let lock = fs::File::create(place.path("runtime/dbdyno/measurement.lock")).unwrap();
    lock.lock().unwrap();
    let file = place.path("mine.toml");
    fs::write(&file, "name = \"mine\"\nkind = \n").unwrap();
    let mut child = place.spawn(&["check-suite", file.to_str().unwrap()]);
    wait_until("the file is checked", || child.try_wait().unwrap().is_some());
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("mine.toml:2") && !done.stderr.contains("waiting"), "{}{}", done.stdout, done.stderr);
}
