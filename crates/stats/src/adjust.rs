//! The p values of one table, adjusted for the number of tests in it.

use super::error::NoAnswer;

/// Holm's adjustment of the p values of one table, in the order given.
///
/// With the m values sorted, the i-th smallest becomes the largest of (m - j + 1) p(j) over j <= i, at most 1. If values below 0.05 count
/// as significant, the chance of even one false alarm in the table is at most 5 %, however the tests depend on each other. Source: Holm, "A
/// simple sequentially rejective multiple test procedure" (1979).
///
/// # Errors
/// [`NoAnswer::NotAProbability`] for a value outside 0 to 1 or NaN.
pub fn holm(p: &[f64]) -> Result<Vec<f64>, NoAnswer> {
    let order = ascending(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (done, &i) in order.iter().enumerate() {
        let left = (p.len() - done) as f64;
        largest = largest.max(p[i] * left).min(1.0);
        adjusted[i] = largest;
    }
    Ok(adjusted)
}

/// Benjamini and Hochberg's adjustment of the p values of one table, in the order given.
///
/// With the m values sorted, the i-th smallest becomes the smallest of m p(j) / j over j >= i. If values below 0.05 count as significant,
/// the expected share of false ones among them is at most 5 %. This requires tests that are independent or depend positively on each other,
/// as the tests of one session do. Where nothing differs, the 5 % are the chance of any false alarm. Source: Benjamini and Hochberg,
/// "Controlling the false discovery rate" (1995), and Benjamini and Yekutieli (2001) for dependence.
///
/// # Errors
/// [`NoAnswer::NotAProbability`] for a value outside 0 to 1 or NaN.
pub fn benjamini_hochberg(p: &[f64]) -> Result<Vec<f64>, NoAnswer> {
    let order = ascending(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut smallest = 1.0_f64;
    for (below, &i) in order.iter().enumerate().rev() {
        smallest = smallest.min(p[i] * p.len() as f64 / (below + 1) as f64);
        adjusted[i] = smallest;
    }
    Ok(adjusted)
}

/// Returns the indices of the values, the smallest value first.
fn ascending(p: &[f64]) -> Result<Vec<usize>, NoAnswer> {
    if let Some(&wrong) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(NoAnswer::NotAProbability(wrong));
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by(|&i, &j| p[i].total_cmp(&p[j]));
    Ok(order)
}
