//! A program as a sequence of actions with the values of their statements, drawn a block at a time before they are needed.

use super::{
    inputs,
    program::{BoundStatement, Deed, NamePlace, Node, TestProgram},
};
use crate::rng::SplitMix64;
use dbdyno_engine::{
    sql::SqlValue,
    suite::{Begin, Expression, THREAD, Variables},
};
use std::ops::Range;

/// Actions prepared at a time, or fewer if their values are long.
const BLOCK_ACTIONS: usize = 256;
/// A block is full at this many bytes of values, so that it stays in the processor's cache.
const BLOCK_BYTES: usize = 32 << 10;

/// The next action.
pub(super) enum SqlAction<'e> {
    Begin(Begin),
    Commit(NamePlace),
    Do(Deed<'e>, NamePlace),
    /// With the range of its values in the block.
    Statement(BoundStatement<'e>, Range<usize>),
    /// The same for a statement whose rows are built into objects, with the variables of the surrounding loops.
    Fetch(BoundStatement<'e>, Range<usize>, Variables<'e>),
}

impl SqlAction<'_> {
    /// Returns the place of its name among the names of the program.
    pub(super) fn name(&self) -> NamePlace {
        match self {
            Self::Begin(_) => None,
            Self::Commit(name) | Self::Do(_, name) => *name,
            Self::Statement(statement, _) | Self::Fetch(statement, ..) => statement.name,
        }
    }
}

/// An action, and whether it ends an operation.
pub(super) struct Scheduled<'e> {
    pub(super) action: SqlAction<'e>,
    pub(super) ends_operation: bool,
}

/// Actions that are ready to run.
#[derive(Default)]
pub(super) struct Block<'e> {
    pub(super) actions: Vec<Scheduled<'e>>,
    /// Reused from block to block, with the memory of their texts.
    pub(super) values: Vec<SqlValue>,
    used: usize,
    bytes: usize,
}

/// The state of a walk through a program.
pub(super) struct Script<'p, 'e, 'r> {
    program: &'p TestProgram<'e>,
    stack: Vec<Level<'p, 'e>>,
    variables: Variables<'e>,
    /// Every random number is drawn from here.
    rng: &'r mut SplitMix64,
    /// Whether an operation was done that has not ended, because a commit that belongs to it follows.
    is_pending: bool,
}

/// A list of nodes being walked through.
struct Level<'p, 'e> {
    nodes: &'p [Node<'e>],
    next: usize,
    end: LevelEnd,
}

/// What comes after the last node.
enum LevelEnd {
    Nothing,
    Commit(NamePlace),
    /// The same nodes again, `times` more times, with the next value of the variable at index `place`.
    Again {
        times: u64,
        place: usize,
    },
}

impl<'p, 'e, 'r> Script<'p, 'e, 'r> {
    /// `thread`: the number of the thread that does it, if there are several.
    pub(super) fn new(program: &'p TestProgram<'e>, thread: Option<u32>, rng: &'r mut SplitMix64) -> Self {
        let stack = vec![Level { nodes: &program.nodes, next: 0, end: LevelEnd::Nothing }];
        let variables = thread.map(|thread| (THREAD, i64::from(thread))).into_iter().collect();
        Self { program, stack, variables, rng, is_pending: false }
    }

    /// Replaces the content of a block with the next actions; it stays empty at the end of the program.
    ///
    /// A block ends with an operation, never between a begin and its first operation or an operation and its commit. `is_whole`: it never
    /// ends inside a transaction, however long that is.
    pub(super) fn fill(&mut self, block: &mut Block<'e>, is_whole: bool) {
        block.actions.clear();
        (block.used, block.bytes) = (0, 0);
        loop {
            let is_full = block.actions.len() >= BLOCK_ACTIONS || block.bytes >= BLOCK_BYTES;
            let may_end = is_full && !(is_whole && self.is_in_transaction());
            if may_end && block.actions.last().is_some_and(Scheduled::may_end_block) {
                return;
            }
            let Some(action) = self.next(block) else { return };
            let ends_operation = match action {
                SqlAction::Begin(_) => false,
                SqlAction::Commit(_) => std::mem::take(&mut self.is_pending),
                SqlAction::Do(..) | SqlAction::Statement(..) | SqlAction::Fetch(..) => {
                    self.is_pending = self.commit_is_next();
                    !self.is_pending
                }
            };
            block.actions.push(Scheduled { action, ends_operation });
        }
    }

    fn next(&mut self, block: &mut Block<'e>) -> Option<SqlAction<'e>> {
        loop {
            let level = self.stack.last_mut()?;
            let Some(node) = level.nodes.get(level.next) else {
                if let LevelEnd::Again { times: times @ 1.., place } = &mut level.end {
                    *times -= 1;
                    self.variables[*place].1 = self.variables[*place].1.wrapping_add(1);
                    level.next = 0;
                    continue;
                }
                match self.stack.pop()?.end {
                    LevelEnd::Nothing => continue,
                    LevelEnd::Commit(name) => return Some(SqlAction::Commit(name)),
                    LevelEnd::Again { place, .. } => self.variables.truncate(place),
                }
                continue;
            };
            level.next += 1;
            match node {
                Node::Do(deed, name) => return Some(SqlAction::Do(*deed, *name)),
                Node::Statement(statement) => {
                    let from = block.used;
                    self.draw(statement, block);
                    let places = from..block.used;
                    return Some(match statement.spec.objects.is_empty() {
                        true => SqlAction::Statement(*statement, places),
                        false => SqlAction::Fetch(*statement, places, self.variables.clone()),
                    });
                }
                Node::Repeat { count: 0, .. } => {}
                Node::Repeat { count, variable, from, nodes } => self.repeat(*count, variable, from, nodes),
                Node::Transaction { begin, nodes, name } => {
                    self.stack.push(Level { nodes, next: 0, end: LevelEnd::Commit(*name) });
                    return Some(SqlAction::Begin(*begin));
                }
                Node::Mix { weights, choices } => {
                    let drawn = self.rng.below(*weights);
                    let (_, nodes) = &choices[choices.partition_point(|(weights, _)| *weights <= drawn)];
                    self.stack.push(Level { nodes, next: 0, end: LevelEnd::Nothing });
                }
            }
        }
    }

    fn repeat(&mut self, count: u64, variable: &'e str, from: &Expression, nodes: &'p [Node<'e>]) {
        let start = from.value(&self.variables);
        let end = LevelEnd::Again { times: count - 1, place: self.variables.len() };
        self.variables.push((variable, start));
        self.stack.push(Level { nodes, next: 0, end });
    }

    fn draw(&mut self, statement: &BoundStatement<'e>, block: &mut Block<'e>) {
        let from = block.used;
        block.used += statement.spec.bind.len();
        if block.values.len() < block.used {
            block.values.resize(block.used, SqlValue::Null);
        }
        let values = &mut block.values[from..block.used];
        let popular = &self.program.draws[statement.slot];
        inputs::fill(values, statement.spec, popular, &mut self.variables, self.rng);
        block.bytes += values.iter().map(bytes).sum::<usize>();
    }

    fn is_in_transaction(&self) -> bool {
        self.stack.iter().any(|level| matches!(level.end, LevelEnd::Commit(_)))
    }

    /// Whether the open transaction ends with the last action.
    fn commit_is_next(&self) -> bool {
        let mut over = self.stack.iter().rev().take_while(|level| level.is_over());
        over.any(|level| matches!(level.end, LevelEnd::Commit(_)))
    }
}

impl Level<'_, '_> {
    /// Whether none of its nodes remains.
    fn is_over(&self) -> bool {
        self.next == self.nodes.len() && !matches!(self.end, LevelEnd::Again { times: 1.., .. })
    }
}

impl Scheduled<'_> {
    pub(super) fn begins(&self) -> bool {
        matches!(self.action, SqlAction::Begin(_))
    }

    fn may_end_block(&self) -> bool {
        self.ends_operation || matches!(self.action, SqlAction::Commit(_))
    }
}

/// Returns the bytes of memory that a value takes.
fn bytes(value: &SqlValue) -> usize {
    size_of::<SqlValue>()
        + match value {
            SqlValue::Null | SqlValue::Integer(_) | SqlValue::Real(_) => 0,
            SqlValue::Text(text) => text.len(),
            SqlValue::Blob(bytes) => bytes.len(),
        }
}
