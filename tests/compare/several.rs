//! Several sides compared with one reference.

use super::fixture::{Bench, spec};
use crate::support::Place;
use dbdyno::{
    compare::{Options, Side, by_configuration, compare, compare_all, load_all},
    metric::Metric,
    stats::Verdict,
    store::{Latencies, Selection, Store},
};

/// A session of ten rounds in which `x` takes 1 ms, `y` 3 ms and `z` as long as `x`, each with its own noise.
fn three() -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..10 {
        let of = |base: u64, step: u64| [base + (u64::from(round) * step) % 7 * base / 1000];
        bench.run(&session, round, &spec("x"), &of(1_000_000, 3));
        bench.run(&session, round, &spec("y"), &of(3_000_000, 5));
        bench.run(&session, round, &spec("z"), &of(1_000_000, 4));
    }
    bench
}

fn sides(bench: &Bench) -> Vec<Side> {
    by_configuration(&bench.stored().side("suite=kv"))
}

#[test]
fn each_side_is_compared_as_it_would_be_alone_and_p_is_adjusted_over_all() {
    let sides = sides(&three());
    assert_eq!(sides.len(), 3, "in the order in which they ran");
    let all = compare_all(&sides[1..], &sides[0], &Options::default());
    let verdicts: Vec<Verdict> = all.iter().map(|one| one.lines[0].found.as_ref().unwrap().verdict).collect();
    assert_eq!(verdicts, [Verdict::Slower, Verdict::Same]);
    assert!(all.iter().all(|one| one.compared == 2), "one family");
    for (side, one) in sides[1..].iter().zip(&all) {
        let alone = compare(side, &sides[0], &Options::default());
        let (found, of_alone) = (one.lines[0].found.as_ref().unwrap(), alone.lines[0].found.as_ref().unwrap());
        assert_eq!((found.ratio, found.interval, found.p), (of_alone.ratio, of_alone.interval, of_alone.p));
    }
    // By hand: there are two p values, and the smaller is doubled.
    let p = |at: usize| all[at].lines[0].found.as_ref().map(|found| (found.p.unwrap(), found.p_adjusted.unwrap()));
    let (first, adjusted) = p(0).unwrap();
    assert!((adjusted - 2.0 * first).abs() < 1e-12, "{adjusted} of {first}");
}

#[test]
fn twins_of_an_aa_session_are_no_sides() {
    let mut bench = three();
    let session = bench.batch.sessions[0].session_id.clone();
    let twin = super::fixture::Variant { label: "x#2".to_owned(), ..spec("x") };
    bench.run(&session, 0, &twin, &[1_000_000]);
    assert_eq!(sides(&bench).len(), 3);
}

#[test]
fn sides_read_together_are_what_each_is_alone() {
    let mut bench = three();
    let session = bench.batch.sessions[0].session_id.clone();
    let twin = super::fixture::Variant { label: "x#2".to_owned(), ..spec("x") };
    bench.run(&session, 0, &twin, &[1_000_000, 2_000_000]);
    let other = bench.session("there");
    bench.run(&other, 0, &spec("y"), &[4_000_000]);
    let stored = bench.stored();
    let _open_once = stored.store.read_together();
    // More selections than are read at once, most of which overlap. None of the first group selects tests.
    let of_runs = ["engine=x", "suite=kv", "engine=nothing", "round>=5", "engine=y"];
    let of_tests = ["test=2", "engine=x test=1", "suite=kv", "engine=nothing test=1", "test=1"];
    for texts in [of_runs, of_tests] {
        let texts: Vec<&str> = texts.into_iter().cycle().take(67).collect();
        let selections: Vec<Selection> = texts.iter().map(|text| Selection::parse_line(text).unwrap()).collect();
        let named: Vec<(&str, &Selection)> = texts.iter().copied().zip(&selections).collect();
        let read =
            |named: &[(&str, &Selection)]| load_all(&stored.store, named, Metric::Wall, Latencies::Read).unwrap();
        let together = read(&named);
        let alone: Vec<Side> = named.iter().flat_map(|one| read(&[*one])).collect();
        assert_eq!(together, alone);
        assert!(together.iter().any(|side| side.twins.len() == 11 && !side.runs.is_empty()));
    }
}

#[test]
fn the_command_puts_all_others_of_the_session_beside_the_reference() {
    let place = Place::new();
    Store::new(place.store()).write(&three().batch).unwrap();
    let compare = |rest: &[&str]| place.ok(&[&["compare"][..], rest].concat());
    let table = compare(&["--reference", "engine=x"]);
    let answer = "x is the same as z within 3 % in Writes.\nIt is 3.0x faster than y (2.996-3.004).\n";
    assert!(table.starts_with(answer), "{table}");
    let markdown = compare(&["--reference", "engine=x", "--format", "markdown"]);
    assert!(markdown.contains("| test | size | x | y | verdict | z | verdict |"), "{markdown}");
    // In a whole session, the first configuration is the reference.
    let first = compare(&["--reference", "session=last", "--format", "markdown"]);
    assert!(first.contains("| test | size | x | y |"), "{first}");
    let named = compare(&["--reference", "engine=y", "--with", "engine=z", "--format", "markdown"]);
    assert!(named.contains("| test | size | y | z |") && named.contains("| 3.0x faster ("), "{named}");
    let csv = compare(&["--reference", "engine=x", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 3);
    let json: serde_json::Value =
        serde_json::from_str(&compare(&["--reference", "engine=x", "--format", "json"])).unwrap();
    assert_eq!(json["comparisons"].as_array().unwrap().len(), 2);
    let html = compare(&["--reference", "engine=x", "--format", "html"]);
    assert!(html.contains("heat slower\"") && html.contains("heat same\""), "{html}");
    // On a small screen each cell is a line below the test's name, and names its configuration.
    assert!(html.contains("<table class=\"cards\">"), "{html}");
    for name in ["x", "y", "z"] {
        assert!(html.contains(&format!("data-label=\"{name}\"")), "{name}: {html}");
    }
    // A metric that no test has produces no table, in any format.
    for format in ["table", "markdown", "csv", "json"] {
        compare(&["--reference", "engine=x", "--metric", "response_p99", "--format", format]);
    }
    let nothing = compare(&["--reference", "engine=x", "--metric", "response_p99", "--format", "html"]);
    assert!(nothing.contains("No test has this figure") && !nothing.contains("<table"), "{nothing}");
    let parquet = place.path("several.parquet");
    compare(&["--reference", "engine=x", "--format", "parquet", "--out", parquet.to_str().unwrap()]);
    let read = format!("SELECT count(*) FROM read_parquet('{}')", parquet.display());
    let connection = duckdb::Connection::open_in_memory().unwrap();
    assert_eq!(connection.query_row(&read, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
}

#[test]
fn what_cannot_be_beside_a_reference_is_said() {
    let place = Place::new();
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("x"), &[(1000, 1001)]);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let refused = |rest: &[&str], part: &str| {
        let done = place.run(&[&["compare"][..], rest].concat());
        assert!(done.code == Some(2) && done.stderr.contains(part), "{rest:?}: {}", done.stderr);
    };
    refused(&["--reference", "engine=x"], "have no other configuration");
    refused(&["--reference", "engine=nothing"], "matches no result");
    refused(&["--reference", "engine=x", "--with", "engine=nothing"], "--with 'engine=nothing' matches no result");
    refused(&["--reference", "engine=x", "--a", "engine=x"], "cannot be used with");
    refused(&["--with", "engine=x"], "--reference");
    refused(&["--a", "engine=x"], "--b");
    refused(&["--reference", "engine=x", "--format", "benchfmt"], "markdown");
    refused(&[], "--a");
}

#[test]
fn a_bench_ends_in_verdicts_on_its_first_configuration() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--size", "200", "--test", "1,2", "--repeat", "6", "--quiet"];
    let engines = ["--engine", "lmdb:sync=nosync", "--engine", "sqlite:synchronous=off"];
    let said = place.ok(&[&run[..], &engines].concat());
    assert!(said.contains("sqlite") && said.contains(" by the geometric mean"), "{said}");
    let json = place.ok(&[&run[..], &engines, &["--json"]].concat());
    let verdicts = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let verdicts: Vec<_> = verdicts.filter(|event| event["event"] == "verdicts").collect();
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0]["comparisons"][0]["lines"].as_array().unwrap().len(), 2);
    let alone = place.ok(&[&run[..], &engines[..2]].concat());
    assert!(!alone.contains("against"), "{alone}");
}
