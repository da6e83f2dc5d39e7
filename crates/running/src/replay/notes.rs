//! What a replay does and what it does not do as the program did, in sentences.

use super::{ReplayReference, reference::FailingStatement};
use crate::script::short;
use dbdyno_foundation::base::units;
use dbdyno_recorded::{KeysPlan, LeftOutReason, ReplayPlan};

/// The most statements or tables that a sentence names.
const MOST_NAMED: usize = 3;

/// Returns how long a recording took, if it has times.
fn recorded(span_ns: u64, has_times: bool) -> String {
    match has_times {
        true => format!("recorded in {}", units::duration(span_ns as f64)),
        false => "recorded without times".to_owned(),
    }
}

/// Returns what is replayed, and what is left out on purpose.
pub(super) fn facts(plan: &ReplayPlan, reference: &ReplayReference) -> Vec<String> {
    let mut all = vec![format!(
        "{} of {} in {}, {}",
        units::counted(plan.calls, "call"),
        plan.source.path,
        units::counted(plan.spec.transactions, "transaction"),
        recorded(plan.span_ns, plan.has_times()),
    )];
    if plan.idle_ns > 0 {
        let idle = units::duration(plan.idle_ns as f64);
        all.push(format!(
            "no call was under way for {idle} of this time: --speed 1 keeps it, otherwise it is left out"
        ));
    }
    let start = match (&plan.source.copy, &plan.source.not_copied) {
        (Some(_), _) => "from the database as it was at the beginning",
        (None, None) => "from an empty database, as at the beginning",
        (None, Some(_)) => "from an empty database",
    };
    let lanes = match plan.spec.lanes {
        1 => "one connection at a time".to_owned(),
        lanes => format!("{lanes} connections at once"),
    };
    all.push(format!("{lanes}, {start}"));
    if plan.processes > 1 {
        all.push(format!("the connections were in {} processes, and are threads of one here", plan.processes));
    }
    let is_harmless = |reason| matches!(reason, LeftOutReason::Busy | LeftOutReason::Option);
    for left_out in plan.left_out.iter().filter(|one| is_harmless(one.reason)) {
        let (calls, reason) = (units::counted(left_out.calls, "call"), left_out.reason.words());
        all.push(format!("left out: {calls} that {reason}, such as `{}`", short(&left_out.example)));
    }
    let as_recorded = |failing: &&FailingStatement| failing.failures == recorded_failures(plan, &failing.name);
    let failing: Vec<&FailingStatement> = reference.failures.iter().filter(as_recorded).collect();
    let calls: u64 = failing.iter().map(|one| one.failures).sum();
    if let [first, ..] = failing.as_slice() {
        let calls = units::counted(calls, "call");
        all.push(format!("as recorded, {calls} will fail, such as `{}`: {}", first.name, first.message));
    }
    if !reference.unequal.is_empty() {
        let names = named(&reference.unequal);
        all.push(format!("answers that depend on chance or on the order of connections are not verified: {names}"));
    }
    if !plan.source.others.is_empty() {
        all.push(format!("other databases of the recording: {}", named(&plan.source.others)));
    }
    all
}

/// Returns what could make the replay another workload than the recorded one. `is_given`: whether the database was given.
pub(super) fn doubts(plan: &ReplayPlan, reference: &ReplayReference, is_given: bool) -> Vec<String> {
    let mut all = Vec::new();
    if let (None, Some(why), false) = (&plan.source.copy, &plan.source.not_copied, is_given) {
        all.push(format!(
            "the database at the beginning is unknown ({why}), so the replay starts from an empty one: --database FILE gives it"
        ));
    }
    for failing in &reference.failures {
        let recorded = recorded_failures(plan, &failing.name);
        if failing.failures == recorded {
            continue;
        }
        let (calls, name) = (units::counted(failing.failures, "call"), &failing.name);
        let recorded = if recorded == 0 { "none".to_owned() } else { recorded.to_string() };
        let fail = if failing.failures == 1 { "fails" } else { "fail" };
        all.push(format!("{calls} of `{name}` {fail}, {recorded} in the recording: {}", failing.message));
    }
    let is_harmful = |reason| matches!(reason, LeftOutReason::OtherFile | LeftOutReason::Interrupted);
    for left_out in plan.left_out.iter().filter(|one| is_harmful(one.reason)) {
        let (calls, reason) = (units::counted(left_out.calls, "call"), left_out.reason.words());
        all.push(format!("left out: {calls} that {reason}, such as `{}`", short(&left_out.example)));
    }
    if !reference.unequal_tables.is_empty() {
        let tables = named(&reference.unequal_tables);
        all.push(format!("the content of tables at the end depends on chance, and is not verified: {tables}"));
    }
    if plan.changed_values > 0 {
        let values = units::counted(plan.changed_values, "value");
        all.push(format!("{values} could not be recorded as they were, and others replace them"));
    }
    all
}

/// Describes the replay of a recording of keys.
pub(super) fn keys_facts(plan: &KeysPlan) -> Vec<String> {
    let mut all =
        vec![format!("{}, {}", units::counted(plan.count(), "operation"), recorded(plan.span_ns, plan.has_times()))];
    let (clients, threads) = (units::counted(plan.clients, "client"), units::counted(plan.threads, "thread"));
    all.push(match (plan.clients, plan.threads) {
        (1, _) => "one client, which is one thread".to_owned(),
        (_, 1) if plan.has_scans => format!("{clients} are one thread, because scans read the keys of all of them"),
        (_, 1) => format!("{clients} are one thread, because an engine works with one only"),
        _ => format!("{clients} share {threads}: each key has one thread"),
    });
    all.push("values have the recorded number of bytes, and random content".to_owned());
    if plan.start_keys > 0 {
        let keys = units::counted(plan.start_keys, "key");
        all.push(format!("stored before the replay: {keys} that the recording uses before it writes them"));
    }
    if plan.known_gets > 0 && plan.unequal_gets == 0 {
        all.push(format!("found or not as recorded: the keys of {}", units::counted(plan.known_gets, "get")));
    }
    all
}

/// Returns what could make the replay another workload than the recorded one.
pub(super) fn keys_doubts(plan: &KeysPlan) -> Vec<String> {
    let mut all = Vec::new();
    if plan.guessed_keys > 0 {
        let (keys, bytes) = (units::counted(plan.guessed_keys, "key"), units::counted(plan.guessed_bytes, "byte"));
        all.push(format!(
            "the recording does not say whether {keys} existed at the beginning, or how long their values were: each is \
             stored, with the bytes of its first write or {bytes}"
        ));
    }
    if plan.unequal_gets > 0 {
        let gets = units::counted(plan.known_gets, "get");
        all.push(format!(
            "{} of {gets} find a key that was not found, or do not find one that was: the recorded store removed keys itself",
            plan.unequal_gets,
        ));
    }
    if plan.without_key > 0 {
        let operations = units::counted(plan.without_key, "operation");
        all.push(format!("left out: {operations} with an empty key, which few engines take"));
    }
    all
}

/// Returns how many calls of a statement failed in the recording.
fn recorded_failures(plan: &ReplayPlan, name: &str) -> u64 {
    let place = plan.spec.statements.iter().position(|statement| statement.name == name);
    place.and_then(|place| plan.failures_by_name.get(place)).copied().unwrap_or(0)
}

fn named(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
