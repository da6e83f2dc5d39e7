//! The ledger as a list: trials, the trials that they started from, and their results.

use super::role;
use crate::tui::{
    screens::tune::{TunePane, TuneScreen},
    widgets::{
        paint::{Paint, fit_end, piece, width},
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

/// Columns of a cut option name before its value: the sign of the cut, some letters, and `=`.
const VALUE_LEAD: usize = 6;

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
    let parent = tune.form.parent.as_deref();
    let columns = columns(parent, LedgerLayout::new(entries, usize::from(inner.width)));
    ListTable::new(columns, entries, tune.row, 1).highlighted_if(focused).paint(paint, inner);
}

/// Which of their texts the columns show.
#[derive(Debug, Clone, Copy)]
struct LedgerLayout {
    /// The place of the result's text, from the longest.
    outcome: usize,
    /// The place of the text of the measured tests, from the longest, if there is room for one.
    tests: Option<usize>,
    /// Whether a change loses durability.
    has_tiers: bool,
}

impl LedgerLayout {
    /// Returns the longest texts that fit. The price in durability always does, and the tests come after everything else.
    fn new(entries: &[LedgerEntry], room: usize) -> Self {
        let widest =
            |text: &dyn Fn(&LedgerEntry) -> String| entries.iter().map(|entry| width(&text(entry))).max().unwrap_or(0);
        let with_gap = |width: usize| if width > 0 { GAP + width } else { 0 };
        let tiers = with_gap(widest(&tier));
        let outcomes: [usize; 3] =
            std::array::from_fn(|place| with_gap(widest(&|entry| outcome(entry).0[place].clone())));
        let outcome =
            outcomes.iter().position(|outcome| CHANGE + outcome + tiers <= room).unwrap_or(outcomes.len() - 1);
        let changes = widest(&|entry| mark(entry, None) + &plain(&words::change(&entry.trial))).max(CHANGE);
        let left = room.saturating_sub(changes + outcomes[outcome] + tiers);
        let tests = (0..2).find(|place| with_gap(widest(&|entry| plain(&words::tests(&entry.trial)[*place]))) <= left);
        Self { outcome, tests, has_tiers: tiers > 0 }
    }
}

type EntryColumn<'t> = TableColumn<'t, &'t LedgerEntry>;

fn columns(parent: Option<&str>, layout: LedgerLayout) -> Vec<EntryColumn<'_>> {
    let change = move |entry: &&LedgerEntry, room: usize| {
        let mark = mark(entry, parent);
        let change = changed(&entry.trial, room.saturating_sub(width(&mark)));
        vec![piece(mark + &change, Role::Text)]
    };
    let verdict = move |entry: &&LedgerEntry| outcome(entry).0[layout.outcome].clone();
    let reserved = ColumnWidth::Measured { least: CHANGE, most: CHANGE };
    let mut columns = vec![EntryColumn::drawn("", 0, reserved, change)];
    columns.extend(layout.tests.map(|place| {
        EntryColumn::text("", 0, move |entry| words::tests(&entry.trial)[place].clone()).whole().coloured(|_| Role::Dim)
    }));
    columns.push(EntryColumn::text("", 0, verdict).whole().coloured(|entry| outcome(entry).1));
    columns.extend(
        layout.has_tiers.then(|| EntryColumn::text("", 0, |entry| tier(entry)).whole().coloured(|_| Role::Warn)),
    );
    columns
}

/// Returns the place of a trial among the others, and whether it was accepted or is the base.
fn mark(entry: &LedgerEntry, parent: Option<&str>) -> String {
    let mark = match (parent == Some(entry.trial.trial_id.as_str()), entry.trial.accepted) {
        (true, _) => "▸ ",
        (false, true) => "✓ ",
        (false, false) => "· ",
    };
    "  ".repeat(entry.depth) + mark
}

/// Returns the durability that a change costs, or nothing.
fn tier(entry: &LedgerEntry) -> String {
    words::lost_tier(&entry.trial).unwrap_or_default()
}

/// Returns a trial's change with as many options as fit. No value is cut, because part of a value can be another value.
fn changed(trial: &Trial, room: usize) -> String {
    let parts: Vec<String> = trial.change.0.iter().map(|(option, value)| format!("{option}={value}")).collect();
    let some = |shown: usize| match parts.len() - shown {
        0 => parts.join(" "),
        more => format!("{} +{more}", parts[..shown].join(" ")),
    };
    let texts = std::iter::once(words::change(trial)).chain((1..=parts.len()).rev().map(some));
    if let Some(text) = texts.map(|text| plain(&text)).find(|text| width(text) <= room) {
        return text;
    }
    // The end of an option's name is enough to recognise it by its value.
    let value = trial.change.0.values().next().map_or(0, |value| width(&plain(value)) + VALUE_LEAD);
    match parts.as_slice() {
        [only] if value <= room => fit_end(&plain(only), room),
        parts => format!("{} changed", parts.len()),
    }
}

/// Returns a trial's result as texts, each shorter than the one before or the same.
fn outcome(entry: &LedgerEntry) -> ([String; 3], Role) {
    let trial = &entry.trial;
    let (text, role) = match (&trial.state, trial.effects.as_slice()) {
        (TrialState::Tried, [only]) => {
            let short = words::short_verdict(only);
            let long = format!("{} {short}", words::figures(only));
            return ([long, short, words::shortest_verdict(only)], role(only));
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
            let all = several.len();
            let long = format!("{faster} faster, {slower} slower of {all}");
            let worst =
                if slower > 0 { format!("{slower} of {all} slower") } else { format!("{faster} of {all} faster") };
            return ([long.clone(), long, worst], role);
        }
        (TrialState::Stopped, _) => ("stopped".to_owned(), Role::Warn),
        (TrialState::CannotDiffer(_), _) => ("cannot differ".to_owned(), Role::Dim),
        (TrialState::Failed(_), _) => ("✗ failed".to_owned(), Role::Bad),
    };
    ([text.clone(), text.clone(), text], role)
}
