//! The ledger as a list: trials, the trials that they started from, and their results.

use super::role;
use crate::tui::{
    screens::tune::{TunePane, TuneScreen},
    widgets::{
        paint::{Paint, piece, width},
        table::{ColumnWidth, GAP, ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::tune::words;
use dbdyno_running::tune::{LedgerEntry, Trial, TrialState};
use ratatui::layout::Rect;

/// Columns reserved for the change and its mark before the verdict is shortened.
const CHANGE: usize = 18;

/// Paints the ledger.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen) {
    let focused = tune.pane == TunePane::Ledger;
    let entries = tune.entries();
    let place =
        if entries.is_empty() { String::new() } else { format!(" · {} of {}", tune.row.at + 1, entries.len()) };
    let inner = paint.pane(area, &format!("Ledger · {}{place}", tune.form.ledger_name()), focused);
    if entries.is_empty() {
        paint.wrapped(inner, "there are no trials yet: Space changes an option, Enter tries it", Role::Dim);
        return;
    }
    let longest = entries.iter().flat_map(|entry| outcome(entry).0).map(|text| width(&text)).max().unwrap_or(0);
    let has_figures = CHANGE + GAP + longest <= usize::from(inner.width);
    let columns = columns(tune.form.parent.as_deref(), has_figures);
    ListTable::new(columns, entries, tune.row, 1).highlighted_if(focused).paint(paint, inner);
}

type EntryColumn<'t> = TableColumn<'t, &'t LedgerEntry>;

fn columns(parent: Option<&str>, has_figures: bool) -> Vec<EntryColumn<'_>> {
    let mark = move |entry: &LedgerEntry| {
        let mark = match (parent == Some(entry.trial.trial_id.as_str()), entry.trial.accepted) {
            (true, _) => "▸ ",
            (false, true) => "✓ ",
            (false, false) => "· ",
        };
        "  ".repeat(entry.depth) + mark
    };
    let change = move |entry: &&LedgerEntry, room: usize| {
        let mark = mark(entry);
        let change = changed(&entry.trial, room.saturating_sub(width(&mark)));
        vec![piece(mark + &change, Role::Text)]
    };
    let verdict = move |entry: &&LedgerEntry| {
        let mut texts = outcome(entry).0;
        if has_figures { texts.swap_remove(0) } else { texts.pop().unwrap_or_default() }
    };
    let reserved = ColumnWidth::Measured { least: CHANGE, most: CHANGE };
    vec![
        EntryColumn::drawn("", 0, reserved, change),
        EntryColumn::text("", 0, verdict).whole().coloured(|entry| outcome(entry).1),
    ]
}

/// Returns a trial's change with as many options as fit. No value is cut, because part of a value can be another value.
fn changed(trial: &Trial, room: usize) -> String {
    let parts: Vec<String> = trial.change.0.iter().map(|(option, value)| format!("{option}={value}")).collect();
    let some = |shown: usize| match parts.len() - shown {
        0 => parts.join(" "),
        more => format!("{} +{more}", parts[..shown].join(" ")),
    };
    let mut texts = std::iter::once(words::change(trial)).chain((1..=parts.len()).rev().map(some));
    let widest = texts.find(|text| width(&plain(text)) <= room);
    plain(&widest.unwrap_or_else(|| format!("{} changed", parts.len())))
}

/// Returns a trial's result, as a longer and a shorter text.
fn outcome(entry: &LedgerEntry) -> (Vec<String>, Role) {
    let trial = &entry.trial;
    let (text, role) = match (&trial.state, trial.effects.as_slice()) {
        (TrialState::Tried, [only]) => {
            let short = words::short_verdict(only);
            return (vec![format!("{} {short}", words::figures(only)), short], role(only));
        }
        (TrialState::Tried, several) => {
            let faster = several.iter().filter(|effect| role(effect) == Role::Good).count();
            let slower = several.iter().filter(|effect| role(effect) == Role::Bad).count();
            let role = if slower > 0 {
                Role::Bad
            } else if faster > 0 {
                Role::Good
            } else {
                Role::Dim
            };
            (format!("{faster} faster, {slower} slower of {}", several.len()), role)
        }
        (TrialState::Stopped, _) => ("stopped".to_owned(), Role::Warn),
        (TrialState::CannotDiffer(_), _) => ("cannot differ".to_owned(), Role::Dim),
        (TrialState::Failed(_), _) => ("✗ failed".to_owned(), Role::Bad),
    };
    (vec![text], role)
}
