//! The Go benchmark format, read by the real benchstat.

use super::fixture::{Bench, spec};
use dbdyno::{compare::Options, report::comparison::benchfmt};
use dbdyno_workload::rng::SplitMix64;
use std::{path::PathBuf, process::Command};

/// Finds benchstat on PATH, or where `go install` puts it.
fn benchstat() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("go/bin"));
    let found =
        std::env::split_paths(&paths).chain(home).map(|folder| folder.join("benchstat")).find(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "benchstat is missing");
        eprintln!("not checked: benchstat is missing");
    }
    found
}

#[test]
fn benchstat_agrees_on_medians_and_on_significance() {
    let Some(benchstat) = benchstat() else { return };
    // Differences from none to clear, in separate rounds, because benchstat does not pair runs.
    let mut bench = Bench::default();
    let session = bench.session("here");
    let mut rng = SplitMix64::new(11);
    for round in 0..9 {
        let mut times = |shift: u64| -> Vec<u64> {
            (0..8)
                .map(|test| {
                    10_000_000 + 1000 * rng.below(1_000_000 / 1000) + 7 * rng.below(100) + shift * test * 100_000
                })
                .collect()
        };
        bench.run(&session, round, &spec("x"), &times(0));
        bench.run(&session, 100 + round, &spec("y"), &times(1));
    }
    let stored = bench.stored();
    let comparison = stored.compared("engine=x", "engine=y", &Options::default());
    let path = stored.path("runs.txt");
    std::fs::write(&path, benchfmt(&comparison)).unwrap();
    let out = Command::new(benchstat).args(["-format", "csv", "-col", "side"]).arg(&path).output().unwrap();
    let (csv, said) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert!(out.status.success(), "{said}");

    let mut significant = 0;
    for line in &comparison.lines {
        let name = format!("{:02}{}/size=1000", line.test, line.name.replace("Random reads", "RandomReads"));
        let row =
            csv.lines().find(|row| row.starts_with(&name)).unwrap_or_else(|| panic!("{name} is not in {csv}{said}"));
        // Name, median of A, its interval, median of B, its interval, difference, `p=0.000 n=9`.
        let cells: Vec<&str> = row.split(',').collect();
        for (cell, figure) in [(cells[1], &line.a), (cells[3], &line.b)] {
            let figure = figure.as_ref().unwrap();
            let ours = figure.median * 1e-9 / figure.operations as f64;
            let theirs: f64 = cell.parse().unwrap();
            assert!((theirs / ours - 1.0).abs() < 1e-9, "{row}: {ours}");
        }
        let found = line.found.as_ref().unwrap();
        assert!(!found.paired);
        let p = found.p.unwrap();
        let theirs: f64 = cells[6].strip_prefix("p=").and_then(|cell| cell.split(' ').next()?.parse().ok()).unwrap();
        assert!((theirs - p).abs() <= 0.00051, "{row}: p {p}");
        assert_eq!(cells[5] != "~", p < 0.05, "{row}: p {p}");
        significant += usize::from(p < 0.05);
    }
    assert!((2..8).contains(&significant), "the test has both kinds: {significant}");
}
