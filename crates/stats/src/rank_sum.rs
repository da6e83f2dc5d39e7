use super::error::{NoAnswer, at_least, finite};
use super::null::{EXACT_LIMIT, NullDistribution};
use super::ranks::{Method, Ranks, TestResult, normal_p};

/// The Mann-Whitney U test (Wilcoxon rank-sum), two-sided: does a value of `a` exceed one of `b` as often as not?
///
/// The statistic is U of `a`: the number of pairs with a > b, equal ones counted half. Only the order of the values
/// matters, so times and their logarithms give the same answer.
///
/// The p value is exact without ties up to [`EXACT_LIMIT`] values per side. Otherwise it is normal: mean nm/2, variance nm/12 ((N+1) -
/// sum(t^3-t) / (N(N-1))) over groups of t equal values among all N, and 0.5 towards the mean for continuity (scipy's
/// `mannwhitneyu(method="asymptotic", use_continuity=True)`). If all values are equal, p is 1.
///
/// # Errors
/// [`NoAnswer::TooFew`] when a side is empty, [`NoAnswer::NotFinite`] for a NaN or infinite value.
pub fn rank_sum(a: &[f64], b: &[f64]) -> Result<TestResult, NoAnswer> {
    at_least(1, a.len().min(b.len()))?;
    let pooled = [a, b].concat();
    finite(&pooled)?;
    let Ranks { ranks, ties } = Ranks::of(&pooled);
    let (n, m) = (a.len(), b.len());
    let (n_f, m_f) = (n as f64, m as f64);
    let statistic = ranks[..n].iter().sum::<f64>() - n_f * (n_f + 1.0) / 2.0;

    if ties == 0.0 && n.max(m) <= EXACT_LIMIT {
        // Without ties U is a whole number.
        let p = NullDistribution::rank_sum(n, m).two_sided(statistic as usize);
        return Ok(TestResult { statistic, p, method: Method::Exact });
    }
    let total = n_f + m_f;
    let variance = n_f * m_f / 12.0 * ((total + 1.0) - ties / (total * (total - 1.0)));
    let p = normal_p((statistic - n_f * m_f / 2.0).abs(), variance.sqrt());
    Ok(TestResult { statistic, p, method: Method::Normal })
}
