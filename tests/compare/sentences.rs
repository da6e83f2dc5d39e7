//! What a comparison says in a sentence, what its sides are called, and the forms of its ratios.

use super::fixture::{Bench, CLEAR, Variant, markdown, spec};
use crate::support::Place;
use dbdyno::{
    compare::Options,
    metric::Metric,
    report::comparison::{SideNames, sentence},
    store::Store,
};

/// A session in which `x` and `y` take these times in each of eight rounds, ns; each round is a little later.
fn bench(x: &[u64], y: &[u64]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        let later = |times: &[u64]| times.iter().map(|time| time + u64::from(round)).collect::<Vec<_>>();
        bench.run(&session, round, &spec("x"), &later(x));
        bench.run(&session, round, &spec("y"), &later(y));
    }
    bench
}

fn said(bench: &Bench, a: &str, b: &str) -> String {
    sentence(&bench.compared(a, b, &Options::default()))
}

#[test]
fn a_sentence_names_the_better_side_by_how_much_and_the_exceptions() {
    let one = bench(&[1_000_000], &[3_000_000]);
    assert_eq!(said(&one, "engine=x", "engine=y"), "x is 3.0x faster than y in Writes (3.0-3.0).");
    assert_eq!(said(&one, "engine=y", "engine=x"), "x is 3.0x faster than y in Writes (3.0-3.0).");
    let two = bench(&[1_000_000, 1_000_000], &[2_000_000, 8_000_000]);
    assert_eq!(
        said(&two, "engine=x", "engine=y"),
        "x is faster than y in 2 of 2 tests, 4.0x by the geometric mean (4.0-4.0)."
    );
    let mixed = bench(&[1_000_000, 1_000_000, 2_000_000], &[2_000_000, 8_000_000, 1_000_000]);
    let mixed = said(&mixed, "engine=y", "engine=x");
    assert!(
        mixed.starts_with("x is faster than y in 2 of 3 tests, 2.0x by the geometric mean (2.0-2.0); y is faster in "),
        "{mixed}"
    );
    let even = bench(&[1_000_000, 2_000_000], &[2_000_000, 1_000_000]);
    assert_eq!(
        said(&even, "engine=x", "engine=y"),
        "Neither is ahead: x is faster than y in 1 of 2 tests, and the reverse in 1."
    );
    let same = bench(&[1_000_000, 1_000_000], &[1_000_001, 1_000_000]);
    assert_eq!(said(&same, "engine=x", "engine=y"), "x and y are the same within 3 % in 2 of 2 tests.");
    assert_eq!(
        said(&same, "engine=x", "engine=nothing"),
        "A and B: not comparable in 2 of 2 tests (only A has size 1000)."
    );
}

#[test]
fn a_sentence_is_no_more_certain_than_the_verdicts() {
    let mut few = Bench::default();
    few.pairs(&spec("x"), &spec("y"), &CLEAR[..3]);
    let few = said(&few, "engine=x", "engine=y");
    assert!(few.starts_with("x and y in Writes: need >= 6 runs (so far x 3.1x faster)"), "{few}");
    let mut open = Bench::default();
    let session = open.session("here");
    for (round, far) in [(0, 13), (1, 7), (2, 14), (3, 8), (4, 12), (5, 9), (6, 15), (7, 6)] {
        open.run(&session, round, &spec("x"), &[far * 100_000, 1_000_000 + u64::from(round)]);
        open.run(&session, round, &spec("y"), &[1_000_000, 2_000_000 + u64::from(round)]);
    }
    let comparison = open.compared("engine=x", "engine=y", &Options::default());
    let text = sentence(&comparison);
    assert!(
        text.starts_with("x is faster than y in 1 of 2 tests") && text.ends_with("; undecided in Writes."),
        "{text}"
    );
    // The table says what is still possible, around 1.
    let row = markdown(&comparison).lines().find(|line| line.contains("| 1 Writes |")).unwrap().to_owned();
    assert!(row.contains("undecided, ") && row.contains("(x 0.") && row.contains("x as fast)"), "{row}");
}

#[test]
fn sides_are_called_by_what_differs() {
    let named = |a: Variant, b: Variant| {
        let mut bench = Bench::default();
        bench.pairs(&a, &b, &CLEAR);
        let side = |variant: &Variant| {
            let options: Vec<String> = variant.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("engine={} version={} {}", variant.engine, variant.version, options.join(" "))
        };
        let SideNames { a, b } = SideNames::of(&bench.compared(&side(&a), &side(&b), &Options::default()));
        [a, b]
    };
    let with = |label: &str, sync| Variant { label: label.to_owned(), options: vec![("sync", sync)], ..spec("x") };
    assert_eq!(named(spec("x"), spec("y")), ["x", "y"]);
    assert_eq!(named(with("x", "full"), with("x", "off")), ["sync=full", "sync=off"], "labels are the same");
    let long = "x[sync=off,journal_mode=truncate]";
    assert_eq!(named(with(long, "off"), with("x", "full")), ["sync=off", "sync=full"], "shorter than the label");
    assert_eq!(named(spec("x"), Variant { version: "2.0", ..spec("x") }), ["x 1.0", "x 2.0"]);
}

#[test]
fn each_form_has_one_direction_in_pairs_and_beside_a_reference() {
    let place = Place::new();
    Store::new(place.store()).write(&bench(&[1_000_000, 8_000_000], &[4_000_000, 1_000_000]).batch).unwrap();
    let pair = |form: &[&str]| place.ok(&[&["compare", "x", "y", "--format", "markdown"], form].concat());
    let beside = |form: &[&str]| {
        place
            .ok(&[&["compare", "--reference", "engine=y", "--with", "engine=x", "--format", "markdown"], form].concat())
    };
    let words = pair(&[]);
    assert!(
        words.contains("| x | y | verdict |") && words.contains("x 4.0x faster (") && words.contains("y 8.0x faster (")
    );
    assert!(beside(&[]).contains("| 4.0x faster (") && beside(&[]).contains("| 8.0x slower ("), "{}", beside(&[]));
    for shown in [pair(&["--ratio"]), beside(&["--ratio"])] {
        assert!(shown.contains("| x/y |") && shown.contains("0.25") && shown.contains("8.00"), "{shown}");
    }
    for shown in [pair(&["--speedup"]), beside(&["--speedup"])] {
        assert!(shown.contains("| x speedup |") && shown.contains("4.0x") && shown.contains("0.13x"), "{shown}");
    }
    for shown in [pair(&["--percent"]), beside(&["--percent"])] {
        assert!(shown.contains("| x to y |") && shown.contains("-75 %") && shown.contains("+700 %"), "{shown}");
    }
    place.refused(&["compare", "x", "y", "--ratio", "--percent"], &["cannot be used with", "--percent"]);
}

#[test]
fn what_is_no_speed_is_less_or_more() {
    let mut bench = bench(&[1_000_000], &[3_000_000]);
    for (at, result) in bench.batch.results.iter_mut().enumerate() {
        result.figures.set(Metric::Syncs, Some(if at % 2 == 0 { 10 } else { 20 }));
    }
    let comparison = bench.stored().compared_in(Metric::Syncs, "engine=x", "engine=y", &Options::default());
    assert_eq!(sentence(&comparison), "x has 2.0x less syncs than y in Writes.");
}
