//! Trials as sheets, and a round of one as text.

use super::{
    ledger::records,
    words::{by_part, change, confidence, durability, price, shown_interval, shown_ratio, spending, state, verdict},
};
use crate::{
    comparison::words::sense,
    sheet::{Cell, Column, ColumnRole, Row, Section, Sheet, Table, TableStyle, text},
};
use dbdyno_foundation::base::units::{duration, plain};
use dbdyno_running::tune::{TestEffect, Trial, TrialState};

/// Returns a trial's findings, its durability, cost and risks, and its ledger, as text.
pub fn trial_text(trial: &Trial) -> String {
    text(&Sheet { sections: trial_sections(trial), ..Sheet::default() }, TableStyle::FILE)
}

/// Builds trials as a sheet, with a record for each trial and test, as in their ledger. `command`: the command that requested them.
pub fn trials_sheet(trials: &[Trial], command: &str) -> Sheet {
    Sheet {
        title: "Trials".to_owned(),
        sections: trials.iter().flat_map(trial_sections).collect(),
        records: Some(records(trials.iter().map(|trial| (0, trial)))),
        command: command.to_owned(),
    }
}

/// Returns a trial's findings, its durability, cost and risks, and its ledger.
pub(super) fn trial_sections(trial: &Trial) -> Vec<Section> {
    let Trial { engine, engine_version, suite, size, .. } = trial;
    let heading = format!("{engine} {engine_version} on {suite} at {size} · {}", change(trial));
    let stands = (trial.state != TrialState::Tried).then(|| state(trial));
    let heading = Section { heading: Some(heading), before: stands.into_iter().collect(), ..Section::default() };
    let is_measured = trial.effects.iter().any(|effect| effect.pairs > 0);
    let figures = is_measured.then(|| Section {
        before: by_part(trial).into_iter().collect(),
        after: vec![format!("ratio: time with the change / time of the base · {}", spending(trial))],
        ..Section::table(figures(trial))
    });
    let mut facts: Vec<[String; 2]> = Vec::new();
    if !matches!(trial.state, TrialState::CannotDiffer(_)) {
        facts.push(["durability".to_owned(), durability(trial)]);
        facts.extend(trial.price.iter().flat_map(price).map(|(name, value)| [name.to_owned(), value]));
    }
    facts.extend(trial.risks.iter().map(|risk| ["risk".to_owned(), risk.clone()]));
    let accepted = if trial.accepted { ", accepted" } else { "" };
    facts.push(["trial".to_owned(), format!("{} in ledger {}{accepted}", trial.trial_id, trial.ledger)]);
    let facts = Section::table(Table::pairs(["what", "found"], facts));
    [heading].into_iter().chain(figures).chain([facts]).collect()
}

fn figures(trial: &Trial) -> Table {
    let confidence = confidence(trial).map_or_else(|| "interval".to_owned(), |level| format!("interval, {level}"));
    let columns = [
        ("test", "", ColumnRole::Name),
        ("base_ns", "base", ColumnRole::Figure),
        ("changed_ns", "changed", ColumnRole::Figure),
        ("ratio", "ratio", ColumnRole::Figure),
        ("interval", &*confidence, ColumnRole::Interval),
        ("verdict", "verdict", ColumnRole::Verdict),
    ];
    let row = |(title, effect): (String, &TestEffect)| {
        let time = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), duration);
        let cells = [title, time(effect.base_ns), time(effect.changed_ns), shown_ratio(effect), shown_interval(effect)];
        let verdict = Cell::new(verdict(effect)).sensed(sense(effect.found.as_ref().map(|found| found.verdict)));
        Row::Cells(cells.map(Cell::new).into_iter().chain([verdict]).collect())
    };
    Table {
        columns: Column::all(columns),
        rows: trial.effects.iter().chain(&trial.overall).flat_map(titled).map(row).collect(),
        is_headed: true,
        ..Table::default()
    }
}

/// Returns `2 Random reads`, or the name of several tests together.
pub(super) fn title(effect: &TestEffect) -> String {
    if effect.test == 0 { effect.name.clone() } else { format!("{} {}", effect.test, effect.name) }
}

/// Returns an effect and those on its parts, with their titles: `2 Random reads`, `· newest of a feed`.
fn titled(effect: &TestEffect) -> impl Iterator<Item = (String, &TestEffect)> {
    let parts = effect.parts.iter().map(|part| (format!("· {}", part.name), part));
    std::iter::once((title(effect), effect)).chain(parts)
}

/// Describes the results of a round so far, in one line: `Random reads 0.91 (0.85-0.97)`.
pub fn round_text(effects: &[TestEffect]) -> String {
    const SHOWN: usize = 3;
    let one = |effect: &TestEffect| match &effect.found {
        Some(found) if found.interval.is_some() => {
            format!("{} {} ({})", plain(&effect.name), shown_ratio(effect), shown_interval(effect))
        }
        Some(_) => format!("{} {}", plain(&effect.name), shown_ratio(effect)),
        None => format!("{} -", plain(&effect.name)),
    };
    let mut shown: Vec<String> = effects.iter().take(SHOWN).map(one).collect();
    if effects.len() > SHOWN {
        shown.push(format!("{} more", effects.len() - SHOWN));
    }
    shown.join(" · ")
}
