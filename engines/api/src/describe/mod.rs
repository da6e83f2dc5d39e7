//! An engine's description of itself. Forms, `list options`, validation and tiers all come from this one description.

mod ability;
mod option;

pub use ability::{KvAbility, Threads, Writers};
pub use option::{MemoryTarget, OptionKind, OptionSpec, RESERVED, parse_bytes};

use crate::{
    durability::{Tier, TierRule, conditions},
    protocol::PROTOCOL,
    settings::Settings,
    suite::{KvSuite, SuiteKind},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An engine's description; `describe` prints it as one JSON object.
///
/// ```
/// use dbdyno_engine::{describe::{Description, OptionSpec}, durability::{Tier, TierRule}, settings::Settings, suite::SuiteKind};
/// use std::collections::BTreeMap;
///
/// let engine = Description {
///     options: vec![OptionSpec::choice("sync", &["full", "off"], "full", "what a commit waits for")],
///     tiers: vec![
///         TierRule::new(&[("sync", &["off"])], Tier::ProcessSafe, "nothing waits for the disk"),
///         TierRule::new(&[], Tier::PowerSafe, "every commit waits until the disk has it"),
///     ],
///     ..Description::new("mystore", "one line about it", "2.1", &[SuiteKind::Kv])
/// };
/// assert_eq!(engine.check_options(), Ok(()));
///
/// let asked = |value: &str| Settings::resolve(&engine, &BTreeMap::from([("sync".to_owned(), value.to_owned())]));
/// assert_eq!(engine.tier(&asked("OFF")?), (Tier::ProcessSafe, "nothing waits for the disk"));
/// let refused = asked("maybe").map_err(|error| error.to_string());
/// assert_eq!(refused, Err("option `sync` of engine `mystore` cannot be `maybe`: expected full or off".to_owned()));
/// # Ok::<(), dbdyno_engine::settings::SettingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Description {
    /// Version of the wire protocol that the engine speaks.
    #[cfg_attr(test, schemars(range(min = crate::protocol::OLDEST_PROTOCOL, max = PROTOCOL)))]
    pub protocol: u32,
    /// Short name, as given to `--engine`.
    #[cfg_attr(test, schemars(regex(pattern = r"^[A-Za-z0-9-]+$")))]
    pub name: String,
    /// One line about the engine.
    pub about: String,
    pub version: String,
    /// How the library was built: compile options, one a line.
    #[serde(default)]
    pub build: Vec<String>,
    /// The source that the library was built from, if the library reports it.
    #[serde(default)]
    pub source: Option<String>,
    /// The store below the library, with its version, if it is not the usual one: `Berkeley DB 5.3.28`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// The SPDX expression of the licence of the library, and of the binding that calls it: `blessing AND MIT`. If an option names the
    /// file of the library, the licence is that of the library that the engine is made for. None: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The languages of programs that can use the library in the way that the engine does, in lower case: `c`, `rust`. Empty: there is no
    /// library to use, because the engine shows what files alone cost, or the languages are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub suites: Vec<SuiteKind>,
    /// Its options, in the order they are shown.
    #[serde(default)]
    pub options: Vec<OptionSpec>,
    /// The map from options to tiers; the first rule that holds decides.
    #[serde(default)]
    pub tiers: Vec<TierRule>,
    /// Combinations of options that would not do what they say: refused before anything is run.
    #[serde(default)]
    pub conflicts: Vec<Conflict>,
    /// The code that gives the answers, if it is not the engine's alone; the first rule that holds decides.
    #[serde(default)]
    pub implementations: Vec<ImplementationRule>,
    /// Whether it accepts tables and indexes only as data. SQL would define them in a database that is not the engine's, so suites that do
    /// that are not run.
    #[serde(default)]
    pub tables_as_data: bool,
    /// Whether its databases are files of SQLite, so that a suite of SQL may start from one.
    #[serde(default)]
    pub sqlite_files: bool,
    /// The kinds of suite in which several threads can work on a database at once. In other kinds, the engine runs only tests with one
    /// thread.
    #[serde(default)]
    pub threads: BTreeMap<SuiteKind, Threads>,
    /// The kinds of suite whose recordings it replays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replays: Vec<SuiteKind>,
    /// Whether it can read keys in order. If it cannot, tests that do that are not run: [`KvSuite::in_order`].
    #[serde(default = "keeps_order")]
    pub ordered: bool,
    /// The parts of key-value suites that it supports, if not all. Tests that need others are not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<KvAbility>,
    /// Whether it can compact its database on request. If it cannot, tests that do that are left out.
    #[serde(default)]
    pub compacts: bool,
    /// The longest key that it accepts, bytes. None: longer than the keys of any suite. A suite with longer keys is not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub longest_key: Option<usize>,
    /// The engine name under which the same program runs a job and does nothing, to measure the cost of its measured loop. `null`: it uses
    /// dbdyno's own loop. None: the cost of its loop is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    /// What it counts itself and sends with the result of a test, as `counter:NAME`: the meaning of each, by name. A name that ends in
    /// `_ns` or `_bytes` has this unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, String>,
}

/// The engine that does nothing in dbdyno's own measured loop.
pub const NULL: &str = "null";

/// Returns the default: an engine keeps keys in order unless it says otherwise.
fn keeps_order() -> bool {
    true
}

impl Description {
    /// Creates the description of an engine for these kinds of suite. It has no options, promises no durability, and uses dbdyno's own
    /// measured loop, which replays recordings.
    pub fn new(name: &str, about: &str, version: impl Into<String>, suites: &[SuiteKind]) -> Self {
        Self {
            protocol: PROTOCOL,
            name: name.to_owned(),
            about: about.to_owned(),
            version: version.into(),
            build: Vec::new(),
            source: None,
            backend: None,
            licence: None,
            languages: Vec::new(),
            suites: suites.to_vec(),
            options: Vec::new(),
            tiers: Vec::new(),
            conflicts: Vec::new(),
            implementations: Vec::new(),
            tables_as_data: false,
            sqlite_files: false,
            threads: BTreeMap::new(),
            replays: suites.to_vec(),
            ordered: keeps_order(),
            kv: None,
            compacts: false,
            longest_key: None,
            harness: Some(NULL.to_owned()),
            counters: BTreeMap::new(),
        }
    }

    /// Returns the description with the [`licence`](Self::licence) of the library, and the [`languages`](Self::languages) of programs that
    /// can use it.
    #[must_use]
    pub fn licensed(self, licence: &str, languages: &[&str]) -> Self {
        let languages = languages.iter().map(|language| (*language).to_owned()).collect();
        Self { licence: Some(licence.to_owned()), languages, ..self }
    }

    /// Returns the name of the code that gives the answers under these settings. Configurations with the same name share their mistakes.
    pub fn implementation(&self, suite: SuiteKind, settings: &Settings) -> &str {
        self.implementations.iter().find(|rule| rule.holds(suite, settings)).map_or(&self.name, |rule| &rule.name)
    }

    /// Returns why the engine cannot run a key-value suite: the first test that reads keys in order although the engine keeps none,
    /// whose keys are too long for it, or that needs a feature that it lacks.
    pub fn unfit(&self, suite: &KvSuite) -> Option<String> {
        self.disorder(suite).or_else(|| self.overlong(suite)).or_else(|| self.lacking(suite))
    }

    fn disorder(&self, suite: &KvSuite) -> Option<String> {
        let test = suite.in_order().next().filter(|_| !self.ordered)?;
        let (number, name) = (test.number, &test.name);
        Some(format!("its keys have no order, and test {number} {name} reads them in order"))
    }

    fn lacking(&self, suite: &KvSuite) -> Option<String> {
        let ability = self.kv.as_ref()?;
        suite.tests.iter().find_map(|test| {
            let lacking = ability.lacks(test)?;
            Some(format!("it does not have {lacking}, which test {} {} needs", test.number, test.name))
        })
    }

    fn overlong(&self, suite: &KvSuite) -> Option<String> {
        let most = self.longest_key?;
        let test = suite.tests.iter().find(|test| test.key.len() > most)?;
        let (number, name, long) = (test.number, &test.name, test.key.len());
        Some(format!("it takes keys of up to {most} bytes, but test {number} {name} has keys of up to {long}"))
    }

    /// Checks that each option has a unique name that users can give, and a default that it accepts.
    ///
    /// # Errors
    /// The fault of the first option that fails the check.
    pub fn check_options(&self) -> Result<(), String> {
        for (at, option) in self.options.iter().enumerate() {
            option.check_name()?;
            if self.options[..at].iter().any(|earlier| earlier.name == option.name) {
                return Err(format!(
                    "option `{}` is described twice: expected one description of each name",
                    option.name
                ));
            }
            if let Err(expected) = option.kind.canonical(&option.default) {
                return Err(format!("default `{}` of option `{}`: expected {expected}", option.default, option.name));
            }
        }
        Ok(())
    }

    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }

    /// Returns the engine that the same program provides under the name [`Self::harness`], if dbdyno's own null engine does not measure
    /// its loop. It has no licence, because it calls no library.
    pub fn null(&self) -> Option<Self> {
        let name = self.harness.clone().filter(|name| name != NULL)?;
        let (options, tiers, conflicts) = (Vec::new(), Vec::new(), Vec::new());
        Some(Self { name, licence: None, options, tiers, conflicts, ..self.clone() })
    }

    /// Returns the library that the engine is linked with.
    pub fn library(&self) -> Library {
        Library { version: self.version.clone(), build: self.build.clone(), source: self.source.clone() }
    }

    /// Returns the description with the properties that the engine's program found in the files.
    pub fn with(&self, files: Probed) -> Self {
        let Probed { library: Library { version, build, source }, backend, lacking, tiers } = files;
        let found = |option: &OptionSpec| match lacking.get(&option.name) {
            Some(reason) => option.clone().same(&[], &[], reason),
            None => option.clone(),
        };
        Self {
            version,
            build,
            source,
            backend,
            options: self.options.iter().map(found).collect(),
            tiers: tiers.unwrap_or_else(|| self.tiers.clone()),
            ..self.clone()
        }
    }

    /// Returns the files that settings name. The engine's program must be asked about them before a run. Empty for an engine without such
    /// options.
    pub fn files<'s>(&self, settings: &'s Settings) -> Vec<&'s str> {
        let paths = self.options.iter().filter(|option| option.kind == OptionKind::Path);
        paths.filter_map(|option| settings.get(&option.name)).collect()
    }

    /// Returns what a commit survives under these settings, and why. If no rule holds, the engine promises nothing.
    pub fn tier(&self, settings: &Settings) -> (Tier, &str) {
        self.tiers
            .iter()
            .find(|rule| rule.holds(settings))
            .map_or((Tier::Unsafe, "the engine does not say what a commit survives"), |rule| (rule.tier, &rule.reason))
    }

    /// Returns why these settings cannot be combined, if they cannot: the options with their values, and the reason.
    pub fn conflict(&self, settings: &Settings) -> Option<String> {
        let conflict = self.conflicts.iter().find(|conflict| settings.meet(&conflict.when))?;
        let values: Vec<String> =
            conflict.when.keys().map(|name| format!("{name}={}", settings.get(name).unwrap_or_default())).collect();
        Some(format!("{} of engine `{}`: {}", values.join(" with "), self.name, conflict.reason))
    }

    /// Returns why two different settings cannot differ in their measurements on suites of this kind: each option in which they differ
    /// has a rule that says so under both. None if they may differ, or are equal.
    pub fn indifferent(&self, suite: SuiteKind, one: &Settings, other: &Settings) -> Option<String> {
        let differing = other.iter().filter(|(name, value)| one.get(name) != Some(value));
        let reason = |(name, to): (&str, &str)| {
            let from = one.get(name)?;
            let rules = &self.option(name)?.tuning.same;
            let holds = |settings: &Settings| rules.iter().find(|rule| rule.holds(suite, from, to, settings));
            holds(one).and(holds(other)).map(|rule| rule.reason.as_str())
        };
        let reasons: Vec<&str> = differing.map(reason).collect::<Option<_>>()?;
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

/// Options of an engine that cannot have certain values together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conflict {
    /// Conditions: option name to the values that match.
    pub when: BTreeMap<String, Vec<String>>,
    /// The reason, and what to do, as a text for users.
    pub reason: String,
}

impl Conflict {
    /// Creates a conflict between the `(option, values)`.
    pub fn new(when: &[(&str, &[&str])], reason: &str) -> Self {
        Self { when: conditions(when), reason: reason.to_owned() }
    }
}

/// The code that gives a suite's answers under some settings: a library or a layer that several engines share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ImplementationRule {
    pub suite: SuiteKind,
    /// Conditions: option name to the values that match.
    #[serde(default)]
    pub when: BTreeMap<String, Vec<String>>,
    /// The same text means the same code.
    pub name: String,
}

impl ImplementationRule {
    /// Creates a rule with the conditions `(option, values)`.
    pub fn new(suite: SuiteKind, when: &[(&str, &[&str])], name: &str) -> Self {
        Self { suite, when: conditions(when), name: name.to_owned() }
    }

    fn holds(&self, suite: SuiteKind, settings: &Settings) -> bool {
        self.suite == suite && settings.meet(&self.when)
    }
}

/// An engine's library, linked or loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Library {
    pub version: String,
    /// Its compile options, one a line.
    #[serde(default)]
    pub build: Vec<String>,
    /// The source that it was built from, if the library reports it.
    #[serde(default)]
    pub source: Option<String>,
}

/// The answer of an engine's program about the files that settings name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Probed {
    #[serde(flatten)]
    pub library: Library,
    /// The store below the library, as in [`Description::backend`].
    #[serde(default)]
    pub backend: Option<String>,
    /// The options that do nothing with these files, each with the reason.
    #[serde(default)]
    pub lacking: BTreeMap<String, String>,
    /// The map from options to tiers with these files; none: the description's.
    #[serde(default)]
    pub tiers: Option<Vec<TierRule>>,
}

impl Probed {
    /// Creates the result for a library with which everything is as described.
    pub fn new(library: Library) -> Self {
        Self { library, backend: None, lacking: BTreeMap::new(), tiers: None }
    }

    /// Returns why these settings are unavailable with these files: an option that does nothing has a value other than its default.
    pub fn refusal(&self, engine: &Description, settings: &Settings) -> Option<String> {
        let (name, value) = settings.differing(&engine.options).find(|(name, _)| self.lacking.contains_key(*name))?;
        Some(format!("option `{name}` of engine `{}` cannot be `{value}`: {}", engine.name, self.lacking[name]))
    }
}

#[cfg(test)]
mod tests;
