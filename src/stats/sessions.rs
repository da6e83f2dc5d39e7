//! Ratios of figures that were taken at different times, where the session is what is replicated.
//!
//! What a session finds of a machine (its memory layout, its neighbours, the state of its disk) shifts all of its runs alike. More
//! runs of the same session tell nothing of that shift: ten runs of one session and ten of another are one figure each.

use super::{
    ALPHA, CONFIDENCE,
    error::{NoAnswer, at_least, positive},
    ratio::{RatioInterval, Runs},
    student::{student_p, student_t},
};

/// How far the figures of one thing lie apart from session to session: a variance of logarithms, pooled over several things.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SessionSpread {
    sum_of_squares: f64,
    freedom: u32,
}

impl SessionSpread {
    /// Pooled over groups: each has the figures of one thing, one a session, in any unit. Figures without a logarithm are left out, and
    /// a group of one tells nothing.
    pub fn of<G: AsRef<[f64]>>(groups: impl IntoIterator<Item = G>) -> Self {
        let mut spread = Self::default();
        for group in groups {
            let logs: Vec<f64> = group
                .as_ref()
                .iter()
                .filter(|figure| positive(&[**figure]).is_ok())
                .map(|figure| figure.ln())
                .collect();
            let mean = mean(&logs);
            spread.sum_of_squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
            spread.freedom += logs.len().saturating_sub(1) as u32;
        }
        spread
    }

    /// How far apart, as a part of 1, two sessions of equal things come: 95 of 100 pairs of them less than that. None where no session was
    /// repeated.
    pub fn apart(&self) -> Option<f64> {
        let deviation = self.deviation()?;
        Some((student_t(ALPHA, self.freedom) * deviation * std::f64::consts::SQRT_2).exp_m1())
    }

    fn deviation(&self) -> Option<f64> {
        (self.freedom > 0).then(|| (self.sum_of_squares / f64::from(self.freedom)).sqrt())
    }
}

/// The ratio of two things that were measured in different sessions, and its two-sided p: one figure a session on each side.
///
/// It is exp of the difference of the means of logarithms, with Student's interval of two samples of one variance: `spread` has it, and
/// should be pooled over both sides and whatever else is known of sessions of these things. With three sessions a side, rank tests cannot
/// reach 5 % at all. Source: Student, "The probable error of a mean" (1908); Montgomery, "Design and Analysis of Experiments", section 2.4.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a session, [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for a figure without a logarithm,
/// [`NoAnswer::Unreplicated`] where `spread` knows of no session that was repeated.
pub fn session_ratio(a: &[f64], b: &[f64], spread: SessionSpread) -> Result<(RatioInterval, f64), NoAnswer> {
    positive(a)?;
    positive(b)?;
    at_least(1, a.len().min(b.len()))?;
    let deviation = spread.deviation().ok_or(NoAnswer::Unreplicated)?;
    let logs = |figures: &[f64]| mean(&figures.iter().map(|figure| figure.ln()).collect::<Vec<_>>());
    let difference = logs(a) - logs(b);
    let error = deviation * (1.0 / a.len() as f64 + 1.0 / b.len() as f64).sqrt();
    // Figures of a simulated clock do not differ at all.
    let p = if difference == 0.0 { 1.0 } else { student_p(difference / error, spread.freedom) };
    let reach = student_t(ALPHA, spread.freedom) * error;
    let interval = RatioInterval {
        ratio: difference.exp(),
        low: (difference - reach).exp(),
        high: (difference + reach).exp(),
        confidence: CONFIDENCE,
        runs: Runs::Unpaired(a.len(), b.len()),
    };
    Ok((interval, p))
}

/// The mean; 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
