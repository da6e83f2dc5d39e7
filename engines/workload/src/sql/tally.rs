//! The row counts and checksums of a test's answers.

use super::{ActionTimes, ObjectAnswer, Sink, statements::ThreadAnswers};
use crate::{digest::Digest, recorder::Recorder};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    sql::{SqlRow, SqlValueRef, TableSchema},
};

/// The row count and the checksum of all answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SqlTally {
    rows: u64,
    digest: Digest,
}

impl SqlTally {
    /// Returns the tally of an execution that failed: no rows, and a checksum that no answer is likely to have.
    pub(super) fn of_failure() -> Self {
        let mut digest = Digest::default();
        digest.word(u64::MAX);
        Self { rows: 0, digest }
    }

    #[inline]
    pub(super) fn row<R: SqlRow>(&mut self, row: &R) {
        for column in 0..row.columns() {
            self.digest.value(row.value(column));
        }
    }

    #[inline]
    pub(super) fn rows(&mut self, rows: u64) {
        self.digest.word(rows);
        self.rows += rows;
    }

    /// Adds a table's content to the checksum.
    pub(super) fn content(&mut self, content: &RowsChecksum) {
        self.digest.word(content.rows);
        self.digest.word(content.sum);
    }

    /// Adds an engine's listing of a table to the checksum: its name, and NULL if the engine does not list it. Otherwise the number of
    /// columns and their names, the number of indexes, and for each index, ordered by name, its name and its column.
    pub(super) fn schema(&mut self, name: &str, table: Option<&TableSchema>) {
        let text = |name: &str, digest: &mut Digest| digest.value(SqlValueRef::Text(name.as_bytes()));
        text(name, &mut self.digest);
        let Some(table) = table else { return self.digest.value(SqlValueRef::Null) };
        self.digest.word(table.columns.len() as u64);
        table.columns.iter().for_each(|name| text(name, &mut self.digest));
        self.digest.word(table.indexes.len() as u64);
        for (index, column) in &table.indexes {
            text(index, &mut self.digest);
            text(column, &mut self.digest);
        }
    }

    /// Checks the objects that an application built from an answer, and adds them to the checksum.
    ///
    /// # Errors
    /// The objects differ from the expected ones, if the engine answers at all.
    pub(super) fn answer(&mut self, answer: &ObjectAnswer<'_>, answers: bool) -> Result<(), EngineError> {
        answer.digest(&mut self.digest);
        self.rows += answer.rows();
        if answers { answer.check() } else { Ok(()) }
    }

    /// Adds another thread's tally to this one.
    pub(super) fn thread(&mut self, other: &Self) {
        let mut digest = other.digest;
        digest.word(other.rows);
        self.digest.word(digest.to_word());
        self.rows += other.rows;
    }

    /// Returns the checksum so far.
    pub(super) fn to_word(self) -> u64 {
        self.digest.to_word()
    }

    /// Returns the number of rows read, found, written or removed.
    pub(super) fn row_count(&self) -> u64 {
        self.rows
    }

    pub(super) fn verification(&self) -> String {
        let mut digest = self.digest;
        digest.word(self.rows);
        digest.to_text()
    }
}

/// Records latencies and digests answers.
pub(super) struct MeasuringSink<C> {
    pub(super) recorder: Recorder<C>,
    pub(super) answers: ThreadAnswers<C>,
    /// Whether the engine answers at all.
    pub(super) has_answers: bool,
}

impl<C: Clock> MeasuringSink<C> {
    /// Starts the timer.
    pub(super) fn start(&mut self) {
        self.recorder.start();
        self.answers.go_on();
    }
}

impl<C: Clock> Sink<'_> for MeasuringSink<C> {
    #[inline]
    fn operation(&mut self) {
        self.recorder.lap();
        // What the recorder does is no statement's time.
        self.answers.go_on();
    }

    #[inline]
    fn row<R: SqlRow>(&mut self, row: &R) {
        self.answers.row(row);
    }

    #[inline]
    fn rows(&mut self, rows: u64) {
        self.answers.rows(rows);
    }

    fn times(&mut self) -> Option<&mut dyn ActionTimes> {
        self.answers.times()
    }

    fn answer(&mut self, answer: ObjectAnswer<'_>) -> Result<(), EngineError> {
        let Self { recorder, answers, has_answers } = self;
        // The answer is freed inside the pause too.
        let checked = recorder.stand_still(|| {
            let answer = answer;
            if let Some(statements) = &mut answers.statements {
                statements.objects(&answer);
            }
            answers.tally.answer(&answer, *has_answers)
        });
        answers.go_on();
        checked
    }

    fn stand_still(&mut self, work: impl FnOnce()) {
        self.recorder.stand_still(work);
        self.answers.go_on();
    }
}

/// Discards answers.
pub(super) struct Ignore;

impl Sink<'_> for Ignore {
    fn operation(&mut self) {}

    fn row<R: SqlRow>(&mut self, _: &R) {}

    fn rows(&mut self, _: u64) {}

    fn answer(&mut self, _: ObjectAnswer<'_>) -> Result<(), EngineError> {
        Ok(())
    }
}

/// A checksum that does not depend on the order of the rows: the sum of each row's digest.
#[derive(Debug, Default)]
pub(super) struct RowsChecksum {
    rows: u64,
    sum: u64,
}

impl Sink<'_> for RowsChecksum {
    fn operation(&mut self) {}

    fn row<R: SqlRow>(&mut self, row: &R) {
        let mut digest = Digest::default();
        for column in 0..row.columns() {
            digest.value(row.value(column));
        }
        self.sum = self.sum.wrapping_add(digest.to_word());
    }

    fn rows(&mut self, rows: u64) {
        self.rows += rows;
    }

    fn answer(&mut self, answer: ObjectAnswer<'_>) -> Result<(), EngineError> {
        self.rows += answer.rows();
        Ok(())
    }
}
