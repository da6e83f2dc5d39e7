//! Whether the tables and steps of a SQL suite fit together.

use crate::catalog::{CatalogError, located::CatalogText};
use dbdyno_engine::{
    describe::one_of,
    suite::{
        Assignment, Condition, DirectPlan, Expression, IndexSpec, Operand, Parameter, StatementSpec, Step, TableSpec,
    },
};
use toml::Spanned;

/// The declarations that steps are checked against.
pub(super) struct Checker<'f> {
    tables: Vec<&'f TableSpec>,
    indexes: Vec<&'f IndexSpec>,
    constants: Vec<&'f str>,
    source: &'f CatalogText,
}

impl<'f> Checker<'f> {
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
            return Err(format!("table `{}`: declared before", table.name));
        }
        if table.columns.is_empty() {
            return Err(format!("table `{}`: expected at least one column", table.name));
        }
        for (place, column) in table.columns.iter().enumerate() {
            named("column", &column.name)?;
            if table.columns[..place].iter().any(|other| other.name.eq_ignore_ascii_case(&column.name)) {
                return Err(format!("table `{}`: two columns `{}`", table.name, column.name));
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
            return Err(format!("index `{}`: declared before", index.name));
        }
        column(self.table(&index.table)?, &index.column)?;
        self.indexes.push(index);
        Ok(())
    }

    /// Whether an expression depends on the suite's constants only.
    pub(super) fn constant(&self, expression: &Spanned<Expression>) -> Result<(), CatalogError> {
        self.known(expression.get_ref(), &[]).map_err(|message| self.source.wrong(expression.span(), message))
    }

    /// Whether a table to be verified is there.
    pub(super) fn verified(&self, table: &Spanned<String>) -> Result<(), CatalogError> {
        self.table(table.get_ref()).map(drop).map_err(|message| self.source.wrong(table.span(), message))
    }

    /// Whether every step of a test means something.
    pub(super) fn steps(&self, steps: &Spanned<Vec<Step>>) -> Result<(), CatalogError> {
        self.all(steps.get_ref(), &[]).map_err(|message| self.source.wrong(steps.span(), message))
    }

    fn all(&self, steps: &[Step], names: &[&str]) -> Result<(), String> {
        steps.iter().try_for_each(|step| self.step(step, names))
    }

    fn step(&self, step: &Step, names: &[&str]) -> Result<(), String> {
        match step {
            Step::CreateTable(name) | Step::DropTable(name) => self.table(name).map(drop),
            Step::CopyDatabase(copy) => copy.tables.iter().try_for_each(|name| self.table(name).map(drop)),
            Step::CreateIndex(name) => {
                let found = self.indexes.iter().any(|index| index.name == *name);
                if found { Ok(()) } else { Err(unknown("index", name, self.indexes.iter().map(|index| &index.name))) }
            }
            Step::Run { sql, direct } => direct.as_ref().map_or(Ok(()), |plan| self.plan(plan, 0)).map_err(inside(sql)),
            Step::Write(statement) | Step::Read(statement) => {
                self.statement(statement, names).map_err(inside(&statement.sql))
            }
            Step::Repeat { count, variable, from, steps } => {
                self.known(count, &[]).map_err(inside("repeat"))?;
                self.known(from, names).map_err(inside("from"))?;
                self.free(variable)?;
                self.all(steps, &[names, &[variable]].concat())
            }
            Step::Transaction { steps, .. } if holds_transaction(steps) => {
                Err("transaction: it cannot be inside another".to_owned())
            }
            Step::Transaction { steps, .. } => self.all(steps, names),
        }
    }

    fn statement(&self, statement: &StatementSpec, names: &[&str]) -> Result<(), String> {
        let mut names = names.to_vec();
        for (name, below) in &statement.draw {
            self.free(name)?;
            self.known(below, &names)?;
            names.push(name);
        }
        for parameter in &statement.bind {
            self.known(parameter.expression(), &names)?;
            if matches!(parameter, Parameter::Real { per: 0, .. }) {
                return Err("per = 0: expected a divisor of 1 or more".to_owned());
            }
        }
        statement.direct.as_ref().map_or(Ok(()), |plan| self.plan(plan, statement.bind.len()))
    }

    /// A name for a loop's variable or a number drawn: not that of a constant, which is put in first.
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
                Err(format!("copy from `{from}` to `{to}`: expected tables with as many columns"))
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
    steps.iter().any(|step| match step {
        Step::Transaction { .. } => true,
        Step::Repeat { steps, .. } => holds_transaction(steps),
        _ => false,
    })
}

fn column<'t>(table: &'t TableSpec, name: &str) -> Result<usize, String> {
    let names = table.columns.iter().map(|column: &'t _| &column.name);
    table.column(name).ok_or_else(|| format!("table `{}`: {}", table.name, unknown("column", name, names)))
}

/// A name that every SQL engine takes without quotes.
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
    format!("{what} `{name}`: expected {}", one_of(&known))
}

/// Says in which statement something is wrong.
fn inside(place: &str) -> impl FnOnce(String) -> String + '_ {
    move |message| format!("{message} (in `{place}`)")
}
