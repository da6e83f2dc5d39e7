//! Trials as sheets, and a round of one as text.

use super::{
    ledger::records,
    words::{
        by_part, change, confidence, durability, price, short_verdict, shown_interval, shown_ratio, spending, state,
        verdict,
    },
};
use crate::{
    comparison::{
        NAME,
        looks::OF_PAIRS,
        part_title,
        words::{MORE, sense},
    },
    sheet::{Cell, Column, ColumnRole, Row, Section, Sheet, Table, TableStyle, text},
};
use dbdyno_foundation::base::units::{duration, plain};
use dbdyno_running::tune::{TestEffect, Trial, TrialState};
use dbdyno_stats::Verdict;

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
        after: legend(trial),
        ..Section::table(figures(trial))
    });
    let mut facts: Vec<[String; 2]> = Vec::new();
    if !matches!(trial.state, TrialState::CannotDiffer(_)) {
        facts.push(["durability".to_owned(), durability(trial)]);
        facts.extend(trial.price.iter().flat_map(price).map(|line| [line.name.to_owned(), line.change]));
    }
    facts.extend(trial.risks.iter().map(|risk| ["risk".to_owned(), risk.clone()]));
    let accepted = if trial.accepted { ", accepted" } else { "" };
    facts.push(["trial".to_owned(), format!("{} in ledger {}{accepted}", trial.trial_id, trial.ledger)]);
    let facts = Section::table(Table::pairs(["what", "found"], facts));
    [heading].into_iter().chain(figures).chain([facts]).collect()
}

/// Whether more rounds could decide an effect.
fn is_open(effect: &TestEffect) -> bool {
    effect.found.as_ref().is_some_and(|found| matches!(found.verdict, Verdict::Undecided { .. }))
}

/// Explains the figures.
fn legend(trial: &Trial) -> Vec<String> {
    let level = confidence(trial).map_or_else(String::new, |level| format!(", with its {level} interval"));
    let open = trial.effects.iter().flat_map(TestEffect::with_parts).any(is_open).then(|| MORE.to_owned());
    let [_, of_pairs] = OF_PAIRS;
    let ratio = format!("ratio: time with the change / time of the base, {of_pairs}{level} · {}", spending(trial));
    [ratio].into_iter().chain(open).collect()
}

fn figures(trial: &Trial) -> Table {
    let columns = [
        ("base_ns", "base", ColumnRole::Figure),
        ("changed_ns", "changed", ColumnRole::Figure),
        ("ratio", "ratio", ColumnRole::Figure),
        ("interval", "interval", ColumnRole::Interval),
        ("verdict", "verdict", ColumnRole::Verdict),
    ];
    let row = |(title, effect): (String, &TestEffect)| {
        let time = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), duration);
        let cells = [title, time(effect.base_ns), time(effect.changed_ns), shown_ratio(effect), shown_interval(effect)];
        let long = verdict(effect);
        let short = if is_open(effect) { short_verdict(effect) } else { long.clone() };
        let verdict = Cell::new(short).at_length(long).sensed(sense(effect.found.as_ref().map(|found| found.verdict)));
        Row::Cells(cells.map(Cell::new).into_iter().chain([verdict]).collect())
    };
    Table {
        columns: std::iter::once(Column::new("test", "", ColumnRole::Name).at_least(NAME))
            .chain(Column::all(columns))
            .collect(),
        rows: trial
            .effects
            .iter()
            .chain(&trial.overall)
            .flat_map(|effect| rows_of(title(effect), effect))
            .map(row)
            .collect(),
        is_headed: true,
        ..Table::default()
    }
}

/// Returns `2 Random reads`, or the name of several tests together.
pub(super) fn title(effect: &TestEffect) -> String {
    if effect.test == 0 { effect.name.clone() } else { format!("{} {}", effect.test, effect.name) }
}

/// Returns an effect with this title, and those on its parts with theirs: `· newest of a feed`.
pub fn rows_of(title: String, effect: &TestEffect) -> impl Iterator<Item = (String, &TestEffect)> {
    std::iter::once((title, effect)).chain(effect.parts.iter().map(|part| (part_title(&part.name), part)))
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
