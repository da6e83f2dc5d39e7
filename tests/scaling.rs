//! Slopes and knees, compared with tables generated with numpy and scipy (crates/stats/tests/tables/make.py), and on simulated sessions
//! with a known truth.

use dbdyno::{
    bench::round_order,
    stats::{Growth, LogSamples, NoAnswer, Scaling, Slope, scaling, student_p, student_t},
};
use dbdyno_workload::rng::SplitMix64;
use serde::{Deserialize, de::DeserializeOwned};

fn table<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = format!("{}/crates/stats/tests/tables/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[track_caller]
fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1e-3), "{what}: got {got}, want {want}");
}

#[derive(Deserialize)]
struct StudentRow {
    t: f64,
    freedom: u32,
    p: f64,
}

#[test]
fn students_t_agrees_with_scipy() {
    let rows = table::<StudentRow>("student");
    assert!(rows.len() > 150);
    for StudentRow { t, freedom, p } in rows {
        let got = student_p(t, freedom);
        assert!((got - p).abs() <= 1e-13, "p of {t} with {freedom}: got {got}, want {p}");
        if p > 1e-3 && t > 0.0 {
            close(student_t(p, freedom), t, 1e-9, &format!("t of {p} with {freedom}"));
        }
    }
    assert_eq!((student_t(0.0, 5), student_t(1.0, 5)), (f64::INFINITY, 0.0));
}

#[derive(Deserialize)]
struct ScalingRow {
    x: Vec<f64>,
    samples: Vec<Vec<f64>>,
    shared: bool,
    knee: Option<usize>,
    slopes: Vec<[f64; 3]>,
    fitted: Vec<f64>,
    off: f64,
}

fn slopes(found: &Scaling) -> (Option<usize>, Vec<Slope>) {
    match found.growth {
        Growth::Line(slope) => (None, vec![slope]),
        Growth::Knee { at, before, after } => (Some(at), vec![before, after]),
    }
}

#[test]
fn slopes_and_knees_agree_with_numpy_and_scipy() {
    let rows = table::<ScalingRow>("scaling");
    let knees = rows.iter().filter(|row| row.knee.is_some()).count();
    assert!(rows.len() >= 60 && knees >= 15 && rows.len() - knees >= 15);
    for row in rows {
        let samples = if row.shared { LogSamples::Rounds(&row.samples) } else { LogSamples::Apart(&row.samples) };
        let got = scaling(&row.x, samples).unwrap();
        let what = format!("{:?} shared {} knee {:?}", row.x, row.shared, row.knee);
        let (knee, slopes) = slopes(&got);
        assert_eq!(knee, row.knee, "{what}");
        for (slope, [value, low, high]) in slopes.into_iter().zip(row.slopes) {
            close(slope.value, value, 1e-8, &what);
            close(slope.low, low, 1e-8, &what);
            close(slope.high, high, 1e-8, &what);
        }
        for (got, want) in got.fitted.iter().zip(row.fitted) {
            close(*got, want, 1e-8, &what);
        }
        close(got.off, row.off, 1e-7, &what);
    }
}

#[test]
fn what_has_no_slope_says_why() {
    let rounds = vec![vec![1.0, 2.0, 3.0]; 3];
    let shared = LogSamples::Rounds(&rounds);
    assert_eq!(scaling(&[1.0, 2.0], shared).unwrap_err(), NoAnswer::TooFewPoints { have: 2, need: 3 });
    assert_eq!(scaling(&[1.0, 2.0, 2.0], shared).unwrap_err(), NoAnswer::NotAscending(2.0));
    assert_eq!(scaling(&[0.0, 1.0, 2.0], shared).unwrap_err(), NoAnswer::NotPositive(0.0));
    let wider = [1.0, 2.0, 3.0, 4.0];
    assert_eq!(scaling(&wider, shared).unwrap_err(), NoAnswer::UnequalLengths { a: 4, b: 3 });
    let two = LogSamples::Rounds(&rounds[..2]);
    assert_eq!(scaling(&[1.0, 2.0, 3.0], two).unwrap_err(), NoAnswer::TooFew { have: 2, need: 3 });
    let lists = [vec![1.0; 3], vec![2.0; 2], vec![3.0; 3]];
    let apart = LogSamples::Apart(&lists);
    assert_eq!(scaling(&[1.0, 2.0, 3.0], apart).unwrap_err(), NoAnswer::TooFew { have: 2, need: 3 });
    let endless = [vec![1.0, f64::INFINITY, 3.0], vec![1.0; 3], vec![1.0; 3]];
    assert_eq!(
        scaling(&[1.0, 2.0, 3.0], LogSamples::Rounds(&endless)).unwrap_err(),
        NoAnswer::NotFinite(f64::INFINITY)
    );
}

#[test]
fn a_simulated_clock_has_no_noise_and_its_slope_no_width() {
    // A power law that is exact to the last bit of its logarithms, and one with a knee.
    let x = [1.0, 2.0, 4.0, 8.0, 16.0];
    let line: Vec<f64> = x.iter().map(|x: &f64| 3.0 + 0.5 * x.ln()).collect();
    let found = scaling(&x, LogSamples::Rounds(&vec![line; 3])).unwrap();
    let Growth::Line(slope) = found.growth else { panic!("{found:?}") };
    assert!((slope.value - 0.5).abs() < 1e-12 && slope.high - slope.low < 1e-12 && found.off < 1e-12, "{found:?}");
    let bent: Vec<f64> = x.iter().map(|x: &f64| 3.0 + 0.9 * x.min(4.0).ln()).collect();
    for samples in [LogSamples::Rounds(&vec![bent.clone(); 3]), LogSamples::Apart(&bent.map_to_lists())] {
        let found = scaling(&x, samples).unwrap();
        let Growth::Knee { at: 2, before, after } = found.growth else { panic!("{found:?}") };
        assert!((before.value - 0.9).abs() < 1e-12 && after.is_flat(), "{found:?}");
    }
}

trait MapToLists {
    fn map_to_lists(&self) -> Vec<Vec<f64>>;
}

impl MapToLists for Vec<f64> {
    fn map_to_lists(&self) -> Vec<Vec<f64>> {
        self.iter().map(|value| vec![*value; 3]).collect()
    }
}

// ---- Simulated sessions --------------------------------------------------------------------------------------------

/// A machine whose runs scatter around a true value.
struct Machine {
    rng: SplitMix64,
    /// Standard deviation of the logarithm of a time.
    noise: f64,
    /// The share of a run's noise that remains in the next run.
    lasting: f64,
    /// The percentage of runs that take 1.3 times as long.
    spikes: u64,
    last: f64,
}

impl Machine {
    fn new(seed: u64, noise: f64) -> Self {
        Self { rng: SplitMix64::new(seed), noise, lasting: 0.0, spikes: 0, last: 0.0 }
    }

    fn gaussian(&mut self) -> f64 {
        let mut uniform = || ((self.rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    fn run(&mut self, truth: f64) -> f64 {
        let fresh = self.gaussian();
        self.last = self.lasting * self.last + (1.0 - self.lasting * self.lasting).sqrt() * fresh;
        let spike = if self.rng.below(100) < self.spikes { 1.3_f64.ln() } else { 0.0 };
        truth + self.noise * self.last + spike
    }

    /// Rounds that measure each x, in the order of a plan, while the machine gets slower by 5 %.
    fn rounds(&mut self, truth: &[f64], count: usize) -> Vec<Vec<f64>> {
        let seed = self.rng.next_u64();
        let round = |number: usize| {
            let common = 0.05 * self.gaussian();
            let mut logs = vec![0.0; truth.len()];
            for (place, at) in round_order(truth.len(), number as u32, seed).into_iter().enumerate() {
                let share = (number * truth.len() + place) as f64 / (count * truth.len()) as f64;
                logs[at] = self.run(truth[at] + common + 0.05 * share);
            }
            logs
        };
        (0..count).map(round).collect()
    }

    /// The same number of runs at each x. Those at the first x have twice the noise.
    fn apart(&mut self, truth: &[f64], count: usize) -> Vec<Vec<f64>> {
        let runs = |(at, truth): (usize, &f64)| {
            let noise = self.noise;
            self.noise *= if at == 0 { 2.0 } else { 1.0 };
            let runs = (0..count).map(|_| self.run(*truth)).collect();
            self.noise = noise;
            runs
        };
        truth.iter().enumerate().map(runs).collect()
    }
}

const AXES: [&[f64]; 4] =
    [&[1.0, 2.0, 4.0], &[1.0, 2.0, 4.0, 8.0], &[1e3, 1e4, 1e5, 1e6], &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0]];
const NOISES: [f64; 3] = [0.01, 0.03, 0.1];
/// The number of fits for a cell of the simulation.
const FITS: usize = 1000;

/// Counts of intervals that contained their true value, and of detected knees, among all fits.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    fits: usize,
    slopes: usize,
    held: usize,
    knees: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.fits += other.fits;
        self.slopes += other.slopes;
        self.held += other.held;
        self.knees += other.knees;
    }

    fn coverage(self) -> f64 {
        self.held as f64 / self.slopes as f64
    }

    fn knees(self) -> f64 {
        self.knees as f64 / self.fits as f64
    }
}

/// Fits simulated samples with the slopes `truth`: one slope for a line, two with a knee. If the fit is of another kind, its slopes cannot
/// be compared and count as missed.
fn tally(x: &[f64], truth: (Option<usize>, &[f64]), mut samples: impl FnMut() -> (bool, Vec<Vec<f64>>)) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..FITS {
        let (shared, lists) = samples();
        let samples = if shared { LogSamples::Rounds(&lists) } else { LogSamples::Apart(&lists) };
        let (knee, slopes) = slopes(&scaling(x, samples).unwrap());
        tally.fits += 1;
        tally.knees += usize::from(knee.is_some());
        tally.slopes += truth.1.len();
        if knee == truth.0 {
            tally.held += slopes
                .iter()
                .zip(truth.1)
                .filter(|(slope, truth)| slope.low <= **truth && **truth <= slope.high)
                .count();
        }
    }
    tally
}

/// The logarithms of a power law, with another exponent beyond an x if it has a knee.
fn law(x: &[f64], before: f64, knee: Option<(f64, f64)>) -> Vec<f64> {
    let at = |&x: &f64| match knee {
        Some((bend, after)) if x > bend => before * bend.ln() + after * (x / bend).ln(),
        _ => before * x.ln(),
    };
    x.iter().map(at).collect()
}

/// Each axis with each noise, number of rounds or runs, and shared rounds or not.
fn cells() -> impl Iterator<Item = (&'static [f64], f64, usize, bool)> {
    let counts = [3, 6, 10].into_iter().flat_map(|count| [(count, true), (count, false)]);
    let noises =
        NOISES.into_iter().flat_map(move |noise| counts.clone().map(move |(count, shared)| (noise, count, shared)));
    AXES.into_iter().flat_map(move |x| noises.clone().map(move |(noise, count, shared)| (x, noise, count, shared)))
}

/// Prints a tally if that is requested.
fn shown(what: &str) {
    if std::env::var_os("DBDYNO_SHOW_TALLIES").is_some() {
        eprintln!("{what}");
    }
}

/// Simulates a cell and returns its tally.
fn simulated(
    machine: &mut Machine,
    (x, noise, count, shared): (&[f64], f64, usize, bool),
    law_of: &[f64],
    truth: (Option<usize>, &[f64]),
) -> (Tally, String) {
    let samples = || (shared, if shared { machine.rounds(law_of, count) } else { machine.apart(law_of, count) });
    let tally = tally(x, truth, samples);
    let what = format!(
        "{:.3} {:.3}: {} points, noise {noise}, {count} runs, shared {shared}: {tally:?}",
        tally.coverage(),
        tally.knees(),
        x.len()
    );
    shown(&what);
    (tally, what)
}

#[test]
fn intervals_of_power_laws_hold_the_truth_and_no_knee_is_seen_in_them() {
    let mut total = Tally::default();
    for (seed, cell) in (0..).zip(cells()) {
        let mut machine = Machine::new(seed, cell.1);
        let (tally, what) = simulated(&mut machine, cell, &law(cell.0, 0.93, None), (None, &[0.93]));
        assert!(tally.coverage() >= 0.93 && tally.knees() <= 0.01, "{what}");
        total.add(tally);
    }
    shown(&format!("in all {:.4} {:.5} {total:?}", total.coverage(), total.knees()));
    assert!((0.945..0.97).contains(&total.coverage()) && total.knees() <= 0.005, "{total:?}");
}

#[test]
fn noise_that_lasts_from_run_to_run_leaves_intervals_their_word() {
    for (seed, lasting) in (3000..).step_by(100).zip([0.3, 0.5, 0.8, 0.95]) {
        for count in [6, 10, 20] {
            let mut total = Tally::default();
            for (seed, x) in (seed..).zip(AXES) {
                let mut machine = Machine { lasting, ..Machine::new(seed, 0.03) };
                let cell = (x, 0.03, count, true);
                let (tally, what) = simulated(&mut machine, cell, &law(x, 0.93, None), (None, &[0.93]));
                assert!(tally.coverage() >= 0.915 && tally.knees() <= 0.01, "lasting {lasting}: {what}");
                total.add(tally);
            }
            shown(&format!("lasting {lasting}, {count} rounds: {:.4} {total:?}", total.coverage()));
            assert!(total.coverage() >= 0.93, "lasting {lasting}, {count} rounds: {total:?}");
        }
    }
}

#[test]
fn a_knee_is_found_where_it_is_and_both_slopes_hold_the_truth() {
    // With a noise of 10 % or three rounds, the method can show less.
    let clear = cells().filter(|(x, noise, count, _)| x.len() >= 4 && *noise <= 0.03 && *count >= 6);
    for (seed, cell) in (1000..).zip(clear) {
        let x = cell.0;
        let at = x.len() / 2;
        let mut machine = Machine::new(seed, cell.1);
        let truth: (_, &[f64]) = (Some(at), &[0.95, 0.0]);
        let (tally, what) = simulated(&mut machine, cell, &law(x, 0.95, Some((x[at], 0.0))), truth);
        assert!(tally.knees() >= 0.95 && tally.coverage() >= 0.93, "{what}");
    }
}

#[test]
fn spikes_and_small_bends_make_no_knees() {
    for (seed, cell) in (2000..).zip(cells()) {
        let x = cell.0;
        let mut machine = Machine { spikes: 10, ..Machine::new(seed, cell.1) };
        // A bend of 0.05 is too small for a knee, however precisely it is measured.
        let law = law(x, 0.5, x.get(3).map(|_| (x[2], 0.55)));
        let (tally, what) = simulated(&mut machine, cell, &law, (None, &[0.5]));
        assert!(tally.knees() <= 0.01, "{what}");
    }
}

#[test]
fn spikes_leave_intervals_their_word() {
    let mut total = Tally::default();
    for (seed, cell) in (4000..).zip(cells()) {
        let mut machine = Machine { spikes: 10, ..Machine::new(seed, cell.1) };
        let (tally, what) = simulated(&mut machine, cell, &law(cell.0, 0.5, None), (None, &[0.5]));
        assert!(tally.coverage() >= 0.9, "{what}");
        total.add(tally);
    }
    shown(&format!("in all {:.4} {:.5} {total:?}", total.coverage(), total.knees()));
    assert!(total.coverage() >= 0.93, "{total:?}");
}
