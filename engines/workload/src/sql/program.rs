//! The steps of a test, with all names resolved that can be resolved before the steps run.

use dbdyno_engine::{
    EngineError,
    suite::{Begin, CopySpec, DirectPlan, Expression, IndexSpec, SqlSuite, StatementSpec, Step, TableSpec},
};

/// A step with its names resolved.
pub(super) enum Node<'e> {
    Do(Deed<'e>),
    Statement(Statement<'e>),
    Repeat { count: u64, variable: &'e str, from: &'e Expression, nodes: Vec<Node<'e>> },
    Transaction { begin: Begin, nodes: Vec<Node<'e>> },
}

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
pub(super) struct Statement<'e> {
    pub(super) spec: &'e StatementSpec,
    /// Its index among the statements of the program.
    pub(super) slot: usize,
    /// Whether it returns rows rather than changing them.
    pub(super) reads: bool,
}

/// All steps of a test.
pub(super) struct Program<'e> {
    pub(super) nodes: Vec<Node<'e>>,
    /// The number of statements.
    pub(super) statements: usize,
}

impl<'e> Program<'e> {
    /// # Errors
    /// A step names something that the suite does not declare, or has a count that is not a number.
    pub(super) fn compile(suite: &'e SqlSuite, steps: &'e [Step]) -> Result<Self, EngineError> {
        let mut compiler = Compiler { suite, statements: 0 };
        let nodes = compiler.nodes(steps)?;
        Ok(Self { nodes, statements: compiler.statements })
    }
}

struct Compiler<'e> {
    suite: &'e SqlSuite,
    statements: usize,
}

impl<'e> Compiler<'e> {
    fn nodes(&mut self, steps: &'e [Step]) -> Result<Vec<Node<'e>>, EngineError> {
        steps.iter().map(|step| self.node(step)).collect()
    }

    fn node(&mut self, step: &'e Step) -> Result<Node<'e>, EngineError> {
        Ok(match step {
            Step::CreateTable(name) => Node::Do(Deed::CreateTable(self.table(name)?)),
            Step::DropTable(name) => Node::Do(Deed::DropTable(self.table(name)?)),
            Step::CopyDatabase(copy) => Node::Do(Deed::CopyDatabase(copy)),
            Step::CreateIndex(name) => {
                let found = self.suite.indexes.iter().find(|index| index.name == *name);
                Node::Do(Deed::CreateIndex(found.ok_or_else(|| self.undeclared("index", name))?))
            }
            Step::Run { sql, direct } => Node::Do(Deed::Run(sql, direct.as_ref())),
            Step::Write(spec) => self.statement(spec, false),
            Step::Read(spec) => self.statement(spec, true),
            Step::Repeat { count, variable, from, steps } => Node::Repeat {
                count: count.count().ok_or_else(|| EngineError::new("the count of a repeat is not a number"))?,
                variable,
                from,
                nodes: self.nodes(steps)?,
            },
            Step::Transaction { begin, steps } => Node::Transaction { begin: *begin, nodes: self.nodes(steps)? },
        })
    }

    fn statement(&mut self, spec: &'e StatementSpec, reads: bool) -> Node<'e> {
        let slot = self.statements;
        self.statements += 1;
        Node::Statement(Statement { spec, slot, reads })
    }

    fn table(&self, name: &str) -> Result<&'e TableSpec, EngineError> {
        let found = self.suite.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| self.undeclared("table", name))
    }

    fn undeclared(&self, what: &str, name: &str) -> EngineError {
        EngineError::new(format!("suite `{}` declares no {what} `{name}`", self.suite.name))
    }
}
