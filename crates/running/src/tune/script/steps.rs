//! Turns statements into the steps of a suite, after each was tried on a scratch database.

use super::{DatabaseSnapshot, Piece, ScriptError, split::words, tryout::TryOut};
use dbdyno_engine::{
    describe::Description,
    suite::{Begin, StatementSpec, Step},
};
use std::{collections::BTreeMap, time::Duration};

/// Returns the steps that prepare and those that are measured.
pub(super) fn steps(
    place: &str,
    pieces: &[Piece<'_>],
    start: Option<&DatabaseSnapshot>,
    engine: &Description,
    limit: Duration,
) -> Result<(Vec<Step>, Vec<Step>), ScriptError> {
    let tryout = TryOut::new(start, engine, limit).map_err(|error| ScriptError::new(place, error))?;
    let from = measured_from(pieces);
    let of = |pieces: &[Piece<'_>]| -> Result<Vec<Step>, ScriptError> {
        let mut writer = TransactionWriter { steps: Vec::new(), transaction: None };
        for piece in pieces {
            if let Piece::Statement { line, text } = piece {
                let wrong = |message: String| ScriptError::new(format!("{place}:{line}"), message);
                let reads = tryout.run(text).map_err(wrong)?;
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

/// Returns where the measured part begins.
fn measured_from(pieces: &[Piece<'_>]) -> usize {
    let prepares = |piece: &Piece<'_>| match piece {
        Piece::Statement { text, .. } => ["CREATE", "DROP", "ALTER", "PRAGMA"].contains(&word(text, 0).as_str()),
        Piece::Measure => false,
    };
    let mark = pieces.iter().position(|piece| *piece == Piece::Measure);
    mark.unwrap_or_else(|| pieces.iter().take_while(|piece| prepares(piece)).count())
}

/// Returns the word of a statement at an index from 0, in capitals.
fn word(text: &str, place: usize) -> String {
    words(text).get(place).map(|word| word.to_ascii_uppercase()).unwrap_or_default()
}

/// Groups steps into transactions.
struct TransactionWriter {
    steps: Vec<Step>,
    /// The line of a BEGIN, its kind, and the steps since.
    transaction: Option<(usize, Begin, Vec<Step>)>,
}

impl TransactionWriter {
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
    let statement = || StatementSpec {
        sql: sql.clone(),
        draw: BTreeMap::new(),
        bind: Vec::new(),
        direct: None,
        objects: Vec::new(),
    };
    match word(text, 0).as_str() {
        _ if reads => Step::Read(statement()),
        "INSERT" | "REPLACE" | "UPDATE" | "DELETE" | "WITH" => Step::Write(statement()),
        _ => Step::Run { sql, direct: None },
    }
}
