//! What a reader should know before believing a comparison.

use super::{load::Side, model::Line};
use crate::{
    stats::rounds_needed,
    store::{RunTests, SessionFacts, TestRecord},
};
use std::collections::{BTreeMap, BTreeSet};

/// Linters whose doubt is about a session as a whole, and that a comparison judges for its own lines.
const JUDGED_HERE: [&str; 3] = ["failed verification: ", "too few repeats: ", "unequal tiers: "];

/// Findings of the comparison first, then those of its sessions.
pub(super) fn warnings(lines: &[Line], sides: &[&Side]) -> Vec<String> {
    let runs: BTreeMap<&str, &RunTests> =
        sides.iter().flat_map(|side| &side.runs).map(|run| (run.run_id.as_str(), run)).collect();
    let sessions: BTreeMap<&str, &SessionFacts> =
        sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id.as_str(), session)).collect();
    let own = [
        too_few_rounds(lines),
        left_out(lines),
        unverified(lines, sides),
        unknown_tiers(lines),
        failed(&runs),
        versions(&sessions),
        kernels(&sessions),
        debug(&sessions),
    ];
    let mut all: Vec<String> = own.into_iter().flatten().collect();
    let stored: BTreeSet<&String> = sessions.values().flat_map(|session| &session.warnings).collect();
    let judged = |warning: &&String| JUDGED_HERE.iter().any(|linter| warning.starts_with(linter));
    all.extend(stored.into_iter().filter(|warning| !judged(warning)).cloned());
    all
}

/// With few rounds the smallest p is not small enough for a table of many tests.
fn too_few_rounds(lines: &[Line]) -> Option<String> {
    let compared: Vec<_> = lines.iter().filter(|line| line.found.is_some()).collect();
    let paired = |line: &&&Line| line.found.as_ref().is_some_and(|found| found.paired);
    let least = compared.iter().filter(paired).filter_map(|line| Some(line.a.as_ref()?.times_ns.len())).min()?;
    let need = rounds_needed(compared.len());
    (compared.len() > 1 && least < need).then(|| {
        format!(
            "{} tests need {need} rounds before a difference can be shown, and there are {least}: run {need} rounds, or compare fewer tests with test=N",
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
            "up to {a} runs of A and {b} runs of B in a test have no partner of the same session and round; they are left out"
        )
    })
}

fn unverified(lines: &[Line], sides: &[&Side]) -> Option<String> {
    let compared: BTreeSet<u32> = lines.iter().filter(|line| line.found.is_some()).map(|line| line.test).collect();
    let silent: BTreeSet<&str> = sides
        .iter()
        .flat_map(|side| &side.runs)
        .filter(|run| {
            let silent = |test: &TestRecord| test.verification.is_none() && compared.contains(&test.test);
            run.tests.iter().any(silent)
        })
        .map(|run| run.label.as_str())
        .collect();
    (!silent.is_empty()).then(|| format!("not all answers of {} were verified", joined(&silent)))
}

/// Where the tiers of both sides are unknown they do not differ, and need not be equal.
fn unknown_tiers(lines: &[Line]) -> Option<String> {
    let compared = lines.iter().filter(|line| line.found.is_some());
    let figures = compared.filter_map(|line| Some([line.a.as_ref()?, line.b.as_ref()?]));
    let unknown: BTreeSet<&str> = figures
        .filter(|[a, b]| a.tier.is_none() && b.tier.is_none())
        .flatten()
        .map(|figure| figure.label.as_str())
        .collect();
    (!unknown.is_empty())
        .then(|| format!("what a commit survives is not known: {} need not be equally durable", joined(&unknown)))
}

fn failed(runs: &BTreeMap<&str, &RunTests>) -> Option<String> {
    let failed = runs.values().filter(|run| run.status != "done").count();
    (failed > 0).then(|| {
        format!("{failed} of {} runs failed or were cut short; the tests that they finished are used", runs.len())
    })
}

fn versions(sessions: &BTreeMap<&str, &SessionFacts>) -> Option<String> {
    let versions: BTreeSet<&str> = sessions.values().map(|session| session.dbdyno_version.as_str()).collect();
    (versions.len() > 1).then(|| format!("runs were made by different versions of dbdyno: {}", joined(&versions)))
}

fn kernels(sessions: &BTreeMap<&str, &SessionFacts>) -> Option<String> {
    let kernels: BTreeSet<&str> = sessions.values().map(|session| session.host.kernel.as_str()).collect();
    (kernels.len() > 1).then(|| format!("runs were made under different kernels: {}", joined(&kernels)))
}

fn debug(sessions: &BTreeMap<&str, &SessionFacts>) -> Option<String> {
    let debug = sessions.values().filter(|session| session.debug_build).count();
    (debug > 0).then(|| format!("{debug} of {} sessions were run by a debug build", sessions.len()))
}

fn joined(values: &BTreeSet<&str>) -> String {
    values.iter().copied().collect::<Vec<_>>().join(", ")
}
