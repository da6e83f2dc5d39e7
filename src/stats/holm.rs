use super::error::NoAnswer;

/// Holm's adjustment of the p values of one table, in the order given.
///
/// With the m values sorted, the i-th smallest becomes the largest of (m - j + 1) p(j) over j <= i, at most 1. Calling
/// those below 0.05 significant keeps the chance of even one false alarm in the table at 5 %, whatever the tests depend
/// on. Source: Holm, "A simple sequentially rejective multiple test procedure" (1979).
///
/// # Errors
/// [`NoAnswer::NotAProbability`] for a value outside 0 to 1 or NaN.
pub fn holm(p: &[f64]) -> Result<Vec<f64>, NoAnswer> {
    if let Some(&wrong) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(NoAnswer::NotAProbability(wrong));
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (done, &i) in order.iter().enumerate() {
        let left = (p.len() - done) as f64;
        largest = largest.max(p[i] * left).min(1.0);
        adjusted[i] = largest;
    }
    Ok(adjusted)
}
