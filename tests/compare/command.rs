//! The real program: exit codes, messages, files.

use super::fixture::{Bench, CLEAR, Stored, Variant, spec};
use dbdyno_engine::durability::Tier;
use std::process::{Command, Output};

pub(super) fn dbdyno(stored: &Stored, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dbdyno"))
        .args(arguments)
        .env("DBDYNO_STORE", stored.store.path())
        .env_remove("NO_COLOR")
        .output()
        .unwrap()
}

#[track_caller]
pub(super) fn ends(stored: &Stored, arguments: &[&str], code: i32, says: &str) -> String {
    let out = dbdyno(stored, arguments);
    let (stdout, stderr) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert_eq!(out.status.code(), Some(code), "{stdout}{stderr}");
    assert!(stdout.contains(says) || stderr.contains(says), "`{says}` is not said: {stdout}{stderr}");
    stdout
}

fn clear() -> Stored {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    bench.stored()
}

#[test]
fn a_slower_test_ends_with_4_a_faster_one_with_0() {
    let stored = clear();
    let slower = ["compare", "--a", "engine=y", "--b", "engine=x", "--fail-if-slower", "5%"];
    let table = ends(&stored, &slower, 4, "A is slower by more than 5 %: 1 Writes at size 1000");
    assert!(table.contains("x 3.0x faster"), "the table is shown all the same: {table}");
    ends(&stored, &["compare", "--a", "engine=x", "--b", "engine=y", "--fail-if-slower", "5%"], 0, "x 3.0x faster");
    // 3x is slower, but not by more than 300 %.
    ends(&stored, &["compare", "--a", "engine=y", "--b", "engine=x", "--fail-if-slower", "300%"], 0, "x 3.0x faster");
    ends(&stored, &["compare", "--a", "engine=y", "--b", "engine=x"], 0, "x 3.0x faster");
}

#[test]
fn what_cannot_be_decided_ends_with_3() {
    let mut bench = Bench::default();
    // The interval spans the limit, the second test exists on one side only, and the third has too few runs.
    let wide = [(100, 110), (120, 100), (90, 100), (105, 100), (100, 104), (115, 100)];
    bench.pairs(&spec("x"), &spec("y"), &wide);
    let stored = bench.stored();
    let says = "undecided whether A is slower by more than 5 %: 1 Writes at size 1000";
    ends(&stored, &["compare", "--a", "engine=x", "--b", "engine=y", "--fail-if-slower", "5%"], 3, says);

    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR[..4]);
    ends(&bench.stored(), &["compare", "--a", "engine=x", "--b", "engine=y", "--fail-if-slower", "5%"], 3, "undecided");

    let mut bench = Bench::default();
    bench.pairs(&Variant { tier: Tier::ProcessSafe, ..spec("x") }, &spec("y"), &CLEAR);
    let stored = bench.stored();
    let tiers = ["compare", "--a", "engine=x", "--b", "engine=y", "--fail-if-slower", "5%"];
    ends(&stored, &tiers, 3, "--allow tiers compares them anyway");
    ends(&stored, &tiers, 3, "note: tests were not compared because tiers differ: --allow tiers compares them anyway");
    ends(&stored, &[&tiers[..], &["--allow", "tiers"]].concat(), 0, "(compared anyway)");
}

#[test]
fn a_slower_test_outweighs_an_undecided_one() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&session, round, &spec("x"), &[b * 1000, 1]);
        bench.run(&session, round, &spec("y"), &[a * 1000]);
    }
    let arguments = ["compare", "--a", "engine=x", "--b", "engine=y", "--fail-if-slower", "5%"];
    ends(&bench.stored(), &arguments, 4, "only A has Random reads");
}

#[test]
fn bad_input_ends_with_2_and_says_what_was_expected() {
    let stored = clear();
    let cases: [(&[&str], &str); 8] = [
        (&["compare", "--a", "engine=x"], "--b <SELECTION>"),
        (&["compare", "--a", "", "--b", "engine=y"], "--a: expected terms"),
        (&["compare", "--a", "lmdb reads", "--b", "engine=y"], "--a: `lmdb reads`: expected KEY=VALUE"),
        (&["compare", "--a", "engine=z", "--b", "engine=y"], "--a 'engine=z' matches no result"),
        (&["compare", "--a", "engine=x", "--b", "engine=y", "--pivot", "test"], "--pivot `test`: expected ROW,COL"),
        (&["compare", "--a", "engine=x", "--b", "engine=y", "--pivot", "test,round"], "`round`: expected test, size"),
        (&["compare", "--a", "engine=x", "--b", "engine=y", "--fail-if-slower", "5"], "expected a percentage"),
        (&["compare", "--a", "engine=x", "--b", "engine=y", "--format", "parquet"], "give --out FILE"),
    ];
    for (arguments, says) in cases {
        ends(&stored, arguments, 2, says);
    }
}

#[test]
fn an_export_goes_to_its_file_and_carries_its_command() {
    let stored = clear();
    let path = stored.path("out.md");
    let path = path.to_str().unwrap();
    let stdout =
        ends(&stored, &["compare", "--a", "engine=x", "--b", "engine=y", "--format", "markdown", "--out", path], 0, "");
    assert_eq!(stdout, "");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("dbdyno compare --a engine=x --b engine=y --format markdown --out"), "{text}");
}

#[test]
fn an_aa_plan_runs_the_first_configuration_twice_a_round() {
    let folder = tempfile::tempdir().unwrap();
    let stored = Stored { store: dbdyno::store::Store::new(folder.path().join("new.duckdb")), folder };
    let work = stored.path("work");
    let bench = [
        "run", "--suite", "kv", "--engine", "null", "--aa", "--size", "1000", "--repeat", "6", "--test", "2", "--quiet",
    ];
    let out = dbdyno(&stored, &[&bench[..], &["--work-dir", work.to_str().unwrap()]].concat());
    assert!(String::from_utf8_lossy(&out.stdout).contains("null#2"), "{out:?}");
    let table =
        ends(&stored, &["compare", "--a", "label=null", "--b", "label=null#2"], 0, "6 pairs of runs of the same round");
    assert!(table.contains("(measured A against A)"), "{table}");
}
