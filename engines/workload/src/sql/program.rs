//! The steps of a test, with all names resolved that can be resolved before the steps run.

use crate::popular::Popular;
use dbdyno_engine::{
    EngineError,
    suite::{
        Begin, Choice, CopySpec, DirectPlan, Draw, Expression, IndexSpec, Parameter, SqlSuite, StatementSpec, Step,
        TableSpec,
    },
};

/// A step with its names resolved.
pub(super) enum Node<'e> {
    Do(Deed<'e>, NamePlace),
    Statement(BoundStatement<'e>),
    Repeat { count: u64, variable: &'e str, from: &'e Expression, nodes: Vec<Node<'e>> },
    Transaction { begin: Begin, nodes: Vec<Node<'e>>, name: NamePlace },
    Mix { weights: u64, choices: Vec<(u64, Vec<Node<'e>>)> },
}

/// The place of a step's name among the names of the program, if it has one.
pub(super) type NamePlace = Option<usize>;

/// An action that is the same each time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deed<'e> {
    CreateTable(&'e TableSpec),
    CreateIndex(&'e IndexSpec),
    DropTable(&'e TableSpec),
    CopyDatabase(&'e CopySpec),
    Run(&'e str, Option<&'e DirectPlan>),
}

/// A statement with bound values.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundStatement<'e> {
    pub(super) spec: &'e StatementSpec,
    /// Its index among the statements of the program.
    pub(super) slot: usize,
    /// Whether it returns rows rather than changing them.
    pub(super) reads: bool,
    /// Whether values of rows that were kept are bound to it.
    pub(super) takes_kept: bool,
    pub(super) name: NamePlace,
}

/// All steps of a test.
pub(super) struct TestProgram<'e> {
    pub(super) nodes: Vec<Node<'e>>,
    /// The names of the steps, in the order in which they occur first.
    pub(super) names: Vec<&'e str>,
    /// For each statement, what its draws need: nothing for those that are uniform.
    pub(super) draws: Vec<Vec<Option<Popular>>>,
}

impl TestProgram<'_> {
    /// Returns the number of statements.
    pub(super) fn statements(&self) -> usize {
        self.draws.len()
    }
}

impl<'e> TestProgram<'e> {
    /// # Errors
    /// A step names something that the suite does not declare, or has a count that is not a number.
    pub(super) fn compile(suite: &'e SqlSuite, steps: &'e [Step]) -> Result<Self, EngineError> {
        let mut compiler = Compiler { suite, names: Step::names(steps), draws: Vec::new() };
        let nodes = compiler.nodes(steps)?;
        Ok(Self { nodes, names: compiler.names, draws: compiler.draws })
    }
}

struct Compiler<'e> {
    suite: &'e SqlSuite,
    names: Vec<&'e str>,
    draws: Vec<Vec<Option<Popular>>>,
}

impl<'e> Compiler<'e> {
    fn nodes(&mut self, steps: &'e [Step]) -> Result<Vec<Node<'e>>, EngineError> {
        steps.iter().map(|step| self.node(step)).collect()
    }

    fn node(&mut self, step: &'e Step) -> Result<Node<'e>, EngineError> {
        Ok(match step {
            Step::CreateTable(name) => Node::Do(Deed::CreateTable(self.table(name)?), None),
            Step::DropTable(name) => Node::Do(Deed::DropTable(self.table(name)?), None),
            Step::CopyDatabase(copy) => Node::Do(Deed::CopyDatabase(copy), None),
            Step::CreateIndex(name) => {
                let found = self.suite.indexes.iter().find(|index| index.name == *name);
                Node::Do(Deed::CreateIndex(found.ok_or_else(|| self.undeclared("index", name))?), None)
            }
            Step::Run { sql, direct, .. } => Node::Do(Deed::Run(sql, direct.as_ref()), self.place(step)),
            Step::Write(spec) => self.statement(spec, false, self.place(step))?,
            Step::Read(spec) => self.statement(spec, true, self.place(step))?,
            Step::Repeat { count, variable, from, steps } => Node::Repeat {
                count: count.count().ok_or_else(|| EngineError::new("the count of a repeat is not a number"))?,
                variable,
                from,
                nodes: self.nodes(steps)?,
            },
            Step::Transaction { begin, steps, .. } => {
                Node::Transaction { begin: *begin, nodes: self.nodes(steps)?, name: self.place(step) }
            }
            Step::Mix(choices) => self.mix(choices)?,
        })
    }

    fn mix(&mut self, choices: &'e [Choice]) -> Result<Node<'e>, EngineError> {
        let mut weights = 0;
        let mut made = Vec::with_capacity(choices.len());
        for choice in choices {
            weights += choice.weight;
            made.push((weights, self.nodes(&choice.steps)?));
        }
        if weights == 0 {
            return Err(EngineError::new("a mix has no choice with a weight"));
        }
        Ok(Node::Mix { weights, choices: made })
    }

    fn place(&self, step: &Step) -> NamePlace {
        let name = step.name()?;
        self.names.iter().position(|known| *known == name)
    }

    fn statement(&mut self, spec: &'e StatementSpec, reads: bool, name: NamePlace) -> Result<Node<'e>, EngineError> {
        let slot = self.draws.len();
        let draws = spec.draw.values().map(|draw| match draw {
            Draw::Popular { popular } => Ok(Some(Popular::new(popular))),
            Draw::Below(_) => Ok(None),
            Draw::Keys { keys, .. } => Err(EngineError::new(format!("keys `{keys}`: expected the groups of a job"))),
        });
        self.draws.push(draws.collect::<Result<_, _>>()?);
        let takes_kept = spec.bind.iter().any(|value| matches!(value, Parameter::Kept { .. }));
        Ok(Node::Statement(BoundStatement { spec, slot, reads, takes_kept, name }))
    }

    fn table(&self, name: &str) -> Result<&'e TableSpec, EngineError> {
        let found = self.suite.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| self.undeclared("table", name))
    }

    fn undeclared(&self, what: &str, name: &str) -> EngineError {
        EngineError::new(format!("suite `{}` declares no {what} `{name}`", self.suite.name))
    }
}
