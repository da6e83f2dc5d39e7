//! Does the steps of a test on an engine's session.

use super::inputs;
use crate::rng::SplitMix64;
use dbdyno_engine::{
    EngineError,
    sql::{SqlRow, SqlSession, SqlValue},
    suite::{Begin, CopySpec, DirectPlan, Expression, IndexSpec, SqlSuite, StatementSpec, Step, TableSpec, Variables},
};

/// What is told of the steps as they are done.
pub trait Sink {
    /// An operation has ended; a begin before it and a commit behind it included.
    fn operation(&mut self);

    fn row<R: SqlRow>(&mut self, row: &R);

    /// How many rows a statement gave or changed; told after those rows.
    fn rows(&mut self, rows: u64);
}

/// Does steps in order on a session. Every random number is drawn from `rng`.
pub fn perform<'e, S: SqlSession<'e>, K: Sink>(
    session: &mut S,
    suite: &'e SqlSuite,
    steps: &'e [Step],
    rng: &mut SplitMix64,
    sink: &mut K,
) -> Result<(), EngineError> {
    let mut compiled = Compiler { suite, statements: 0 };
    let nodes = compiled.nodes(steps)?;
    let mut executor = Executor {
        session,
        ready: (0..compiled.statements).map(|_| None).collect(),
        variables: Variables::new(),
        values: Vec::new(),
        rng,
        sink,
        pending: false,
    };
    let done = executor.all(&nodes);
    executor.settle();
    done
}

/// A step with everything looked up that can be looked up before it is done.
enum Node<'e> {
    CreateTable(&'e TableSpec),
    CreateIndex(&'e IndexSpec),
    DropTable(&'e TableSpec),
    CopyDatabase(&'e CopySpec),
    Run(&'e str, Option<&'e DirectPlan>),
    Write(&'e StatementSpec, usize),
    Read(&'e StatementSpec, usize),
    Repeat { count: u64, variable: &'e str, from: &'e Expression, nodes: Vec<Node<'e>> },
    Transaction { begin: Begin, nodes: Vec<Node<'e>> },
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
            Step::CreateTable(name) => Node::CreateTable(self.table(name)?),
            Step::DropTable(name) => Node::DropTable(self.table(name)?),
            Step::CopyDatabase(copy) => Node::CopyDatabase(copy),
            Step::CreateIndex(name) => {
                let found = self.suite.indexes.iter().find(|index| index.name == *name);
                Node::CreateIndex(found.ok_or_else(|| self.undeclared("index", name))?)
            }
            Step::Run { sql, direct } => Node::Run(sql, direct.as_ref()),
            Step::Write(statement) => Node::Write(statement, self.next()),
            Step::Read(statement) => Node::Read(statement, self.next()),
            Step::Repeat { count, variable, from, steps } => Node::Repeat {
                count: count.count().ok_or_else(|| EngineError::new("the count of a repeat is not a number"))?,
                variable,
                from,
                nodes: self.nodes(steps)?,
            },
            Step::Transaction { begin, steps } => Node::Transaction { begin: *begin, nodes: self.nodes(steps)? },
        })
    }

    fn next(&mut self) -> usize {
        self.statements += 1;
        self.statements - 1
    }

    fn table(&self, name: &str) -> Result<&'e TableSpec, EngineError> {
        let found = self.suite.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| self.undeclared("table", name))
    }

    fn undeclared(&self, what: &str, name: &str) -> EngineError {
        EngineError::new(format!("suite `{}` declares no {what} `{name}`", self.suite.name))
    }
}

struct Executor<'x, 'e, S: SqlSession<'e>, K> {
    session: &'x mut S,
    /// Statements as they were made ready by their first execution.
    ready: Vec<Option<S::Statement>>,
    variables: Variables<'e>,
    values: Vec<SqlValue>,
    rng: &'x mut SplitMix64,
    sink: &'x mut K,
    /// Whether an operation was done that has not been told yet: a commit may still follow, which belongs to it.
    pending: bool,
}

impl<'e, S: SqlSession<'e>, K: Sink> Executor<'_, 'e, S, K> {
    #[inline]
    fn settle(&mut self) {
        if std::mem::take(&mut self.pending) {
            self.sink.operation();
        }
    }

    fn all(&mut self, nodes: &[Node<'e>]) -> Result<(), EngineError> {
        nodes.iter().try_for_each(|node| self.one(node))
    }

    #[inline]
    fn one(&mut self, node: &Node<'e>) -> Result<(), EngineError> {
        match node {
            Node::Write(statement, slot) => self.write(statement, *slot)?,
            Node::Read(statement, slot) => self.read(statement, *slot)?,
            Node::Repeat { count, variable, from, nodes } => {
                return self.repeat(*count, variable, from, nodes);
            }
            Node::Transaction { begin, nodes } => return self.transaction(*begin, nodes),
            Node::Run(sql, direct) => {
                self.settle();
                self.session.run(sql, *direct)?;
            }
            Node::CreateTable(table) => {
                self.settle();
                self.session.create_table(table)?;
            }
            Node::CreateIndex(index) => {
                self.settle();
                self.session.create_index(index)?;
            }
            Node::DropTable(table) => {
                self.settle();
                self.session.drop_table(table)?;
            }
            Node::CopyDatabase(copy) => {
                self.settle();
                let rows = self.session.copy_database(copy)?;
                self.sink.rows(rows);
            }
        }
        self.pending = true;
        Ok(())
    }

    fn repeat(
        &mut self,
        count: u64,
        variable: &'e str,
        from: &Expression,
        nodes: &[Node<'e>],
    ) -> Result<(), EngineError> {
        let start = from.value(&self.variables);
        let place = self.variables.len();
        self.variables.push((variable, start));
        for step in 0..count {
            self.variables[place].1 = start.wrapping_add(step as i64);
            self.all(nodes)?;
        }
        self.variables.truncate(place);
        Ok(())
    }

    fn transaction(&mut self, begin: Begin, nodes: &[Node<'e>]) -> Result<(), EngineError> {
        self.settle();
        self.session.begin(begin)?;
        self.all(nodes)?;
        self.session.commit()
    }

    #[inline]
    fn write(&mut self, statement: &'e StatementSpec, slot: usize) -> Result<(), EngineError> {
        self.settle();
        inputs::fill(&mut self.values, statement, &mut self.variables, self.rng);
        let ready = prepared(&mut self.ready[slot], self.session, statement)?;
        let changed = self.session.execute(ready, &self.values)?;
        self.sink.rows(changed);
        Ok(())
    }

    #[inline]
    fn read(&mut self, statement: &'e StatementSpec, slot: usize) -> Result<(), EngineError> {
        self.settle();
        inputs::fill(&mut self.values, statement, &mut self.variables, self.rng);
        let ready = prepared(&mut self.ready[slot], self.session, statement)?;
        let (mut rows, sink) = (0, &mut *self.sink);
        self.session.query(ready, &self.values, |row| {
            sink.row(row);
            rows += 1;
        })?;
        self.sink.rows(rows);
        Ok(())
    }
}

#[inline]
fn prepared<'r, 'e, S: SqlSession<'e>>(
    slot: &'r mut Option<S::Statement>,
    session: &mut S,
    statement: &'e StatementSpec,
) -> Result<&'r mut S::Statement, EngineError> {
    match slot {
        Some(ready) => Ok(ready),
        None => Ok(slot.insert(session.prepare(statement)?)),
    }
}
