//! Tuning knowledge in an engine's description: values worth trying, changes that cannot make a difference, the form in which users of
//! the engine write the setting, and the costs of a value other than time. It is data, so that external engines in any language can
//! provide it.

use crate::{settings::Settings, suite::SuiteKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How to tune one option.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Tuning {
    /// Values that the option search tries. None: every choice and both states of a switch, but no numbers. Empty: no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// Conditions under which two values of the option cannot differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<SameRule>,
    /// The largest value that the library uses. It silently replaces larger values with this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Risks to know before using a value, by value: `no other process can open the database`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub risks: BTreeMap<String, String>,
    /// The statement that sets the option, for engines that take statements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<SettingStatement>,
    /// The code with which a program has a value, by value: `transaction.set_quick_repair(true);`. [`ANY`] stands for all other values, with
    /// `{value}` where the value goes. For options that no statement sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub program: BTreeMap<String, String>,
}

/// All values, as a key of [`Tuning::program`].
pub const ANY: &str = "*";

impl Tuning {
    /// Returns the code with which a program has this value.
    pub fn code(&self, value: &str) -> Option<String> {
        self.program.get(value).or_else(|| self.program.get(ANY)).map(|text| text.replace("{value}", value))
    }
}

/// Values of an option that cannot differ in their effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SameRule {
    /// The values. Empty: all values of the option.
    #[serde(default)]
    pub values: Vec<String>,
    /// Conditions: option name to the values that match.
    #[serde(default)]
    pub when: BTreeMap<String, Vec<String>>,
    /// The kinds of suite that the rule applies to. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<SuiteKind>,
    /// The reason, as a text for users.
    pub reason: String,
}

impl SameRule {
    /// Whether the rule says that a change from one value to another makes no difference, on a suite of this kind and under these
    /// settings.
    pub fn holds(&self, suite: SuiteKind, from: &str, to: &str, settings: &Settings) -> bool {
        let covers = |value: &str| self.values.is_empty() || self.values.iter().any(|one| one == value);
        let on = self.suites.is_empty() || self.suites.contains(&suite);
        on && covers(from) && covers(to) && settings.meet(&self.when)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettingStatement {
    /// Its position among the engine's statements, from 0: some must come before others.
    pub place: u32,
    /// The statement, with `{value}` where the value goes.
    pub text: String,
}

impl SettingStatement {
    /// Returns the statement that sets this value.
    pub fn with(&self, value: &str) -> String {
        self.text.replace("{value}", value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{describe::OptionSpec, settings::Owner};

    #[test]
    fn a_rule_speaks_of_its_values_under_its_conditions_only() {
        let specs = [
            OptionSpec::choice("journal", &["delete", "wal"], "delete", ""),
            OptionSpec::choice("begin", &["deferred", "immediate", "exclusive"], "deferred", "").same(
                &["immediate", "exclusive"],
                &[("journal", &["wal"])],
                "they are one",
            ),
        ];
        let under = |journal: &str| {
            let asked = BTreeMap::from([("journal".to_owned(), journal.to_owned())]);
            Settings::resolve_specs(&Owner::Engine("x".to_owned()), &specs, &asked).unwrap()
        };
        let rule = &specs[1].tuning.same[0];
        assert!(rule.holds(SuiteKind::Kv, "immediate", "exclusive", &under("wal")));
        assert!(!rule.holds(SuiteKind::Kv, "deferred", "exclusive", &under("wal")));
        assert!(!rule.holds(SuiteKind::Kv, "immediate", "exclusive", &under("delete")));
    }

    #[test]
    fn an_option_of_one_kind_of_suite_does_nothing_on_the_other() {
        let spec = OptionSpec::bool("checksums", "off", "").only_for(SuiteKind::Sql);
        let settings =
            Settings::resolve_specs(&Owner::Engine("x".to_owned()), std::slice::from_ref(&spec), &BTreeMap::new())
                .unwrap();
        let holds = |kind| spec.tuning.same[0].holds(kind, "off", "on", &settings);
        assert!(holds(SuiteKind::Kv) && !holds(SuiteKind::Sql));
    }
}
