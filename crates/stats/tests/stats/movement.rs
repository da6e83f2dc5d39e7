//! The movement of a series of sessions: steps, a drift, or nothing. Rates of findings in simulated series whose truth is known.

use super::*;

/// The number of simulated series of each kind.
const SERIES: usize = 100;

impl Chance {
    /// Returns `count` values with a standard deviation of 1, the part `rho` of which carries over from one to the next; with `rho` 1, a
    /// random walk.
    fn correlated(&mut self, count: usize, rho: f64) -> Vec<f64> {
        let fresh = if rho < 1.0 { (1.0 - rho * rho).sqrt() } else { 1.0 };
        let mut value = self.gaussian();
        let next = |_| {
            let now = value;
            value = rho * value + fresh * self.gaussian();
            now
        };
        (0..count).map(next).collect()
    }

    /// Returns `count` values with correlated noise about a truth.
    fn about(&mut self, count: usize, rho: f64, truth: impl Fn(usize) -> f64) -> Vec<f64> {
        let noise = self.correlated(count, rho).into_iter();
        noise.enumerate().map(|(at, noise)| truth(at) + noise).collect()
    }
}

/// The findings in simulated series, in percent.
#[derive(Debug, Default, Clone, Copy)]
struct Rates {
    steps: f64,
    drifts: f64,
    /// The series with the right number of steps, each within one of its place.
    right: f64,
}

/// Returns the findings in series, each given with the places of its steps.
fn rates(what: &str, mut series: impl FnMut(usize) -> (Vec<f64>, Vec<usize>)) -> Rates {
    let mut rates = Rates::default();
    let each = 100.0 / SERIES as f64;
    for number in 0..SERIES {
        let (series, places) = series(number);
        match movement(&series, 1).unwrap().kind {
            MovementKind::Still => {}
            MovementKind::Drift(_) => rates.drifts += each,
            MovementKind::Steps(steps) => {
                rates.steps += each;
                let near = steps.len() == places.len()
                    && steps.iter().zip(&places).all(|(step, place)| step.at.abs_diff(*place) <= 1);
                rates.right += if near { each } else { 0.0 };
            }
        }
    }
    if std::env::var_os("DBDYNO_SHOW_TALLIES").is_some() {
        eprintln!("{what}: {rates:.1?}");
    }
    rates
}

fn level(at: usize, from: usize, height: f64) -> f64 {
    if at >= from { height } else { 0.0 }
}

#[test]
fn sessions_that_resemble_their_neighbours_make_no_steps() {
    let mut chance = Chance(SplitMix64::new(16));
    for sessions in [12, 30, 60] {
        for rho in [0.0, 0.3, 0.5, 0.8, 1.0] {
            let what = format!("{sessions} sessions, correlation {rho}");
            let found = rates(&what, |_| (chance.correlated(sessions, rho), vec![]));
            // At a rate of 5 %, 100 series have 11 or more in one case of a hundred.
            assert!(found.steps <= 10.0, "{what}: {found:?}");
            // A movement without steps must count as a drift, not as no change, if there are enough sessions to see it.
            assert!(rho < 1.0 || sessions < 30 || found.drifts > 70.0, "{what}: {found:?}");
            assert!(rho > 0.0 || found.drifts <= 4.0, "{what}: {found:?}");
        }
    }
}

#[test]
fn a_ramp_is_one_drift_with_its_slope_and_not_several_steps() {
    let mut chance = Chance(SplitMix64::new(17));
    for (sessions, height) in [(20, 6.0), (30, 6.0), (30, 20.0), (60, 6.0)] {
        let what = format!("{sessions} sessions, a ramp of {height}");
        let ramp = |at: usize| height * at as f64 / (sessions - 1) as f64;
        let found = rates(&what, |_| (chance.about(sessions, 0.0, ramp), vec![]));
        assert!(found.steps <= 4.0 && found.drifts >= 92.0, "{what}: {found:?}");
    }
    let series = chance.about(40, 0.3, |at| 10.0 + 0.25 * at as f64);
    let MovementKind::Drift(line) = movement(&series, 1).unwrap().kind else { panic!("{series:?}") };
    assert!(line.low < 9.75 && 9.75 < line.high && line.low > 4.0, "{line:?}");
    assert!((line.from - 10.0).abs() < 1.5, "{line:?}");
}

#[test]
fn steps_are_found_at_their_places() {
    let mut chance = Chance(SplitMix64::new(18));
    // Heights are in standard deviations between sessions: a step of 5 % is 5 with noise of 1 %, 2.5 with 2 %.
    for (sessions, height, rho, least) in [
        (20, 5.0, 0.0, 85.0),
        (30, 5.0, 0.0, 94.0),
        (30, 3.3, 0.0, 75.0),
        (30, 10.0, 0.0, 96.0),
        (30, 5.0, 0.5, 85.0),
        (60, 2.5, 0.0, 75.0),
    ] {
        let what = format!("{sessions} sessions, a step of {height}, correlation {rho}");
        let found = rates(&what, |number| {
            let from = sessions / 4 + number % (sessions / 2);
            (chance.about(sessions, rho, |at| level(at, from, height)), vec![from])
        });
        assert!(found.right >= least && found.steps + found.drifts >= 97.0, "{what}: {found:?}");
    }
    let what = "60 sessions, up and up again";
    let found = rates(what, |_| (chance.about(60, 0.0, |at| level(at, 20, 5.0) + level(at, 40, 5.0)), vec![20, 40]));
    assert!(found.right >= 90.0, "{what}: {found:?}");
    let what = "60 sessions, up and down again";
    let found = rates(what, |_| (chance.about(60, 0.0, |at| level(at, 20, 5.0) - level(at, 40, 5.0)), vec![20, 40]));
    assert!(found.right >= 75.0, "{what}: {found:?}");
}

#[test]
fn intervals_of_steps_hold_the_truth_with_noise_that_lasts() {
    let mut chance = Chance(SplitMix64::new(19));
    for rho in [0.0, 0.5, 0.8] {
        let (mut held, mut shown) = (0, 0);
        for _ in 0..3 * SERIES {
            let series = chance.about(40, rho, |at| level(at, 20, 8.0));
            let MovementKind::Steps(steps) = movement(&series, 1).unwrap().kind else { continue };
            let Some(step) = steps.iter().find(|step| step.at == 20) else { continue };
            shown += 1;
            held += usize::from(step.low <= 8.0 && 8.0 <= step.high);
        }
        let coverage = f64::from(held as u32) / f64::from(shown as u32);
        assert!(shown > 2 * SERIES && coverage >= 0.9, "correlation {rho}: {held} of {shown}");
    }
}

#[test]
fn the_correlation_of_neighbours_is_estimated_beyond_steps_and_drift() {
    let mut chance = Chance(SplitMix64::new(20));
    for rho in [0.0, 0.8] {
        let mut estimates: Vec<f64> = (0..60)
            .map(|number| {
                let height = if number % 2 == 0 { 0.0 } else { 20.0 };
                let series = chance.about(60, rho, |at| level(at, 30, height));
                movement(&series, 1).unwrap().correlation
            })
            .collect();
        estimates.sort_by(f64::total_cmp);
        assert!((estimates[30] - rho).abs() <= 0.15, "{rho}: {estimates:?}");
    }
}

#[test]
fn a_series_that_is_too_short_or_no_number_has_no_answer() {
    assert_eq!(movement(&[1.0; 9], 1), Err(NoAnswer::TooFew { have: 9, need: MIN_STEPPED }));
    assert!(matches!(movement(&[f64::NAN; 12], 1), Err(NoAnswer::NotFinite(_))));
    let still = movement(&[1.0; 12], 1).unwrap();
    assert_eq!(still.kind, MovementKind::Still);
    let clean: Vec<f64> = (0..20).map(|at| level(at, 12, 1.0)).collect();
    let MovementKind::Steps(steps) = movement(&clean, 1).unwrap().kind else { panic!("a step without noise") };
    assert!(steps.len() == 1 && steps[0].at == 12 && (steps[0].shift - 1.0).abs() < 1e-9, "{steps:?}");
}
