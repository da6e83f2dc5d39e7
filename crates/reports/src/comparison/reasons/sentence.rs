//! The difference of two sides' times in sentences.

use super::super::{plans, sentence::listed, wording::Wording};
use dbdyno_comparing::compare::{Line, PartCounts, PartDifference, Reason, SideName, SplitTime, TimePart};
use dbdyno_foundation::base::units::{bytes, count, duration};
use std::collections::BTreeMap;

/// The least share of a bar whose part is named below it.
const NAMED: f64 = 0.01;
/// The share of a count by which it must differ to be a reason.
const COUNTS_DIFFER: f64 = 0.1;
/// About the time of a page fault without a read, ns: fewer than make a tenth of a difference are no reason for it.
const FAULT_NS: f64 = 500.0;
/// The most counters of an engine's own that are named, and the least difference of one.
const OWN_NAMED: usize = 2;
const OWN_LEAST: f64 = 0.5;

/// Returns the difference of a line in a sentence: `sqlite needs 11.3 ms more: 9.8 ms in 2 more syncs, 1.2 ms in the kernel.`
pub fn difference(reason: &Reason, wording: &Wording) -> String {
    let [slower, _] = names(reason, wording);
    let (more, less): (Vec<&PartDifference>, Vec<&PartDifference>) =
        reason.differences.iter().partition(|part| part.more_ns > 0.0);
    let per = if reason.per_operation { " an operation" } else { "" };
    let planned = match reason.plans.as_slice() {
        [] => String::new(),
        [plan] => {
            let [statement, of_slower, of_faster] = plans::words(plan, reason.slower);
            format!(", with another plan of `{statement}` ({of_slower} instead of {of_faster})")
        }
        several => format!(", with other plans of {} statements", several.len()),
    };
    let whole = format!("{slower} needs {} more{per}{planned}", duration(reason.more_ns));
    let named: f64 = reason.differences.iter().map(|part| part.more_ns).sum();
    let left = reason.more_ns - named;
    let mut parts: Vec<String> = more.iter().map(|part| phrase(part, reason)).collect();
    if parts.is_empty() {
        return format!("{whole}. No part of its time differs by more than chance.");
    }
    if left.abs() > reason.more_ns * NAMED {
        let sign = if left > 0.0 { "" } else { "less " };
        parts.push(format!("{sign}{} within the noise", duration(left.abs())));
    }
    let saved = |part: &&PartDifference| format!("{} {}", duration(-part.more_ns), place(part.part));
    let saved: Vec<String> = less.iter().map(saved).collect();
    let saved = if saved.is_empty() { String::new() } else { format!("; it saves {}", listed(saved)) };
    let own = own_counts(reason);
    let own = if own.is_empty() { String::new() } else { format!(". It counts {}", listed(own)) };
    format!("{whole}: {}{saved}{own}.", parts.join(", "))
}

/// Returns what explains most of a line's difference, as the end of a sentence: `, because redb syncs twice as often`. Empty if no part
/// explains more than half of it.
pub(in crate::comparison) fn because(line: &Line, wording: &Wording) -> String {
    let cause = |reason: &Reason| {
        let [slower, faster] = names(reason, wording);
        Some(match reason.plans.first() {
            Some(plan) => {
                let [statement, of_slower, of_faster] = plans::words(plan, reason.slower);
                format!(", because {slower} finds the rows of `{statement}` by {of_slower}, {faster} by {of_faster}")
            }
            None => format!(", because {}", cause(reason.main()?.part, reason, wording)),
        })
    };
    line.reason.as_ref().and_then(cause).unwrap_or_default()
}

/// Returns what explains the difference in most of these lines: `, mostly because redb waits longer for syncs`. Empty if there is no such
/// part.
pub(in crate::comparison) fn mostly_because<'c>(lines: impl Iterator<Item = &'c Line>, slower: &str) -> String {
    let mut mains: BTreeMap<TimePart, usize> = BTreeMap::new();
    let (mut all, mut explained) = (0, false);
    for line in lines {
        all += 1;
        if let Some(main) = line.reason.as_ref().and_then(Reason::main) {
            *mains.entry(one_cpu(main.part)).or_default() += 1;
            explained |= line.reason.as_ref().is_some_and(is_explained);
        }
    }
    let most = mains.into_iter().max_by_key(|(_, lines)| *lines).filter(|(_, lines)| lines * 2 > all);
    most.map_or_else(String::new, |(part, _)| format!(", mostly because {slower} {}", more_of(part, explained)))
}

/// User mode is what CPU time is called where it is long enough to be divided.
fn one_cpu(part: TimePart) -> TimePart {
    if part == TimePart::User { TimePart::Cpu } else { part }
}

/// Names the slower side, then the other.
fn names(reason: &Reason, wording: &Wording) -> [String; 2] {
    let (a, b) = (wording.sides.a.clone(), wording.sides.b.clone());
    match reason.slower {
        SideName::A => [a, b],
        SideName::B => [b, a],
    }
}

fn cause(part: TimePart, reason: &Reason, wording: &Wording) -> String {
    let [slower, faster] = names(reason, wording);
    let (more, less) = reason.sides();
    match (part, more.counts.syncs, less.counts.syncs) {
        (TimePart::Sync, Some(_), Some(0.0)) => format!("{slower} syncs and {faster} does not"),
        (TimePart::Sync, Some(syncs), Some(others)) if syncs > others * (1.0 + COUNTS_DIFFER) => {
            format!("{slower} syncs {} as often", times(syncs / others))
        }
        (TimePart::Sync, Some(_), Some(_)) => format!("the syncs of {slower} take longer"),
        _ => format!("{slower} {}", more_of(part, is_explained(reason))),
    }
}

/// `twice`, `2.5 times`, `100 times`.
fn times(factor: f64) -> String {
    match factor {
        1.95..2.05 => "twice".to_owned(),
        ..9.95 => format!("{factor:.1} times"),
        _ => format!("{} times", count(factor.round() as u64)),
    }
}

/// Whether repetitions divide the times further, so that less is left in the rest.
fn is_explained(reason: &Reason) -> bool {
    reason.a.parts.contains_key(&TimePart::Lock)
}

fn more_of(part: TimePart, explained: bool) -> &'static str {
    match part {
        TimePart::Cpu => "needs more CPU time",
        TimePart::User => "needs more CPU time in user mode",
        TimePart::Kernel => "needs more CPU time in the kernel",
        TimePart::Sync => "spends more time in syncs",
        TimePart::Sleep => "sleeps longer",
        TimePart::Queue => "waits longer for a CPU",
        TimePart::Read => "spends more time in reads",
        TimePart::Write => "spends more time in writes",
        TimePart::Lock => "spends more time with locks",
        TimePart::Fault => "waits longer for page faults that read",
        TimePart::Rest if explained => "waits longer for something else",
        TimePart::Rest => "waits longer for reads, locks or page faults",
    }
}

fn place(part: TimePart) -> &'static str {
    match part {
        TimePart::Cpu => "of CPU time",
        TimePart::User => "of CPU time in user mode",
        TimePart::Kernel => "in the kernel",
        TimePart::Sync => "in syncs",
        TimePart::Sleep => "asleep",
        TimePart::Queue => "waiting for a CPU",
        TimePart::Read => "in reads",
        TimePart::Write => "in writes",
        TimePart::Lock => "with locks",
        TimePart::Fault => "in page faults that read",
        TimePart::Rest => "in other waiting",
    }
}

/// Returns a part that the slower side needs more of, with the counts behind it.
fn phrase(difference: &PartDifference, reason: &Reason) -> String {
    let PartDifference { part, more_ns, .. } = *difference;
    let (more, less) = reason.sides();
    let time = duration(more_ns);
    if part == TimePart::Sync {
        return format!("{time} {}", syncs(more, less, reason.per_operation));
    }
    let behind: Vec<String> = match part {
        TimePart::Cpu | TimePart::Kernel => {
            let faults = differs(more, less, |counts| counts.minor_faults);
            let matters = |faults: &f64| faults * FAULT_NS > more_ns * COUNTS_DIFFER;
            faults.filter(matters).map(|faults| number(faults, "more page fault")).into_iter().collect()
        }
        TimePart::Sleep => more_counts(more, less, |counts| counts.busy, "blocked attempt"),
        TimePart::Read => more_calls(part, more, less, "read"),
        TimePart::Write => more_calls(part, more, less, "write"),
        TimePart::Lock => more_calls(part, more, less, "file lock"),
        TimePart::Fault | TimePart::Rest => {
            let faults = more_counts(more, less, |counts| counts.major_faults, "page fault with a read");
            let read = differs(more, less, |counts| counts.read_bytes);
            faults.into_iter().chain(read.map(|read| format!("{} more read", bytes(read.round() as u64)))).collect()
        }
        TimePart::User | TimePart::Sync | TimePart::Queue => Vec::new(),
    };
    let behind = if behind.is_empty() { String::new() } else { format!(" ({})", behind.join(", ")) };
    format!("{time} {}{behind}", place(part))
}

fn syncs(more: &SplitTime, less: &SplitTime, per_operation: bool) -> String {
    let per = if per_operation { " an operation" } else { "" };
    let each = |side: &SplitTime, syncs: f64| duration(side.parts.get(&TimePart::Sync).unwrap_or(&0.0) / syncs);
    match (more.counts.syncs, less.counts.syncs) {
        (Some(syncs), Some(others)) if syncs > others * (1.0 + COUNTS_DIFFER) && syncs > 0.0 => {
            match number(syncs - others, "more sync") {
                one if one.starts_with("1 ") => format!("in one more sync{per} of {}", each(more, syncs)),
                several => format!("in {several}{per} of {} each", each(more, syncs)),
            }
        }
        (Some(syncs), Some(others)) if syncs > 0.0 && others > 0.0 => {
            let (one, other) = (each(more, syncs), each(less, others));
            format!("in {}{per} that take {one} each instead of {other}", number(syncs, "sync"))
        }
        _ => place(TimePart::Sync).to_owned(),
    }
}

/// Returns what the engine itself counted more often on the slower side, the most different first; nothing if the sides count other
/// things.
fn own_counts(reason: &Reason) -> Vec<String> {
    let (more, less) = reason.sides();
    let by = |(name, more): (&'_ String, &f64)| {
        let less = less.counters.get(name)?;
        (more - less > (less * COUNTS_DIFFER).max(OWN_LEAST)).then(|| (name.clone(), more - less, more / less.max(1.0)))
    };
    let mut counts: Vec<(String, f64, f64)> = more.counters.iter().filter_map(by).collect();
    counts.sort_by(|(.., one), (.., next)| next.total_cmp(one));
    let words = |(name, by, _): (String, f64, f64)| match (name.strip_suffix("_bytes"), name.strip_suffix("_ns")) {
        (Some(name), _) => format!("{} more {}", bytes(by.round() as u64), name.replace('_', " ")),
        (_, Some(name)) => format!("{} more {}", duration(by), name.replace('_', " ")),
        _ => format!("{} more {}", plain_number(by), name.replace('_', " ")),
    };
    counts.into_iter().take(OWN_NAMED).map(words).collect()
}

/// How much more of a count the slower side has, if it differs enough to be a reason.
fn differs(more: &SplitTime, less: &SplitTime, of: fn(&PartCounts) -> Option<f64>) -> Option<f64> {
    let (more, less) = (of(&more.counts)?, of(&less.counts)?);
    (more - less > less * COUNTS_DIFFER).then_some(more - less)
}

fn more_counts(more: &SplitTime, less: &SplitTime, of: fn(&PartCounts) -> Option<f64>, what: &str) -> Vec<String> {
    differs(more, less, of).map(|by| number(by, &format!("more {what}"))).into_iter().collect()
}

/// How many more calls of a part the slower side makes, if they differ enough to be a reason.
fn more_calls(part: TimePart, more: &SplitTime, less: &SplitTime, what: &str) -> Vec<String> {
    let calls = |side: &SplitTime| Some(side.explained.as_ref()?.calls.get(&part).copied().unwrap_or(0.0));
    let by = calls(more).zip(calls(less)).filter(|(more, less)| more - less > less * COUNTS_DIFFER);
    by.map(|(more, less)| number(more - less, &format!("more {what}"))).into_iter().collect()
}

/// `2 syncs`, `1,204 syncs`, `0.02 syncs`.
fn number(value: f64, word: &str) -> String {
    let number = plain_number(value);
    if number == "1" { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// `2`, `1,204`, `0.25`, `3.1e-4`.
fn plain_number(value: f64) -> String {
    match value {
        9.95.. => count(value.round() as u64),
        _ if (value - value.round()).abs() < 0.005 && value >= 1.0 => count(value.round() as u64),
        0.01.. => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::SideNames;
    use dbdyno_comparing::compare::{PlanDifference, RatioForm};
    use dbdyno_foundation::metric::Metric;

    const MS: f64 = 1e6;

    fn wording() -> Wording {
        let sides = SideNames { a: "sqlite".to_owned(), b: "lmdb".to_owned() };
        Wording { sides, metric: Metric::Wall, form: RatioForm::Words, parts_follow: false }
    }

    fn split(parts: &[(TimePart, f64)], counts: PartCounts, counters: &[(&str, f64)]) -> SplitTime {
        SplitTime {
            total_ns: parts.iter().map(|(_, ns)| ns).sum(),
            parts: parts.iter().copied().collect(),
            counts,
            counters: counters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            explained: None,
        }
    }

    /// Returns a reason whose differences are all shown.
    fn reason(a: SplitTime, b: SplitTime) -> Reason {
        let more_ns = a.total_ns - b.total_ns;
        let slower = if more_ns > 0.0 { SideName::A } else { SideName::B };
        let difference = |(part, ns): (&TimePart, &f64)| PartDifference {
            part: *part,
            more_ns: (ns - b.parts[part]) * more_ns.signum(),
            noise_ns: 0.0,
        };
        let mut differences: Vec<PartDifference> = a.parts.iter().map(difference).collect();
        differences.retain(|difference| difference.more_ns != 0.0);
        differences.sort_by(|one, next| next.more_ns.abs().total_cmp(&one.more_ns.abs()));
        Reason {
            slower,
            more_ns: more_ns.abs(),
            per_operation: false,
            a,
            b,
            differences,
            plans: Vec::new(),
            planned: Vec::new(),
        }
    }

    fn syncs(syncs: f64) -> PartCounts {
        PartCounts { syncs: Some(syncs), minor_faults: Some(10.0), ..PartCounts::default() }
    }

    #[test]
    fn the_counts_behind_a_part_are_named() {
        let more = split(
            &[(TimePart::Sync, 9.8 * MS), (TimePart::Kernel, 1.3 * MS), (TimePart::Rest, 0.4 * MS)],
            PartCounts { minor_faults: Some(1_214.0), ..syncs(4.0) },
            &[],
        );
        let less = split(
            &[(TimePart::Sync, 4.9 * MS), (TimePart::Kernel, 0.1 * MS), (TimePart::Rest, 0.6 * MS)],
            syncs(2.0),
            &[],
        );
        let found = reason(more, less);
        assert_eq!(
            difference(&found, &wording()),
            "sqlite needs 5.90 ms more: 4.90 ms in 2 more syncs of 2.45 ms each, 1.20 ms in the kernel (1,204 more page \
             faults); it saves 200 µs in other waiting."
        );
        assert_eq!(cause(TimePart::Sync, &found, &wording()), "sqlite syncs twice as often");
    }

    #[test]
    fn equally_many_syncs_take_longer_or_there_are_none_on_the_other_side() {
        let with = |ns: f64, count: f64| split(&[(TimePart::Cpu, MS), (TimePart::Sync, ns)], syncs(count), &[]);
        let longer = reason(with(MS, 2.0), with(5.0 * MS, 2.0));
        assert_eq!(
            difference(&longer, &wording()),
            "lmdb needs 4.00 ms more: 4.00 ms in 2 syncs that take 2.50 ms each instead of 500 µs."
        );
        assert_eq!(cause(TimePart::Sync, &longer, &wording()), "the syncs of lmdb take longer");
        let only = reason(with(3.0 * MS, 1.0), with(0.0, 0.0));
        assert_eq!(difference(&only, &wording()), "sqlite needs 3.00 ms more: 3.00 ms in one more sync of 3.00 ms.");
        assert_eq!(cause(TimePart::Sync, &only, &wording()), "sqlite syncs and lmdb does not");
    }

    #[test]
    fn what_an_engine_counts_more_often_is_named_and_a_plan_comes_first() {
        let with = |ms: f64, misses: f64, bytes: f64| {
            let counters = [("cache_misses", misses), ("cache_hits", 4_000.0), ("read_ahead_bytes", bytes)];
            split(&[(TimePart::Cpu, ms * MS)], PartCounts::default(), &counters)
        };
        let mut found = reason(with(5.0, 1_495.0, 2_048.0), with(3.0, 0.0, 1_024.0));
        assert_eq!(
            difference(&found, &wording()),
            "sqlite needs 2.00 ms more: 2.00 ms of CPU time. It counts 1,495 more cache misses and 1.00 KiB more read ahead."
        );
        let plan = |plan: &str| plan.to_owned();
        found.plans =
            vec![PlanDifference { statement: "newest".to_owned(), a: plan("SCAN items"), b: plan("SEARCH items") }];
        let said = difference(&found, &wording());
        assert!(said.starts_with(
            "sqlite needs 2.00 ms more, with another plan of `newest` (SCAN items instead of SEARCH items): "
        ));
    }

    #[test]
    fn a_difference_without_a_part_says_so() {
        let with = |ms: f64| split(&[(TimePart::Cpu, ms * MS)], PartCounts::default(), &[]);
        let found = Reason { differences: Vec::new(), ..reason(with(5.0), with(3.0)) };
        let said = "sqlite needs 2.00 ms more. No part of its time differs by more than chance.";
        assert_eq!(difference(&found, &wording()), said);
        assert_eq!(found.main(), None);
    }
}
