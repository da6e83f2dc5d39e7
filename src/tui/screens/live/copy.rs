//! The texts that can be copied: the race, one of its tests, or the single test in view. This screen has no cursor.

use super::{
    Dialog, Intents, LiveScreen, LiveView, WatchedSession,
    paint::{cell_in_words, replayed_in_words, test_in_words},
    race::{RaceColumn, RaceRow},
};
use crate::tui::screens::copying::{Copyable, copy_one_of};

impl LiveScreen {
    pub(super) fn copy(&self) -> Intents {
        let all = match (&self.replay, &self.session) {
            (Some(replay), _) => one("the test that is replayed", replayed_in_words(replay)),
            (None, Some(session)) => match self.view {
                LiveView::Race => of_race(session),
                LiveView::Test => one("the test in view", test_in_words(session)),
            },
            (None, None) => Vec::new(),
        };
        copy_one_of(all, Dialog::Copy)
    }
}

fn one(what: &str, text: Option<String>) -> Vec<Copyable> {
    text.map(|text| Copyable::new(what, text)).into_iter().collect()
}

/// Returns the whole race, with tabs between the cells, then each of its tests as text.
fn of_race(session: &WatchedSession) -> Vec<Copyable> {
    let (columns, rows) = (session.race_columns(), session.race_rows());
    let header = ["size", "test"].into_iter().chain(columns.iter().map(|column| column.label));
    let mut lines = vec![header.collect::<Vec<_>>().join("\t")];
    let mut tests = Vec::new();
    for row in &rows {
        let cells: Vec<String> = columns.iter().map(|column| cell(session, column, row)).collect();
        let (size, name) = (row.size.to_string(), format!("{} {}", row.test, row.name));
        let beside: Vec<String> =
            columns.iter().zip(&cells).map(|(column, cell)| format!("{}: {cell}", column.label)).collect();
        tests.push(Copyable::new(
            format!("{name} at size {size}"),
            format!("{name}, size {size}: {}", beside.join("; ")),
        ));
        lines.push([vec![size, name], cells].concat().join("\t"));
    }
    std::iter::once(Copyable::new("the whole race", lines.join("\n") + "\n")).chain(tests).collect()
}

fn cell(session: &WatchedSession, column: &RaceColumn<'_>, row: &RaceRow<'_>) -> String {
    column.at(row.size).map_or_else(|| "-".to_owned(), |place| cell_in_words(&session.race_cell(place, row.test)))
}
