use super::error::{NoAnswer, at_least, finite};
use super::null::{EXACT_LIMIT, NullDistribution};
use super::ranks::{Method, Ranks, TestResult, normal_p};

/// The Wilcoxon signed-rank test, two-sided: are the differences of pairs centred on 0?
///
/// `differences` holds one value per pair; for times pass [`log_ratios`](super::log_ratios), so that the test and
/// [`paired_ratio`](super::paired_ratio) judge the same numbers. The statistic is the smaller of the rank sums of the positive and of the
/// negative differences.
///
/// Zeros are dropped (Wilcoxon's own rule, scipy's `zero_method="wilcox"`). The p value is exact up to [`EXACT_LIMIT`] differences without
/// ties and zeros. Otherwise it is normal: mean n(n+1)/4, variance (n(n+1)(2n+1) - sum(t^3-t)/2) / 24 over groups of t equal absolute
/// values, and 0.5 towards the mean for continuity (scipy's `method="asymptotic", correction=True`). If no difference is left, every
/// assignment of signs gives the same statistic, so p is 1.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a difference, [`NoAnswer::NotFinite`] for a NaN or infinite one.
pub fn signed_rank(differences: &[f64]) -> Result<TestResult, NoAnswer> {
    at_least(1, differences.len())?;
    finite(differences)?;
    let kept: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let Ranks { ranks, ties } = Ranks::of(&sizes);
    let sum = |positive: bool| -> f64 {
        let signed = kept.iter().zip(&ranks);
        signed.filter(|(d, _)| (**d > 0.0) == positive).map(|(_, rank)| rank).sum()
    };
    let statistic = sum(true).min(sum(false));

    let n = kept.len();
    let has_zeros = n < differences.len();
    if ties == 0.0 && !has_zeros && n <= EXACT_LIMIT {
        // Without ties the rank sums are whole numbers.
        let p = NullDistribution::signed_rank(n).two_sided(statistic as usize);
        return Ok(TestResult { statistic, p, method: Method::Exact });
    }
    let n = n as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0;
    let p = normal_p(mean - statistic, variance.sqrt());
    Ok(TestResult { statistic, p, method: Method::Normal })
}
