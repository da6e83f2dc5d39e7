//! The results under each name that steps have.

use super::{executor::ActionTimes, objects::ObjectAnswer, plans::TestPlans, tally::SqlTally};
use crate::{actors::ThreadCounts, digest::Digest, named::NamedResults};
use dbdyno_engine::{
    clock::Clock,
    protocol::StatementDone,
    sql::SqlRow,
    suite::{SqlTest, Step},
};
use std::sync::Arc;

/// The answers of one thread: all together, and under each name that steps have.
pub(super) struct ThreadAnswers<C> {
    pub(super) tally: SqlTally,
    /// Present if steps have names.
    pub(super) statements: Option<StatementTimer<C>>,
}

impl<C: Clock> ThreadAnswers<C> {
    /// Creates empty answers for this number of names.
    ///
    /// `counts`: where others see them while the thread works.
    pub(super) fn new(names: usize, clock: C, counts: Option<Arc<ThreadCounts>>) -> Self {
        Self { tally: SqlTally::default(), statements: StatementTimer::new(names, clock, counts) }
    }

    #[inline]
    pub(super) fn row<R: SqlRow>(&mut self, row: &R) {
        self.tally.row(row);
        if let Some(statements) = &mut self.statements {
            statements.answer.row(row);
        }
    }

    #[inline]
    pub(super) fn rows(&mut self, rows: u64) {
        self.tally.rows(rows);
        if let Some(statements) = &mut self.statements {
            statements.answer.rows(rows);
        }
    }

    /// Keeps what is reported under names apart until it is certain.
    pub(super) fn be_unsure(&mut self) {
        if let Some(statements) = &mut self.statements {
            statements.unsure = Some(Unsure { acts: Vec::new(), since: statements.last });
        }
    }

    /// Begins an attempt, which can be forgotten.
    pub(super) fn attempt(&mut self) {
        if let Some(StatementTimer { unsure: Some(unsure), last, .. }) = &mut self.statements {
            unsure.since = *last;
        }
    }

    /// Forgets the attempt, except for its time, which belongs to the next one. `before`: the tally before it.
    pub(super) fn forget(&mut self, before: SqlTally) {
        self.tally = before;
        if let Some(StatementTimer { unsure: Some(unsure), last, answer, .. }) = &mut self.statements {
            unsure.acts.clear();
            *answer = SqlTally::default();
            *last = unsure.since;
        }
    }

    /// Keeps the attempt, which has succeeded.
    pub(super) fn keep(&mut self) {
        let Some(statements) = &mut self.statements else { return };
        let Some(unsure) = &mut statements.unsure else { return };
        unsure.acts.drain(..).for_each(|act| act.add_to(&mut statements.named, statements.counts.as_deref()));
    }

    /// An action of this name has failed, and nothing of its answer counts.
    pub(super) fn failed(&mut self, name: usize, message: String) {
        let Some(statements) = &mut self.statements else { return };
        statements.answer = SqlTally::default();
        let took = statements.took();
        let answer = Some(SqlTally::of_failure());
        statements.add(Act { place: name, took, answer, failure: Some(message) });
    }

    /// Begins the time of the next action now.
    pub(super) fn go_on(&mut self) {
        if let Some(statements) = &mut self.statements {
            statements.last = statements.clock.now();
        }
    }

    pub(super) fn times(&mut self) -> Option<&mut dyn ActionTimes> {
        self.statements.as_mut().map(|statements| statements as &mut dyn ActionTimes)
    }

    /// Returns all answers together, and those under each name.
    pub(super) fn finish(self) -> (SqlTally, Vec<NamedResults>) {
        (self.tally, self.statements.map(|statements| statements.named).unwrap_or_default())
    }
}

/// Times each action of one thread, and adds it to the results of its name.
pub(super) struct StatementTimer<C> {
    clock: C,
    /// When the action before ended.
    last: u64,
    /// The time of the begin of the transaction that is open, ns.
    begin: u64,
    /// The answer of the current statement.
    answer: SqlTally,
    named: Vec<NamedResults>,
    /// Present if attempts can fail.
    unsure: Option<Unsure>,
    counts: Option<Arc<ThreadCounts>>,
}

/// What an attempt did so far.
struct Unsure {
    acts: Vec<Act>,
    /// When it began.
    since: u64,
}

/// An action under a name.
struct Act {
    place: usize,
    took: u64,
    /// None for a commit.
    answer: Option<SqlTally>,
    /// What the engine said, if it failed.
    failure: Option<String>,
}

impl Act {
    fn add_to(self, named: &mut [NamedResults], counts: Option<&ThreadCounts>) {
        let named = &mut named[self.place];
        named.take(self.took);
        if let Some(counts) = counts {
            counts.add_named(self.place, self.took);
        }
        if let Some(answer) = self.answer {
            named.answer(answer.to_word(), answer.row_count());
        }
        if let Some(message) = self.failure {
            named.failed(message);
        }
    }
}

impl<C: Clock> StatementTimer<C> {
    /// Creates empty results for this number of names; none if no step has a name.
    fn new(names: usize, clock: C, counts: Option<Arc<ThreadCounts>>) -> Option<Self> {
        let last = clock.now();
        let named = vec![NamedResults::default(); names];
        (names > 0).then(|| Self { clock, last, begin: 0, answer: SqlTally::default(), named, unsure: None, counts })
    }

    fn took(&mut self) -> u64 {
        let now = self.clock.now();
        let took = now.saturating_sub(self.last);
        self.last = now;
        took
    }

    fn add(&mut self, act: Act) {
        match &mut self.unsure {
            Some(unsure) => unsure.acts.push(act),
            None => act.add_to(&mut self.named, self.counts.as_deref()),
        }
    }

    /// Adds the objects of an answer to the results of its name.
    pub(super) fn objects(&mut self, answer: &ObjectAnswer<'_>) {
        add_objects(&mut self.named, answer);
    }
}

impl<C: Clock> ActionTimes for StatementTimer<C> {
    fn acted(&mut self, name: Option<usize>) {
        let took = self.took();
        let answer = std::mem::take(&mut self.answer);
        if let Some(place) = name {
            self.add(Act { place, took, answer: Some(answer), failure: None });
        }
    }

    fn begun(&mut self) {
        self.begin = self.took();
    }

    fn committed(&mut self, name: Option<usize>) {
        let took = self.took() + std::mem::take(&mut self.begin);
        if let Some(place) = name {
            self.add(Act { place, took, answer: None, failure: None });
        }
    }
}

/// Adds the objects of an answer to the results of its name.
pub(super) fn add_objects(all: &mut [NamedResults], answer: &ObjectAnswer<'_>) {
    if let Some(named) = answer.name.and_then(|place| all.get_mut(place)) {
        let mut digest = Digest::default();
        answer.digest(&mut digest);
        named.answer(digest.to_word(), answer.rows());
    }
}

/// Returns the reports of all names of a test, with their plans. `answers`: whether the engine answers at all.
pub(super) fn done(
    test: &SqlTest,
    named: &[NamedResults],
    answers: bool,
    plans: &mut TestPlans<'_>,
) -> Vec<StatementDone> {
    let has_answers = |name: &str| answers && test.steps().any(|step| answers_as(step, name));
    let done = |(name, named): (&str, &NamedResults)| StatementDone {
        plan: plans.named.remove(name).unwrap_or_default(),
        ..named.done(name, has_answers(name))
    };
    test.names().into_iter().zip(named).map(done).collect()
}

/// Whether a statement that reads or writes has this name.
fn answers_as(step: &Step, name: &str) -> bool {
    matches!(step, Step::Read(_) | Step::Write(_)) && step.name() == Some(name)
        || step.inner().into_iter().any(|step| answers_as(step, name))
}
