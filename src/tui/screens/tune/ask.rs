//! Trials run from the Tune screen, and what it wants to know of the store.

use crate::{
    base::csv::Cells,
    report::tune::{Format, ledger as shown},
    tui::{
        screens::tune::{Answer, Question},
        setup::Setup,
    },
    tune::{Ledger, accept, ledger},
};
use std::path::Path;
/// Answers a question of the Tune screen.
pub(crate) fn answer(question: Question, setup: &Setup) -> Answer {
    match question {
        Question::Ledger(name) if !setup.store.exists() => Answer::Ledger(Ok(Ledger::new(&name, Vec::new()))),
        Question::Ledger(name) => Answer::Ledger(ledger(&setup.store, &name).map_err(|error| error.to_string())),
        Question::Accept(mut trial) => {
            let accepted = accept(&setup.store, &mut trial).map_err(|error| error.to_string());
            Answer::Accepted(accepted.map(|()| trial))
        }
    }
}

/// A ledger in the format of a file's ending.
pub(crate) fn exported(ledger: &Ledger, command: &str, path: &Path) -> Result<String, String> {
    let format = match path.extension().and_then(|ending| ending.to_str()) {
        Some("md") => Format::Markdown,
        Some("csv") => Format::Csv,
        Some("json") => Format::Json,
        Some("txt") => Format::Table,
        _ => return Err(format!("{}: expected a name that ends in .md, .csv, .json or .txt", path.display())),
    };
    shown(ledger, format, Cells::Escaped, command).map_err(|error| error.to_string())
}
