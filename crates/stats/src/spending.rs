use super::ALPHA;

/// The share of the error budget (the allowed false alarms) that one look may spend, if more looks may follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spending {
    /// The factor that p values are multiplied by.
    pub factor: f64,
    /// The largest probability with which intervals miss the true ratio.
    pub alpha: f64,
}

impl Spending {
    /// The whole budget for a single, final look.
    pub const ONCE: Self = Self { factor: 1.0, alpha: ALPHA };

    /// Returns the share of each of so many comparisons in a single, final look (Bonferroni): with 95 %, all their intervals hold.
    pub fn shared(comparisons: usize) -> Self {
        let share = comparisons.max(1) as f64;
        Self { factor: share, alpha: ALPHA / share }
    }

    /// Returns the share of look number `look`, from 1, at a comparison that can be measured further: half of the remaining budget, so that
    /// any number of looks spends less than all of it. The changes that one command tries share it evenly (Bonferroni).
    pub fn at_look(look: u32, changes: u32) -> Self {
        let share = 2_f64.powi(look.clamp(1, 60) as i32);
        Self { factor: share * f64::from(changes.max(1)), alpha: ALPHA / share }
    }
}
