//! Statements into the steps of a suite, each tried on a scratch database first.

use super::{Piece, ScriptError, Snapshot};
use crate::base::input;
use dbdyno_engine::{
    describe::Description,
    suite::{Begin, Statement, Step},
};
use rusqlite::Connection;
use std::{collections::BTreeMap, path::PathBuf};

/// The steps that prepare and those that are measured.
pub(super) fn steps(
    place: &str,
    pieces: &[Piece<'_>],
    start: Option<&Snapshot>,
    engine: &Description,
) -> Result<(Vec<Step>, Vec<Step>), ScriptError> {
    let failed = |error: &dyn std::fmt::Display| ScriptError::new(place, format!("a scratch database: {error}"));
    let scratch =
        start.map(|start| tempfile::tempdir_in(start.folder())).transpose().map_err(|error| failed(&error))?;
    // No name is to SQLite a file without a name, of which nothing is left when it is closed.
    let file = scratch.as_ref().map_or_else(PathBuf::new, |scratch| scratch.path().join("scratch.db"));
    if let Some(start) = start {
        input::copy(start.path(), &file).map_err(|error| failed(&error))?;
    }
    let connection = Connection::open(&file).map_err(|error| failed(&error))?;
    // Nothing here is to survive anything.
    connection.execute_batch("PRAGMA synchronous = OFF").map_err(|error| failed(&error))?;
    let from = measured_from(pieces);
    let of = |pieces: &[Piece<'_>]| -> Result<Vec<Step>, ScriptError> {
        let mut writer = Writer { steps: Vec::new(), transaction: None };
        for piece in pieces {
            if let Piece::Statement { line, text } = piece {
                let wrong = |message: String| ScriptError::new(format!("{place}:{line}"), message);
                refuse(text, engine).map_err(wrong)?;
                let reads = try_out(&connection, text).map_err(wrong)?;
                writer.add(*line, text, reads).map_err(wrong)?;
            }
        }
        match writer.transaction {
            Some((line, ..)) => Err(ScriptError::new(format!("{place}:{line}"), "BEGIN: expected a COMMIT after it")),
            None => Ok(writer.steps),
        }
    };
    let (prepare, measured) = (of(&pieces[..from])?, of(&pieces[from..])?);
    if measured.is_empty() {
        return Err(ScriptError::new(place, "expected at least one statement to measure"));
    }
    Ok((prepare, measured))
}

/// Where the measured part begins.
fn measured_from(pieces: &[Piece<'_>]) -> usize {
    let prepares = |piece: &Piece<'_>| match piece {
        Piece::Statement { text, .. } => ["CREATE", "DROP", "ALTER", "PRAGMA"].contains(&word(text, 0).as_str()),
        Piece::Measure => false,
    };
    let mark = pieces.iter().position(|piece| *piece == Piece::Measure);
    mark.unwrap_or_else(|| pieces.iter().take_while(|piece| prepares(piece)).count())
}

/// The word of a statement at a place from 0, in capitals.
fn word(text: &str, place: usize) -> String {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.nth(place).unwrap_or_default().to_ascii_uppercase()
}

/// Refuses what would reach beyond the run's folder, or set what is tuned.
fn refuse(text: &str, engine: &Description) -> Result<(), String> {
    let words = text.to_ascii_uppercase();
    match word(text, 0).as_str() {
        _ if text.starts_with('.') => Err("a command of the sqlite3 shell: expected SQL".to_owned()),
        "ATTACH" if !text.contains("':memory:'") => {
            Err("ATTACH of a file: statements may only use the copy that they run on (':memory:' is fine)".to_owned())
        }
        "VACUUM" if words.split_whitespace().any(|word| word == "INTO") => {
            Err("VACUUM INTO writes another file: statements may only use the copy that they run on".to_owned())
        }
        "ROLLBACK" | "SAVEPOINT" | "RELEASE" => {
            Err("only BEGIN and COMMIT are measured: leave savepoints and rollbacks out".to_owned())
        }
        "PRAGMA" => {
            let name = word(text, 1).to_ascii_lowercase();
            let sets = text.contains(['=', '(']);
            match engine.option(&name).filter(|_| sets) {
                Some(_) => Err(format!("PRAGMA {name} is an option of the engine: give it with --engine or --what-if")),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Runs a statement on the scratch database; whether it gives rows.
fn try_out(connection: &Connection, text: &str) -> Result<bool, String> {
    let run = || -> rusqlite::Result<(usize, usize)> {
        let mut statement = connection.prepare(text)?;
        let counts = (statement.parameter_count(), statement.column_count());
        let mut rows = statement.raw_query();
        while rows.next()?.is_some() {}
        Ok(counts)
    };
    match run().map_err(|error| error.to_string())? {
        (0, columns) => Ok(columns > 0),
        _ => Err("it has parameters: expected values in their place".to_owned()),
    }
}

/// Puts steps into transactions.
struct Writer {
    steps: Vec<Step>,
    /// The line of a BEGIN, how it begins, and the steps since.
    transaction: Option<(usize, Begin, Vec<Step>)>,
}

impl Writer {
    fn add(&mut self, line: usize, text: &str, reads: bool) -> Result<(), String> {
        match word(text, 0).as_str() {
            "BEGIN" => {
                let begin = match word(text, 1).as_str() {
                    "DEFERRED" => Begin::Deferred,
                    "IMMEDIATE" => Begin::Immediate,
                    "EXCLUSIVE" => Begin::Exclusive,
                    _ => Begin::Engine,
                };
                self.transaction = Some((line, begin, Vec::new()));
            }
            "COMMIT" | "END" => {
                let open = self.transaction.take();
                let (_, begin, steps) = open.ok_or_else(|| "COMMIT: expected a BEGIN before it".to_owned())?;
                self.steps.push(Step::Transaction { begin, steps });
            }
            _ => {
                let step = step(text, reads);
                self.transaction.as_mut().map_or(&mut self.steps, |(_, _, steps)| steps).push(step);
            }
        }
        Ok(())
    }
}

fn step(text: &str, reads: bool) -> Step {
    let sql = text.to_owned();
    let statement = || Statement { sql: sql.clone(), draw: BTreeMap::new(), bind: Vec::new(), direct: None };
    match word(text, 0).as_str() {
        _ if reads => Step::Read(statement()),
        "INSERT" | "REPLACE" | "UPDATE" | "DELETE" | "WITH" => Step::Write(statement()),
        _ => Step::Run { sql, direct: None },
    }
}
