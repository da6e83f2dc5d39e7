//! The summary of a session in the terminal after the screens are gone: a few lines with the outcome.

use crate::tui::{LastSession, terminal_columns, wrap};
use dbdyno_comparing::compare::ComparedGroups;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_reports::{command::shell, comparison::several::group_answers};
use dbdyno_running::session::verdicts;
use dbdyno_store::Store;
use std::time::Duration;

/// The most sentences of the answer.
const MOST: usize = 3;
/// Time to wait for the store: users who leave do not wait for a few lines.
const PATIENCE: Duration = Duration::from_secs(1);

/// A few lines: what was run, how the configurations did in at most three sentences, and the command that shows all of it, which needs
/// `places` to mean this store.
pub(super) fn verdict(last: &LastSession, store: &Store, places: &[String]) -> String {
    let LastSession { session_id: id, suite, status, planned, done } = last;
    let session = format!("session={id}");
    let command_of = |words: &[&str]| {
        let places = places.iter().map(String::as_str);
        shell(words.iter().copied().chain([session.as_str()]).chain(places))
    };
    let command = command_of(&["dbdyno", "compare", "--reference"]);
    // Without the store, the session's own facts are still printed.
    let compared = verdicts(id, &command, &store.clone().with_patience(PATIENCE)).unwrap_or_default().compared;
    let command = if compared.sides.is_empty() { command_of(&["dbdyno", "results"]) } else { command };
    let planned = counted(*planned, "run");
    let mut lines = vec![format!("session {suite}: {}, {done} of {planned} done", status.word())];
    lines.extend(answer(&compared).iter().flat_map(|sentence| wrap(&plain(sentence), terminal_columns())));
    lines.push(format!("details: {command}"));
    lines.iter().map(|line| plain(line) + "\n").collect()
}

fn answer(compared: &ComparedGroups) -> Vec<String> {
    let mut lines: Vec<String> = compared.groups().flat_map(|(sides, leader)| group_answers(sides, leader)).collect();
    if lines.len() > MOST {
        let more = counted(lines.len() + 1 - MOST, "more sentence");
        lines.truncate(MOST - 1);
        lines.push(format!("and {more}"));
    }
    lines
}
