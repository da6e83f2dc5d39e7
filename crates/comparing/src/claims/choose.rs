//! Chooses the stored configurations that a claim is judged by. A selection may match several; the claim is about one on each side, as a
//! whole.

use crate::compare::Side;
use dbdyno_catalog::{Claim, ClaimedComparison, engines::Registry};
use dbdyno_engine::{describe::Description, size::Size};
use dbdyno_stats::MIN_RUNS;
use dbdyno_store::{RunTests, literal};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};
use uuid::Uuid;

/// The configurations that a claim is judged by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChosenPair {
    pub(super) a: Side,
    pub(super) b: Side,
    /// The number of other configurations that match A and B.
    pub(super) others: (usize, usize),
    /// Options that the claim does not name and that are not at their default. If A and B differ in one: `B cache_size=-65536`. If both
    /// have the same value: `both layer=direct`.
    pub(super) unclaimed: Vec<String>,
}

/// Chooses one configuration for each side: a pair that ran at a published size, in one session, and differs least in options that the
/// claim does not name. Of several such pairs it takes the one that ran last. `named`: the options that the claim names. Returns none if a
/// side has no run of a claimed test.
pub(super) fn choose(
    [a, b]: [&Side; 2],
    claimed: &ClaimedComparison,
    named: &BTreeSet<String>,
    registry: &Registry,
) -> Option<ChosenPair> {
    let [of_a, of_b] = [a, b].map(|side| candidates(side, &claimed.claims, named, registry));
    let started: HashMap<Uuid, &str> =
        a.sessions.iter().chain(&b.sessions).map(|session| (session.session_id, session.started_at.as_str())).collect();
    let published: BTreeSet<String> = claimed.sizes.iter().map(Size::to_string).collect();
    let best_of = |pairs: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut best: Option<(Rank<'_>, usize, usize)> = None;
        for (at_a, at_b) in pairs {
            let rank = Rank::new([&of_a[at_a], &of_b[at_b]], &published, &started);
            if best.as_ref().is_none_or(|(known, ..)| rank > *known) {
                best = Some((rank, at_a, at_b));
            }
        }
        best
    };
    let has_published =
        |all: &[ClaimCandidate<'_>]| all.iter().flat_map(|one| &one.sizes).any(|size| published.contains(*size));
    let may_be_published = published.is_empty() || has_published(&of_a) && has_published(&of_b);
    // A sweep has too many pairs of configurations to rank them all. No pair is better than one with equal options.
    let mut equal: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    of_b.iter().enumerate().for_each(|(at, other)| equal.entry(&other.options).or_default().push(at));
    let with_equal = |(at_a, one): (usize, &ClaimCandidate<'_>)| {
        let others: &[usize] = equal.get(&one.options).map_or(&[], Vec::as_slice);
        others.iter().map(|at_b| (at_a, *at_b)).collect::<Vec<_>>()
    };
    let best = best_of(&mut of_a.iter().enumerate().flat_map(with_equal))
        .filter(|(rank, ..)| rank.together && (rank.published || !may_be_published))
        .or_else(|| best_of(&mut (0..of_a.len()).flat_map(|at_a| (0..of_b.len()).map(move |at_b| (at_a, at_b)))));
    let (_, at_a, at_b) = best?;
    let (one, other) = (&of_a[at_a], &of_b[at_b]);
    Some(ChosenPair {
        a: one.side(a, &of_a),
        b: other.side(b, &of_b),
        others: (of_a.len() - 1, of_b.len() - 1),
        unclaimed: unclaimed(one, other),
    })
}

/// A configuration that matches a side of a claim.
struct ClaimCandidate<'s> {
    runs: Vec<&'s RunTests>,
    sizes: BTreeSet<&'s str>,
    /// The rounds of its runs, by session and size.
    rounds: BTreeMap<(Uuid, &'s str), BTreeSet<u32>>,
    /// The indices of the claims for which it has a test.
    claims: BTreeSet<usize>,
    /// The requested options that the claim does not name, each with whether it is at its default, if that is known.
    options: BTreeMap<&'s str, (&'s str, Option<bool>)>,
}

/// Returns the configurations of a side that have a claimed test, as they were requested. The order does not depend on the store's order.
/// Twins of an A/A comparison are left out, because they repeat the same configuration.
fn candidates<'s>(
    side: &'s Side,
    claims: &[Claim],
    named: &BTreeSet<String>,
    registry: &Registry,
) -> Vec<ClaimCandidate<'s>> {
    let mut found: BTreeMap<_, ClaimCandidate<'s>> = BTreeMap::new();
    for run in side.runs.iter().filter(|run| run.twin_of.is_none()) {
        let of_run: Vec<usize> = (0..claims.len())
            .filter(|at| run.tests.iter().any(|test| claims[*at].is_of(test.test, test.actor.as_deref(), &test.name)))
            .collect();
        if of_run.is_empty() {
            continue;
        }
        let configuration = &*run.configuration;
        let key =
            (&configuration.suite, &configuration.engine, &*run.asked, &configuration.version, configuration.tier);
        let candidate = found.entry(key).or_insert_with(|| ClaimCandidate {
            runs: Vec::new(),
            sizes: BTreeSet::new(),
            rounds: BTreeMap::new(),
            claims: BTreeSet::new(),
            options: options(run, named, registry),
        });
        candidate.claims.extend(of_run);
        candidate.sizes.insert(&run.size);
        candidate.rounds.entry((run.session_id, &*run.size)).or_default().insert(run.round);
        candidate.runs.push(run);
    }
    found.into_values().collect()
}

fn options<'s>(
    run: &'s RunTests,
    named: &BTreeSet<String>,
    registry: &Registry,
) -> BTreeMap<&'s str, (&'s str, Option<bool>)> {
    let engine = registry.get(&run.configuration.engine).ok().map(|engine| &*engine.description);
    let is_default = |name: &str, value: &str| {
        // These limits are stored only if they are not at their default.
        let is_held = ["memory_limit_bytes", "cache"].contains(&name);
        let option =
            |engine: &Description| Some(engine.options.iter().find(|option| option.name == name)?.default == value);
        if is_held { Some(false) } else { engine.and_then(option) }
    };
    let unnamed = run.asked.iter().filter(|(name, _)| !named.contains(*name));
    unnamed.map(|(name, value)| (name.as_str(), (value.as_str(), is_default(name, value)))).collect()
}

impl ClaimCandidate<'_> {
    /// Returns the options that are not at their default and that the other candidate does not have with the same value.
    fn unlike<'o>(&'o self, other: &'o Self) -> impl Iterator<Item = (&'o str, &'o str)> {
        self.options.iter().filter_map(|(name, (value, is_default))| match other.options.get(name) {
            Some((of_other, _)) if of_other == value => None,
            Some(_) => (*is_default != Some(true)).then_some((*name, *value)),
            None => (*is_default == Some(false)).then_some((*name, *value)),
        })
    }

    /// Returns the options that are not at their default and that both candidates have with the same value.
    fn alike<'o>(&'o self, other: &'o Self) -> impl Iterator<Item = (&'o str, &'o str)> {
        self.options.iter().filter_map(|(name, (value, is_default))| {
            let is_alike = other.options.get(name).is_some_and(|(of_other, _)| of_other == value);
            (is_alike && *is_default == Some(false)).then_some((*name, *value))
        })
    }

    /// Returns its runs as a side, with a selection that excludes the other candidates.
    fn side(&self, side: &Side, all: &[ClaimCandidate<'_>]) -> Side {
        let sessions: HashSet<Uuid> = self.runs.iter().map(|run| run.session_id).collect();
        Side {
            selection: side.selection.clone() + &self.narrowed(all),
            metric: side.metric,
            runs: self.runs.iter().copied().cloned().collect(),
            sessions: side.sessions.iter().filter(|session| sessions.contains(&session.session_id)).cloned().collect(),
            twins: side.twins.iter().filter(|run| sessions.contains(&run.session_id)).cloned().collect(),
            repeats: side.repeats.clone(),
            looks: side.looks.clone(),
        }
    }

    /// Returns the fewest terms that exclude all other candidates: ` cache_size=-2000 version=3.51`.
    fn narrowed(&self, all: &[ClaimCandidate<'_>]) -> String {
        let own = self.facts();
        let mut others: Vec<_> = all.iter().map(ClaimCandidate::facts).filter(|facts| *facts != own).collect();
        let mut terms = String::new();
        while !others.is_empty() {
            let words: BTreeSet<&str> = own.keys().chain(others.iter().flat_map(BTreeMap::keys)).copied().collect();
            let left = |word: &str| others.iter().filter(|facts| facts.get(word) == own.get(word)).count();
            // A tier follows from options, so it is used only if nothing else distinguishes the candidates.
            let Some(word) = words.into_iter().min_by_key(|word| (left(word), *word == "tier")) else { break };
            let values = own.get(word).map(|values| values.iter().map(|value| literal(value)).collect::<Vec<_>>());
            terms += &values.map_or_else(|| format!(" {word}!"), |values| format!(" {word}={}", values.join("|")));
            let before = others.len();
            others.retain(|facts| facts.get(word) == own.get(word));
            if others.len() == before {
                break;
            }
        }
        terms
    }

    /// Returns the values of each word that selections use.
    fn facts(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let mut facts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let mut seen = HashSet::new();
        for run in self.runs.iter().filter(|run| seen.insert(std::sync::Arc::as_ptr(&run.configuration))) {
            for (word, value) in run.configuration.facts() {
                facts.entry(word).or_default().insert(value);
            }
        }
        facts
    }
}

/// The criteria that rank pairs to judge a claim by; the first criterion that differs decides.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank<'s> {
    /// Whether both ran at a published size.
    published: bool,
    /// Whether both ran in one session.
    together: bool,
    /// The number of options that the claim does not name and in which they differ, not counting defaults.
    unlike: Reverse<usize>,
    /// The number of options that both have with the same value and not at their default.
    changed: Reverse<usize>,
    /// Whether both ran in enough rounds for an interval.
    enough: bool,
    /// The number of claims for which both have a test.
    claims: usize,
    /// The number of sizes at which both ran.
    sizes: usize,
    /// The start of the last session with both; without one, the start of the last session of the side that ran earlier.
    started: &'s str,
}

impl<'s> Rank<'s> {
    fn new([a, b]: [&ClaimCandidate<'_>; 2], published: &BTreeSet<String>, started: &HashMap<Uuid, &'s str>) -> Self {
        let both: BTreeSet<&str> = a.sizes.intersection(&b.sizes).copied().collect();
        let at: BTreeSet<&str> = both.iter().copied().filter(|size| published.contains(*size)).collect();
        let is_published = !at.is_empty() || published.is_empty() && !both.is_empty();
        let at = if at.is_empty() { both } else { at };
        let of_sizes = a.rounds.iter().filter(|((_, size), _)| at.contains(size));
        let common: Vec<(Uuid, usize)> = of_sizes
            .filter_map(|(key, rounds)| Some((key.0, rounds.intersection(b.rounds.get(key)?).count())))
            .collect();
        let start = |session: &Uuid| started.get(session).copied().filter(|at| *at != "unknown").unwrap_or_default();
        let last =
            |one: &ClaimCandidate<'_>| one.rounds.keys().map(|(session, _)| start(session)).max().unwrap_or_default();
        Self {
            published: is_published,
            together: !common.is_empty(),
            unlike: Reverse(a.unlike(b).count() + b.unlike(a).count()),
            changed: Reverse(a.alike(b).count()),
            enough: common.iter().any(|(_, rounds)| *rounds >= MIN_RUNS),
            claims: a.claims.intersection(&b.claims).count(),
            sizes: at.len(),
            started: common.iter().map(|(session, _)| start(session)).max().unwrap_or_else(|| last(a).min(last(b))),
        }
    }
}

fn unclaimed(a: &ClaimCandidate<'_>, b: &ClaimCandidate<'_>) -> Vec<String> {
    let said = |who: &str, (name, value): (&str, &str)| format!("{who} {name}={value}");
    let of_a = a.unlike(b).map(|option| said("A", option));
    let of_b = b.unlike(a).map(|option| said("B", option));
    of_a.chain(of_b).chain(a.alike(b).map(|option| said("both", option))).collect()
}
