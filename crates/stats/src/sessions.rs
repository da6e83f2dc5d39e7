//! Ratios over several sessions, where the session is what is replicated.
//!
//! What a session finds of a machine (its memory layout, its neighbours, the state of its disk) shifts all of its runs alike. More
//! runs of the same session tell nothing of that shift: ten runs of one session and ten of another are one figure each. Some of it
//! shifts A more than B, so that ten rounds of one session are one ratio.

use super::{
    ALPHA,
    error::{NoAnswer, at_least, finite, positive},
    ratio::{RatioInterval, hodges_lehmann},
    rounds::{smallest_paired_p, smallest_unpaired_p},
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
    /// repeated, or those that were do not differ at all: counts that are equal by chance say nothing of how far they come apart.
    pub fn apart(&self) -> Option<f64> {
        let deviation = self.deviation().filter(|deviation| *deviation > 0.0)?;
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
    let logs = |figures: &[f64]| mean(&figures.iter().map(|figure| figure.ln()).collect::<Vec<_>>());
    let share = 1.0 / a.len() as f64 + 1.0 / b.len() as f64;
    student(logs(a) - logs(b), spread, share, smallest_unpaired_p(a.len(), b.len()), ALPHA)
}

/// The ratio that each session shows, of the log ratios of its pairs: their Hodges-Lehmann estimate.
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

/// The ratio of two things that were measured in pairs in several sessions, and its two-sided p: `ratios` has one of each session.
///
/// The pairs of a session share what it does to A and not to B, so however many they are, they are one figure. It is exp of the mean of
/// the ratios' logarithms, with Student's interval that misses the true ratio with a probability of `alpha`. That holds for sessions
/// of unequal numbers of pairs too: with groups of unequal variance the t test keeps any level of 8 % or less. Source: Ibragimov and
/// Müller, "t-statistic based correlation and heterogeneity robust inference" (2010). The alternatives, simulated:
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

/// Student's interval and p of an estimate whose variance is `share` of the sessions'. `smallest` is the p of a rank test that they pass as
/// clearly as so many sessions can.
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
        // Counts may be the same in all sessions: of how far they come apart nothing is known, so only their order counts.
        smallest.min(1.0)
    };
    if error == 0.0 && estimate != 0.0 && p > alpha {
        return Err(NoAnswer::Unreplicated);
    }
    let reach = student_t(alpha, spread.freedom) * error;
    let (low, high) = ((estimate - reach).exp(), (estimate + reach).exp());
    Ok((RatioInterval { ratio: estimate.exp(), low, high, confidence: 1.0 - alpha }, p))
}

/// The mean; 0 of nothing. Of equal values it is that value to the last digit.
fn mean(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or(0.0);
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len().max(1) as f64
}
