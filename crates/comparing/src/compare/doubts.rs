//! The doubts that a reader should know before believing a comparison.

use super::{
    conditions,
    load::Side,
    model::{Figure, Line},
    sizes::counting,
};
use crate::{
    doubt::{
        Doubt, DoubtAbout,
        DoubtAbout::{Amount, Certainty, Comparability},
    },
    lint::{ENGINE_BUILD, built_to_debug, is_unequal_memory, summed_up},
};
use dbdyno_foundation::{
    base::units::{self, counted},
    metric::Variability,
};
use dbdyno_stats::{ALPHA, rounds_needed};
use dbdyno_store::{RunTests, SessionFacts, SessionWarning, Status};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// Linters about a whole session, whose question a comparison judges for its own lines.
const JUDGED_HERE: [&str; 7] = [
    "failed verification",
    "not verified",
    "too few repeats",
    "unequal tiers",
    "unequal memory",
    "failed runs",
    ENGINE_BUILD,
];

/// Returns the findings of the comparison first, then those of its sessions.
pub(super) fn doubts(lines: &[Line], sides: &[&Side], pooled: &BTreeSet<String>) -> Vec<Doubt> {
    let sessions: BTreeMap<Uuid, &SessionFacts> =
        sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id, session)).collect();
    let badges = if let [a, b] = sides { conditions::badges(a, b) } else { Vec::new() };
    let found: [(DoubtAbout, &str, Vec<String>); 13] = [
        (Comparability, "pooled runs", taken_together(sides, pooled).into_iter().collect()),
        (Certainty, "few rounds", too_few_rounds(lines).into_iter().collect()),
        (Certainty, "runs left out", left_out(lines).into_iter().collect()),
        (Comparability, "unknown durability", unknown_tiers(lines).into_iter().collect()),
        (Comparability, "unequal memory", unequal_memory(sides).into_iter().collect()),
        (Comparability, "different seeds", unequal_inputs(lines, sides).into_iter().collect()),
        (Comparability, "slices", partly_sliced(lines).into_iter().collect()),
        (Certainty, "unfinished runs", unfinished(sides)),
        (Comparability, "versions of dbdyno", versions(&sessions).into_iter().collect()),
        (Comparability, "kernels", kernels(&sessions).into_iter().collect()),
        (Amount, "debug build", debug(&sessions).into_iter().collect()),
        (Amount, ENGINE_BUILD, slow_builds(sides)),
        (Comparability, "other conditions", badges),
    ];
    let doubts = |(about, name, messages): (DoubtAbout, &str, Vec<String>)| -> Vec<Doubt> {
        messages.into_iter().map(|message| Doubt::new(about, name, message)).collect()
    };
    let mut all: Vec<Doubt> = found.into_iter().flat_map(doubts).collect();
    // Each side has only the session warnings about its own configurations.
    let stored: BTreeSet<&SessionWarning> =
        sides.iter().flat_map(|side| &side.sessions).flat_map(|session| &session.warnings).collect();
    let others = stored.into_iter().filter(|warning| !JUDGED_HERE.contains(&warning.linter.as_str()));
    all.extend(summed_up(others.map(|warning| (&*warning.linter, warning.matter.as_deref(), &*warning.message))));
    all
}

/// Describes the differences that `pooled` options hide.
fn taken_together(sides: &[&Side], pooled: &BTreeSet<String>) -> Option<String> {
    if pooled.is_empty() {
        return None;
    }
    let configurations: BTreeSet<_> = sides.iter().flat_map(|side| &side.runs).map(|run| &run.configuration).collect();
    let values = |word: &String| {
        let facts = configurations.iter().filter_map(|configuration| configuration.facts().remove(word.as_str()));
        let values: Vec<String> = facts.collect::<BTreeSet<_>>().into_iter().collect();
        (!values.is_empty()).then(|| format!("{word} ({})", values.join(" | ")))
    };
    let said: Vec<String> = pooled.iter().filter_map(values).collect();
    (!said.is_empty()).then(|| format!("runs are pooled despite different {}", said.join(", ")))
}

/// Warns about few rounds: the smallest p of a test is then not small enough for a table of many, unless many of them differ.
fn too_few_rounds(lines: &[Line]) -> Option<String> {
    let [compared, _] = counting(lines.iter());
    // Sessions may be few.
    let paired = |line: &&&Line| line.found.as_ref().is_some_and(|found| found.paired && found.sessions.is_none());
    let least = compared.iter().filter(paired).filter_map(|line| Some(line.a.as_ref()?.values.len())).min()?;
    let need = rounds_needed(compared.len());
    let is_shown = |line: &&Line| line.found.as_ref().is_some_and(|found| found.p_adjusted.is_some_and(|p| p < ALPHA));
    let shown = compared.iter().copied().filter(is_shown).count();
    (compared.len() > 1 && least < need && shown == 0).then(|| {
        format!(
            "showing a difference in just one of {} tests takes {need} rounds, but there are {least}: run {need} rounds, or compare fewer tests with test=N",
            compared.len()
        )
    })
}

fn left_out(lines: &[Line]) -> Option<String> {
    let most = |side: fn(&Line) -> Option<usize>| lines.iter().filter_map(side).max().unwrap_or(0);
    let a = most(|line| Some(line.a.as_ref()?.left_out));
    let b = most(|line| Some(line.b.as_ref()?.left_out));
    (a + b > 0).then(|| {
        format!(
            "up to {} of A and {} of B in a test are left out: they have no partner in the same session and round",
            counted(a, "run"),
            counted(b, "run")
        )
    })
}

/// Warns if the tiers of both sides are unknown: unknown tiers do not count as different, but may be unequal.
fn unknown_tiers(lines: &[Line]) -> Option<String> {
    let compared = lines.iter().filter(|line| line.found.is_some());
    let figures = compared.filter_map(|line| Some([line.a.as_ref()?, line.b.as_ref()?]));
    let unknown: BTreeSet<&str> = figures
        .filter(|[a, b]| a.tier.is_none() && b.tier.is_none())
        .flatten()
        .map(|figure| figure.label.as_str())
        .collect();
    (!unknown.is_empty()).then(|| format!("durability is unknown: {} may not be equally durable", joined(&unknown)))
}

/// Reports the highest memory peaks of both sides at a size, if they differ.
fn unequal_memory(sides: &[&Side]) -> Option<String> {
    let peaks = |side: &Side| {
        let mut sizes: BTreeMap<Arc<str>, u64> = BTreeMap::new();
        for run in &side.runs {
            let most = sizes.entry(Arc::clone(&run.size)).or_default();
            *most = run.peak_memory_bytes.unwrap_or(0).max(*most);
        }
        sizes
    };
    let [a, b] = sides else { return None };
    let (a, b) = (peaks(a), peaks(b));
    let both = a.iter().filter_map(|(size, of_a)| Some((size, *of_a, *b.get(size)?)));
    let unequal: Vec<String> = both
        .filter(|(_, a, b)| is_unequal_memory(*a, *b))
        .map(|(size, a, b)| format!("at {size}, A peaked at {} and B at {}", units::bytes(a), units::bytes(b)))
        .collect();
    (!unequal.is_empty()).then(|| format!("unequal memory: {}", unequal.join("; ")))
}

/// Warns about lines of which one side took turns in slices in more of its runs than the other.
fn partly_sliced(lines: &[Line]) -> Option<String> {
    let share = |figure: &Figure| figure.sliced as f64 / figure.values.len().max(1) as f64;
    let compared = lines.iter().filter(|line| line.found.is_some());
    let figures = compared.filter_map(|line| Some((line, line.a.as_ref()?, line.b.as_ref()?)));
    let differ = figures.filter(|(_, a, b)| share(a) != share(b));
    let names: BTreeSet<&str> = differ.map(|(line, ..)| line.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "one side was measured in slices and the other in one go, which differ by some percent: {}",
            joined(&names)
        )
    })
}

/// Warns if A and B ran with different inputs, and an exact metric had to be compared with a test because of that.
fn unequal_inputs(lines: &[Line], sides: &[&Side]) -> Option<String> {
    let [a, b] = sides else { return None };
    let seeds = |side: &Side| side.runs.iter().map(|run| run.seed).collect::<BTreeSet<_>>();
    let is_tested = |line: &Line| line.found.as_ref().is_some_and(|found| !found.exact);
    let tested = a.metric.variability() == Variability::Exact && lines.iter().any(is_tested);
    (tested && seeds(a) != seeds(b)).then(|| {
        format!(
            "{}: exact for equal inputs only, but A and B ran with different seeds: run both with the same --seed",
            a.metric.title()
        )
    })
}

/// Reports runs that do not have all of their tests: runs that are still measured, and runs that ended early.
fn unfinished(sides: &[&Side]) -> Vec<String> {
    let runs = || sides.iter().flat_map(|side| &side.runs);
    // A run may be on both sides.
    let count = |runs: &mut dyn Iterator<Item = &RunTests>| runs.map(|run| run.run_id).collect::<HashSet<_>>().len();
    let of = |wanted: fn(&str) -> bool| count(&mut runs().filter(|run| wanted(&run.status)));
    let said = |number: usize, what: &str| {
        let all = counted(count(&mut runs()), "run");
        (number > 0).then(|| format!("{number} of {all} {what}; their finished tests are used"))
    };
    let running = of(|status| status == Status::Running.word());
    let under_way = said(running, if running == 1 { "is still running" } else { "are still running" });
    let ended = said(
        of(|status| ![Status::Running, Status::Done].map(Status::word).contains(&status)),
        "failed or were cut short",
    );
    under_way.into_iter().chain(ended).collect()
}

/// Reports engines that were built for debugging, with the configurations that ran them.
fn slow_builds(sides: &[&Side]) -> Vec<String> {
    let mut slow: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let runs = sides.iter().flat_map(|side| &side.runs);
    for run in runs.filter(|run| seen.insert((Arc::as_ptr(&run.configuration), &*run.label))) {
        if let Some(why) = run.configuration.build.as_deref().and_then(built_to_debug) {
            slow.entry(why).or_default().insert(&run.label);
        }
    }
    slow.into_iter().map(|(why, labels)| format!("{ENGINE_BUILD}: {why}: {}", joined(&labels))).collect()
}

fn versions(sessions: &BTreeMap<Uuid, &SessionFacts>) -> Option<String> {
    let versions: BTreeSet<&str> = sessions.values().map(|session| session.dbdyno_version.as_str()).collect();
    (versions.len() > 1).then(|| format!("runs are from different versions of dbdyno: {}", joined(&versions)))
}

fn kernels(sessions: &BTreeMap<Uuid, &SessionFacts>) -> Option<String> {
    let kernels: BTreeSet<&str> = sessions.values().map(|session| session.host.kernel.as_str()).collect();
    (kernels.len() > 1).then(|| format!("runs are from different kernels: {}", joined(&kernels)))
}

fn debug(sessions: &BTreeMap<Uuid, &SessionFacts>) -> Option<String> {
    let debug = sessions.values().filter(|session| session.debug_build).count();
    (debug > 0).then(|| {
        let were = if debug == 1 { "was" } else { "were" };
        format!("{debug} of {} {were} run by a debug build", counted(sessions.len(), "session"))
    })
}

fn joined(values: &BTreeSet<&str>) -> String {
    values.iter().copied().collect::<Vec<_>>().join(", ")
}
