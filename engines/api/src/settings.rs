//! The values of an engine's options: validated once, canonical, complete (every option has one).

use crate::{
    EngineError,
    describe::{Description, OptionKind, OptionSpec},
    names::instead_of,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// Every option of an engine with its value, in canonical spelling.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, String>);

/// The engine or suite that options belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// An engine, by its name.
    Engine(String),
    /// A suite, by its name.
    Suite(String),
}

impl Owner {
    fn name(&self) -> &str {
        let (Self::Engine(name) | Self::Suite(name)) = self;
        name
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(name) => write!(f, "engine `{name}`"),
            Self::Suite(name) => write!(f, "suite `{name}`"),
        }
    }
}

/// The reason why a requested option was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such option.
    #[error("unknown option `{option}` of {owner}: {instead} (dbdyno list options {})", owner.name())]
    Unknown {
        /// The engine or suite that was asked for it.
        owner: Owner,
        option: String,
        /// The nearest names, or all of them if they are few.
        instead: String,
    },
    /// Two names of one option are both set.
    #[error("options `{option}` and `memory` of {owner} set the same value: expected only one of them")]
    Twice {
        /// The engine that was asked for both.
        owner: Owner,
        /// The option that `memory` also sets.
        option: String,
    },
    /// The option does not take this value.
    #[error("option `{option}` of {owner} cannot be `{value}`: {instead}")]
    Value {
        /// The engine or suite that was asked for it.
        owner: Owner,
        option: String,
        value: String,
        /// The nearest of its values, or which values it takes.
        instead: String,
    },
}

impl Settings {
    /// Resolves the settings of an engine: its defaults, overridden by `asked`.
    pub fn resolve(engine: &Description, asked: &BTreeMap<String, String>) -> Result<Self, SettingError> {
        Self::resolve_specs(&Owner::Engine(engine.name.clone()), &engine.options, asked)
    }

    /// Resolves the defaults of `specs`, overridden by `asked`. Errors name `owner`.
    pub fn resolve_specs(
        owner: &Owner,
        specs: &[OptionSpec],
        asked: &BTreeMap<String, String>,
    ) -> Result<Self, SettingError> {
        let defaults = specs.iter().filter(|spec| spec.memory.is_none());
        let mut values: BTreeMap<String, String> =
            defaults.map(|spec| (spec.name.clone(), spec.default.clone())).collect();
        values.extend(Self::spell_out(owner, specs, asked)?);
        Ok(Self(values))
    }

    /// Wraps values without checking them, for jobs that an engine must refuse.
    pub fn unchecked(values: BTreeMap<String, String>) -> Self {
        Self(values)
    }

    /// Returns the requested options of an engine in canonical spelling. The option `memory` is replaced with the option that it sets.
    pub fn asked(
        engine: &Description,
        asked: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, SettingError> {
        Self::spell_out(&Owner::Engine(engine.name.clone()), &engine.options, asked)
    }

    fn spell_out(
        owner: &Owner,
        specs: &[OptionSpec],
        asked: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, SettingError> {
        let mut values = BTreeMap::new();
        for (name, value) in asked {
            let spec = specs.iter().find(|spec| &spec.name == name).ok_or_else(|| SettingError::Unknown {
                owner: owner.clone(),
                option: name.clone(),
                instead: instead_of(name, specs.iter().map(|spec| &spec.name)),
            })?;
            let refused = |expected: String| SettingError::Value {
                owner: owner.clone(),
                option: name.clone(),
                value: value.clone(),
                instead: match &spec.kind {
                    OptionKind::Choice { choices } => instead_of(value, choices),
                    _ => format!("expected {expected}"),
                },
            };
            let canonical = spec.kind.canonical(value).map_err(refused)?;
            let Some(target) = &spec.memory else {
                values.insert(name.clone(), canonical);
                continue;
            };
            // A word instead of a number leaves the engine's own options as they are.
            let Some((option, value)) = canonical.parse().ok().and_then(|bytes| target.setting(bytes)) else {
                continue;
            };
            if asked.contains_key(option) {
                return Err(SettingError::Twice { owner: owner.clone(), option: option.to_owned() });
            }
            let set = specs.iter().find(|spec| spec.name == option).map(|spec| spec.kind.canonical(&value));
            set.transpose().map_err(|expected| refused(format!("a value that `{option}` accepts, {expected}")))?;
            values.insert(option.to_owned(), value);
        }
        Ok(values)
    }

    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.0.clone()
    }

    /// Returns the value of an option if the option exists.
    pub fn get(&self, option: &str) -> Option<&str> {
        self.0.get(option).map(String::as_str)
    }

    /// Returns the value of an option that the description promises.
    pub fn text(&self, option: &str) -> Result<&str, EngineError> {
        self.get(option).ok_or_else(|| EngineError::new(format!("the job has no option `{option}`")))
    }

    /// Returns an option that is a whole number or a number of bytes.
    pub fn integer(&self, option: &str) -> Result<i64, EngineError> {
        let text = self.text(option)?;
        text.parse().map_err(|_| EngineError::new(format!("option `{option}` is `{text}`: expected a whole number")))
    }

    /// Whether an option is `on`.
    pub fn flag(&self, option: &str) -> Result<bool, EngineError> {
        Ok(self.text(option)? == "on")
    }

    /// Whether each option of `when` has one of its listed values in these settings.
    pub fn meet(&self, when: &BTreeMap<String, Vec<String>>) -> bool {
        when.iter().all(|(option, values)| self.get(option).is_some_and(|value| values.iter().any(|one| one == value)))
    }

    /// Iterates over all options with their values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Iterates over the options whose value is not the default of `specs`, by name.
    pub fn differing<'a>(&'a self, specs: &'a [OptionSpec]) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.iter().filter(|(name, value)| specs.iter().any(|spec| spec.name == *name && spec.default != *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::MemoryTarget;

    fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::choice("journal_mode", &["delete", "wal"], "delete", ""),
            OptionSpec::integer("cache_size", 0, 100, "10", ""),
        ]
    }

    fn engine() -> Owner {
        Owner::Engine("x".to_owned())
    }

    fn asked(name: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn what_is_not_asked_for_has_its_default() {
        let settings = Settings::resolve_specs(&engine(), &specs(), &asked("journal_mode", "WAL")).unwrap();
        assert_eq!(settings.get("journal_mode"), Some("wal"));
        assert_eq!(settings.integer("cache_size"), Ok(10));
        assert_eq!(settings.differing(&specs()).collect::<Vec<_>>(), [("journal_mode", "wal")]);
    }

    #[test]
    fn memory_is_another_word_for_the_size_of_a_cache() {
        let cache = OptionSpec::integer("cache_size", -(1 << 30), 1 << 30, "-2000", "");
        let pages = MemoryTarget::NegativeKib { option: "cache_size".to_owned() };
        let sqlite = [cache, OptionSpec::memory(pages)];
        let resolved = |asked: &BTreeMap<String, String>| Settings::resolve_specs(&engine(), &sqlite, asked);
        let settings = resolved(&asked("memory", "64MiB")).unwrap();
        assert_eq!(settings.iter().collect::<Vec<_>>(), [("cache_size", "-65536")]);
        assert_eq!(resolved(&asked("memory", "own")), resolved(&BTreeMap::new()));
        let twice = BTreeMap::from(["memory", "cache_size"].map(|name| (name.to_owned(), "2000000".to_owned())));
        let error = resolved(&twice).unwrap_err().to_string();
        assert_eq!(
            error,
            "options `cache_size` and `memory` of engine `x` set the same value: expected only one of them"
        );
        let error = resolved(&asked("memory", "4TiB")).unwrap_err().to_string();
        assert!(
            error
                .contains("option `memory` of engine `x` cannot be `4TiB`: expected a value that `cache_size` accepts"),
            "{error}"
        );
        let mapped = [OptionSpec::memory(MemoryTarget::Nothing)];
        let settings = Settings::resolve_specs(&engine(), &mapped, &asked("memory", "64MiB")).unwrap();
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn a_refusal_names_the_option_and_what_it_takes() {
        let error = Settings::resolve_specs(&engine(), &specs(), &asked("journal_mode", "walrus")).unwrap_err();
        assert_eq!(error.to_string(), "option `journal_mode` of engine `x` cannot be `walrus`: expected delete or wal");
        let error = Settings::resolve_specs(&engine(), &specs(), &asked("journal", "wal")).unwrap_err();
        let instead = "did you mean `journal_mode`? (dbdyno list options x)";
        assert_eq!(error.to_string(), format!("unknown option `journal` of engine `x`: {instead}"));
        let error = Settings::resolve_specs(&engine(), &specs(), &asked("journal_mode", "wla")).unwrap_err();
        assert_eq!(error.to_string(), "option `journal_mode` of engine `x` cannot be `wla`: did you mean `wal`?");
    }
}
