//! Checks that the tables and steps of a SQL suite are consistent.

use super::{kv::FileKeys, sql_dry_run::DryRun, sql_place::step_span};
use crate::{CatalogError, located::CatalogText};
use dbdyno_engine::{
    names::instead_of,
    suite::{
        Assignment, Condition, DirectPlan, Draw, Expression, IndexSpec, ObjectSpec, Operand, Parameter, SqlActor,
        StatementSpec, Step, THREAD, TableSpec,
    },
};
use toml::Spanned;

/// The declarations that steps are checked against.
pub(super) struct SqlChecker<'f> {
    tables: Vec<&'f TableSpec>,
    indexes: Vec<&'f IndexSpec>,
    constants: Vec<&'f str>,
    source: &'f CatalogText,
}

/// The state of walking through a list of steps.
struct Walk<'d> {
    dry: Option<&'d DryRun<'d>>,
    /// The current step's positions in the lists that contain it, from the outermost.
    path: Vec<usize>,
    /// The first step that engines refuse if they accept tables only as data, and why.
    refused: Option<(Vec<usize>, String)>,
}

impl Walk<'_> {
    fn try_out(&mut self, step: &Step) -> Result<(), String> {
        let Some(dry) = self.dry else { return Ok(()) };
        if let (Some(reason), Step::Run { sql, .. }) = (dry.step(step)?, step) {
            self.refused.get_or_insert_with(|| (self.path.clone(), inside(sql)(reason.to_owned())));
        }
        Ok(())
    }
}

impl<'f> SqlChecker<'f> {
    /// Checks the declarations.
    pub(super) fn new(
        tables: &'f [Spanned<TableSpec>],
        indexes: &'f [Spanned<IndexSpec>],
        constants: Vec<&'f str>,
        source: &'f CatalogText,
    ) -> Result<Self, CatalogError> {
        let mut checker = Self { tables: Vec::new(), indexes: Vec::new(), constants, source };
        for table in tables {
            checker.declare_table(table.get_ref()).map_err(|message| source.wrong(table.span(), message))?;
        }
        for index in indexes {
            checker.declare_index(index.get_ref()).map_err(|message| source.wrong(index.span(), message))?;
        }
        Ok(checker)
    }

    fn declare_table(&mut self, table: &'f TableSpec) -> Result<(), String> {
        named("table", &table.name)?;
        if self.tables.iter().any(|other| other.name.eq_ignore_ascii_case(&table.name)) {
            return Err(format!("table `{}`: declared twice", table.name));
        }
        if table.columns.is_empty() {
            return Err(format!("table `{}`: expected at least one column", table.name));
        }
        for (place, column) in table.columns.iter().enumerate() {
            named("column", &column.name)?;
            if table.columns[..place].iter().any(|other| other.name.eq_ignore_ascii_case(&column.name)) {
                return Err(format!("table `{}`: duplicate column `{}`", table.name, column.name));
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '(' | ')' | ',');
            if !column.of_type.chars().all(plain) {
                return Err(format!("type `{}`: expected one such as INTEGER or VARCHAR(100)", column.of_type));
            }
        }
        self.tables.push(table);
        Ok(())
    }

    fn declare_index(&mut self, index: &'f IndexSpec) -> Result<(), String> {
        named("index", &index.name)?;
        if self.indexes.iter().any(|other| other.name.eq_ignore_ascii_case(&index.name)) {
            return Err(format!("index `{}`: declared twice", index.name));
        }
        column(self.table(&index.table)?, &index.column)?;
        self.indexes.push(index);
        Ok(())
    }

    /// Checks that an expression depends on the suite's constants only.
    pub(super) fn constant(&self, expression: &Spanned<Expression>) -> Result<(), CatalogError> {
        self.known(expression.get_ref(), &[]).map_err(|message| self.source.wrong(expression.span(), message))
    }

    /// Returns an empty database to try the statements on; `None` for a suite without tables, which starts with an existing database.
    pub(super) fn dry_run(&self) -> Result<Option<DryRun<'_>>, CatalogError> {
        let dry = (!self.tables.is_empty()).then(|| DryRun::new(&self.tables, &self.indexes));
        dry.transpose().map_err(|message| self.source.wrong(0..0, message))
    }

    /// Checks that a table to be verified is declared.
    pub(super) fn verified(&self, table: &Spanned<String>) -> Result<(), CatalogError> {
        self.table(table.get_ref()).map(drop).map_err(|message| self.source.wrong(table.span(), message))
    }

    /// Checks that every step of the test at this position of the file is valid, and that SQLite accepts its statements. Returns the
    /// first statement of each list, with its line, that engines refuse if they accept tables only as data.
    pub(super) fn test(
        &self,
        place: usize,
        lists: [(&str, &Spanned<Vec<Step>>); 2],
        dry: Option<&DryRun<'_>>,
    ) -> Result<Vec<CatalogError>, CatalogError> {
        dry.map_or(Ok(()), DryRun::begin_test).map_err(|message| self.source.wrong(0..0, message))?;
        let mut refused = Vec::new();
        for (list, steps) in lists {
            let mut walk = Walk { dry, path: Vec::new(), refused: None };
            let at = |path: &[usize], message: String| {
                self.source.wrong(step_span(self.source, place, list, path).unwrap_or_else(|| steps.span()), message)
            };
            self.all(steps.get_ref(), &[], &mut walk).map_err(|message| at(&walk.path, message))?;
            refused.extend(walk.refused.into_iter().map(|(path, message)| at(&path, message)));
        }
        Ok(refused)
    }

    /// Checks that each step of the actors is valid.
    pub(super) fn actors(
        &self,
        place: usize,
        actors: &Spanned<Vec<SqlActor>>,
        dry: Option<&DryRun<'_>>,
    ) -> Result<(), CatalogError> {
        let mut walk = Walk { dry, path: Vec::new(), refused: None };
        for (at, actor) in actors.get_ref().iter().enumerate() {
            walk.path.push(at);
            let earlier = &actors.get_ref()[..at];
            let checked = check_actor(actor, earlier).and_then(|()| self.all(&actor.steps, &[THREAD], &mut walk));
            checked.map_err(|message| {
                let span = step_span(self.source, place, "actors", &walk.path).unwrap_or_else(|| actors.span());
                self.source.wrong(span, format!("actor `{}`: {message}", actor.name))
            })?;
            walk.path.pop();
        }
        Ok(())
    }

    fn all(&self, steps: &[Step], names: &[&str], walk: &mut Walk<'_>) -> Result<(), String> {
        for (place, step) in steps.iter().enumerate() {
            walk.path.push(place);
            self.step(step, names, walk)?;
            walk.path.pop();
        }
        Ok(())
    }

    fn step(&self, step: &Step, names: &[&str], walk: &mut Walk<'_>) -> Result<(), String> {
        self.alone(step, names)?;
        walk.try_out(step).map_err(|message| match step {
            Step::Run { sql, .. } => inside(sql)(message),
            Step::Write(statement) | Step::Read(statement) => inside(&statement.sql)(message),
            _ => message,
        })?;
        match step {
            Step::Repeat { variable, steps, .. } => self.all(steps, &[names, &[variable]].concat(), walk),
            Step::Transaction { steps, .. } => self.all(steps, names, walk),
            Step::Mix(choices) => choices.iter().enumerate().try_for_each(|(place, choice)| {
                walk.path.push(place);
                self.all(&choice.steps, names, walk)?;
                walk.path.pop();
                Ok(())
            }),
            _ => Ok(()),
        }
    }

    /// Checks a step by itself, without the steps that it contains.
    fn alone(&self, step: &Step, names: &[&str]) -> Result<(), String> {
        step.name().map_or(Ok(()), check_name)?;
        match step {
            Step::CreateTable(name) | Step::DropTable(name) => self.table(name).map(drop),
            Step::CopyDatabase(copy) => copy.tables.iter().try_for_each(|name| self.table(name).map(drop)),
            Step::CreateIndex(name) => {
                let found = self.indexes.iter().any(|index| index.name == *name);
                if found { Ok(()) } else { Err(unknown("index", name, self.indexes.iter().map(|index| &index.name))) }
            }
            Step::Run { sql, direct, .. } => {
                direct.as_ref().map_or(Ok(()), |plan| self.plan(plan, 0)).map_err(inside(sql))
            }
            Step::Write(statement) | Step::Read(statement) => {
                self.statement(statement, names).map_err(inside(&statement.sql))
            }
            Step::Repeat { count, variable, from, .. } => {
                self.known(count, &[]).map_err(inside("repeat"))?;
                self.known(from, names).map_err(inside("from"))?;
                self.free(variable)
            }
            Step::Transaction { steps, .. } if holds_transaction(steps) => {
                Err("transaction: it cannot be inside another".to_owned())
            }
            Step::Transaction { .. } => Ok(()),
            Step::Mix(choices) if choices.iter().all(|choice| choice.weight == 0) => {
                Err("mix: expected at least one choice with a weight above 0".to_owned())
            }
            Step::Mix(choices) if choices.iter().any(|choice| choice.steps.is_empty()) => {
                Err("mix: expected steps in each choice".to_owned())
            }
            Step::Mix(_) => Ok(()),
        }
    }

    fn statement(&self, statement: &StatementSpec, names: &[&str]) -> Result<(), String> {
        let mut names = names.to_vec();
        for (name, draw) in &statement.draw {
            self.free(name)?;
            match draw {
                Draw::Below(below) => self.known(below, &names)?,
                Draw::Keys { below, keys } => {
                    // The groups of a job are those of the suite's size.
                    self.known(below, &[])?;
                    popularity(keys)?;
                }
                Draw::Popular { .. } => return Err(format!("draw `{name}`: expected `keys`, such as \"zipf:0.99\"")),
            }
            names.push(name);
        }
        if statement.keep.is_some() && !statement.objects.is_empty() {
            return Err("keep: expected none beside objects".to_owned());
        }
        statement.bind.iter().try_for_each(|parameter| self.parameter(parameter, &names))?;
        statement.objects.iter().try_for_each(|object| self.object(object, &names))?;
        statement.direct.as_ref().map_or(Ok(()), |plan| self.plan(plan, statement.bind.len()))
    }

    fn parameter(&self, parameter: &Parameter, names: &[&str]) -> Result<(), String> {
        match parameter {
            Parameter::Real { per: 0, .. } => return Err("per = 0: expected a divisor of 1 or more".to_owned()),
            Parameter::Digits { width, .. } if *width > MOST_DIGITS => {
                return Err(format!("width = {width}: expected at most {MOST_DIGITS} digits"));
            }
            Parameter::OneOf { one_of, .. } if one_of.is_empty() => {
                return Err("one_of: expected at least one value".to_owned());
            }
            _ => {}
        }
        parameter.expression().map_or(Ok(()), |expression| self.known(expression, names))
    }

    fn object(&self, object: &ObjectSpec, names: &[&str]) -> Result<(), String> {
        let wrong = |message: String| format!("object `{}`: {message}", object.name);
        named("object", &object.name)?;
        if object.values.is_empty() {
            return Err(wrong("values: expected one for each of its columns".to_owned()));
        }
        self.known(&object.count, names).map_err(wrong)?;
        let is_known = |value: &Parameter| {
            !matches!(value, Parameter::Format { .. } | Parameter::OneOf { .. } | Parameter::Kept { .. })
        };
        if !object.values.iter().all(is_known) {
            return Err(wrong("values: expected none of format, one_of and kept".to_owned()));
        }
        let names = [names, &["n"]].concat();
        object.values.iter().try_for_each(|value| self.parameter(value, &names)).map_err(wrong)
    }

    /// Checks a name for a loop's variable or a drawn number: it must not be that of a constant, because constants are substituted first.
    fn free(&self, name: &str) -> Result<(), String> {
        named("variable", name)?;
        if self.constants.contains(&name) {
            return Err(format!("variable `{name}`: this is the name of a constant; choose another"));
        }
        Ok(())
    }

    fn known(&self, expression: &Expression, names: &[&str]) -> Result<(), String> {
        match expression.unknown(&|name| self.constants.contains(&name) || names.contains(&name)) {
            None => Ok(()),
            Some(name) => Err(unknown("name", name, self.constants.iter().chain(names))),
        }
    }

    fn plan(&self, plan: &DirectPlan, parameters: usize) -> Result<(), String> {
        let tables: Vec<&TableSpec> =
            plan.tables().into_iter().map(|name| self.table(name)).collect::<Result<_, _>>()?;
        for name in plan.columns() {
            column(tables[0], name)?;
        }
        match plan {
            DirectPlan::Insert { table } if tables[0].columns.len() != parameters => Err(format!(
                "insert into `{table}`: expected {} values to be bound, found {parameters}",
                tables[0].columns.len()
            )),
            DirectPlan::Copy { from, to } if tables[0].columns.len() != tables[1].columns.len() => {
                Err(format!("copy from `{from}` to `{to}`: expected tables with the same number of columns"))
            }
            DirectPlan::Update { set, condition, .. } => {
                let values = set.values().filter_map(|assignment| match assignment {
                    Assignment::Value(operand) => Some(operand),
                    Assignment::Times { .. } => None,
                });
                values.chain(operands(condition)).try_for_each(|operand| bound(operand, parameters))
            }
            DirectPlan::Read { condition, .. }
            | DirectPlan::CountAverage { condition, .. }
            | DirectPlan::Delete { condition, .. } => {
                operands(condition).into_iter().try_for_each(|operand| bound(operand, parameters))
            }
            _ => Ok(()),
        }
    }

    fn table(&self, name: &str) -> Result<&'f TableSpec, String> {
        let found = self.tables.iter().find(|table| table.name == name).copied();
        found.ok_or_else(|| unknown("table", name, self.tables.iter().map(|table| &table.name)))
    }
}

/// Maximum number of digits to which a number is padded.
const MOST_DIGITS: usize = 1_000;
/// Maximum number of threads of an actor.
const MOST_THREADS: u32 = 256;

fn check_actor(actor: &SqlActor, earlier: &[SqlActor]) -> Result<(), String> {
    named("actor", &actor.name)?;
    if earlier.iter().any(|other| other.name == actor.name) {
        return Err("duplicate name".to_owned());
    }
    if !(1..=MOST_THREADS).contains(&actor.threads) {
        return Err(format!("threads = {}: expected 1 to {MOST_THREADS}", actor.threads));
    }
    let mut reads = Vec::new();
    actor.steps.iter().for_each(|step| add_reads(step, &mut reads));
    let made = reads.iter().filter(|read| !read.objects.is_empty()).count();
    if reads.is_empty() && !actor.writes() || made > 0 && (actor.writes() || made < reads.len()) {
        return Err("steps: expected reads and writes, or reads that all have objects".to_owned());
    }
    Ok(())
}

/// Collects the reads in a step.
fn add_reads<'s>(step: &'s Step, reads: &mut Vec<&'s StatementSpec>) {
    if let Step::Read(statement) = step {
        reads.push(statement);
    }
    step.inner().into_iter().for_each(|step| add_reads(step, reads));
}

/// Maximum length of a step's name.
const MOST_NAME: usize = 100;

/// Checks the name of a step, which is shown in tables.
fn check_name(name: &str) -> Result<(), String> {
    if (1..=MOST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control) && name.trim() == name {
        return Ok(());
    }
    Err(format!("name `{name}`: expected 1 to {MOST_NAME} characters on one line"))
}

/// Parses how popular the numbers of a draw are.
pub(super) fn popularity(keys: &str) -> Result<FileKeys, String> {
    let parsed: FileKeys = keys.parse()?;
    match parsed.groups(2) {
        Some(_) => Ok(parsed),
        None => Err(format!("keys `{keys}`: expected zipf:0.99 or hot:20/80, or an expression in place of both")),
    }
}

fn operands(condition: &Condition) -> Vec<&Operand> {
    match condition {
        Condition::All => Vec::new(),
        Condition::Equal { value, .. } => vec![value],
        Condition::Range { from, below, .. } => vec![from, below],
        Condition::Like { pattern, .. } => vec![pattern],
    }
}

fn bound(operand: &Operand, parameters: usize) -> Result<(), String> {
    match operand.parameter() {
        Some(place) if place >= parameters => {
            Err(format!("?{} in a direct plan: the statement binds {parameters} values", place + 1))
        }
        _ => Ok(()),
    }
}

fn holds_transaction(steps: &[Step]) -> bool {
    steps.iter().any(is_or_holds_transaction)
}

fn is_or_holds_transaction(step: &Step) -> bool {
    matches!(step, Step::Transaction { .. }) || step.inner().into_iter().any(is_or_holds_transaction)
}

fn column<'t>(table: &'t TableSpec, name: &str) -> Result<usize, String> {
    let names = table.columns.iter().map(|column: &'t _| &column.name);
    table.column(name).ok_or_else(|| format!("table `{}`: {}", table.name, unknown("column", name, names)))
}

/// Checks that a name needs no quotes in any SQL engine.
fn named(what: &str, name: &str) -> Result<(), String> {
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if letters && name.chars().next().is_some_and(|c| c.is_ascii_alphabetic()) {
        return Ok(());
    }
    Err(format!("{what} `{name}`: expected a name of letters, digits and _ that begins with a letter"))
}

fn unknown<T: ToString>(what: &str, name: &str, known: impl Iterator<Item = T>) -> String {
    let known: Vec<String> = known.map(|name| name.to_string()).collect();
    if known.is_empty() {
        return format!("{what} `{name}`: none is declared");
    }
    format!("{what} `{name}`: {}", instead_of(name, &known))
}

/// Adds to a message the statement that it is about.
fn inside(place: &str) -> impl FnOnce(String) -> String + '_ {
    move |message| format!("{message} (in `{place}`)")
}

#[cfg(test)]
mod tests {
    use crate::{CatalogError, TestPick, located::CatalogText, suite::Suite};
    use std::collections::BTreeSet;

    /// Parses a suite whose second test has these steps, the first of which is on line 25.
    fn suite(steps: &str) -> Result<Suite, CatalogError> {
        let text = format!(
            "name = \"mine\"\nkind = \"sql\"\ntitle = \"t\"\nsource = \"s\"\n[size]\nname = \"n\"\ndefault = [1]\nchoices = [1]\n\
             bytes = \"1\"\n[[table]]\nname = \"t\"\ncolumns = [{{ name = \"a\", type = \"INTEGER\" }}]\n[[index]]\nname = \"i\"\n\
             table = \"t\"\ncolumn = \"a\"\n[[test]]\nnumber = 1\nname = \"one\"\nsteps = [{{ create_table = \"t\" }}]\n[[test]]\nnumber = 2\n\
             name = \"two\"\nsteps = [\n{steps}\n]\n"
        );
        let source = CatalogText { place: "mine.toml".to_owned(), text };
        Suite::parse("mine", &source)
    }

    /// Returns the error message for it.
    fn said(steps: &str) -> String {
        suite(steps).map_or_else(|error| error.to_string(), |_| "nothing".to_owned())
    }

    const NESTED: &str = "  { create_index = \"i\" },\n  { transaction = [\n    { repeat = 2, steps = [\n      { read = \"SELECT 1\" },\n      ";

    #[test]
    fn a_mistake_in_nested_steps_names_its_own_line() {
        let wrong = |step: &str| said(&format!("{NESTED}{step},\n    ] }},\n  ] }},"));
        for (step, expected) in [
            ("{ drop_table = \"u\" }", "mine.toml:29:7: table `u`: expected t"),
            ("{ write = \"DELETE FROM t WHERE a = ?1\", bind = [\"j\"] }", "mine.toml:29:7: name `j`: expected"),
            ("{ reed = \"SELECT 1\" }", "mine.toml:29:9: unknown field `reed`"),
            ("{ transaction = [] }", "mine.toml:26:3: transaction: it cannot be inside another"),
        ] {
            let found = wrong(step);
            assert!(found.starts_with(expected), "{step}: {found}");
        }
    }

    #[test]
    fn sql_is_tried_before_anything_runs_and_an_error_names_the_line() {
        for (step, expected) in [
            ("{ read = \"SELEC 1\" }", "SQLite reports: near \"SELEC\": syntax error (in `SELEC 1`)"),
            ("{ read = \"SELECT b FROM t\" }", "SQLite reports: no such column: b"),
            ("{ write = \"DELETE FROM u\" }", "SQLite reports: no such table: u"),
            ("{ read = \"SELECT ?1\" }", "bind: expected a value for each of 1 parameters, found 0"),
            ("{ run = \"DROP TABEL t\" }", "SQLite reports: near \"TABEL\": syntax error"),
            ("{ run = \"ATTACH 'a.db' AS o\" }", "ATTACH: expected ':memory:'"),
            (
                "{ run = \"CREATE TABLE u AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n\" }",
                "it does not finish in a trial run",
            ),
            (
                "{ read = \"SELECT ?1\", bind = [{ digits = \"R\", width = 1001 }] }",
                "width = 1001: expected at most 1000",
            ),
        ] {
            let found = said(&format!("{NESTED}{step},\n    ] }},\n  ] }},"));
            assert!(found.starts_with(&format!("mine.toml:29:7: {expected}")), "{step}: {found}");
        }
        let own = "{ create_table = \"t\" }, { run = \"CREATE TABLE u(a)\" }, { read = \"SELECT a FROM u\" }, { run = \"DROP TABLE u\" }";
        assert_eq!(said(own), "nothing", "what a suite creates by itself can be named");
        let attached = "{ run = \"ATTACH ':memory:' AS o\" }, { run = \"CREATE TABLE o.u(a)\" }, { write = \"DELETE FROM o.u\" }, \
                        { run = \"DETACH o\" }, { drop_table = \"t\" }, { run = \"DROP TABLE t\" }, { create_table = \"t\" }, { read = \"SELECT a FROM t\" }";
        assert_eq!(said(attached), "nothing");
    }

    #[test]
    fn what_reaches_no_engine_that_takes_tables_as_data_is_told_with_its_line() {
        let refusal = |sql: &str, test: u32| {
            let steps = format!("  {{ create_table = \"t\" }},\n  {{ run = \"{sql}\" }},");
            suite(&steps).unwrap().refusal(&TestPick(BTreeSet::from([test]))).map(str::to_owned)
        };
        for sql in [
            "CREATE TABLE u(a)",
            "DROP TABLE t",
            "DROP TABLE IF EXISTS t",
            "CREATE TEMP TABLE u(a)",
            "ALTER TABLE t RENAME TO u",
            "SAVEPOINT s",
        ] {
            let said = refusal(sql, 2).unwrap();
            assert!(said.starts_with("mine.toml:26:3: ") && said.ends_with(&format!("(in `{sql}`)")), "{said}");
            assert_eq!(refusal(sql, 1), None, "it is not in the tests that run");
        }
        for sql in ["PRAGMA user_version", "VACUUM", "ATTACH ':memory:' AS o; CREATE TABLE o.u(a); DETACH o"] {
            assert_eq!(refusal(sql, 2), None, "{sql}");
        }
    }
}
