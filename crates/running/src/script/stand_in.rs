//! Stand-ins for the clock, for chance and for collations of an application, so that every engine gives the same answers in every round.

use super::{functions::FunctionStandIn, values::ValueSource};
use dbdyno_foundation::base::sql_tokens::{is_blank, tokens, words};
use std::collections::BTreeSet;

/// SQLite's own collations.
const COLLATIONS: [&str; 3] = ["binary", "nocase", "rtrim"];
/// Functions that tell the present moment, with the number of their arguments if they are not given it as `'now'`.
const CLOCKS: [(&str, usize); 6] =
    [("date", 0), ("time", 0), ("datetime", 0), ("julianday", 0), ("unixepoch", 0), ("strftime", 1)];
/// The range of drawn numbers in the place of `random()`: half of SQLite's.
const RANDOM: (i64, i64) = (-(1 << 62), (1 << 62) - 2);

/// The stand-ins of a file or a database.
#[derive(Debug, Clone)]
pub(crate) struct StandIns {
    /// The moment of the clock: `2026-01-01 00:00:00`.
    pub(super) now: String,
    /// The collation in the place of those that only an application has.
    pub(super) collation: &'static str,
    /// What replaces functions that only an application has.
    pub(super) functions: Vec<FunctionStandIn>,
}

impl Default for StandIns {
    fn default() -> Self {
        Self { now: "2026-01-01 00:00:00".to_owned(), collation: "NOCASE", functions: Vec::new() }
    }
}

/// Something for which there is a stand-in, or should be one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Missed {
    Clock,
    /// `random()` or `randomblob()`, as a parameter.
    Chance,
    Collation(String),
    /// A function of the application, and the expression in its place.
    Function {
        call: String,
        expression: String,
    },
    /// A function of chance that no parameter can replace, and its statement's line in the file. None: it is in the database's schema.
    OwnChance {
        function: String,
        line: Option<usize>,
    },
}

impl Missed {
    /// Says where a statement is in its file.
    pub(super) fn in_line(self, line: usize) -> Self {
        match self {
            Self::OwnChance { function, .. } => Self::OwnChance { function, line: Some(line) },
            other => other,
        }
    }
}

/// A statement with its stand-ins.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rewritten {
    pub(crate) sql: String,
    pub(crate) missed: BTreeSet<Missed>,
    /// The parameters in the place of chance, with the sources of their values.
    pub(super) drawn: Vec<(String, ValueSource)>,
}

/// A token that is no blank.
#[derive(Default)]
struct Word {
    /// In small letters.
    text: String,
    /// Its place in the rewritten statement.
    at: usize,
}

/// A call, or another pair of parentheses, that is open.
struct Call {
    /// The word before it.
    function: Word,
    /// Where its arguments begin in the rewritten statement, and the commas between them.
    arguments: usize,
    commas: Vec<usize>,
    is_empty: bool,
}

impl StandIns {
    /// Rewrites a statement, whose parameters are numbered. `last`: the highest number of its parameters; none: no parameter can be added.
    pub(crate) fn rewrite(&self, text: &str, last: Option<usize>) -> Rewritten {
        let draws = last.filter(|_| inserts_values(text));
        let mut rewriter = Rewriter { of: self, to: Rewritten::default(), calls: Vec::new(), draws };
        let mut last = Word::default();
        for token in tokens(text) {
            if is_blank(token) {
                rewriter.to.sql.push_str(token);
                continue;
            }
            let at = rewriter.to.sql.len();
            rewriter.token(token, last);
            last = Word { text: token.to_ascii_lowercase(), at };
        }
        rewriter.to
    }

    /// Returns the moment as a function of SQLite tells it. Other engines lack these functions, and have the text.
    fn moment(&self, function: &str) -> Option<&str> {
        match function {
            "datetime" => Some(&self.now),
            "date" => Some(&self.now[..10]),
            "time" => Some(&self.now[11..]),
            _ => None,
        }
    }
}

/// Whether each of a statement's expressions is worked out once.
fn inserts_values(text: &str) -> bool {
    let words: Vec<String> = words(text).iter().map(|word| word.to_ascii_lowercase()).collect();
    let has = |word: &str| words.iter().any(|found| found == word);
    matches!(words.first().map(String::as_str), Some("insert" | "replace")) && has("values") && !has("select")
}

struct Rewriter<'s> {
    of: &'s StandIns,
    to: Rewritten,
    calls: Vec<Call>,
    /// The highest number of the statement's parameters, if there can be more.
    draws: Option<usize>,
}

impl Rewriter<'_> {
    fn token(&mut self, token: &str, last: Word) {
        let lower = token.to_ascii_lowercase();
        let is_argument = !matches!(lower.as_str(), ")" | ",");
        if let Some(call) = self.calls.last_mut().filter(|_| is_argument) {
            call.is_empty = false;
        }
        match lower.as_str() {
            "(" => {
                self.to.sql.push_str(token);
                let arguments = self.to.sql.len();
                self.calls.push(Call { function: last, arguments, commas: Vec::new(), is_empty: true });
            }
            ")" => self.close(),
            "current_timestamp" => self.clock(&self.of.now),
            "current_date" => self.clock(&self.of.now[..10]),
            "current_time" => self.clock(&self.of.now[11..]),
            "'now'" if self.calls.last().is_some_and(|call| is_clock(&call.function.text)) => {
                self.clock(&self.of.now);
            }
            name if last.text == "collate" && !COLLATIONS.contains(&unquoted(name)) => {
                self.to.missed.insert(Missed::Collation(unquoted(token).to_owned()));
                self.to.sql.push_str(self.of.collation);
            }
            _ => {
                if let (",", Some(call)) = (token, self.calls.last_mut()) {
                    call.commas.push(self.to.sql.len());
                }
                self.to.sql.push_str(token);
            }
        }
    }

    /// Whether a call has no argument but the present.
    fn is_only_now(&self, call: &Call) -> bool {
        let argument = self.to.sql[call.arguments..].trim();
        argument.is_empty()
            || argument.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) == Some(&*self.of.now)
    }

    fn clock(&mut self, moment: &str) {
        self.to.missed.insert(Missed::Clock);
        self.to.sql.push_str(&format!("'{moment}'"));
    }

    fn close(&mut self) {
        if let Some(call) = self.calls.pop() {
            let arguments = if call.is_empty { 0 } else { call.commas.len() + 1 };
            let function = call.function.text.as_str();
            if let Some(stand_in) = self.of.functions.iter().find(|one| one.is_for(function, arguments)) {
                return self.replace(&call, stand_in);
            }
            if let Some(part) = self.of.moment(function).filter(|_| self.is_only_now(&call)) {
                self.to.sql.truncate(call.function.at);
                return self.clock(part);
            }
            if CLOCKS.contains(&(function, arguments)) {
                if arguments > 0 {
                    self.to.sql.push_str(", ");
                }
                self.clock(&self.of.now);
            }
            if (function, arguments) == ("random", 0) || (function, arguments) == ("randomblob", 1) {
                return self.chance(&call);
            }
        }
        self.to.sql.push(')');
    }

    /// Puts an expression in the place of a call.
    fn replace(&mut self, call: &Call, stand_in: &FunctionStandIn) {
        let starts = std::iter::once(call.arguments).chain(call.commas.iter().map(|comma| comma + 1));
        let ends = call.commas.iter().copied().chain([self.to.sql.len()]);
        let arguments: Vec<&str> = starts.zip(ends).map(|(start, end)| &self.to.sql[start..end]).collect();
        let expression = stand_in.call(&arguments);
        self.to.sql.truncate(call.function.at);
        self.to.sql.push_str(&expression);
        let expression = stand_in.expression().to_owned();
        self.to.missed.insert(Missed::Function { call: stand_in.title(), expression });
    }

    /// Puts a parameter in the place of a call, or keeps the call.
    fn chance(&mut self, call: &Call) {
        let is_blob = call.function.text == "randomblob";
        let argument = self.to.sql[call.function.at..].split_once('(').map_or("", |(_, argument)| argument.trim());
        let bytes = argument.parse().ok().filter(|bytes| (1..=ValueSource::MOST_BYTES).contains(bytes));
        let source = match (is_blob, bytes) {
            (false, _) => Some(ValueSource::Drawn { keys: None, from: RANDOM.0, to: RANDOM.1 }),
            (true, Some(bytes)) => Some(ValueSource::Random { is_blob, least: bytes, most: bytes }),
            (true, None) => None,
        };
        match source.zip(self.draws) {
            Some((source, last)) => {
                let name = format!("?{}", last + self.to.drawn.len() + 1);
                self.to.sql.truncate(call.function.at);
                self.to.sql.push_str(&name);
                self.to.missed.insert(Missed::Chance);
                self.to.drawn.push((name, source));
            }
            _ => {
                self.to.missed.insert(Missed::OwnChance { function: call.function.text.clone(), line: None });
                self.to.sql.push(')');
            }
        }
    }
}

fn is_clock(function: &str) -> bool {
    function == "timediff" || CLOCKS.iter().any(|(name, _)| *name == function)
}

fn unquoted(name: &str) -> &str {
    name.trim_matches(['"', '\'', '`', '[', ']'])
}

/// Describes the stand-ins in sentences, for the warnings of a session.
pub(crate) fn sentences(missed: &BTreeSet<Missed>, of: &StandIns) -> Vec<String> {
    let sentence = |missed: &Missed| match missed {
        Missed::Clock => format!("the clock stands still: 'now' and CURRENT_TIMESTAMP are {} on every engine", of.now),
        Missed::Chance => {
            "random() and randomblob() are values drawn from the run's seed, the same on every engine".to_owned()
        }
        Missed::Collation(name) => {
            format!("the collation {name} belongs to the application: {} replaces it", of.collation)
        }
        Missed::Function { call, expression } => {
            format!("the function {call} belongs to the application: {expression} replaces it")
        }
        Missed::OwnChance { function, line } => {
            let place = line.map_or_else(|| "the database's schema".to_owned(), |line| format!("line {line}"));
            format!(
                "{place}: {function}() has other values on each engine, so answers with it differ: take a value from a \
                 parameter, such as `-- :n = uniform 1..1000`"
            )
        }
    };
    missed.iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        StandIns::default().rewrite(text, Some(0)).sql
    }

    #[test]
    fn the_clock_stands_still_wherever_it_is_asked() {
        let now = "'2026-01-01 00:00:00'";
        for (text, expected) in [
            ("SELECT CURRENT_TIMESTAMP", format!("SELECT {now}")),
            ("SELECT current_date, Current_Time", "SELECT '2026-01-01', '00:00:00'".to_owned()),
            ("SELECT datetime('now', '-1 day')", format!("SELECT datetime({now}, '-1 day')")),
            ("SELECT strftime ( '%s', 'NOW' )", format!("SELECT strftime ( '%s', {now} )")),
            ("SELECT strftime('%s'), unixepoch()", format!("SELECT strftime('%s', {now}), unixepoch({now})")),
            ("SELECT datetime('now'), DATE( ), time('NOW')", format!("SELECT {now}, '2026-01-01', '00:00:00'")),
            ("SELECT date(max(a, 'now')), 'now'", "SELECT date(max(a, 'now')), 'now'".to_owned()),
            ("SELECT 'CURRENT_TIMESTAMP' -- datetime()", "SELECT 'CURRENT_TIMESTAMP' -- datetime()".to_owned()),
            ("INSERT INTO t(date, time) VALUES (1, 2)", "INSERT INTO t(date, time) VALUES (1, 2)".to_owned()),
        ] {
            assert_eq!(rewritten(text), expected);
        }
    }

    #[test]
    fn chance_of_an_insert_is_drawn_and_other_chance_is_named() {
        let found = StandIns::default().rewrite("INSERT INTO t VALUES (random(), hex(randomblob( 16 )), ?1)", Some(1));
        assert_eq!(found.sql, "INSERT INTO t VALUES (?2, hex(?3), ?1)");
        assert_eq!(found.drawn[1].1, ValueSource::Random { is_blob: true, least: 16, most: 16 });
        assert_eq!(found.missed, BTreeSet::from([Missed::Chance]));
        for own in [
            "SELECT a FROM t ORDER BY random()",
            "INSERT INTO t SELECT random()",
            "INSERT INTO t VALUES (randomblob(a))",
        ] {
            let found = StandIns::default().rewrite(own, Some(0));
            assert_eq!((found.sql.as_str(), found.drawn.len(), found.missed.len()), (own, 0, 1));
        }
    }

    #[test]
    fn a_function_of_the_application_is_replaced_wherever_it_is_called() {
        let functions =
            ["plain(x) = lower(trim(x))", "rank(a, b) = b - a"].map(|text| FunctionStandIn::read(text).unwrap());
        let of = StandIns { functions: functions.to_vec(), ..StandIns::default() };
        let found = of.rewrite("SELECT Plain( plain(a)||',)' ), rank(?1, (2, 3)), plain, plain(1, 2) FROM t", None);
        let expected = "SELECT (lower(trim(((lower(trim((a))))||',)')))), (((2, 3)) - (?1)), plain, plain(1, 2) FROM t";
        assert_eq!((found.sql.as_str(), found.missed.len()), (expected, 2));
        let clock = of.rewrite("SELECT plain(datetime('now')), datetime(plain(a), 'now')", None);
        assert_eq!(clock.missed.len(), 2);
        assert!(!clock.sql.contains("plain(") && !clock.sql.contains("'now'"), "{}", clock.sql);
    }

    #[test]
    fn only_unknown_collations_are_replaced() {
        let found = StandIns::default().rewrite("SELECT a COLLATE \"unicase\", b COLLATE RTRIM FROM t", None);
        assert_eq!(found.sql, "SELECT a COLLATE NOCASE, b COLLATE RTRIM FROM t");
        assert_eq!(found.missed, BTreeSet::from([Missed::Collation("unicase".to_owned())]));
    }
}
