use super::ALPHA;

/// How much of the allowed false alarms a look at something that may be looked at again may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spending {
    /// p values are multiplied by this.
    pub factor: f64,
    /// Intervals miss the true ratio with this probability at most.
    pub alpha: f64,
}

impl Spending {
    /// All of it at one look, by which the matter ends.
    pub const ONCE: Self = Self { factor: 1.0, alpha: ALPHA };

    /// The look number `look`, from 1, of what can be measured further: half of what is left, so that any number of looks
    /// spends less than all of it. The changes that one command tries share it evenly (Bonferroni).
    pub fn at_look(look: u32, changes: u32) -> Self {
        let share = 2_f64.powi(look.clamp(1, 60) as i32);
        Self { factor: share * f64::from(changes.max(1)), alpha: ALPHA / share }
    }
}
