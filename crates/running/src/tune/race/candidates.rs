//! The candidates of a search.

use super::super::change::{OptionChange, cannot_differ};
use dbdyno_engine::{
    describe::{Description, OptionKind, OptionSpec},
    durability::Tier,
    settings::Settings,
    suite::SuiteKind,
};
use dbdyno_workload::rng::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};

/// The most options that a candidate of the pool changes.
const MOST_CHANGES: u64 = 4;
/// The maximum number of combinations drawn for the pool: more than any budget can try.
const DRAWS: usize = 5_000;

/// The goal of a search, and its starting point.
#[derive(Debug, Clone, Copy)]
pub struct Aim<'a> {
    pub engine: &'a Description,
    /// The kind of the suite that measures it.
    pub suite: SuiteKind,
    /// The settings that are changed.
    pub base: &'a Settings,
    /// The lowest acceptable tier.
    pub tier: Tier,
}

/// A change that may win the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The change of the base.
    pub change: OptionChange,
    /// Every option, with the change applied.
    pub settings: Settings,
    /// The tier with this change.
    pub tier: Tier,
}

impl Candidate {
    /// Creates the candidate of this change of the base, without the parts that cannot matter. None if nothing remains, if a commit
    /// survives less than required, or if the engine does not accept the settings.
    pub fn new(aim: Aim<'_>, change: OptionChange) -> Option<Self> {
        Self::or_base(aim, change).filter(|candidate| !candidate.change.0.is_empty())
    }

    /// Returns the base itself, whatever its commits survive.
    pub fn of_base(Aim { engine, base, .. }: Aim<'_>) -> Self {
        Self { change: OptionChange::default(), settings: base.clone(), tier: engine.tier(base).0 }
    }

    /// Does the same, but returns the base itself if nothing remains.
    pub(super) fn or_base(aim: Aim<'_>, mut change: OptionChange) -> Option<Self> {
        let Aim { engine, base, tier, .. } = aim;
        // A removed part may make another one pointless, so this repeats until no more can be removed.
        while let Some(option) = pointless(aim, &change) {
            change.0.remove(&option);
        }
        let settings = change.made_to(base, engine).ok()?;
        let (survives, _) = engine.tier(&settings);
        let goes_together = engine.conflict(&settings).is_none();
        (survives >= tier && goes_together).then_some(Self { change, settings, tier: survives })
    }
}

/// Returns an option of the change whose removal would make no difference.
fn pointless(aim: Aim<'_>, change: &OptionChange) -> Option<String> {
    let Aim { engine, suite, base, .. } = aim;
    let whole = change.made_to(base, engine).ok()?;
    let makes_none = |option: &&String| {
        let mut rest = change.clone();
        rest.0.remove(*option);
        let without = rest.made_to(base, engine);
        without.is_ok_and(|without| cannot_differ(engine, suite, &without, &whole).is_some())
    };
    change.0.keys().find(makes_none).cloned()
}

/// Returns every candidate that a search may reach, in the order in which they are tried: single changes in the order of the engine's
/// description, which begins with what matters most, because a short budget tries only the first; then combinations in the order that
/// follows from the seed.
pub fn pool(aim: Aim<'_>, seed: u64) -> Vec<Candidate> {
    let Aim { engine, base, .. } = aim;
    let choices = choices(engine, base);
    let mut random = SplitMix64::new(seed);
    let singles = singles(&choices);
    let combinations = (0..DRAWS).map(|_| draw(&choices, &mut random));
    let mut seen: BTreeSet<OptionChange> = BTreeSet::new();
    let mut pool = Vec::new();
    for change in singles.into_iter().chain(combinations.collect::<Vec<_>>()) {
        if let Some(candidate) = Candidate::new(aim, change)
            && seen.insert(candidate.change.clone())
        {
            pool.push(candidate);
        }
    }
    pool
}

/// Returns the candidates one change away from a change of the base: it with each value of each option. Some options matter only together
/// with another one, for example a log's checkpoints if there is a log. No single change reveals them.
pub(super) fn neighbours(aim: Aim<'_>, of: &OptionChange) -> Vec<Candidate> {
    let Aim { engine, base, .. } = aim;
    let mut found: Vec<Candidate> = Vec::new();
    for single in singles(&choices(engine, base)) {
        let mut change = of.clone();
        change.0.extend(single.0);
        if let Some(candidate) = Candidate::new(aim, change)
            && candidate.change != *of
            && !found.contains(&candidate)
        {
            found.push(candidate);
        }
    }
    found
}

/// Returns each option with its values worth trying.
fn choices<'e>(engine: &'e Description, base: &Settings) -> Vec<(&'e str, Vec<String>)> {
    let of = |option: &'e OptionSpec| (option.name.as_str(), values(option, base.get(&option.name)));
    engine.options.iter().map(of).filter(|(_, values)| !values.is_empty()).collect()
}

fn singles(choices: &[(&str, Vec<String>)]) -> Vec<OptionChange> {
    let change = |name: &str, value: &String| OptionChange(BTreeMap::from([(name.to_owned(), value.clone())]));
    choices.iter().flat_map(|(name, values)| values.iter().map(move |value| change(name, value))).collect()
}

/// Returns the values worth trying, without the base's own.
pub(super) fn values(option: &OptionSpec, base: Option<&str>) -> Vec<String> {
    let offered = match (&option.tuning.values, &option.kind) {
        (Some(values), _) => values.clone(),
        (None, OptionKind::Choice { choices }) => choices.clone(),
        (None, OptionKind::Bool) => vec!["off".to_owned(), "on".to_owned()],
        (None, OptionKind::Integer { .. } | OptionKind::Size { .. } | OptionKind::Path) => Vec::new(),
    };
    let canonical = offered.iter().filter_map(|value| option.kind.canonical(value).ok());
    canonical.filter(|value| Some(value.as_str()) != base).collect()
}

/// Draws a combination of two or more changes.
fn draw(choices: &[(&str, Vec<String>)], random: &mut SplitMix64) -> OptionChange {
    let mut change = BTreeMap::new();
    if !choices.is_empty() {
        for _ in 0..2 + random.below(MOST_CHANGES - 1) {
            let (name, values) = &choices[random.below(choices.len() as u64) as usize];
            let value = &values[random.below(values.len() as u64) as usize];
            change.insert((*name).to_owned(), value.clone());
        }
    }
    OptionChange(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(engine: &Description, asked: &[(&str, &str)]) -> Settings {
        let asked = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::resolve(engine, &asked).unwrap()
    }

    fn aim<'a>(engine: &'a Description, base: &'a Settings, tier: Tier) -> Aim<'a> {
        Aim { engine, suite: SuiteKind::Kv, base, tier }
    }

    #[test]
    fn what_cannot_go_together_or_does_nothing_on_the_suite_is_no_candidate() {
        let engine = dbdyno_lmdb::describe();
        let base = base(&engine, &[]);
        let pool = pool(aim(&engine, &base, Tier::ProcessSafe), 1);
        assert!(pool.iter().all(|candidate| engine.conflict(&candidate.settings).is_none()));
        assert!(pool.iter().any(|candidate| candidate.change.0.contains_key("writemap")));
        // Rows have checksums only in suites of SQL.
        assert!(pool.iter().all(|candidate| !candidate.change.0.contains_key("rowsum")));
    }

    #[test]
    fn nothing_below_the_tier_asked_for_is_ever_a_candidate() {
        for engine in [dbdyno_sqlite::describe(), dbdyno_lmdb::describe(), dbdyno_redb::describe()] {
            for tier in [Tier::Consistent, Tier::PowerSafe] {
                let base = base(&engine, &[]);
                let pool = pool(aim(&engine, &base, tier), 1);
                assert!(!pool.is_empty(), "{}", engine.name);
                assert!(pool.iter().all(|candidate| engine.tier(&candidate.settings).0 >= tier), "{}", engine.name);
            }
        }
    }

    #[test]
    fn single_changes_come_first_and_no_candidate_comes_twice_or_changes_what_cannot_matter() {
        let engine = dbdyno_sqlite::describe();
        let base = base(&engine, &[]);
        let pool = pool(aim(&engine, &base, Tier::Consistent), 1);
        let singles = pool.iter().take_while(|candidate| candidate.change.0.len() == 1).count();
        assert!(singles > 20 && pool.len() > 10 * singles, "{singles} of {}", pool.len());
        assert_eq!(pool[0].change.0.keys().next().unwrap(), "journal_mode", "what matters most is tried first");
        let different: BTreeSet<&OptionChange> = pool.iter().map(|candidate| &candidate.change).collect();
        assert_eq!(different.len(), pool.len());
        for candidate in &pool {
            let checkpoint = candidate.change.0.contains_key("wal_autocheckpoint");
            assert!(!checkpoint || candidate.settings.get("journal_mode") == Some("wal"), "{}", candidate.change);
        }
        assert!(pool.iter().any(|candidate| candidate.change.0.contains_key("wal_autocheckpoint")));
    }

    #[test]
    fn what_matters_beside_the_best_only_is_one_change_away_from_it() {
        let engine = dbdyno_sqlite::describe();
        let wal = OptionChange(BTreeMap::from([("journal_mode".to_owned(), "wal".to_owned())]));
        let base = base(&engine, &[]);
        let found = neighbours(aim(&engine, &base, Tier::Consistent), &wal);
        let has = |option: &str, value: &str| {
            let with = |candidate: &&Candidate| {
                candidate.settings.get("journal_mode") == Some("wal") && candidate.settings.get(option) == Some(value)
            };
            found.iter().any(|candidate| with(&candidate))
        };
        assert!(has("synchronous", "normal") && has("page_size", "8192"));
        assert!(found.iter().any(|candidate| candidate.change.0.contains_key("wal_autocheckpoint")));
        assert!(!has("synchronous", "off"), "a power loss may then take more than is asked for");
    }

    #[test]
    fn the_pool_follows_from_its_seed() {
        let engine = dbdyno_sqlite::describe();
        let base = base(&engine, &[]);
        let of = |seed| pool(aim(&engine, &base, Tier::Consistent), seed);
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }
}
