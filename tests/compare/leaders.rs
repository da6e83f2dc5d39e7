//! What is said of three and more configurations: which one is best, and never more than the verdicts on it.

use super::{
    fixture::{Bench, Variant, spec},
    simulation::{Machine, quick},
};
use dbdyno::{
    compare::{ComparedGroups, Comparison, Options, Side, by_configuration, compare_all, grouped},
    report::comparison::several::answers,
    stats::Verdict,
};
use dbdyno_engine::durability::Tier;
use dbdyno_workload::rng::SplitMix64;
use std::collections::BTreeSet;

const ENGINES: [&str; 4] = ["w", "x", "y", "z"];

/// A session of eight rounds in which the engines take these times in the tests, ms; each round is a little later.
fn bench(times: &[&[u64]]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        for (engine, times) in ENGINES.iter().zip(times) {
            let times: Vec<u64> = times.iter().map(|time| time * 1_000_000 + u64::from(round)).collect();
            bench.run(&session, round, &spec(engine), &times);
        }
    }
    bench
}

fn compared(side: &Side, options: &Options) -> ComparedGroups {
    let groups = grouped(by_configuration(side), &BTreeSet::new(), &options.allowed).groups;
    ComparedGroups::new(&groups, options)
}

fn said(bench: &Bench) -> String {
    answers(&compared(&bench.stored().side("suite=kv"), &Options::default())).join(" ")
}

const EQUAL: &str = " Equal durability: tier 3 power-safe (commits survive a power loss).";

#[test]
fn the_best_of_three_is_named_with_its_distance_from_each_other_one() {
    // The reference is w, the first.
    let clear = said(&bench(&[&[40, 40], &[10, 10], &[20, 20]]));
    let mean = " By the geometric mean, it is 2.0x faster than y (2.0-2.0) and 4.0x faster than w (4.0-4.0).";
    assert_eq!(clear, format!("x is fastest in both tests.{mean}{EQUAL}"));
    let reference = said(&bench(&[&[10, 10], &[20, 20], &[40, 40]]));
    assert!(reference.starts_with("w is fastest in both tests. By the geometric mean, it is 2.0x faster than x ("));
    let one = said(&bench(&[&[40], &[10], &[20]]));
    assert!(one.starts_with("x is fastest in Writes. It is 2.0x faster than y (2.0-2.0) and 4.0x"), "{one}");
    let four = said(&bench(&[&[80], &[10], &[20], &[40]]));
    assert!(
        four.contains("2.0x faster than y (2.0-2.0), 4.0x faster than z (4.0-4.0) and 8.0x faster than w"),
        "{four}"
    );
}

#[test]
fn the_tests_that_a_leader_does_not_win_are_told_by_what_happened_there() {
    let mixed = said(&bench(&[&[40, 40, 40, 40], &[10, 10, 10, 30], &[20, 10, 20, 20]]));
    let expected =
        "x is fastest in 2 of 4 tests; y is faster than x in Updates; the same as y within 3 % in Random reads.";
    assert!(mixed.starts_with(expected), "{mixed}");
    // Second in each test, and so the best on the whole.
    let second = said(&bench(&[&[10, 90], &[20, 20], &[90, 10]]));
    let expected = "x leads by the geometric mean, but is shown to be ahead of all others in no test of 2; w is faster than x in Writes; y is faster than x in Random reads.";
    assert!(second.starts_with(expected), "{second}");
    let level = said(&bench(&[&[10, 10], &[10, 10], &[10, 10]]));
    assert!(level.contains(" is the same as ") && level.contains(" within 3 % in both tests."), "{level}");
    assert!(!level.contains("fastest") && !level.contains("faster than"), "{level}");
}

#[test]
fn a_group_of_two_has_a_sentence_about_its_pair_and_unequal_tiers_are_said() {
    let pair = said(&bench(&[&[40], &[10]]));
    assert_eq!(pair, format!("x is 4.0x faster than w in Writes (4.0-4.0).{EQUAL}"));
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        bench.run(&session, round, &spec("w"), &[1_000_000 + u64::from(round)]);
        let weak = Variant { tier: Tier::Unsafe, ..spec("x") };
        bench.run(&session, round, &weak, &[3_000_000 + u64::from(round)]);
    }
    let said = said(&bench);
    let unequal = "Unequal durability: w tier 3 power-safe (commits survive a power loss); x tier 0 unsafe \
                   (a crash may corrupt the database).";
    assert!(said.contains(unequal), "{said}");
    assert!(!said.contains("faster"), "{said}");
}

/// Sessions of ten rounds of these engines, one after the other, each with what its sentences say and the verdicts on all pairs.
fn simulated(sessions: u64, tests: usize, factors: &[f64], check: impl Fn(&str, &[Comparison])) {
    let mut machine = Machine { rng: SplitMix64::new(41), noise: 0.0, sd: 0.04 };
    let mut bench = Bench::default();
    let ids: Vec<String> = (0..sessions)
        .map(|_| {
            let session = bench.session("here");
            for round in 0..10 {
                for (engine, factor) in ENGINES.iter().zip(factors) {
                    let times: Vec<u64> = (0..tests).map(|_| machine.time(*factor, 0.0)).collect();
                    let timed = Variant { timed: false, answer: |_| None, agrees: None, ..spec(engine) };
                    bench.run(&session, round, &timed, &times);
                }
            }
            session
        })
        .collect();
    let all = bench.stored().side("suite=kv");
    for session in ids {
        let runs = all.runs.iter().filter(|run| run.session_id.to_string() == session).cloned().collect();
        let side = Side { runs, ..all.clone() };
        let text = answers(&compared(&side, &quick())).join(" ");
        let each = by_configuration(&side);
        let pairs: Vec<Comparison> = (0..each.len())
            .flat_map(|at| compare_all(&[each[..at].to_vec(), each[at + 1..].to_vec()].concat(), &each[at], &quick()))
            .collect();
        check(&text, &pairs);
    }
}

/// The leader is chosen by the same figures that are judged. Without the pairs of the others in the family, it would be called the
/// fastest of equal ones two to three times as often.
#[test]
fn equal_configurations_have_no_fastest_one_more_often_than_promised() {
    let wrong = std::cell::Cell::new(0);
    simulated(300, 2, &[1.0; 4], |text, _| {
        let claims =
            text.contains("faster than") || ENGINES.iter().any(|name| text.starts_with(&format!("{name} is fastest")));
        wrong.set(wrong.get() + usize::from(claims));
    });
    // 5 %, and the scatter of 300 draws.
    assert!(wrong.get() <= 22, "{} of 300", wrong.get());
}

#[test]
fn no_sentence_claims_more_than_the_verdicts_on_all_pairs() {
    let fastest = std::cell::Cell::new(0);
    simulated(60, 3, &[1.2, 1.0, 1.03, 1.1], |text, pairs| {
        let Some((name, rest)) = text.split_once(" is fastest in ").filter(|(name, _)| ENGINES.contains(name)) else {
            return;
        };
        fastest.set(fastest.get() + 1);
        let of_leader: Vec<&Comparison> = pairs.iter().filter(|pair| pair.a.configurations[0].label == name).collect();
        assert_eq!(of_leader.len(), 3, "{text}");
        let is_ahead = |test: u32| {
            of_leader.iter().all(|pair| {
                let line = pair.lines.iter().find(|line| line.test == test).unwrap();
                line.found.as_ref().unwrap().ratio < 1.0 && line.found.as_ref().unwrap().p.unwrap() < 0.05
            })
        };
        let ahead = (1..=3).filter(|test| is_ahead(*test)).count();
        let claimed = match rest.split_once(' ').unwrap().0 {
            "all" => 3,
            count => count.parse().unwrap(),
        };
        assert!(claimed <= ahead, "{text}");
        let verdicts = of_leader.iter().flat_map(|pair| &pair.lines).map(|line| line.found.as_ref().unwrap().verdict);
        assert!(!rest.starts_with("all") || verdicts.clone().all(|verdict| verdict == Verdict::Faster), "{text}");
    });
    assert!(fastest.get() > 20, "{}", fastest.get());
}

/// The answer, then bars, then the tables, then the doubts by what they could change.
#[test]
fn a_report_goes_from_the_answer_to_the_doubts() {
    let stored = bench(&[&[40, 40], &[10, 10], &[20, 20]]).stored();
    let place = crate::support::Place::new();
    std::fs::copy(stored.store.path(), place.store()).unwrap();
    let text = place.ok(&["compare", "--reference", "session=last"]);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    let order = [
        at("x is fastest in both tests."),
        at("Times as fast as w, geometric mean:\n"),
        at("x  ██████████████████████████████  4.0x (4.0-4.0)\n"),
        at("y  ███████████████                 2.0x (2.0-2.0)\n"),
        at("w  ████████                        1\n"),
        at("against w"),
    ];
    assert!(order.is_sorted(), "{order:?}: {text}");
    assert!(text.contains("\nmeasured 2027-01-15 on here"), "{text}");
}
