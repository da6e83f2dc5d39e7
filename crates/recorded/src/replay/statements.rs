//! The statements of a replay: how each is executed, and under which name it is reported.

use super::{LeftOutCalls, LeftOutReason, ReplayTerms, pragma};
use crate::{StatementKind, fingerprint};
use dbdyno_engine::{
    replay::{ReplayStatement, StatementAction},
    suite::{Begin, ReplayedStatement},
};
use dbdyno_foundation::base::sql_tokens::words;
use dbdyno_recording::RecordedCall;
use std::collections::{BTreeMap, HashMap};

/// The longest name, and the most names. Statements beyond share one.
const LONGEST_NAME: usize = 60;
const MOST_NAMES: usize = 300;
const OTHER_STATEMENTS: &str = "other statements";
/// SQLite's result codes of calls that are not replayed: BUSY and LOCKED, and INTERRUPT.
const BUSY: [i32; 2] = [5, 6];
const INTERRUPT: i32 = 9;

/// SQLite's code of a call whose program may have left rows unread.
pub(super) const ROWS_LEFT: i32 = 100;

/// Whether a call ended with an error, as far as that is known.
pub(super) fn has_failed(call: &RecordedCall) -> bool {
    call.result_code > 0 && call.result_code != ROWS_LEFT
}

/// What a statement does to the transaction of its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TransactionStep {
    None,
    Begin,
    /// It ends the transaction if it succeeds.
    End,
    Savepoint(String),
    Release(String),
}

/// A statement of the list.
pub(super) struct KnownStatement {
    sql: String,
    /// The place of its name, if a call of it is replayed.
    name: Option<usize>,
    kind: StatementKind,
    pub(super) step: TransactionStep,
    /// Whether a transaction with it takes its turn among those that write.
    pub(super) writes: bool,
    has_rows: bool,
    has_values: bool,
    /// The text that is replayed, if it is another one.
    rewritten: Option<String>,
    /// The option that it sets, if it does.
    option: Option<(String, String)>,
    is_other_file: bool,
}

/// The statements so far, each text once.
pub(super) struct ReplayStatements<'t> {
    terms: ReplayTerms<'t>,
    places: HashMap<String, usize>,
    pub(super) list: Vec<KnownStatement>,
    names: Vec<String>,
    /// Whether answers under a name are those of the data, and not of the library.
    is_of_data: Vec<bool>,
    name_places: HashMap<String, usize>,
    calls: Vec<u64>,
    failures: Vec<u64>,
    set: BTreeMap<String, String>,
    left_out: BTreeMap<LeftOutReason, LeftOutCalls>,
}

/// What the statements come to.
pub(super) struct NamedStatements {
    pub(super) statements: Vec<ReplayedStatement>,
    pub(super) calls: Vec<u64>,
    pub(super) failures: Vec<u64>,
    pub(super) options: BTreeMap<String, String>,
    pub(super) left_out: Vec<LeftOutCalls>,
}

impl<'t> ReplayStatements<'t> {
    pub(super) fn new(terms: ReplayTerms<'t>) -> Self {
        Self {
            terms,
            places: HashMap::new(),
            list: Vec::new(),
            names: Vec::new(),
            is_of_data: Vec::new(),
            name_places: HashMap::new(),
            calls: Vec::new(),
            failures: Vec::new(),
            set: BTreeMap::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Returns the place of a statement's text.
    pub(super) fn place(&mut self, sql: String) -> usize {
        if let Some(place) = self.places.get(&sql) {
            return *place;
        }
        let kind = StatementKind::of(&sql);
        let option = pragma::setting(&sql)
            .filter(|(name, _)| kind == StatementKind::Pragma && self.terms.options.contains(name));
        self.list.push(KnownStatement {
            name: None,
            kind,
            step: step(kind, &sql),
            writes: writes(kind, &sql),
            has_rows: false,
            has_values: false,
            option,
            is_other_file: kind == StatementKind::Attach || is_vacuum_into(&sql),
            rewritten: Some((self.terms.rewrite)(&sql)).filter(|rewritten| *rewritten != sql),
            sql: sql.clone(),
        });
        self.places.insert(sql, self.list.len() - 1);
        self.list.len() - 1
    }

    /// Returns the place of the name of a statement.
    fn name(&mut self, sql: &str) -> usize {
        let full = fingerprint(sql);
        if let Some(place) = self.name_places.get(&full) {
            return *place;
        }
        let short = short(&full);
        let place = if self.names.len() < MOST_NAMES {
            let taken = |name: &String| self.names.contains(name);
            let numbered = (2..).map(|number| format!("{short} ({number})"));
            let name = std::iter::once(short.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(short);
            self.names.push(name);
            self.names.len() - 1
        } else {
            if self.names.len() == MOST_NAMES {
                self.names.push(OTHER_STATEMENTS.to_owned());
            }
            MOST_NAMES
        };
        self.calls.resize(self.names.len(), 0);
        self.failures.resize(self.names.len(), 0);
        self.is_of_data.resize(self.names.len(), true);
        self.name_places.insert(full, place);
        place
    }

    /// Notes a call. Returns whether it is replayed.
    pub(super) fn takes(&mut self, place: usize, call: &RecordedCall) -> bool {
        let statement = &mut self.list[place];
        let reason = if BUSY.contains(&call.result_code) {
            Some(LeftOutReason::Busy)
        } else if call.result_code == INTERRUPT {
            Some(LeftOutReason::Interrupted)
        } else if statement.is_other_file {
            Some(LeftOutReason::OtherFile)
        } else {
            statement.option.as_ref().map(|_| LeftOutReason::Option)
        };
        let Some(reason) = reason else {
            statement.has_rows |= call.rows > 0;
            statement.has_values |= !call.parameters.is_empty();
            let name = statement.name;
            let name = name.unwrap_or_else(|| {
                let sql = self.list[place].sql.clone();
                self.name(&sql)
            });
            self.list[place].name = Some(name);
            self.is_of_data[name] &= !is_of_library(self.list[place].kind, &self.list[place].sql);
            self.calls[name] += 1;
            self.failures[name] += u64::from(has_failed(call));
            return true;
        };
        if let (LeftOutReason::Option, Some((name, value))) = (reason, &statement.option) {
            self.set.insert(name.clone(), value.clone());
        }
        let example = &statement.sql;
        let of_reason =
            self.left_out.entry(reason).or_insert_with(|| LeftOutCalls { reason, calls: 0, example: example.clone() });
        of_reason.calls += 1;
        false
    }

    /// Returns the list as it is written, and what else is known.
    pub(super) fn finish(self) -> (Vec<ReplayStatement>, NamedStatements) {
        let listed = self.list.iter().map(|one| ReplayStatement {
            // A statement without a name has no calls.
            name: one.name.unwrap_or(0),
            action: action(one),
            sql: one.rewritten.as_ref().unwrap_or(&one.sql).clone(),
        });
        let statements = self.names.iter().zip(&self.is_of_data).map(|(name, is_of_data)| ReplayedStatement {
            name: name.clone(),
            is_verified: *is_of_data,
            may_fail: true,
        });
        let named = NamedStatements {
            statements: statements.collect(),
            calls: self.calls,
            failures: self.failures,
            options: self.set,
            left_out: self.left_out.into_values().collect(),
        };
        (listed.collect(), named)
    }
}

fn step(kind: StatementKind, sql: &str) -> TransactionStep {
    let words = words(sql);
    let last = || words.iter().rfind(|word| **word != ";").map_or_else(String::new, |word| word.to_ascii_lowercase());
    let is_first = |expected: &str| words.first().is_some_and(|word| word.eq_ignore_ascii_case(expected));
    match kind {
        StatementKind::Begin => TransactionStep::Begin,
        StatementKind::Commit | StatementKind::Rollback => TransactionStep::End,
        StatementKind::Savepoint if is_first("SAVEPOINT") => TransactionStep::Savepoint(last()),
        StatementKind::Savepoint if is_first("RELEASE") => TransactionStep::Release(last()),
        _ => TransactionStep::None,
    }
}

fn writes(kind: StatementKind, sql: &str) -> bool {
    let is_locking = |word: &&str| ["IMMEDIATE", "EXCLUSIVE"].iter().any(|one| one.eq_ignore_ascii_case(word));
    match kind {
        StatementKind::Begin => words(sql).iter().any(is_locking),
        StatementKind::Pragma => pragma::writes(sql),
        kind => kind.writes(),
    }
}

/// Whether a statement asks for something of the library or of its files, which differs between libraries with the same data.
fn is_of_library(kind: StatementKind, sql: &str) -> bool {
    const FUNCTIONS: [&str; 4] =
        ["sqlite_version", "sqlite_source_id", "sqlite_compileoption_get", "sqlite_compileoption_used"];
    let is_function = |word: &&str| FUNCTIONS.iter().any(|function| function.eq_ignore_ascii_case(word));
    kind == StatementKind::Pragma || words(sql).iter().any(is_function)
}

fn is_vacuum_into(sql: &str) -> bool {
    let words = words(sql);
    words.first().is_some_and(|word| word.eq_ignore_ascii_case("VACUUM"))
        && words.iter().any(|word| word.eq_ignore_ascii_case("INTO"))
}

fn action(statement: &KnownStatement) -> StatementAction {
    match statement.kind {
        StatementKind::Begin => StatementAction::Begin(begin(&statement.sql)),
        StatementKind::Commit => StatementAction::Commit,
        StatementKind::Rollback => StatementAction::Rollback,
        StatementKind::Read | StatementKind::Pragma => StatementAction::Read,
        _ if statement.has_rows => StatementAction::Read,
        StatementKind::Write => StatementAction::Write,
        _ if statement.has_values => StatementAction::Write,
        _ => StatementAction::Run,
    }
}

fn begin(sql: &str) -> Begin {
    match words(sql).get(1).map(|word| word.to_ascii_uppercase()).as_deref() {
        Some("DEFERRED") => Begin::Deferred,
        Some("IMMEDIATE") => Begin::Immediate,
        Some("EXCLUSIVE") => Begin::Exclusive,
        Some("CONCURRENT") => Begin::Concurrent,
        _ => Begin::Engine,
    }
}

fn short(name: &str) -> String {
    if name.is_empty() {
        return "(empty)".to_owned();
    }
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    let cut: String = name.chars().take(LONGEST_NAME - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn terms(options: &BTreeSet<String>) -> ReplayTerms<'_> {
        ReplayTerms { options, rewrite: &str::to_owned }
    }

    fn call(result_code: i32, rows: u64) -> RecordedCall {
        let (connection, thread, start_ns, duration_ns, statement, changes) = (1, 1, 0, 0, 1, 0);
        let parameters = Vec::new();
        RecordedCall { connection, thread, start_ns, duration_ns, statement, parameters, rows, changes, result_code }
    }

    #[test]
    fn statements_are_executed_by_what_they_do() {
        let options = BTreeSet::from(["journal_mode".to_owned()]);
        let mut statements = ReplayStatements::new(terms(&options));
        let mut taken = Vec::new();
        for (sql, code, rows) in [
            ("INSERT INTO t VALUES (1) RETURNING a", 0, 1),
            ("INSERT INTO t VALUES (?)", 19, 0),
            ("BEGIN IMMEDIATE", 5, 0),
            ("BEGIN IMMEDIATE", 0, 0),
            ("PRAGMA journal_mode = WAL", 0, 1),
            ("PRAGMA table_info(t)", 0, 3),
            ("ATTACH 'x' AS y", 0, 0),
            ("VACUUM INTO 'z'", 0, 0),
            ("SAVEPOINT s", 0, 0),
            ("SELECT a FROM t WHERE b = 1", 9, 0),
        ] {
            let place = statements.place(sql.to_owned());
            taken.push(statements.takes(place, &call(code, rows)));
        }
        assert_eq!(taken, [true, true, false, true, false, true, false, false, true, false]);
        let (listed, named) = statements.finish();
        let actions: Vec<StatementAction> = listed.iter().map(|one| one.action).collect();
        use StatementAction::{Begin as BeginAction, Read, Run, Write};
        let expected = [Read, Write, BeginAction(Begin::Immediate), Read, Read, Run, Run, Run, Read];
        assert_eq!(actions, expected);
        assert_eq!(named.options["journal_mode"], "wal");
        let reasons: Vec<(LeftOutReason, u64)> = named.left_out.iter().map(|one| (one.reason, one.calls)).collect();
        let expected = [
            (LeftOutReason::Busy, 1),
            (LeftOutReason::Option, 1),
            (LeftOutReason::OtherFile, 2),
            (LeftOutReason::Interrupted, 1),
        ];
        assert_eq!(reasons, expected);
    }

    #[test]
    fn names_are_short_and_differ() {
        let options = BTreeSet::new();
        let mut statements = ReplayStatements::new(terms(&options));
        let long = "a, ".repeat(40);
        for (column, value) in [("x", 7), ("y", 7), ("y", 8)] {
            let place = statements.place(format!("SELECT {long} {column} FROM t WHERE b = {value}"));
            assert!(statements.takes(place, &call(0, 0)));
        }
        let (listed, named) = statements.finish();
        assert_eq!(listed.iter().map(|one| one.name).collect::<Vec<_>>(), [0, 1, 1]);
        let [first, second] = &named.statements[..] else { panic!("{:?}", named.statements) };
        assert_eq!(second.name, format!("{} (2)", first.name));
        assert!(first.name.chars().count() <= LONGEST_NAME);
    }
}
