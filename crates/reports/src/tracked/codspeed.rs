//! CodSpeed's wall time results, as its integrations write them to `$CODSPEED_PROFILE_FOLDER/results/`.
//!
//! A round is a run and an iteration is an operation. Statistics are those of pytest-codspeed: sample standard deviation, exclusive
//! quartiles, outliers beyond 1.5 interquartile ranges and beyond 3 standard deviations. See `walltime_results` of
//! github.com/CodSpeedHQ/codspeed.

use super::{
    FileFrame, TrackError,
    figure::{benchmark, times, values},
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::TestFigures;
use serde::Serialize;
use serde_json::{json, to_string};

const OUTLIER_RANGES: f64 = 1.5;
const OUTLIER_DEVIATIONS: f64 = 3.0;

#[derive(Debug, Serialize)]
struct Creator {
    name: &'static str,
    version: &'static str,
    pid: u32,
}

/// The benchmark settings, all empty because none was configured through CodSpeed.
#[derive(Debug, Default, Serialize)]
struct BenchmarkConfig {
    warmup_time_ns: Option<f64>,
    min_round_time_ns: Option<f64>,
    max_time_ns: Option<f64>,
    max_rounds: Option<u64>,
}

#[derive(Debug, PartialEq, Serialize)]
struct BenchmarkStats {
    min_ns: f64,
    max_ns: f64,
    mean_ns: f64,
    stdev_ns: f64,
    q1_ns: f64,
    median_ns: f64,
    q3_ns: f64,
    rounds: u64,
    /// Seconds, unlike all other times here.
    total_time: f64,
    iqr_outlier_rounds: u64,
    stdev_outlier_rounds: u64,
    iter_per_round: u64,
    warmup_iters: u64,
}

#[derive(Debug, Serialize)]
struct Benchmark {
    name: String,
    uri: String,
    config: BenchmarkConfig,
    stats: BenchmarkStats,
}

pub(super) fn frame() -> Result<FileFrame, TrackError> {
    let creator = Creator { name: "dbdyno", version: env!("CARGO_PKG_VERSION"), pid: std::process::id() };
    let begin = format!(
        "{{\n\"creator\": {},\n\"instrument\": {},\n\"benchmarks\": [\n",
        to_string(&creator)?,
        json!({"type": "walltime"})
    );
    Ok(FileFrame { begin, between: ",\n", end: "\n]\n}\n" })
}

pub(super) fn items(test: &TestFigures) -> Result<Option<String>, TrackError> {
    let Some(stats) = stats(test) else { return Ok(None) };
    let name = benchmark(test);
    let uri = format!("dbdyno::{name}");
    Ok(Some(to_string(&Benchmark { name, uri, config: BenchmarkConfig::default(), stats })?))
}

/// Returns none for a test without any run that has a time for a number of operations.
fn stats(test: &TestFigures) -> Option<BenchmarkStats> {
    let runs = times(test, Metric::Wall).iter().zip(test.values(Metric::Operations));
    let runs = runs.filter_map(|(ns, operations)| Some(((*ns)?, operations.filter(|count| *count > 0.0)?)));
    let (total_ns, operations) = runs.fold((0.0, 0.0), |all, run| (all.0 + run.0, all.1 + run.1));
    let mut times = values(test, Metric::Wall);
    times.sort_unstable_by(f64::total_cmp);
    let (min_ns, max_ns) = (*times.first()?, *times.last()?);
    let rounds = times.len() as f64;
    let mean_ns = times.iter().sum::<f64>() / rounds;
    let squares: f64 = times.iter().map(|time| (time - mean_ns).powi(2)).sum();
    let stdev_ns = if times.len() > 1 { (squares / (rounds - 1.0)).sqrt() } else { 0.0 };
    let [q1_ns, median_ns, q3_ns] = [0.25, 0.5, 0.75].map(|share| exclusive_quantile(&times, share));
    let beyond = |low: f64, high: f64| times.iter().filter(|time| **time < low || **time > high).count() as u64;
    let (ranges, deviations) = (OUTLIER_RANGES * (q3_ns - q1_ns), OUTLIER_DEVIATIONS * stdev_ns);
    Some(BenchmarkStats {
        min_ns,
        max_ns,
        mean_ns,
        stdev_ns,
        q1_ns,
        median_ns,
        q3_ns,
        rounds: times.len() as u64,
        total_time: total_ns / 1e9,
        iqr_outlier_rounds: beyond(q1_ns - ranges, q3_ns + ranges),
        stdev_outlier_rounds: beyond(mean_ns - deviations, mean_ns + deviations),
        iter_per_round: (operations / rounds) as u64,
        warmup_iters: 0,
    })
}

/// Returns the quantile of Python's `statistics.quantiles`, but never beyond the values, of which there is at least one.
fn exclusive_quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len() - 1;
    let place = (share * (sorted.len() + 1) as f64 - 1.0).clamp(0.0, last as f64);
    let below = place.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    low + (high - low) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values match Python 3.11: `statistics.quantiles([100, 110, 120, 130, 140, 500], n=4)`, and so on.
    #[test]
    fn quartiles_are_pythons() {
        let quartiles = |values: &[f64]| [0.25, 0.5, 0.75].map(|share| exclusive_quantile(values, share));
        assert_eq!(quartiles(&[100.0, 110.0, 120.0, 130.0, 140.0, 500.0]), [107.5, 125.0, 230.0]);
        assert_eq!(quartiles(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0]), [25.0, 50.0, 75.0]);
        assert_eq!(quartiles(&[1.0, 2.0, 4.0]), [1.0, 2.0, 4.0]);
        assert_eq!(quartiles(&[1.0, 2.0]), [1.0, 1.5, 2.0], "Python goes beyond two values");
        assert_eq!(quartiles(&[7.0]), [7.0, 7.0, 7.0]);
    }
}
