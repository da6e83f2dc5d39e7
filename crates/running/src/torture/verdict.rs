//! Compares the findings with a tier's promise.

use super::{power::PowerFindings, route::Route};
use dbdyno_engine::durability::Tier;
use dbdyno_store::TierVerdict;
use serde::Serialize;
use std::{fmt, path::PathBuf};

/// The content of a database after a power loss.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SurvivingCommits {
    /// It cannot be opened, or holds something that was never committed, or half a commit.
    Broken(String),
    /// Commits up to some moment, but not all acknowledged ones.
    Earlier { commits: u64, acknowledged: u64 },
    /// Nothing had been acknowledged, and there is no database yet, or a part of one.
    Unmade(String),
    /// All acknowledged commits.
    All,
}

impl SurvivingCommits {
    /// Classifies what was found in a database when `acknowledged` commits had returned and `issued` had begun.
    pub(super) fn of(found: &Result<u64, String>, acknowledged: u64, issued: u64) -> Self {
        match found {
            Err(message) if acknowledged == 0 => Self::Unmade(message.clone()),
            Err(message) => Self::Broken(message.clone()),
            Ok(commits) if *commits > issued => {
                Self::Broken(format!("{commits} commits found, but only {issued} had begun"))
            }
            Ok(commits) if *commits < acknowledged => Self::Earlier { commits: *commits, acknowledged },
            Ok(_) => Self::All,
        }
    }

    /// Whether this is less than a tier promises for a power loss.
    pub(super) fn contradicts(&self, tier: Tier) -> bool {
        match self {
            Self::All | Self::Unmade(_) => false,
            Self::Earlier { .. } => tier >= Tier::PowerSafe,
            Self::Broken(_) => tier >= Tier::Consistent,
        }
    }
}

impl fmt::Display for SurvivingCommits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(message) | Self::Unmade(message) => f.write_str(message),
            Self::Earlier { commits, acknowledged } => {
                write!(f, "{commits} of {acknowledged} acknowledged commits survived")
            }
            Self::All => f.write_str("all acknowledged commits survived"),
        }
    }
}

/// A finding that contradicts a tier's promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    /// The finding, as a sentence.
    pub what: String,
    /// The folder that keeps the database as proof.
    pub image: Option<PathBuf>,
}

/// The conclusion about a configuration's tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TortureVerdict {
    /// Every attempt kept the tier's promise.
    Evidenced {
        kills: u32,
        images: u32,
        /// The source of the record behind the images; none without images.
        route: Option<Route>,
    },
    /// Some attempt broke it.
    Contradicted(Contradiction),
    /// Nothing was shown, for this reason.
    NotEvidenced { reason: String },
}

impl TortureVerdict {
    pub(super) fn of(tier: Tier, kills: u32, killed: Option<&Contradiction>, power: &PowerFindings) -> Self {
        let contradiction = killed.filter(|_| tier >= Tier::ProcessSafe).or(power.journaled.contradiction.as_ref());
        if let Some(contradiction) = contradiction {
            return Self::Contradicted(contradiction.clone());
        }
        let reason = if tier == Tier::Unsafe {
            Some("its tier promises nothing".to_owned())
        } else if tier == Tier::Unknown {
            Some("its tier is unknown".to_owned())
        } else if kills == 0 {
            Some("no worker was killed".to_owned())
        } else if tier == Tier::ProcessSafe {
            None
        } else if power.images() == 0 {
            power.unseen.clone().or_else(|| Some("no power loss was simulated".to_owned()))
        } else {
            power.unseen.clone()
        };
        let images = power.images();
        let evidenced = Self::Evidenced { kills, images, route: power.route.filter(|_| images > 0) };
        reason.map_or(evidenced, |reason| Self::NotEvidenced { reason })
    }

    /// Returns what contradicts the tier, or why nothing was shown.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Evidenced { .. } => None,
            Self::Contradicted(Contradiction { what, .. }) => Some(what),
            Self::NotEvidenced { reason } => Some(reason),
        }
    }

    /// Returns the word under which it is stored.
    pub fn word(&self) -> &'static str {
        let of_tier = match self {
            Self::Evidenced { .. } => TierVerdict::Evidenced,
            Self::Contradicted(_) => TierVerdict::Contradicted,
            Self::NotEvidenced { .. } => TierVerdict::NotEvidenced,
        };
        of_tier.word()
    }
}

impl fmt::Display for TortureVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Evidenced { kills, images: 0, .. } => write!(f, "evidenced ({kills} kills)"),
            Self::Evidenced { kills, images, route: Some(Route::Mount) } => {
                write!(f, "evidenced ({kills} kills, {images} images through a mount)")
            }
            Self::Evidenced { kills, images, .. } => write!(f, "evidenced ({kills} kills, {images} images)"),
            Self::Contradicted(Contradiction { what, .. }) => write!(f, "contradicted: {what}"),
            Self::NotEvidenced { reason } => write!(f, "not evidenced: {reason}"),
        }
    }
}
