//! The statistics compared with tables generated with scipy (tests/tables/make.py), published figures, their own laws, and simulated
//! sessions whose truth is known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stderr, reason = "the rates of simulations are said to whoever runs the tests")]

mod changes;
mod forecast;
mod laws;
mod movement;
mod publications;
mod refusals;
mod sessions;
mod simulation;
mod sizes;
mod tables;
mod verdicts;

use dbdyno_stats::*;
use dbdyno_workload::rng::SplitMix64;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads the rows of a table; at least `fewest`, so that an empty table does not pass.
fn table<T: DeserializeOwned>(name: &str, fewest: usize) -> Vec<T> {
    let path = format!("{}/tests/tables/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<T> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(rows.len() >= fewest, "{name} has only {} rows", rows.len());
    rows
}

#[track_caller]
fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    let scale = want.abs().max(f64::MIN_POSITIVE);
    assert!(got == want || (got - want).abs() <= tolerance * scale, "{what}: got {got}, want {want}");
}

/// Random numbers of the simulations.
struct Chance(SplitMix64);

impl Chance {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn gaussian(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn times(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| 100.0 * (0.05 * self.gaussian()).exp()).collect()
    }

    /// Returns a session of `2 n` slots: 5 % linear drift, and noise of 2 % whose neighbours correlate by `rho` (AR(1)).
    fn session(&mut self, n: usize, rho: f64) -> Vec<f64> {
        let mut noise = 0.02 * self.gaussian();
        let slot = |k: usize| {
            let time = 100.0 * (1.0 + 0.05 * k as f64 / (2 * n) as f64) * noise.exp();
            noise = rho * noise + 0.02 * (1.0 - rho * rho).sqrt() * self.gaussian();
            time
        };
        (0..2 * n).map(slot).collect()
    }
}
