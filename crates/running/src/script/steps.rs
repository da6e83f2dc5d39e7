//! Turns statements into the steps of a suite, after each was tried on a scratch database.

use super::{
    Directive, Piece, ScriptError, ScriptTerms,
    parameters::{NumberedStatement, numbered},
    plain_schema::{PlainSchema, with_doubles},
    rehearsal::Rehearsal,
    stand_in::{Missed, StandIns},
    tryout::{StatementEffect, TryOut},
    values::{Bound, ValueSource, example},
};
use dbdyno_engine::{
    names::instead_of,
    suite::{Begin, Choice, Expression, SqlActor, StatementSpec, Step, THREAD, Variables},
};
use dbdyno_foundation::base::sql_tokens::{tokens, words};
use std::{collections::BTreeSet, path::Path};

/// The longest name that a statement gets from its text.
const LONGEST_NAME: usize = 60;
/// Of more statements than this, those that differ only in their constants share a name.
const MOST_NAMES: usize = 40;
/// The name under which commits are reported that have no other.
const COMMIT: &str = "COMMIT";

/// The steps that prepare, and those that are measured.
pub(super) struct Steps {
    /// The tables and indexes that engines create in their own way.
    pub(super) schema: PlainSchema,
    pub(super) prepare: Vec<Step>,
    pub(super) measured: MeasuredSteps,
    /// What there are stand-ins for in their statements.
    pub(super) missed: BTreeSet<Missed>,
}

/// The steps that are measured.
pub(super) enum MeasuredSteps {
    Alone(Vec<Step>),
    Threads(Vec<SqlActor>),
}

/// Returns the steps of a file's statements.
pub(super) fn steps(
    path: &Path,
    pieces: &[Piece<'_>],
    stand_ins: &StandIns,
    terms: &ScriptTerms<'_>,
) -> Result<Steps, ScriptError> {
    let place = path.display().to_string();
    let tryout = TryOut::new(terms).map_err(|error| ScriptError::new(&place, error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (before, after) = pieces.split_at(measured_from(pieces));
    let asks = |piece: &Piece<'_>| {
        let Piece::Directive { directive: Directive::Value(_, source), .. } = piece else { return false };
        matches!(source, ValueSource::Query { .. })
    };
    let by_template = after.iter().filter(|piece| matches!(piece, Piece::Statement { .. })).count() > MOST_NAMES;
    let schema = terms.start.is_none().then(PlainSchema::default);
    let to_prepare =
        Writer { rehearses: pieces.iter().any(asks), schema, ..Writer::new(&tryout, folder, stand_ins, "0") };
    let to_measure = |turn: &str| Writer { by_template, ..Writer::new(&tryout, folder, stand_ins, turn) };
    let located = |(line, message): (usize, String)| ScriptError::new(format!("{place}:{line}"), message);
    let prepared = to_prepare.written(before).map_err(located)?;
    let (alone, of_threads) = threads(after);
    // The measured part is repeated as often as the size says, and counts that as `i`.
    let measured = to_measure("i").written(alone).map_err(located)?;
    let mut missed = prepared.missed;
    missed.extend(measured.missed);
    let mut actors: Vec<SqlActor> = Vec::new();
    for OfThread { line, name, threads, pieces } in of_threads {
        let wrong = |message: &str| located((line, message.to_owned()));
        if !measured.steps.is_empty() {
            return Err(wrong("expected all measured statements after such a line, in a thread"));
        }
        if actors.iter().any(|actor| actor.name == name) {
            return Err(wrong("expected another name: these threads have that of others"));
        }
        // Values in turn are shared among the threads of a name.
        let written = to_measure(&format!("i * {threads} + {THREAD}")).written(pieces).map_err(located)?;
        if written.steps.is_empty() {
            return Err(wrong("expected at least one statement after it"));
        }
        missed.extend(written.missed);
        actors.push(SqlActor { name: name.to_owned(), threads, steps: written.steps });
    }
    let statements = Step::names(actors.iter().flat_map(|actor| &actor.steps));
    if let Some(actor) = actors.iter().find(|actor| statements.contains(&actor.name.as_str())) {
        let message = format!("thread {}: expected another name: a statement has that one", actor.name);
        return Err(ScriptError::new(&place, message));
    }
    let measured = match (measured.steps.is_empty(), actors.is_empty()) {
        (true, true) => return Err(ScriptError::new(&place, "expected at least one statement to measure")),
        (_, true) => MeasuredSteps::Alone(measured.steps),
        (_, false) => MeasuredSteps::Threads(actors),
    };
    Ok(Steps { schema: prepared.schema.unwrap_or_default(), prepare: prepared.steps, measured, missed })
}

/// The statements of the threads of one name.
struct OfThread<'p, 't> {
    line: usize,
    name: &'p str,
    threads: u32,
    pieces: &'p [Piece<'t>],
}

/// Splits the measured part into what comes before any thread, and what each thread does.
fn threads<'p, 't>(measured: &'p [Piece<'t>]) -> (&'p [Piece<'t>], Vec<OfThread<'p, 't>>) {
    let begins = |piece: &Piece<'_>| matches!(piece, Piece::Directive { directive: Directive::Thread { .. }, .. });
    let mut starts: Vec<usize> = (0..measured.len()).filter(|at| begins(&measured[*at])).collect();
    starts.push(measured.len());
    let of_thread = |bounds: &[usize]| match &measured[bounds[0]] {
        Piece::Directive { line, directive: Directive::Thread { name, threads } } => {
            Some(OfThread { line: *line, name, threads: *threads, pieces: &measured[bounds[0] + 1..bounds[1]] })
        }
        _ => None,
    };
    (&measured[..starts[0]], starts.windows(2).filter_map(of_thread).collect())
}

/// Returns where the measured part begins.
fn measured_from(pieces: &[Piece<'_>]) -> usize {
    let prepares = |piece: &Piece<'_>| match piece {
        Piece::Statement { text, .. } => ["CREATE", "DROP", "ALTER", "PRAGMA"].contains(&word(text, 0).as_str()),
        Piece::Directive { .. } => false,
    };
    let is_mark = |piece: &Piece<'_>| matches!(piece, Piece::Directive { directive: Directive::Measure, .. });
    let mark = pieces.iter().position(is_mark);
    mark.unwrap_or_else(|| pieces.iter().take_while(|piece| prepares(piece)).count())
}

/// Returns the word of a statement at an index from 0, in capitals.
fn word(text: &str, place: usize) -> String {
    words(text).get(place).map(|word| word.to_ascii_uppercase()).unwrap_or_default()
}

/// Writes steps, some of them inside others.
struct Writer<'w> {
    tryout: &'w TryOut,
    folder: &'w Path,
    stand_ins: &'w StandIns,
    missed: BTreeSet<Missed>,
    /// Where to collect tables and indexes that engines create in their own way. None: statements create them.
    schema: Option<PlainSchema>,
    /// The loops, mixes and transactions that have not ended, the outermost first.
    open: Vec<OpenScope>,
    steps: Vec<Step>,
    comments: StatementComments,
    /// How many executions came before, as an expression of the loops' variables.
    turn: String,
    loops: usize,
    /// Whether statements that differ only in their constants share a name.
    by_template: bool,
    /// Whether all executions are done on the scratch database, and not only one.
    rehearses: bool,
}

struct WriterResult {
    steps: Vec<Step>,
    schema: Option<PlainSchema>,
    missed: BTreeSet<Missed>,
}

/// What comments say about the next statement, with their lines.
#[derive(Default)]
struct StatementComments {
    name: Option<(usize, String)>,
    weight: Option<(usize, u64)>,
    values: Vec<(usize, String, ValueSource)>,
}

impl StatementComments {
    /// Returns the line of the first comment that nothing has taken.
    fn line(&self) -> Option<usize> {
        let name = self.name.as_ref().map(|(line, _)| *line);
        let weight = self.weight.map(|(line, _)| line);
        name.into_iter().chain(weight).chain(self.values.iter().map(|(line, ..)| *line)).min()
    }
}

struct OpenScope {
    line: usize,
    what: Inside,
    steps: Vec<Step>,
    /// The weights of the steps, in a mix.
    weights: Vec<u64>,
    /// The expression outside of it.
    turn: String,
}

/// A part of the file that has an end.
enum Inside {
    Transaction { begin: Begin, name: String, weight: Option<u64> },
    Repeat { count: u64, variable: String },
    Mix { count: u64, variable: String },
}

impl<'w> Writer<'w> {
    fn new(tryout: &'w TryOut, folder: &'w Path, stand_ins: &'w StandIns, turn: &str) -> Self {
        Self {
            tryout,
            folder,
            stand_ins,
            missed: BTreeSet::new(),
            schema: None,
            open: Vec::new(),
            steps: Vec::new(),
            comments: StatementComments::default(),
            turn: turn.to_owned(),
            loops: 0,
            by_template: false,
            rehearses: false,
        }
    }

    /// Writes the steps of a part of the file, or returns what is wrong with its line.
    fn written(mut self, pieces: &[Piece<'_>]) -> Result<WriterResult, (usize, String)> {
        for piece in pieces {
            self.add(piece).map_err(|message| (piece.line(), message))?;
        }
        self.finished()
    }

    fn add(&mut self, piece: &Piece<'_>) -> Result<(), String> {
        match piece {
            Piece::Statement { line, text } => self.statement(*line, text),
            Piece::Directive { line, directive } => self.directive(*line, directive),
        }
    }

    fn directive(&mut self, line: usize, directive: &Directive) -> Result<(), String> {
        match directive {
            Directive::Measure | Directive::Function(_) => {}
            Directive::Thread { .. } => return Err("thread: expected a line `-- measure` before it".to_owned()),
            Directive::Name(name) => self.comments.name = Some((line, name.clone())),
            Directive::Weight(weight) => self.comments.weight = Some((line, *weight)),
            Directive::Value(place, source) => self.comments.values.push((line, place.clone(), source.clone())),
            Directive::Repeat(count) => {
                self.enter(line, *count, |count, variable| Inside::Repeat { count, variable })?
            }
            Directive::Mix(count) => self.enter(line, *count, |count, variable| Inside::Mix { count, variable })?,
            Directive::End => {
                let inner = self.open.pop().filter(|open| !matches!(open.what, Inside::Transaction { .. }));
                let open =
                    inner.ok_or("end: expected a `-- repeat N` or `-- mix N` before it, and no open transaction")?;
                self.leave(open)?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, line: usize, count: u64, what: impl FnOnce(u64, String) -> Inside) -> Result<(), String> {
        if let Some(line) = self.comments.line() {
            return Err(format!("expected a statement after line {line}, which says something about it"));
        }
        self.loops += 1;
        let variable = format!("r{}", self.loops);
        let turn = format!("({}) * {count} + {variable}", self.turn);
        let turn = std::mem::replace(&mut self.turn, turn);
        self.open.push(OpenScope { line, what: what(count, variable), steps: Vec::new(), weights: Vec::new(), turn });
        Ok(())
    }

    fn leave(&mut self, open: OpenScope) -> Result<(), String> {
        self.turn = open.turn;
        if open.steps.is_empty() {
            return Err("expected at least one statement before its end".to_owned());
        }
        let (count, variable, steps) = match open.what {
            Inside::Transaction { begin, name, weight } => {
                return self.push(Step::Transaction { begin, steps: open.steps, name: Some(name) }, weight);
            }
            Inside::Repeat { count, variable } => (count, variable, open.steps),
            Inside::Mix { count, variable } => {
                let choices = open.weights.into_iter().zip(open.steps);
                let choices = choices.map(|(weight, step)| Choice { weight, steps: vec![step] });
                (count, variable, vec![Step::Mix(choices.collect())])
            }
        };
        if self.rehearses {
            // Each statement was done once when it was read.
            Rehearsal::new(self.tryout).repeat((1, count), &variable, &steps)?;
        }
        let (count, from) = (Expression::Number(count as i64), Expression::default());
        self.push(Step::Repeat { count, variable, from, steps }, None)
    }

    /// Adds a step to the innermost loop, mix or transaction.
    fn push(&mut self, step: Step, weight: Option<u64>) -> Result<(), String> {
        match self.open.last_mut() {
            Some(open) => {
                let is_mix = matches!(open.what, Inside::Mix { .. });
                if weight.is_some() && !is_mix {
                    return Err(OUTSIDE_MIX.to_owned());
                }
                open.weights.push(weight.unwrap_or(1));
                open.steps.push(step);
            }
            None if weight.is_some() => return Err(OUTSIDE_MIX.to_owned()),
            None => self.steps.push(step),
        }
        Ok(())
    }

    fn statement(&mut self, line: usize, text: &str) -> Result<(), String> {
        let comments = std::mem::take(&mut self.comments);
        let (name, weight) = (comments.name.map(|(_, name)| name), comments.weight.map(|(_, weight)| weight));
        let first = word(text, 0);
        match first.as_str() {
            "BEGIN" | "COMMIT" | "END" if !comments.values.is_empty() => Err(format!("{first} has no parameters")),
            "COMMIT" | "END" if name.is_some() || weight.is_some() => {
                Err(format!("{first}: expected the name and the weight of a transaction before its BEGIN"))
            }
            "BEGIN" => {
                let kind = word(text, 1);
                // The SQLite of the trial lacks it, and a library that is measured may have it.
                let tried = if kind == "CONCURRENT" && !self.tryout.is_stock() { "BEGIN" } else { text };
                self.tryout.run(tried, &[])?;
                let begin = match kind.as_str() {
                    "DEFERRED" => Begin::Deferred,
                    "IMMEDIATE" => Begin::Immediate,
                    "EXCLUSIVE" => Begin::Exclusive,
                    "CONCURRENT" => Begin::Concurrent,
                    _ => Begin::Engine,
                };
                let what = Inside::Transaction { begin, name: name.unwrap_or_else(|| COMMIT.to_owned()), weight };
                let turn = self.turn.clone();
                self.open.push(OpenScope { line, what, steps: Vec::new(), weights: Vec::new(), turn });
                Ok(())
            }
            "COMMIT" | "END" => {
                let open = match self.open.pop() {
                    Some(open) if matches!(open.what, Inside::Transaction { .. }) => open,
                    Some(OpenScope { line, .. }) => {
                        return Err(format!(
                            "{first}: expected a line `-- end` before it, for what begins in line {line}"
                        ));
                    }
                    None => return Err(format!("{first}: expected a BEGIN before it")),
                };
                self.tryout.run(text, &[])?;
                if open.steps.is_empty() {
                    self.turn = open.turn;
                    return Ok(());
                }
                self.leave(open)
            }
            _ => {
                let step = self.step(line, text, name, comments.values)?;
                step.map_or(Ok(()), |step| self.push(step, weight))
            }
        }
    }

    /// Returns the step of a statement; none if the engine does the same when it opens the database.
    fn step(
        &mut self,
        line: usize,
        text: &str,
        name: Option<String>,
        mut values: Vec<(usize, String, ValueSource)>,
    ) -> Result<Option<Step>, String> {
        let text = &with_doubles(text);
        let NumberedStatement { sql, mut places } = numbered(text);
        let rewritten = self.stand_ins.rewrite(&sql, Some(places.len()));
        self.missed.extend(rewritten.missed.into_iter().map(|missed| missed.in_line(line)));
        places.extend(rewritten.drawn.iter().map(|(place, _)| place.clone()));
        values.extend(rewritten.drawn.into_iter().map(|(place, source)| (line, place, source)));
        let mut bound = self.bound(&places, &values)?;
        // A stand-in need not have all that its function had.
        bound.truncate(numbered(&rewritten.sql).places.len());
        // Drawn numbers and those of loops begin at 0.
        let examples: Vec<_> = bound.iter().map(|(_, value)| example(value, &Variables::new())).collect();
        let StatementEffect { reads, sets_default } = self.tryout.run(&rewritten.sql, &examples)?;
        if sets_default {
            return Ok(None);
        }
        if let Some(step) = self.schema.as_mut().and_then(|schema| schema.take(text)) {
            return Ok(Some(step));
        }
        let of_text = || if self.by_template { short(&template(text)) } else { short(text) };
        let name = Some(name.unwrap_or_else(of_text));
        let drawn = |(place, (draw, _)): (usize, &Bound)| Some((drawn(place), draw.clone()?));
        let statement = StatementSpec {
            sql: rewritten.sql,
            draw: bound.iter().enumerate().filter_map(drawn).collect(),
            bind: bound.into_iter().map(|(_, value)| value).collect(),
            name: name.clone(),
            ..StatementSpec::default()
        };
        Ok(Some(match word(text, 0).as_str() {
            _ if reads => Step::Read(statement),
            "INSERT" | "REPLACE" | "UPDATE" | "DELETE" | "WITH" => Step::Write(statement),
            _ if !statement.bind.is_empty() => {
                return Err("only statements that read or change rows have parameters".to_owned());
            }
            _ => Step::Run { sql: statement.sql, direct: None, name },
        }))
    }

    /// Returns what each parameter of a statement needs.
    fn bound(&self, places: &[String], values: &[(usize, String, ValueSource)]) -> Result<Vec<Bound>, String> {
        if let Some((line, unknown, _)) = values.iter().find(|(_, name, _)| !places.contains(name)) {
            let expected = if places.is_empty() { "it has none".to_owned() } else { instead_of(unknown, places) };
            return Err(format!("line {line} is about its parameter {unknown}: {expected}"));
        }
        let ask = |sql: &str| self.tryout.answer(&self.stand_ins.rewrite(sql, None).sql);
        let of = |(at, place): (usize, &String)| {
            let source = values.iter().find(|(_, name, _)| name == place).map(|(.., source)| source);
            let source = source.ok_or_else(|| {
                format!("it has the parameter {place}: say its values in a comment before it, such as `-- {place} = uniform 1..1000`")
            })?;
            source.bound(&drawn(at), &self.turn, self.folder, &ask).map_err(|why| format!("{place}: {why}"))
        };
        places.iter().enumerate().map(of).collect()
    }

    /// Returns the steps, or the line of what has no end.
    fn finished(self) -> Result<WriterResult, (usize, String)> {
        if let Some(OpenScope { line, what, .. }) = self.open.first() {
            let message = match what {
                Inside::Transaction { .. } => "BEGIN: expected a COMMIT after it",
                Inside::Repeat { .. } => "repeat: expected a line `-- end` after it",
                Inside::Mix { .. } => "mix: expected a line `-- end` after it",
            };
            return Err((*line, message.to_owned()));
        }
        match self.comments.line() {
            Some(line) => Err((line, "expected a statement after it".to_owned())),
            None => Ok(WriterResult { steps: self.steps, schema: self.schema, missed: self.missed }),
        }
    }
}

const OUTSIDE_MIX: &str = "weight: expected a `-- mix N` around it";

/// Returns the name of the number that the parameter at this place draws.
fn drawn(place: usize) -> String {
    format!("d{}", place + 1)
}

/// Returns a statement with a question mark in the place of each constant.
fn template(text: &str) -> String {
    let mut template = String::with_capacity(text.len());
    for token in tokens(text) {
        let is_number = token.starts_with(|c: char| c.is_ascii_digit());
        let is_constant = is_number && !template.ends_with(|c: char| c.is_alphanumeric() || "?:@$_".contains(c));
        if !(is_constant || token.starts_with('\'')) {
            template.push_str(token);
        } else if !template.ends_with("?.") {
            template.push('?');
        } else {
            // The fraction of a number.
            template.pop();
        }
    }
    template
}

/// Returns the beginning of a statement, on one line.
pub(crate) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_NAME {
        return line;
    }
    let cut: String = line.chars().take(LONGEST_NAME - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_differ_in_constants_have_one_template() {
        for (text, expected) in [
            ("INSERT INTO t2 VALUES(1,'a;b',-2.5, x1)", "INSERT INTO t2 VALUES(?,?,-?, x1)"),
            (
                "SELECT a FROM t WHERE b = ?1 AND c = :d2 AND e = 0x1f",
                "SELECT a FROM t WHERE b = ?1 AND c = :d2 AND e = ?",
            ),
        ] {
            assert_eq!(template(text), expected);
        }
        assert_eq!(short(&format!("SELECT\n  {}", "a, ".repeat(40))).chars().count(), LONGEST_NAME);
    }
}
