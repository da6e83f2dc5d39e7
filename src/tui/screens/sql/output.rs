//! The output of the pane: whole or copied cells, and files. Also reverses the order.

use super::{Intents, SqlScreen, Statement, shown::NULL};
use crate::tui::{
    export::{FileContent, NewFile},
    overlay::Reply,
    screens::intent::Intent,
    setup::TuiSetup,
};
use dbdyno_foundation::base::{
    csv::Cells,
    units::{count, counted},
};
use dbdyno_reports::{
    answer::{self, FILE_FORMATS},
    format::Format,
    results,
};
use dbdyno_store::AnswerOrder;
use std::{path::Path, time::Duration};

/// A question that the SQL pane asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The file to write the whole answer of a statement to.
    Export(Statement),
}

impl SqlScreen {
    /// Returns the column under the cursor, if the answer shown is of the same query.
    pub(super) fn column_before(&self, statement: &Statement) -> Option<usize> {
        let shown = self.found.as_ref()?.as_ref().ok()?;
        (shown.statement.sql == statement.sql).then_some(shown.column)
    }

    /// Reverses the order of the answer.
    pub(super) fn reverse(&mut self, now: Duration) -> Intents {
        let Some(statement) = self.answer().map(|shown| shown.statement.clone()) else { return Intents::new() };
        match statement.order {
            Some(order) => {
                let order = Some(AnswerOrder { descending: !order.descending, ..order });
                self.ask(Statement { order, ..statement }, now)
            }
            None => vec![Intent::refused("the answer is not sorted yet: s sorts by the column under the cursor")],
        }
    }

    /// Shows the whole cell under the cursor.
    pub(super) fn whole_cell(&self) -> Intents {
        let Some((name, value)) = self.answer().and_then(|shown| shown.cell()) else { return Intents::new() };
        let lines = value.unwrap_or(NULL).lines().map(str::to_owned).collect();
        vec![Intent::page(name, lines)]
    }

    pub(super) fn copy_cell(&self) -> Intents {
        let Some((name, value)) = self.answer().and_then(|shown| shown.cell()) else { return Intents::new() };
        let text = value.unwrap_or_default().to_owned();
        vec![Intent::Copy(text), Intent::said(format!("copied: {name} of this row"))]
    }

    /// Copies all rows that were read to the clipboard, in the form of an export.
    pub(super) fn copy_all(&self) -> Intents {
        let Some(shown) = self.answer() else { return Intents::new() };
        let rows = &shown.answer.rows;
        let said = match shown.is_cut() {
            true => format!(
                "copied: the {} shown, of {}; e exports all",
                counted(rows.rows.len() as u64, "row"),
                count(shown.answer.total)
            ),
            false => format!("copied: {} as CSV", counted(shown.answer.total, "row")),
        };
        match results::text(rows, Format::Csv, Cells::Escaped, "") {
            Ok(text) => vec![Intent::Copy(text), Intent::said(said)],
            Err(error) => vec![Intent::failed(error.to_string())],
        }
    }

    pub(super) fn ask_export(&self) -> Intents {
        let Some(shown) = self.answer() else { return Intents::new() };
        let rows = counted(shown.answer.total, "row");
        let help = "a file that does not exist yet; its ending selects the format: .csv, .json or .md. The query runs once more.";
        let dialog = Dialog::Export(shown.statement.clone());
        vec![Intent::prompt_file(dialog, format!("Export the answer, {rows}"), help, "dbdyno-sql.csv")]
    }
}

/// Exports the answer to the file that the user named.
pub(super) fn export(dialog: &Dialog, reply: Reply) -> Result<Intents, String> {
    let (Dialog::Export(statement), Reply::Text(path)) = (dialog, reply) else { return Ok(Intents::new()) };
    Format::of_file(Path::new(&path), FILE_FORMATS).map_err(|error| error.to_string())?;
    let content = Box::new(statement.clone());
    Ok(vec![Intent::Write { path: path.into(), content }])
}

/// Writes the whole answer of the statement, which is run once more.
impl FileContent for Statement {
    fn write(&self, file: &NewFile<'_>, setup: &TuiSetup) -> Result<(), String> {
        let shape = (file.format(FILE_FORMATS)?, Cells::Escaped);
        file.create(|to| answer::write(&setup.store, &self.sql, self.order, shape, to))
    }
}
