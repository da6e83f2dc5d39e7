//! Metrics without randomness are exact only for equal inputs.

use super::fixture::{Bench, doubts, spec};
use super::simulation::Machine;
use dbdyno::{
    compare::{Comparison, Gate, Options, gate},
    metric::Metric,
    stats::Verdict,
};
use dbdyno_workload::rng::SplitMix64;

/// Sessions of x and of y, each with runs of these seeds and counts of syncs.
fn counted(x: &[&[(u64, u64)]], y: &[&[(u64, u64)]]) -> Comparison {
    let mut bench = Bench::default();
    for (engine, sessions) in [("x", x), ("y", y)] {
        for runs in sessions {
            let session = bench.session("here");
            for (round, (seed, syncs)) in (0..).zip(*runs) {
                bench.run(&session, round, &spec(engine), &[1_000_000]);
                bench.batch.runs.last_mut().unwrap().seed = *seed;
                let result = bench.batch.results.last_mut().unwrap();
                result.figures = result.figures.with(Metric::Syncs, *syncs);
                result.verification = None;
            }
        }
    }
    bench.stored().compared_in(Metric::Syncs, "engine=x", "engine=y", &Options::default())
}

fn exact(comparison: &Comparison) -> Option<(Verdict, f64)> {
    let found = comparison.lines[0].found.as_ref()?;
    found.exact.then_some((found.verdict, found.ratio))
}

#[test]
fn equal_seeds_are_compared_seed_by_seed() {
    assert_eq!(exact(&counted(&[&[(1, 100)]], &[&[(1, 108)]])), Some((Verdict::Faster, 100.0 / 108.0)));
    let moving: &[(u64, u64)] = &[(1, 100), (2, 104), (3, 97)];
    let elsewhere: &[(u64, u64)] = &[(3, 97), (1, 100), (2, 104)];
    assert_eq!(exact(&counted(&[moving], &[elsewhere])), Some((Verdict::Same, 1.0)), "equal for each input");
    let twice: &[(u64, u64)] = &[(1, 200), (2, 208), (3, 194)];
    assert_eq!(exact(&counted(&[moving], &[twice])), Some((Verdict::Faster, 0.5)));
    let other: &[(u64, u64)] = &[(1, 200), (2, 208), (3, 195)];
    assert_eq!(exact(&counted(&[moving], &[other])), None, "the ratio depends on the input");
    assert_eq!(exact(&counted(&[&[(1, 100), (1, 101)]], &[&[(1, 100)]])), None, "the engine is not deterministic");
}

#[test]
fn other_seeds_are_other_inputs_and_say_how_to_have_the_same() {
    let comparison = counted(&[&[(1, 100)]], &[&[(2, 108)]]);
    assert_eq!(exact(&comparison), None);
    let says =
        "syncs: exact for equal inputs only, but A and B ran with different seeds: run both with the same --seed";
    assert!(doubts(&comparison).iter().any(|warning| warning == says), "{:?}", doubts(&comparison));
    assert!(!matches!(gate(&comparison, 0.05), Gate::Slower(_)));
    let same = counted(&[&[(1, 100)]], &[&[(1, 108)]]);
    assert!(!doubts(&same).iter().any(|warning| warning == says));
}

/// A count that follows from the seed, the same for both engines: 100 to 109.
fn count_of(seed: u64) -> u64 {
    100 + SplitMix64::new(seed).below(10)
}

#[test]
fn two_sessions_of_equal_engines_with_other_seeds_are_not_called_different() {
    let mut rng = Machine { rng: SplitMix64::new(11), noise: 0.0, sd: 0.0 }.rng;
    let mut alarms = 0;
    for _ in 0..12 {
        let [a, b] = [(); 2].map(|()| rng.next_u64() >> 1);
        let comparison = counted(&[&[(a, count_of(a))]], &[&[(b, count_of(b))]]);
        let found = comparison.lines[0].found.as_ref().unwrap();
        alarms += usize::from(matches!(found.verdict, Verdict::Faster | Verdict::Slower));
        alarms += usize::from(matches!(gate(&comparison, 0.0), Gate::Slower(_)));
    }
    assert_eq!(alarms, 0);
}

#[test]
fn counts_that_happen_to_be_equal_in_few_sessions_are_no_proof() {
    let sides = |sessions: usize| {
        let x: Vec<Vec<(u64, u64)>> = (0..sessions).map(|at| vec![(at as u64, 100)]).collect();
        let y: Vec<Vec<(u64, u64)>> = (0..sessions).map(|at| vec![(50 + at as u64, 108)]).collect();
        let (x, y): (Vec<&[_]>, Vec<&[_]>) =
            (x.iter().map(Vec::as_slice).collect(), y.iter().map(Vec::as_slice).collect());
        counted(&x, &y).lines[0].found.as_ref().unwrap().verdict
    };
    assert!(matches!(sides(2), Verdict::Undecided { .. }));
    assert_eq!(sides(5), Verdict::Faster, "ten sessions in this order by chance: 2 of 252");
}
