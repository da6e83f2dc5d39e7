//! The noise floor that sessions measured by running a configuration twice a round.

use super::{layout::SideSample, load::Side, model::NoiseFloor, pairs::matched};
use crate::{
    stats::{DEFAULT_NOISE_FLOOR, noise_floor, paired_ratio},
    store::RunTests,
};
use std::collections::BTreeMap;

/// What a configuration ran: its label, size and test.
type NoiseGroup<'s> = (&'s str, &'s str, u32);

/// The A/A figure of the sides' sessions, or the default where they have none.
pub(super) fn floor(sides: &[&Side]) -> NoiseFloor {
    // Both sides may have loaded the same session.
    let runs: BTreeMap<&str, &RunTests> =
        sides.iter().flat_map(|side| &side.twins).map(|run| (run.run_id.as_str(), run)).collect();
    let mut groups: BTreeMap<NoiseGroup<'_>, [Vec<SideSample<'_>>; 2]> = BTreeMap::new();
    for run in runs.into_values() {
        let (label, twin) = run.twin_of.as_deref().map_or((run.label.as_str(), 0), |original| (original, 1));
        for sample in run.tests.iter().filter_map(|result| SideSample::from_result(run, result)) {
            groups.entry((label, &run.size, sample.result.test)).or_default()[twin].push(sample);
        }
    }
    let times = |samples: &[SideSample<'_>]| samples.iter().map(|sample| sample.wall_ns as f64).collect::<Vec<_>>();
    let logs: Vec<f64> = groups
        .into_values()
        .map(|[first, twin]| matched(&first, &twin))
        .filter(|matched| matched.paired)
        .filter_map(|matched| paired_ratio(&times(&matched.a), &times(&matched.b)).ok())
        .map(|found| found.ratio.ln())
        .collect();
    match noise_floor(&logs) {
        Ok(value) => NoiseFloor { value, measured: logs.len() },
        Err(_) => NoiseFloor { value: DEFAULT_NOISE_FLOOR, measured: 0 },
    }
}
