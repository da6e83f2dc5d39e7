//! Ratios over several sessions, with the session as the unit of replication.
//!
//! The conditions of a session on a machine (its memory layout, its neighbours, the state of its disk) shift all of its runs equally. More
//! runs of the same session give no information about that shift: ten runs of one session and ten of another are one figure each. Some
//! conditions shift A more than B, so ten rounds of one session are one ratio.

use super::{
    ALPHA,
    error::{NoAnswer, at_least, finite, positive},
    ratio::{RatioInterval, hodges_lehmann},
    rounds::{smallest_paired_p, smallest_unpaired_p},
    student::{student_p, student_t},
};

/// The variation of one thing's figures from session to session: a variance of logarithms, pooled over several things.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SessionSpread {
    sum_of_squares: f64,
    freedom: u32,
}

impl SessionSpread {
    /// Pools the variance over groups: each group has the figures of one thing, one per session, in any unit. Figures without a logarithm
    /// are left out, and a group of one adds no information.
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

    /// Returns how far apart two sessions of equal things are, as a part of 1: 95 of 100 pairs of sessions are less far apart. Returns none
    /// if no session was repeated, or if the repeated ones do not differ at all: counts that are equal by chance do not show how far
    /// sessions can differ.
    pub fn apart(&self) -> Option<f64> {
        let deviation = self.deviation().filter(|deviation| *deviation > 0.0)?;
        Some((student_t(ALPHA, self.freedom) * deviation * std::f64::consts::SQRT_2).exp_m1())
    }

    fn deviation(&self) -> Option<f64> {
        (self.freedom > 0).then(|| (self.sum_of_squares / f64::from(self.freedom)).sqrt())
    }
}

/// Returns the ratio of two things that were measured in different sessions, and its two-sided p: one figure per session on each side.
///
/// The ratio is exp of the difference of the means of logarithms, with Student's interval for two samples of one variance. That variance is
/// `spread`; pool it over both sides and over all other known sessions of these things. With three sessions per side, rank tests cannot
/// reach 5 % at all. Source: Student, "The probable error of a mean" (1908); Montgomery, "Design and Analysis of Experiments", section 2.4.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a session, [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for a figure without a logarithm,
/// [`NoAnswer::Unreplicated`] if `spread` contains no repeated session.
pub fn session_ratio(a: &[f64], b: &[f64], spread: SessionSpread) -> Result<(RatioInterval, f64), NoAnswer> {
    positive(a)?;
    positive(b)?;
    at_least(1, a.len().min(b.len()))?;
    let logs = |figures: &[f64]| mean(&figures.iter().map(|figure| figure.ln()).collect::<Vec<_>>());
    let share = 1.0 / a.len() as f64 + 1.0 / b.len() as f64;
    student(logs(a) - logs(b), spread, share, smallest_unpaired_p(a.len(), b.len()), ALPHA)
}

/// Returns the ratio of each session from the log ratios of its pairs: their Hodges-Lehmann estimate.
///
/// # Errors
/// [`NoAnswer::TooFew`] for a session without a pair, [`NoAnswer::NotFinite`] for a log ratio that is not finite.
pub fn ratios_of_sessions(sessions: &[Vec<f64>]) -> Result<Vec<f64>, NoAnswer> {
    let of_session = |logs: &Vec<f64>| {
        at_least(1, logs.len())?;
        finite(logs)?;
        Ok(hodges_lehmann(logs).exp())
    };
    sessions.iter().map(of_session).collect()
}

/// Returns the ratio of two things that were measured in pairs in several sessions, and its two-sided p: `ratios` has one ratio per
/// session.
///
/// The pairs of a session share the conditions that shift A differently from B, so they are one figure, whatever their number. The ratio is
/// exp of the mean of the ratios' logarithms, with Student's interval that misses the true ratio with a probability of `alpha`. That is
/// valid for sessions of unequal numbers of pairs too: with groups of unequal variance the t test keeps any level of 8 % or less. Source:
/// Ibragimov and Müller, "t-statistic based correlation and heterogeneity robust inference" (2010). The alternatives, simulated:
/// tests/stats/sessions.rs.
///
/// # Errors
/// [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for a ratio without a logarithm, [`NoAnswer::Unreplicated`] with fewer than two.
pub fn paired_session_ratio(ratios: &[f64], alpha: f64) -> Result<(RatioInterval, f64), NoAnswer> {
    positive(ratios)?;
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let n = logs.len();
    student(mean(&logs), SessionSpread::of([ratios]), 1.0 / n.max(1) as f64, smallest_paired_p(n), alpha)
}

/// Returns Student's interval and p of an estimate whose variance is `share` of the sessions' variance. `smallest` is the smallest p that a
/// rank test could reach with this number of sessions.
fn student(
    estimate: f64,
    spread: SessionSpread,
    share: f64,
    smallest: f64,
    alpha: f64,
) -> Result<(RatioInterval, f64), NoAnswer> {
    let deviation = spread.deviation().ok_or(NoAnswer::Unreplicated)?;
    let error = deviation * share.sqrt();
    let p = if estimate == 0.0 {
        1.0
    } else if error > 0.0 {
        student_p(estimate / error, spread.freedom)
    } else {
        // Counts may be the same in all sessions. Then the variation between sessions is unknown, so only their order counts.
        smallest.min(1.0)
    };
    if error == 0.0 && estimate != 0.0 && p > alpha {
        return Err(NoAnswer::Unreplicated);
    }
    let reach = student_t(alpha, spread.freedom) * error;
    let (low, high) = ((estimate - reach).exp(), (estimate + reach).exp());
    Ok((RatioInterval { ratio: estimate.exp(), low, high, confidence: 1.0 - alpha }, p))
}

/// Returns the mean; 0 without values. The mean of equal values is exactly that value, to the last digit.
fn mean(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or(0.0);
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len().max(1) as f64
}
