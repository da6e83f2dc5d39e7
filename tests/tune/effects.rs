//! `dbdyno tune effects`: a grid with known effects, and the steps from a sweep to the table.

use crate::support::Place;
use dbdyno::{
    compare::Side,
    stats::Verdict,
    store::{ComparedTest, RunConfiguration, RunTests},
    tune::effects::{GridEffects, effects},
};
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// The whole grid of a (2 values), b (3), c (2) and d (4) in two rounds. `time` returns the time of a configuration.
fn grid(time: impl Fn(usize, usize, usize, usize) -> f64) -> Side {
    let mut noise = SplitMix64::new(5);
    let mut runs = Vec::new();
    for round in 0..2 {
        for at in 0..48 {
            let (a, b, c, d) = (at % 2, at / 2 % 3, at / 6 % 2, at / 12);
            let scatter = (noise.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            // The second round is slower throughout.
            let wall = 1e6 * time(a, b, c, d) * (1.0 + 0.01 * scatter) * (1.0 + 0.5 * f64::from(round));
            let value = |name: &str, value: usize| (name.to_owned(), value.to_string());
            runs.push(RunTests {
                run_id: Uuid::from_u128(u128::from(round) << 32 | at as u128),
                session_id: Uuid::nil(),
                ordinal: at as u32,
                round,
                seed: None,
                status: "done".into(),
                label: format!("run {at}").into(),
                twin_of: None,
                size: "10".into(),
                configuration: Arc::new(RunConfiguration {
                    engine: "null".to_owned(),
                    version: "1".to_owned(),
                    tier: Some(1 + a as u8),
                    tier_evidence: None,
                    options: BTreeMap::from([
                        value("a", a),
                        value("b", b),
                        value("c", c),
                        value("d", d),
                        value("e", 7),
                    ]),
                    suite: "kv".to_owned(),
                    suite_options: BTreeMap::new(),
                    memory_limit: None,
                    cache: "warm".to_owned(),
                    ..RunConfiguration::default()
                }),
                asked: Arc::default(),
                peak_memory_bytes: None,
                tests: vec![ComparedTest {
                    test: 1,
                    name: "writes".into(),
                    actor: None,
                    value: Some(wall.trunc()),
                    timed: false,
                    sliced: false,
                    operations: Some(1),
                    answer: None,
                    is_verified: false,
                    agrees: None,
                    latencies: None,
                }],
            });
        }
    }
    Side { runs, ..Side::default() }
}

fn factor<'e>(effects: &'e GridEffects, option: &str) -> &'e dbdyno::tune::effects::Factor {
    effects.factors.iter().find(|factor| factor.option == option).unwrap()
}

#[test]
fn what_matters_is_found_with_its_size_and_what_does_not_is_said() {
    let found = effects(&grid(|a, b, _, _| [1.0, 2.0][a] * [1.0, 1.1, 1.2][b])).unwrap();
    assert_eq!(found.factors.len(), 4, "e has one value and is no option of the grid");
    assert_eq!(found.factors[0].option, "a");
    let a = &factor(&found, "a").effects[0];
    assert_eq!((a.value.as_str(), a.pairs), ("1", 24));
    let interval = a.found.as_ref().unwrap().interval.unwrap();
    assert!(interval.low < 2.0 && 2.0 < interval.high && interval.high < 2.02, "{interval:?}");
    let b = factor(&found, "b");
    assert!(b.shown && b.effects.iter().all(|effect| effect.pairs == 16));
    for option in ["c", "d"] {
        let factor = factor(&found, option);
        assert!(!factor.shown && factor.share < 0.001, "{factor:?}");
        assert!(factor.effects.iter().all(|effect| effect.found.as_ref().unwrap().verdict == Verdict::Same));
    }
    // The analysis of variance of a whole grid by its definition: variances of the means of each option's values.
    let variance = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
    };
    let (of_a, of_b) = (variance(&[0.0, 2_f64.ln()]), variance(&[0.0, 1.1_f64.ln(), 1.2_f64.ln()]));
    let expected = of_a / (of_a + of_b);
    assert!((factor(&found, "a").share - expected).abs() < 0.002, "{} {expected}", factor(&found, "a").share);
    assert!(found.interactions.is_empty(), "{:?}", found.interactions);
}

#[test]
fn options_that_act_together_are_named() {
    // b matters only if a is 1.
    let found = effects(&grid(|a, b, _, _| if a == 1 { [1.0, 1.5, 2.0][b] } else { 1.0 })).unwrap();
    assert_eq!(found.interactions.len(), 1, "{:?}", found.interactions);
    let together = &found.interactions[0];
    assert_eq!(together.options, ["a", "b"].map(str::to_owned));
    assert!(together.share > 0.1, "{}", together.share);
    let slowest = together.ratios.iter().max_by(|x, y| x.2.total_cmp(&y.2)).unwrap();
    assert_eq!((slowest.0.as_str(), slowest.1.as_str()), ("1", "2"));
}

#[test]
fn a_sample_finds_effects_by_its_pairs_and_no_interactions() {
    let mut side = grid(|a, b, _, _| if a == 1 { [2.0, 3.0, 4.0][b] } else { 1.0 });
    // A third of the configurations is missing.
    side.runs.retain(|run| match (run.configuration.options["b"].as_str(), run.configuration.options["d"].as_str()) {
        ("1", d) => d == "0",
        ("2", d) => d != "3",
        _ => true,
    });
    let found = effects(&side).unwrap();
    assert!(!found.whole && found.interactions.is_empty());
    let a = factor(&found, "a");
    assert!(a.shown && a.effects[0].pairs == 16);
    assert!(!factor(&found, "c").shown);
}

#[test]
fn in_a_grid_without_what_cannot_differ_one_interaction_does_not_pass_for_others() {
    let mut side = grid(|a, b, _, _| if a == 1 { [1.0, 1.5, 2.0][b] } else { 1.0 });
    side.runs.retain(|run| run.configuration.options["b"] != "1" || run.configuration.options["d"] != "3");
    let found = effects(&side).unwrap();
    let named: Vec<&[String; 2]> = found.interactions.iter().map(|one| &one.options).collect();
    assert!(found.whole && named == [&["a", "b"].map(str::to_owned)], "{named:?}");
}

#[test]
fn the_fastest_of_all_and_of_each_tier_come_first() {
    let found = effects(&grid(|a, _, c, d| [2.0, 3.0][a] + c as f64 + d as f64)).unwrap();
    assert_eq!(found.ranked.len(), 48);
    assert!((found.ranked[0].ratio - 1.0).abs() < 1e-12 && found.ranked.is_sorted_by(|x, y| x.ratio <= y.ratio));
    let tiers: Vec<(Option<u8>, &str)> =
        found.best.iter().map(|best| (best.tier, best.configuration.values["c"].as_str())).collect();
    assert_eq!(tiers, [(Some(2), "0"), (Some(1), "0")], "the safest tier first");
}

#[test]
fn chance_alone_is_no_effect() {
    let found = effects(&grid(|_, _, _, _| 1.0)).unwrap();
    assert!(found.factors.iter().all(|factor| !factor.shown), "{:?}", found.factors);
}

#[test]
fn a_sweep_becomes_a_table_and_a_page() {
    let place = Place::new();
    let sweep = "null.latency_ns=1000|2000";
    let noise = "null.noise_seed=1|2|3|4|5|6|7";
    let run =
        ["run", "--suite", "kv", "--engine", "null:clock=simulated,noise_percent=2", "--test", "2", "--size", "1000"];
    place.ok(&[&run[..], &["--set", sweep, "--set", noise, "--repeat", "1", "--quiet"]].concat());
    let text = place.ok(&["tune", "effects", "engine=null"]);
    assert!(text.contains("latency_ns explains 100 % of the variance"), "{text}");
    assert!(text.contains("2000 against 1000  2.00  2.00-2.00  7 pairs"), "{text}");
    assert!(text.contains("noise_seed: no effect found"), "{text}");
    let file = place.path("effects.html");
    place.ok(&["tune", "effects", "engine=null", "--format", "html", "--out", file.to_str().unwrap()]);
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.contains("latency_ns explains 100 % of the variance") && page.contains("</html>"), "{page}");
    let csv = place.ok(&["tune", "effects", "engine=null", "--format", "csv"]);
    assert!(csv.starts_with("option,share,shown,first,value,ratio,") && csv.contains("\nlatency_ns,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 1 + 6, "a row for each value beside the first: {csv}");
    let markdown = place.ok(&["tune", "effects", "engine=null", "--format", "markdown"]);
    assert!(markdown.contains("| 2000 against 1000 | 2.00 | 2.00-2.00 | 7 pairs |"), "{markdown}");
    let refused = place.run(&["tune", "effects", "engine=null latency_ns=1000 noise_seed=1"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("one configuration only"), "{}", refused.stderr);
}
