//! Durability tiers: what a committed transaction survives.

use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// What a committed transaction survives, from nothing to a power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "Option<u8>", into = "Option<u8>")]
#[cfg_attr(test, schemars(extend("enum" = [0, 1, 2, 3, null])))]
pub enum Tier {
    /// No number: the tier is unknown. It is below every requested tier, and it equals no tier in a comparison.
    Unknown,
    /// 0: nothing is promised after a crash.
    Unsafe,
    /// 1: a crash of the program; a power loss may corrupt the database.
    ProcessSafe,
    /// 2: a power loss may lose the latest commits, never consistency.
    Consistent,
    /// 3: power loss.
    PowerSafe,
}

impl Tier {
    /// Returns the tier's number, 0 to 3; `None` if the tier is unknown.
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Unknown => None,
            Self::Unsafe => Some(0),
            Self::ProcessSafe => Some(1),
            Self::Consistent => Some(2),
            Self::PowerSafe => Some(3),
        }
    }

    /// Whether the tier's promise about power losses depends on syncs that reach a disk.
    pub fn needs_syncs(self) -> bool {
        self >= Self::Consistent
    }

    /// Returns the number for places with little room: `3`, or `?` for an unknown tier.
    pub fn sign(self) -> String {
        self.number().map_or_else(|| "?".to_owned(), |number| number.to_string())
    }

    /// Returns the tier's name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Unsafe => "unsafe",
            Self::ProcessSafe => "process-safe",
            Self::Consistent => "consistent",
            Self::PowerSafe => "power-safe",
        }
    }

    /// Says what a commit survives, in a few words.
    pub fn promise(self) -> &'static str {
        match self {
            Self::Unknown => "it is not known what commits survive",
            Self::Unsafe => "a crash may corrupt the database",
            Self::ProcessSafe => "a power loss may corrupt the database",
            Self::Consistent => "a power loss may take the latest commits",
            Self::PowerSafe => "commits survive a power loss",
        }
    }
}

impl TryFrom<u8> for Tier {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            0 => Ok(Self::Unsafe),
            1 => Ok(Self::ProcessSafe),
            2 => Ok(Self::Consistent),
            3 => Ok(Self::PowerSafe),
            _ => Err(format!("tier {number}: expected 0, 1, 2 or 3")),
        }
    }
}

impl TryFrom<Option<u8>> for Tier {
    type Error = String;

    fn try_from(number: Option<u8>) -> Result<Self, String> {
        number.map_or(Ok(Self::Unknown), Self::try_from)
    }
}

impl From<Tier> for Option<u8> {
    fn from(tier: Tier) -> Self {
        tier.number()
    }
}

/// `3 power-safe`; `unknown`.
impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().map_or(Ok(()), |number| write!(f, "{number} "))?;
        f.write_str(self.name())
    }
}

/// One line of an engine's map from options to tiers. The first rule whose conditions all hold decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TierRule {
    /// Conditions: option name to the values that match. An empty map always holds.
    #[serde(default)]
    pub when: BTreeMap<String, Vec<String>>,
    /// The tier that follows; null if it is unknown.
    pub tier: Tier,
    /// The reason, as a text for users.
    pub reason: String,
}

impl TierRule {
    /// Creates a rule with the conditions `(option, values)`.
    pub fn new(when: &[(&str, &[&str])], tier: Tier, reason: &str) -> Self {
        Self { when: conditions(when), tier, reason: reason.to_owned() }
    }

    /// Creates a rule for commits that reach the operating system without waiting for the disk.
    pub fn unsynced(when: &[(&str, &[&str])]) -> Self {
        let reason =
            "nothing waits for the disk: commits survive a crash of the program, a power loss may corrupt the file";
        Self::new(when, Tier::ProcessSafe, reason)
    }

    /// Creates the rule for everything that no earlier rule matches: a commit returns only after the disk has it.
    pub fn synced() -> Self {
        Self::new(&[], Tier::PowerSafe, "every commit waits until the disk has it")
    }

    /// Whether every condition holds for these settings.
    pub fn holds(&self, settings: &Settings) -> bool {
        settings.meet(&self.when)
    }
}

/// Builds conditions on options from `(option, values)`.
pub(crate) fn conditions(when: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    when.iter()
        .map(|(option, values)| ((*option).to_owned(), values.iter().map(|value| (*value).to_owned()).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_has_no_number_and_is_enough_for_no_tier() {
        for tier in [Tier::Unsafe, Tier::ProcessSafe, Tier::Consistent, Tier::PowerSafe] {
            assert!(Tier::Unknown < tier, "{tier}");
            assert_eq!(Tier::try_from(tier.number()), Ok(tier));
        }
        assert_eq!((Tier::Unknown.number(), Tier::Unknown.to_string()), (None, "unknown".to_owned()));
        let rule: TierRule = serde_json::from_str(r#"{"tier": null, "reason": "x"}"#).unwrap();
        assert_eq!(rule.tier, Tier::Unknown);
        let rule: TierRule = serde_json::from_str(r#"{"tier": 3, "reason": "x"}"#).unwrap();
        assert_eq!((rule.tier, serde_json::to_string(&rule.tier).unwrap()), (Tier::PowerSafe, "3".to_owned()));
    }
}
