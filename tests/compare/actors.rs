//! The actors of a test are shown, but never counted.

use super::fixture::{Bench, Stored, Variant, spec, table};
use dbdyno::{
    compare::{Axis, ComparedGroups, Comparison, Gate, Options, ReferenceGroup, gate, grown},
    metric::{Figures, Metric},
    report::{
        comparison::{benchfmt, verdicts},
        sheet::{Colouring, TableStyle},
    },
    stats::Verdict,
    store::ActorRecord,
};

const STYLE: TableStyle = TableStyle { colour: Colouring::Off, width: 80 };

/// Eight rounds of two tests. In the first test, x takes four times as long as y; in the second, as long as y. So the mean is 2. The first
/// test has two actors: readers that take as long as the test, and writers that take the same time for both engines.
fn bench() -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        let time = 1_000_000 + 1_000 * u64::from(round);
        for (engine, factor) in [("x", 4), ("y", 1)] {
            bench.run(&session, round, &spec(engine), &[factor * time, time + 7 * factor]);
            let run_id = bench.batch.runs.last().unwrap().run_id.clone();
            for (actor, wall) in [("readers", factor * time), ("writers", time + 3 * factor)] {
                bench.batch.actors.push(actor_record(&run_id, actor, wall));
            }
        }
    }
    bench
}

fn actor_record(run_id: &str, actor: &str, wall_ns: u64) -> ActorRecord {
    ActorRecord {
        run_id: run_id.to_owned(),
        test: 1,
        actor: actor.to_owned(),
        test_name: format!("Writes · {actor}"),
        finished_at: None,
        threads: Some(2),
        arrival_rate: None,
        arrival_gaps: None,
        figures: Figures::default()
            .with(Metric::Wall, wall_ns)
            .with(Metric::Operations, 1000)
            .with(Metric::ResponseP99, wall_ns / 100),
        verification: None,
        agrees: None,
        operations_per_sample: Some(1),
        histogram: None,
        response_histogram: None,
        failure: None,
        plan: None,
    }
}

fn compared(stored: &Stored, options: &Options) -> Comparison {
    stored.compared("engine=x", "engine=y", options)
}

#[test]
fn a_test_with_actors_counts_once() {
    let stored = bench().stored();
    let comparison = compared(&stored, &Options::default());
    let names: Vec<(&str, Option<&str>)> =
        comparison.lines.iter().map(|line| (line.name.as_str(), line.actor.as_deref())).collect();
    assert_eq!(
        names,
        [
            ("Writes", None),
            // The writers take longer, and the readers differ.
            ("Writes · readers", Some("readers")),
            ("Writes · writers", Some("writers")),
            ("Random reads", None)
        ]
    );
    assert_eq!(comparison.compared, 2, "the family is of tests");
    let mean = &comparison.means[0];
    assert_eq!(mean.tests, 2);
    assert!((mean.ratio.unwrap() - 2.0).abs() < 0.001, "{mean:?}");
    // The rows of both actors have a ratio and a verdict. The family has two tests, so the smallest p of eight pairs is doubled.
    let readers = comparison.lines[1].found.as_ref().unwrap();
    assert_eq!(readers.verdict, Verdict::Slower);
    assert!(readers.interval.is_some() && readers.p_adjusted.unwrap() <= 4.0 / 256.0 + 1e-9, "{readers:?}");
    let text = table(&comparison, STYLE);
    assert!(text.contains("geometric mean (2)") && text.contains("\n· readers "), "{text}");
    assert!(
        text.contains("rows of actors and statements are parts of their tests: not included in means and counts"),
        "{text}"
    );
    assert!(!benchfmt(&comparison).contains("readers"), "benchstat would take their mean too");
}

/// Readers alone do all the work of their test, so their curve would repeat the test's. With writers alongside, each has its own curve.
#[test]
fn an_actor_who_is_alone_in_a_test_has_no_curve_of_his_own() {
    for (actors, expected) in [
        (&["readers"][..], &["Writes"][..]),
        (&["readers", "writers"], &["Writes", "Writes · readers", "Writes · writers"]),
    ] {
        let mut bench = Bench::default();
        let session = bench.session("here");
        for (round, (size, factor)) in
            (0..8).flat_map(|round| [("1000", 1), ("2000", 2), ("4000", 4)].map(|size| (round, size)))
        {
            let time = factor * (1_000_000 + 1_000 * u64::from(round));
            bench.run(&session, round, &Variant { size, ..spec("x") }, &[time]);
            let run_id = bench.batch.runs.last().unwrap().run_id.clone();
            bench.batch.actors.extend(actors.iter().map(|actor| actor_record(&run_id, actor, time)));
        }
        let curves = grown(&bench.stored().side("engine=x")).unwrap().curves;
        let names: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn no_view_and_no_judge_counts_actors() {
    let stored = bench().stored();
    let plain = compared(&stored, &Options::default());
    assert_eq!(gate(&plain, 0.05), Gate::Slower(vec!["1 Writes at size 1000".to_owned()]));
    let options = Options { pivot: Some(Axis::parse_pair("size,session").unwrap()), ..Options::default() };
    let pivot = compared(&stored, &options).pivot.unwrap();
    let cell = pivot.rows[0].cells[0].as_ref().unwrap();
    assert!(cell.lines == 2 && (cell.ratio.unwrap() - 2.0).abs() < 0.001, "{cell:?}");
    let group = ReferenceGroup { reference: stored.side("engine=y"), candidates: vec![stored.side("engine=x")] };
    let text = verdicts(&ComparedGroups::new(&[group], &Options::default()), STYLE);
    assert!(text.contains("y is faster than x in 1 of 2 tests"), "{text}");
    assert!(plain.other_looks().is_empty());
    assert!(plain.another_look(&plain.lines[2]).unwrap_err().contains("a part of its test"));
}

#[test]
fn a_figure_that_only_actors_have_is_compared_by_them() {
    let stored = bench().stored();
    let comparison = stored.compared_in(Metric::ResponseP99, "engine=x", "engine=y", &Options::default());
    assert_eq!((comparison.lines.len(), comparison.compared), (2, 2));
    assert!(comparison.lines.iter().all(|line| line.actor.is_none()), "no test as a whole has it");
    assert_eq!(gate(&comparison, 0.05), Gate::Slower(vec!["1 Writes · readers at size 1000".to_owned()]));
}
