//! The noise floors that sessions measured by running a configuration twice per round.

use super::{
    layout::{Laid, SideSample},
    load::Side,
    model::{NoiseBasis, NoiseFloor},
    pairs::matched,
};
use dbdyno_stats::{DEFAULT_NOISE_FLOOR, SelfNoise, log_ratios, noise_floors};
use dbdyno_store::RunTests;
use std::collections::BTreeMap;
use uuid::Uuid;

/// A suite, a size and a test number.
type NoisyTest<'s> = (&'s str, &'s str, u32);

/// The runs of a configuration and those of its twin.
type Twins<'s> = [Vec<SideSample<'s>>; 2];

/// The noise floors of tests.
#[derive(Debug)]
pub(super) struct Floors<'s> {
    tests: BTreeMap<NoisyTest<'s>, NoiseFloor>,
    /// The floor of a test without an A/A comparison in any session.
    others: NoiseFloor,
}

/// Returns the noise floors of the sides' sessions, or the default if no configuration ran twice per round.
pub(super) fn floors<'s>(sides: &[&'s Side]) -> Floors<'s> {
    // Both sides may have loaded the same session.
    let runs: BTreeMap<Uuid, &RunTests> =
        sides.iter().flat_map(|side| &side.twins).map(|run| (run.run_id, run)).collect();
    let mut tests: BTreeMap<NoisyTest<'_>, BTreeMap<&str, Twins<'_>>> = BTreeMap::new();
    for run in runs.into_values() {
        let (label, twin) = run.twin_of.as_deref().map_or((&*run.label, 0), |original| (original, 1));
        for sample in run.tests.iter().filter_map(|result| SideSample::from_result(run, result)) {
            let of_test = tests.entry((&run.configuration.suite, &run.size, sample.result.test)).or_default();
            of_test.entry(label).or_default()[twin].push(sample);
        }
    }
    let noise = |configurations: BTreeMap<&str, Twins<'_>>| {
        SelfNoise::pooled(&configurations.values().filter_map(self_noise).collect::<Vec<_>>())
    };
    let measured: Vec<(NoisyTest<'_>, SelfNoise)> =
        tests.into_iter().filter_map(|(test, configurations)| Some((test, noise(configurations)?))).collect();
    let Ok(floors) = noise_floors(&measured.iter().map(|(_, noise)| *noise).collect::<Vec<_>>()) else {
        let others = NoiseFloor { value: DEFAULT_NOISE_FLOOR, basis: NoiseBasis::Assumed };
        return Floors { tests: BTreeMap::new(), others };
    };
    let floor = |((test, noise), value): ((NoisyTest<'s>, SelfNoise), f64)| {
        (test, NoiseFloor { value, basis: NoiseBasis::Measured { pairs: noise.pairs() } })
    };
    Floors {
        tests: measured.into_iter().zip(floors.tests).map(floor).collect(),
        others: NoiseFloor { value: floors.others, basis: NoiseBasis::OtherTests },
    }
}

/// Returns the noise between a configuration and its twin; none without pairs.
fn self_noise([first, twin]: &Twins<'_>) -> Option<SelfNoise> {
    let matched = matched(first, twin);
    let times = |samples: &[SideSample<'_>]| samples.iter().map(|sample| sample.value).collect::<Vec<_>>();
    let logs = log_ratios(&times(&matched.a), &times(&matched.b));
    logs.ok().filter(|_| matched.paired).and_then(|logs| SelfNoise::of(&logs).ok())
}

impl Floors<'_> {
    /// Returns the floor of a line: the highest floor of the tests that its sides ran.
    pub(super) fn of(&self, line: &Laid<'_>) -> NoiseFloor {
        if self.tests.is_empty() {
            return self.others;
        }
        let runs = line.a.iter().chain(&line.b).map(|sample| sample.run);
        let known =
            runs.filter_map(|run| self.tests.get(&(run.configuration.suite.as_str(), &*run.size, line.test)).copied());
        known.max_by(|one, other| one.value.total_cmp(&other.value)).unwrap_or(self.others)
    }
}
