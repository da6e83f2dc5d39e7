//! A change of options, and whether it can make a difference at all.

use dbdyno_catalog::bench::{EngineChoice, PlanError};
use dbdyno_engine::{
    describe::{Description, OptionSpec},
    settings::Settings,
    suite::SuiteKind,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// Options with their new values, in canonical spelling.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OptionChange(pub BTreeMap<String, String>);

impl OptionChange {
    /// Parses `ENGINE.OPTION=VALUE`, or `OPTION=VALUE`. Several options of one change are separated by commas.
    ///
    /// # Errors
    /// The expected form.
    pub fn parse(engine: &Description, text: &str) -> Result<Self, PlanError> {
        let wrong = |expected: String| PlanError::Request(format!("{text}: {expected}"));
        let name = &engine.name;
        // The options of an engine have the same syntax.
        let read: EngineChoice = format!("{name}:{text}").parse().map_err(|_| {
            wrong(format!("expected {name}.OPTION=VALUE, as in sqlite.cache_size=20000; several separated by commas"))
        })?;
        let mut asked = BTreeMap::new();
        for (path, values) in read.options {
            let (owner, option) = path.split_once('.').unwrap_or((name, &path));
            if owner.trim() != *name {
                return Err(wrong(format!("expected an option of the tuned engine, {name}")));
            }
            let [value] = values.as_slice() else {
                return Err(wrong(format!(
                    "{option} has several values: expected one, because each is a separate change"
                )));
            };
            asked.insert(option.trim().to_owned(), value.clone());
        }
        if asked.is_empty() {
            return Err(wrong(format!("expected {name}.OPTION=VALUE")));
        }
        Ok(Self(Settings::asked(engine, &asked)?))
    }

    /// Returns the options of `to` that differ from `from`.
    pub fn between(from: &Settings, to: &Settings) -> Self {
        let differs = |(name, value): &(&str, &str)| from.get(name) != Some(value);
        Self(to.iter().filter(differs).map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Returns the settings with this change.
    ///
    /// # Errors
    /// An option is unknown or does not accept its value.
    pub fn made_to(&self, base: &Settings, engine: &Description) -> Result<Settings, PlanError> {
        let mut asked: BTreeMap<String, String> =
            base.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        asked.extend(Settings::asked(engine, &self.0)?);
        Ok(Settings::resolve(engine, &asked)?)
    }
}

impl fmt::Display for OptionChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (option, value)) in self.0.iter().enumerate() {
            write!(f, "{}{option}={value}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// Returns why two settings of an engine cannot differ in measurements on suites of this kind; none if they may.
///
/// They cannot differ if they are equal, if a value would not be in force, or if the engine's description says so.
pub fn cannot_differ(engine: &Description, suite: SuiteKind, base: &Settings, changed: &Settings) -> Option<String> {
    let change = OptionChange::between(base, changed);
    if change.0.is_empty() {
        return Some("the base has these values already".to_owned());
    }
    if let Some(reason) = change.0.iter().find_map(|(name, value)| clamped(engine.option(name)?, value)) {
        return Some(reason);
    }
    engine.indifferent(suite, base, changed)
}

/// Returns why a value would not be in force.
fn clamped(option: &OptionSpec, value: &str) -> Option<String> {
    let most = option.tuning.most.filter(|most| value.parse::<u64>().is_ok_and(|value| value > *most))?;
    Some(format!("this build takes at most {most} for {}, even if more is requested", option.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(asked: &[(&str, &str)]) -> Settings {
        let asked = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::resolve(&dbdyno_sqlite::describe(), &asked).unwrap()
    }

    fn flagged(base: &[(&str, &str)], changed: &[(&str, &str)]) -> Option<String> {
        cannot_differ(&dbdyno_sqlite::describe(), SuiteKind::Kv, &settings(base), &settings(changed))
    }

    #[test]
    fn changes_of_sqlite_that_do_nothing_are_flagged_and_others_are_not() {
        let wal = ("journal_mode", "wal");
        assert!(flagged(&[], &[("wal_autocheckpoint", "50")]).unwrap().contains("journal_mode is not wal"));
        assert_eq!(flagged(&[wal], &[wal, ("wal_autocheckpoint", "50")]), None);
        let (immediate, exclusive) = (("transaction", "immediate"), ("transaction", "exclusive"));
        assert!(flagged(&[wal, immediate], &[wal, exclusive]).is_some());
        assert_eq!(flagged(&[immediate], &[exclusive]), None);
        assert!(flagged(&[wal], &[wal, ("synchronous", "extra")]).is_some());
        assert_eq!(flagged(&[], &[("synchronous", "extra")]), None, "delete syncs the folder");
        assert!(flagged(&[], &[("mmap_size", "4GiB")]).unwrap().contains("at most 2147418112"));
        assert_eq!(flagged(&[], &[("mmap_size", "1GiB")]), None);
        assert!(flagged(&[], &[]).unwrap().contains("already"));
    }

    #[test]
    fn a_change_that_makes_its_own_option_matter_is_not_flagged() {
        assert_eq!(flagged(&[], &[("journal_mode", "wal"), ("wal_autocheckpoint", "50")]), None);
    }

    #[test]
    fn a_change_is_read_with_or_without_its_engine() {
        let sqlite = dbdyno_sqlite::describe();
        for text in ["sqlite.mmap_size=64MiB", "mmap_size=64MiB"] {
            assert_eq!(OptionChange::parse(&sqlite, text).unwrap().to_string(), "mmap_size=67108864");
        }
        let two = OptionChange::parse(&sqlite, "mmap_size=64MiB, sqlite.journal_mode=wal").unwrap();
        assert_eq!(two.to_string(), "journal_mode=wal,mmap_size=67108864");
        for wrong in ["lmdb.sync=off", "mmap_size", "no_such=1", "", "mmap_size=1|2", "mmap_size=1,lmdb.sync=off"] {
            assert!(OptionChange::parse(&sqlite, wrong).is_err(), "{wrong}");
        }
    }
}
