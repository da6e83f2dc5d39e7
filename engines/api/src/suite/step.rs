//! The steps of a SQL test.
//!
//! A step is an object with one of the keys `create_table`, `create_index`, `drop_table`, `copy_database`, `write`, `read`,
//! `run`, `repeat` or `transaction`; suite files and jobs have the same form.

use super::{DirectPlan, Draw, Expression, ObjectSpec, Parameter, StatementSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "StepWire", into = "StepWire")]
pub enum Step {
    /// Create a table that the suite declares; one operation.
    CreateTable(String),
    /// Create an index that the suite declares; one operation.
    CreateIndex(String),
    /// Drop a table with its indexes; one operation.
    DropTable(String),
    /// Copy tables into a fresh database next to this one, opened with the same options; one operation.
    CopyDatabase(CopySpec),
    /// Run a statement that changes rows, and digest how many; one operation.
    Write(StatementSpec),
    /// Run a statement that reads, and digest every row of its answer; one operation.
    Read(StatementSpec),
    /// Run a statement that neither changes rows nor reads; one operation.
    Run {
        sql: String,
        /// The equivalent without SQL. None: it has no meaning there.
        direct: Option<DirectPlan>,
        /// Its results are reported under this name too.
        name: Option<String>,
    },
    /// Repeat steps.
    Repeat {
        /// Number of repetitions. It depends only on the suite's constants.
        count: Expression,
        /// Name of the counter, which increases by 1 with each repetition.
        variable: String,
        from: Expression,
        steps: Vec<Step>,
    },
    /// Do steps in one transaction. Its begin is part of the first operation in it, its commit of the last.
    Transaction {
        begin: Begin,
        steps: Vec<Step>,
        /// The time of its begin and its commit is reported under this name too.
        name: Option<String>,
    },
    /// Do the steps of one choice, drawn each time by the weights.
    Mix(Vec<Choice>),
}

/// Steps of which a mix does one list at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Share among the choices, relative to the sum of all weights.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub weight: u64,
    pub steps: Vec<Step>,
}

impl Step {
    /// Returns the number of operations in it, loops included. A loop whose count is not resolved has 0. Of a mix whose choices have
    /// different numbers, it is the expected number.
    pub fn operations(&self) -> u64 {
        self.count(&|step| if matches!(step, Self::Transaction { .. }) { None } else { Some(1) })
    }

    /// Returns the number of commits in it, or the expected number: one for each transaction, and one for each operation outside a
    /// transaction that is not a read.
    pub fn commits(&self) -> u64 {
        self.count(&|step| Some(u64::from(!matches!(step, Self::Read(_)))))
    }

    /// Returns a sum over all executions, or the expected sum. `own`: the number of one execution of a step; None: that of the steps in
    /// it.
    fn count(&self, own: &dyn Fn(&Self) -> Option<u64>) -> u64 {
        let sum = |steps: &[Self]| steps.iter().map(|step| step.count(own)).fold(0, u64::saturating_add);
        match self {
            Self::Repeat { count, steps, .. } => count.count().unwrap_or(0).saturating_mul(sum(steps)),
            Self::Mix(choices) => {
                let weights: u64 = choices.iter().map(|choice| choice.weight).sum();
                let shares = choices.iter().map(|choice| choice.weight as f64 * sum(&choice.steps) as f64);
                (shares.sum::<f64>() / weights.max(1) as f64).ceil() as u64
            }
            step => own(step).unwrap_or_else(|| match step {
                Self::Transaction { steps, .. } => sum(steps),
                _ => 0,
            }),
        }
    }

    /// Whether its number of operations is known before it runs: no mix in it has choices of different numbers.
    pub fn is_counted(&self) -> bool {
        match self {
            Self::Repeat { steps, .. } | Self::Transaction { steps, .. } => steps.iter().all(Self::is_counted),
            Self::Mix(choices) => {
                let operations = |choice: &Choice| -> u64 { choice.steps.iter().map(Self::operations).sum() };
                let is_equal = choices.windows(2).all(|pair| operations(&pair[0]) == operations(&pair[1]));
                is_equal && choices.iter().flat_map(|choice| &choice.steps).all(Self::is_counted)
            }
            _ => true,
        }
    }

    /// Whether it, or a step in it, is more than a read.
    pub fn writes(&self) -> bool {
        match self {
            Self::Read(_) => false,
            Self::Repeat { .. } | Self::Transaction { .. } | Self::Mix(_) => self.inner().into_iter().any(Self::writes),
            _ => true,
        }
    }

    /// Returns the steps directly inside it.
    pub fn inner(&self) -> Vec<&Self> {
        match self {
            Self::Repeat { steps, .. } | Self::Transaction { steps, .. } => steps.iter().collect(),
            Self::Mix(choices) => choices.iter().flat_map(|choice| &choice.steps).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the name under which its results are reported too.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Write(statement) | Self::Read(statement) => statement.name.as_deref(),
            Self::Run { name, .. } | Self::Transaction { name, .. } => name.as_deref(),
            _ => None,
        }
    }

    /// Returns the names of these steps and of all in them, each once, in the order in which they occur first.
    pub fn names<'s>(steps: impl IntoIterator<Item = &'s Self>) -> Vec<&'s str> {
        let mut names = Vec::new();
        steps.into_iter().for_each(|step| step.add_names(&mut names));
        names
    }

    fn add_names<'s>(&'s self, names: &mut Vec<&'s str>) {
        if let Some(name) = self.name().filter(|name| !names.contains(name)) {
            names.push(name);
        }
        self.inner().into_iter().for_each(|step| step.add_names(names));
    }

    /// Returns the same step with constants inserted.
    #[must_use]
    pub fn resolve(&self, constants: &BTreeMap<String, i64>) -> Self {
        let all = |steps: &[Self]| steps.iter().map(|step| step.resolve(constants)).collect();
        match self {
            Self::Write(statement) => Self::Write(statement.resolve(constants)),
            Self::Read(statement) => Self::Read(statement.resolve(constants)),
            Self::Repeat { count, variable, from, steps } => Self::Repeat {
                count: count.resolve(constants),
                variable: variable.clone(),
                from: from.resolve(constants),
                steps: all(steps),
            },
            Self::Transaction { begin, steps, name } => {
                Self::Transaction { begin: *begin, steps: all(steps), name: name.clone() }
            }
            Self::Mix(choices) => Self::Mix(
                choices.iter().map(|choice| Choice { weight: choice.weight, steps: all(&choice.steps) }).collect(),
            ),
            Self::CreateTable(_)
            | Self::CreateIndex(_)
            | Self::DropTable(_)
            | Self::CopyDatabase(_)
            | Self::Run { .. } => self.clone(),
        }
    }
}

/// The tables that are copied into a fresh database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopySpec {
    /// Statements that create its tables and indexes. They refer to the fresh database as the schema `copy`.
    pub schema: Vec<String>,
    /// The tables whose rows are copied, all in one transaction with the statements.
    pub tables: Vec<String>,
}

/// How a transaction begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Begin {
    /// As the engine's option `transaction` says; deferred if there is no such option.
    #[default]
    Engine,
    /// Takes no lock until it has to.
    Deferred,
    /// May write at once.
    Immediate,
    /// Excludes readers if the engine can.
    Exclusive,
    /// Several may write at once, in a SQLite that has `BEGIN CONCURRENT`.
    Concurrent,
}

/// A step as written in JSON and TOML.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, schemars(transform = crate::schema::choice_of_steps))]
struct StepWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    create_table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    create_index: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drop_table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_database: Option<CopySpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    draw: BTreeMap<String, Draw>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bind: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direct: Option<DirectPlan>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    objects: Vec<ObjectSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<Expression>,
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    variable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Expression>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Step>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction: Option<Vec<Step>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    begin: Option<Begin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mix: Option<Vec<Choice>>,
}

impl TryFrom<StepWire> for Step {
    type Error = String;

    fn try_from(mut wire: StepWire) -> Result<Self, String> {
        let expected = "a step: expected exactly one of create_table, create_index, drop_table, copy_database, write, read, \
                        run, repeat, transaction and mix; further fields: draw, bind and direct with write or read, objects and keep with \
                        read, direct with run, from, as and steps with repeat, begin with transaction, name with write, read, run or \
                        transaction";
        let (draw, bind) = (std::mem::take(&mut wire.draw), std::mem::take(&mut wire.bind));
        let parameters = !draw.is_empty() || !bind.is_empty();
        let direct = wire.direct.take();
        let objects = std::mem::take(&mut wire.objects);
        let (name, keep) = (wire.name.take(), wire.keep.take());
        let statement = |sql| StatementSpec {
            sql,
            name: name.clone(),
            keep: keep.clone(),
            draw: draw.clone(),
            bind: bind.clone(),
            direct: direct.clone(),
            objects: objects.clone(),
        };
        let step = if let Some(table) = wire.create_table.take() {
            Self::CreateTable(table)
        } else if let Some(index) = wire.create_index.take() {
            Self::CreateIndex(index)
        } else if let Some(table) = wire.drop_table.take() {
            Self::DropTable(table)
        } else if let Some(copy) = wire.copy_database.take() {
            Self::CopyDatabase(copy)
        } else if let Some(sql) = wire.write.take() {
            Self::Write(statement(sql))
        } else if let Some(sql) = wire.read.take() {
            Self::Read(statement(sql))
        } else if let Some(sql) = wire.run.take() {
            Self::Run { sql, direct: direct.clone(), name: name.clone() }
        } else if let Some(count) = wire.repeat.take() {
            Self::Repeat {
                count,
                variable: wire.variable.take().unwrap_or_else(|| "i".to_owned()),
                from: wire.from.take().unwrap_or(Expression::Number(0)),
                steps: wire.steps.take().ok_or(expected)?,
            }
        } else if let Some(steps) = wire.transaction.take() {
            Self::Transaction { begin: wire.begin.take().unwrap_or_default(), steps, name: name.clone() }
        } else if let Some(choices) = wire.mix.take() {
            Self::Mix(choices)
        } else {
            return Err(expected.to_owned());
        };
        let is_statement = matches!(step, Self::Write(_) | Self::Read(_));
        let is_planned = is_statement || matches!(step, Self::Run { .. });
        let keeps = !objects.is_empty() || keep.is_some();
        let has_strays = keeps && !matches!(step, Self::Read(_));
        let has_stray_name = name.is_some() && step.name().is_none();
        if !wire.is_empty()
            || !is_statement && parameters
            || !is_planned && direct.is_some()
            || has_strays
            || has_stray_name
        {
            return Err(expected.to_owned());
        }
        Ok(step)
    }
}

impl StepWire {
    /// Whether no field is left in it.
    fn is_empty(&self) -> bool {
        let texts = [&self.create_table, &self.create_index, &self.drop_table, &self.write, &self.read, &self.run];
        texts.iter().all(|text| text.is_none())
            && self.copy_database.is_none()
            && self.variable.is_none()
            && self.repeat.is_none()
            && self.from.is_none()
            && self.steps.is_none()
            && self.transaction.is_none()
            && self.begin.is_none()
            && self.mix.is_none()
    }

    fn from_statement(statement: StatementSpec) -> Self {
        Self {
            name: statement.name,
            keep: statement.keep,
            draw: statement.draw,
            bind: statement.bind,
            direct: statement.direct,
            objects: statement.objects,
            ..Self::default()
        }
    }
}

impl From<Step> for StepWire {
    fn from(step: Step) -> Self {
        match step {
            Step::CreateTable(table) => Self { create_table: Some(table), ..Self::default() },
            Step::CreateIndex(index) => Self { create_index: Some(index), ..Self::default() },
            Step::DropTable(table) => Self { drop_table: Some(table), ..Self::default() },
            Step::CopyDatabase(copy) => Self { copy_database: Some(copy), ..Self::default() },
            Step::Write(statement) => Self { write: Some(statement.sql.clone()), ..Self::from_statement(statement) },
            Step::Read(statement) => Self { read: Some(statement.sql.clone()), ..Self::from_statement(statement) },
            Step::Run { sql, direct, name } => Self { run: Some(sql), direct, name, ..Self::default() },
            Step::Repeat { count, variable, from, steps } => Self {
                repeat: Some(count),
                variable: Some(variable),
                from: Some(from),
                steps: Some(steps),
                ..Self::default()
            },
            Step::Transaction { begin, steps, name } => {
                Self { transaction: Some(steps), begin: Some(begin), name, ..Self::default() }
            }
            Step::Mix(choices) => Self { mix: Some(choices), ..Self::default() },
        }
    }
}
