//! Large numbers of runs: statistics that are exact up to a limit, and statistics without a limit.

use super::*;

#[test]
fn the_largest_exact_test_is_still_exact() {
    let a: Vec<f64> = (0..50).map(|i| f64::from(i * 2)).collect();
    let b: Vec<f64> = (0..50).map(|i| f64::from(i * 2 + 1)).collect();
    assert_eq!(rank_sum(&a, &b).unwrap().method, Method::Exact);
}

#[test]
fn a_selection_of_many_thousand_runs_is_compared_without_making_all_its_pairs() {
    let b: Vec<f64> = (0..20_001).map(|i| 1.0 + f64::from(i) / 1e5).collect();
    let a: Vec<f64> = b.iter().map(|time| time * 2.0).collect();
    let paired = paired_ratio(&a, &b).unwrap();
    close(paired.low, 2.0, 1e-12, "paired low");
    close(paired.high, 2.0, 1e-12, "paired high");
    let unpaired = unpaired_ratio(&a, &b).unwrap();
    close(unpaired.ratio, 2.0, 1e-12, "unpaired");
    assert!(unpaired.low > 1.99 && unpaired.low < 2.0 && unpaired.high > 2.0 && unpaired.high < 2.01);
}
