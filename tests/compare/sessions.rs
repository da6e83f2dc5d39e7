//! Pairs from several sessions: the session is the unit of replication, for a ratio too.

use super::{
    fixture::{Bench, spec, table},
    looks::{facts, run},
    simulation::Machine,
};
use dbdyno::{
    compare::{Comparison, Options, Side, compare},
    report::sheet::{Colouring, TableStyle},
    stats::Verdict,
    store::{ADDS_TO, KeyRecord, RunConfiguration},
};
use dbdyno_workload::rng::SplitMix64;
use std::sync::Arc;
use uuid::Uuid;

/// Sessions of ten rounds of x and y with noise of 1 %. Each session has its own shift of x, with a standard deviation of 2 %. With
/// `adding`, each session except the first adds rounds to the previous one.
fn sessions(machine: &mut Machine, count: u128, effect: f64, adding: bool) -> Comparison {
    let of = |engine: &str| {
        let (engine, suite) = (engine.to_owned(), "kv".to_owned());
        Arc::new(RunConfiguration { engine, suite, ..RunConfiguration::default() })
    };
    let configurations = [of("x"), of("y")];
    let mut sides = [Side::default(), Side::default()];
    for session in 1..=count {
        let session_id = Uuid::from_u128(session);
        let adds_to = (adding && session > 1).then(|| Uuid::from_u128(session - 1));
        let shift = effect + 0.02 * machine.gaussian();
        for (at, side) in sides.iter_mut().enumerate() {
            side.sessions.push(facts(session_id, adds_to));
            for round in 0..10 {
                let of_side = if at == 0 { shift } else { 0.0 };
                let value = 1e9 * (of_side + 0.01 * machine.gaussian()).exp();
                let run_id = Uuid::from_u128((session << 64) + 2 * u128::from(round) + at as u128);
                side.runs.push(run(run_id, session_id, round, value.floor(), &configurations[at]));
            }
        }
    }
    compare(&sides[0], &sides[1], &Options::default())
}

/// Of 300 comparisons, counts those that report a difference, and those whose interval excludes `effect`.
fn wrong(count: u128, effect: f64) -> (usize, usize) {
    let mut machine = Machine { rng: SplitMix64::new(2_026), noise: 0.0, sd: 0.0 };
    let (mut called, mut missed) = (0, 0);
    for _ in 0..300 {
        let comparison = sessions(&mut machine, count, effect, false);
        let found = comparison.lines[0].found.as_ref().unwrap();
        let of = found.sessions.unwrap();
        assert!(found.paired && (of.a, of.b) == (count as usize, count as usize));
        called += usize::from(matches!(found.verdict, Verdict::Faster | Verdict::Slower));
        let interval = found.interval.unwrap();
        missed += usize::from(effect < interval.low.ln() || effect > interval.high.ln());
    }
    (called, missed)
}

#[test]
fn four_sessions_whose_ratio_differs_by_two_percent_call_equal_things_different_in_one_of_twenty() {
    // If rounds counted, 45 % would be false. 5 % of 300 are 15, and 300 draws have a standard deviation of four.
    for count in [2, 4] {
        let (called, missed) = wrong(count, 0.0);
        assert!(called <= 23 && missed <= 23, "{count} sessions: {called} called, {missed} missed of 300");
    }
    let (called, missed) = wrong(4, 0.2);
    assert!(called >= 295 && missed <= 23, "a difference of 20 %: {called} found, {missed} missed of 300");
}

#[test]
fn rounds_that_were_added_are_of_the_session_that_they_were_added_to() {
    let mut machine = Machine { rng: SplitMix64::new(1), noise: 0.0, sd: 0.0 };
    let comparison = sessions(&mut machine, 3, 0.0, true);
    let line = &comparison.lines[0];
    assert_eq!((line.looks, line.a.as_ref().unwrap().values.len()), (3, 30));
    assert_eq!(line.found.as_ref().unwrap().sessions, None);
}

#[test]
fn a_geometric_mean_over_sessions_has_the_interval_of_sessions() {
    let mut bench = Bench::default();
    // Two tests, two sessions: A/B is 1.0 in one and 1.1 in the other, exact to the nanosecond in every round.
    for factor in [1.0, 1.1] {
        let session = bench.session("here");
        for round in 0..6 {
            let times = [(1e9 * factor) as u64, (2e9 * factor) as u64];
            bench.run(&session, round, &spec("x"), &times);
            bench.run(&session, round, &spec("y"), &[1_000_000_000, 2_000_000_000]);
        }
    }
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let mean = comparison.means[0].interval.unwrap();
    // Student's t for one degree of freedom is 12.7, and half the distance is 4.8 %.
    let (centre, reach) = (1.1_f64.ln() / 2.0, 12.706 * 1.1_f64.ln() / 2.0);
    assert!(
        (mean.low.ln() - (centre - reach)).abs() < 1e-3 && (mean.high.ln() - (centre + reach)).abs() < 1e-3,
        "{mean:?}"
    );
    let text = table(&comparison, TableStyle { colour: Colouring::Off, width: 80 });
    assert!(
        text.contains("ratios of 2 sessions")
            && text.contains("sessions differ: the ratio differs from one to the next"),
        "{text}"
    );
    let refused = comparison.another_look(&comparison.lines[0]).unwrap_err();
    assert!(refused.contains("more sessions show by how much"), "{refused}");
    // The second session adds rounds to the first: together they are one session of twelve rounds.
    let [first, second] = [0, 1].map(|at| bench.batch.sessions[at].session_id.clone());
    let runs = bench.batch.runs.iter().filter(|run| run.session_id == second);
    let key = |run_id: &String| KeyRecord { run_id: run_id.clone(), key: ADDS_TO.to_owned(), value: first.clone() };
    bench.batch.keys = runs.map(|run| key(&run.run_id)).collect();
    let together = bench.compared("engine=x", "engine=y", &Options::default());
    let mean = together.means[0].interval.unwrap();
    assert!(mean.low > 0.99 && mean.high < 1.11, "{mean:?}");
}
