//! The ledger as a sheet.

use super::{
    trial::title,
    words::{change, shown_interval, shown_ratio, state, verdict, verdict_word},
};
use crate::sheet::{Cell, Column, ColumnRole, Row, Section, Sheet, Table};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::{base::units::bytes, metric::Metric};
use dbdyno_running::tune::{Ledger, LedgerEntry, TestEffect, Trial, TrialState};

/// Builds a ledger as a sheet, with a record for each trial and test. `command`: the command that requested it.
pub fn ledger_sheet(ledger: &Ledger, command: &str) -> Sheet {
    let columns = [
        ("accepted", "", ColumnRole::Name),
        ("change", "tried from its parent", ColumnRole::Name),
        ("test", "test", ColumnRole::Name),
        ("ratio", "ratio", ColumnRole::Figure),
        ("interval", "interval", ColumnRole::Interval),
        ("verdict", "verdict", ColumnRole::Verdict),
        ("tier", "tier", ColumnRole::Name),
        ("engine_memory", "peak memory", ColumnRole::Name),
    ];
    let rows = ledger.entries.iter().flat_map(lines);
    let title = format!("ledger {}", ledger.name);
    let section = Section {
        heading: Some(title.clone()),
        table: Some(Table {
            columns: Column::all(columns),
            rows: rows.map(|cells| Row::Cells(cells.map(Cell::new).to_vec())).collect(),
            is_headed: true,
            ..Table::default()
        }),
        after: vec!["✓ accepted: the base of the trials indented below it".to_owned()],
        ..Section::default()
    };
    Sheet {
        title,
        sections: vec![section],
        records: Some(records(ledger.entries.iter().map(|entry| (entry.depth, &entry.trial)))),
        command: command.to_owned(),
    }
}

/// Returns the lines of an entry: one per test, and one for a trial without any.
fn lines(entry: &LedgerEntry) -> Vec<[String; 8]> {
    let LedgerEntry { depth, trial } = entry;
    let mark = if trial.accepted { "✓" } else { "" };
    let name = format!("{}{} {}", "  ".repeat(*depth), short(&trial.trial_id), change(trial));
    let tier = if trial.tier.before == trial.tier.after {
        trial.tier.after.sign()
    } else {
        format!("{} -> {}", trial.tier.before.sign(), trial.tier.after.sign())
    };
    let memory = trial.price.as_ref().and_then(|price| price.get(Metric::EngineMemory));
    let memory = memory.map_or_else(String::new, |pair| format!("{} -> {}", bytes(pair.before), bytes(pair.after)));
    let first = |cells: [String; 4]| {
        let [test, ratio, interval, verdict] = cells;
        [mark.to_owned(), name.clone(), test, ratio, interval, verdict, tier.clone(), memory.clone()]
    };
    let cells = |effect: &TestEffect| [title(effect), shown_ratio(effect), shown_interval(effect), verdict(effect)];
    let mut effects = shown(trial);
    match effects.next() {
        Some(effect) => std::iter::once(first(cells(effect)))
            .chain(effects.map(|effect| {
                let [test, ratio, interval, verdict] = cells(effect);
                let none = String::new;
                [none(), none(), test, ratio, interval, verdict, none(), none()]
            }))
            .collect(),
        None => {
            let none = String::new;
            vec![first([none(), none(), none(), state(trial)])]
        }
    }
}

/// Returns the effects that are shown: the one figure of a search, if there is one, then those of the tests. Returns none for a trial that
/// did not run to its end.
fn shown(trial: &Trial) -> impl Iterator<Item = &TestEffect> {
    let tried = trial.state == TrialState::Tried;
    trial.overall.iter().chain(&trial.effects).filter(move |_| tried)
}

/// Shortens an identifier to the part that contains its creation time, and some of the rest.
fn short(id: &str) -> String {
    id.chars().take(13).collect()
}

/// Builds a record for each of these trials and each of its tests. The number before a trial is its depth in its ledger.
pub(super) fn records<'t>(trials: impl Iterator<Item = (usize, &'t Trial)>) -> Table {
    const COLUMNS: [&str; 26] = [
        "trial_id",
        "parent_id",
        "depth",
        "accepted",
        "kind",
        "engine",
        "suite",
        "size",
        "change",
        "state",
        "test",
        "test_name",
        "part",
        "pairs",
        "base_ns",
        "changed_ns",
        "ratio",
        "low",
        "high",
        "confidence",
        "p_adjusted",
        "verdict",
        "tier_before",
        "tier_after",
        "engine_memory_before",
        "engine_memory_after",
    ];
    let of_trial = |(depth, trial): (usize, &Trial)| {
        let whole = shown(trial).map(|test| (Some(test), None));
        let parts = shown(trial).flat_map(|test| test.parts.iter().map(move |part| (Some(test), Some(part))));
        let mut effects: Vec<_> = whole.chain(parts).collect();
        if effects.is_empty() {
            effects.push((None, None));
        }
        effects.into_iter().map(|(test, part)| Row::texts(record(depth, trial, test, part))).collect::<Vec<_>>()
    };
    Table::records(COLUMNS, trials.flat_map(of_trial))
}

fn record(depth: usize, trial: &Trial, test: Option<&TestEffect>, part: Option<&TestEffect>) -> Vec<String> {
    let effect = part.or(test);
    let tier = |tier: Tier| tier.number().map_or_else(String::new, |number| number.to_string());
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let found = effect.and_then(|effect| effect.found.as_ref());
    let interval = found.and_then(|found| found.interval);
    let memory = trial.price.as_ref().and_then(|price| price.get(Metric::EngineMemory));
    vec![
        trial.trial_id.clone(),
        trial.parent_id.clone().unwrap_or_default(),
        depth.to_string(),
        trial.accepted.to_string(),
        trial.kind.word().to_owned(),
        trial.engine.clone(),
        trial.suite.clone(),
        trial.size.clone(),
        trial.change.to_string(),
        state(trial),
        test.map_or_else(String::new, |test| test.test.to_string()),
        test.map_or_else(String::new, |test| test.name.clone()),
        part.map_or_else(String::new, |part| part.name.clone()),
        effect.map_or_else(String::new, |effect| effect.pairs.to_string()),
        number(effect.and_then(|effect| effect.base_ns)),
        number(effect.and_then(|effect| effect.changed_ns)),
        number(found.map(|found| found.ratio)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(interval.map(|interval| interval.confidence)),
        number(found.and_then(|found| found.p_adjusted)),
        effect.map_or_else(String::new, |effect| verdict_word(effect).to_owned()),
        tier(trial.tier.before),
        tier(trial.tier.after),
        memory.map_or_else(String::new, |pair| pair.before.to_string()),
        memory.map_or_else(String::new, |pair| pair.after.to_string()),
    ]
}
