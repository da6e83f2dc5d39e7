//! The interpreter of key-value suites.

use crate::{digest::Digest, frame::Harness, phases::Phases, recorder::Recorder, rng::SplitMix64, template::render};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    describe::Library,
    engine::Open,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    protocol::{Event, Job, RunFailure, TestDone},
    serve::Worker,
    suite::{KeyOrder, KvSuite, KvTest, Operation, TransactionScope},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Runs every test of a suite on fresh databases in the job's folder.
pub fn run<E: KvEngine>(worker: &Worker, job: &Job, suite: &KvSuite, library: &Library) -> Result<(), RunFailure> {
    let harness = Harness::new(worker);
    let mut open: Option<E> = None;
    for (place, test) in suite.tests.iter().enumerate() {
        let mut phases = Phases::default();
        let mut engine = match open.take() {
            Some(engine) => engine,
            None => phases.open(|| open_database::<E>(job, suite, &test.database))?,
        };
        if place == 0 {
            let in_force = engine.in_force()?;
            let Library { version, build, source } = engine.library().unwrap_or_else(|| library.clone());
            let open_ns = phases.open_ns().unwrap_or(0);
            worker.emit(&Event::Opened { version, build, source, in_force, open_ns });
            worker.pause();
        }
        let done = measure(&harness, job, test, &mut phases, &mut engine).map_err(RunFailure::during(test.number))?;
        if suite.tests.get(place + 1).is_some_and(|next| next.database == test.database) {
            open = Some(engine);
        } else {
            phases.close(|| engine.close())?;
        }
        harness.tell(done, &phases);
    }
    worker.emit(&Event::Done);
    Ok(())
}

/// The folder of a database of a run.
fn database_folder(job: &Job, label: &str) -> PathBuf {
    job.folder.join(label)
}

fn open_database<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    let folder = database_folder(job, label);
    let fresh = !folder.exists();
    if fresh {
        fs::create_dir_all(&folder).map_err(EngineError::doing(&format!("creating {}", folder.display())))?;
    }
    E::open(Open {
        folder: &folder,
        settings: &job.options,
        schema: if fresh { &suite.schema } else { &[] },
        data_bytes: suite.data_bytes,
    })
}

fn measure<E: KvEngine>(
    harness: &Harness<'_>,
    job: &Job,
    test: &KvTest,
    phases: &mut Phases,
    engine: &mut E,
) -> Result<TestDone, EngineError> {
    let clock = engine.clock();
    let (held, answers) = (engine.holds_reads(), engine.answers());
    let mut session = engine.session(&test.sql)?;
    let head = test.head();
    harness.announce(head, test.operations);
    let frame = harness.begin(head, test.operations, test.clock_every);

    let mut recorder = Recorder::new(clock, frame.counts(), test.clock_every);
    let mut tally = perform(&mut session, test, job.seed, held, &mut recorder)?;
    let wall_ns = recorder.finish();

    let done = frame.end(wall_ns, phases, &database_folder(job, &test.database), E::MAIN_FILE)?;
    if test.verify_state {
        tally.state(&mut session)?;
    }
    let verification = answers.then(|| tally.verification());
    Ok(TestDone { operations: tally.operations, rows: tally.rows, verification, ..done })
}

/// What the operations of a test amounted to.
#[derive(Debug, Default)]
struct KvTally {
    operations: u64,
    rows: u64,
    digest: Digest,
}

impl KvTally {
    /// Reads the whole database into the digest.
    fn state<S: KvSession>(&mut self, session: &mut S) -> Result<(), EngineError> {
        session.read()?.scan(|key, value| {
            self.digest.bytes(key);
            self.digest.bytes(value);
        })
    }

    fn verification(&self) -> String {
        let mut digest = self.digest;
        digest.word(self.rows);
        digest.to_hex()
    }
}

/// Draws the inputs of a test's operations: the same for every engine.
struct Inputs<'t> {
    test: &'t KvTest,
    rng: SplitMix64,
    total_weight: u64,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl<'t> Inputs<'t> {
    fn new(test: &'t KvTest, seed: u64) -> Self {
        Self {
            test,
            rng: SplitMix64::stream(seed, u64::from(test.number)),
            total_weight: test.work.iter().map(|work| work.weight).sum(),
            key: Vec::with_capacity(64),
            value: Vec::with_capacity(256),
        }
    }

    /// Draws the operation's kind (only where there are several), then its key; renders key and value.
    #[inline]
    fn draw(&mut self, ordinal: u64) -> &'t Operation {
        let operation = match self.test.work.as_slice() {
            [only] => &only.operation,
            several => pick(several, self.rng.below(self.total_weight)),
        };
        let index = match self.test.keys {
            KeyOrder::Ascending => ordinal,
            KeyOrder::Uniform => self.rng.below(self.test.records),
        };
        render(&self.test.key, &mut self.key, index, ordinal);
        if let Operation::Put { value } = operation {
            render(value, &mut self.value, index, ordinal);
        }
        operation
    }
}

#[inline]
fn pick(work: &[dbdyno_engine::suite::Work], mut drawn: u64) -> &Operation {
    for one in work {
        if drawn < one.weight {
            return &one.operation;
        }
        drawn -= one.weight;
    }
    // Not reached: what is drawn is below the sum of the weights.
    &work[work.len() - 1].operation
}

fn perform<S: KvSession, C: Clock>(
    session: &mut S,
    test: &KvTest,
    seed: u64,
    held: bool,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut inputs = Inputs::new(test, seed);
    match test.transaction {
        TransactionScope::Read if held => read_held(session, &mut inputs, recorder),
        TransactionScope::Read => read_each(session, &mut inputs, recorder),
        TransactionScope::One => write_batches(session, &mut inputs, test.operations, false, recorder),
        TransactionScope::Batch(batch) => write_batches(session, &mut inputs, batch, true, recorder),
    }
}

fn read_held<S: KvSession, C: Clock>(
    session: &mut S,
    inputs: &mut Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    let mut read = session.read()?;
    recorder.start();
    if scans(inputs.test) {
        scan(&mut read, &mut tally, recorder)?;
        return Ok(tally);
    }
    for ordinal in 0..inputs.test.operations {
        let operation = inputs.draw(ordinal);
        apply_read(&mut read, operation, &inputs.key, &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

fn read_each<S: KvSession, C: Clock>(
    session: &mut S,
    inputs: &mut Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    recorder.start();
    if scans(inputs.test) {
        scan(&mut session.read()?, &mut tally, recorder)?;
        return Ok(tally);
    }
    for ordinal in 0..inputs.test.operations {
        let operation = inputs.draw(ordinal);
        apply_read(&mut session.read()?, operation, &inputs.key, &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

fn scans(test: &KvTest) -> bool {
    matches!(test.work.as_slice(), [only] if only.operation == Operation::Scan)
}

fn scan<R: KvRead, C: Clock>(read: &mut R, tally: &mut KvTally, recorder: &mut Recorder<C>) -> Result<(), EngineError> {
    read.scan(|key, value| {
        tally.digest.bytes(key);
        tally.digest.bytes(value);
        tally.rows += 1;
        tally.operations += 1;
        recorder.lap();
    })
}

/// Writes in transactions of `batch` operations. The commit's time is part of the last operation of its batch, and the
/// next begin's part of the first. `begin_timed`: whether the first begin is inside the timer.
fn write_batches<S: KvSession, C: Clock>(
    session: &mut S,
    inputs: &mut Inputs<'_>,
    batch: u64,
    begin_timed: bool,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    let mut done = 0;
    recorder.start();
    while done < inputs.test.operations {
        let mut transaction = session.write()?;
        if done == 0 && !begin_timed {
            recorder.start();
        }
        let last = (done + batch.max(1)).min(inputs.test.operations) - 1;
        let mut table = transaction.table()?;
        for ordinal in done..last {
            let operation = inputs.draw(ordinal);
            apply_write(&mut table, operation, inputs, &mut tally)?;
            recorder.lap();
        }
        let operation = inputs.draw(last);
        apply_write(&mut table, operation, inputs, &mut tally)?;
        drop(table);
        transaction.commit()?;
        recorder.lap();
        done = last + 1;
    }
    Ok(tally)
}

#[inline]
fn apply_read<R: KvRead>(
    read: &mut R,
    operation: &Operation,
    key: &[u8],
    tally: &mut KvTally,
) -> Result<(), EngineError> {
    tally.operations += 1;
    match operation {
        Operation::Get => {
            let found = read.get(key, |value| tally.digest.bytes(value))?.is_some();
            tally.rows += u64::from(found);
        }
        Operation::Exists => {
            let found = read.exists(key)?;
            tally.digest.word(u64::from(found));
            tally.rows += u64::from(found);
        }
        Operation::Scan => read.scan(|key, value| {
            tally.digest.bytes(key);
            tally.digest.bytes(value);
            tally.rows += 1;
        })?,
        Operation::Put { .. } | Operation::Delete => {
            return Err(EngineError::new("a suite asks for a write in a read transaction"));
        }
    }
    Ok(())
}

#[inline]
fn apply_write<W: KvWrite>(
    table: &mut W,
    operation: &Operation,
    inputs: &Inputs<'_>,
    tally: &mut KvTally,
) -> Result<(), EngineError> {
    match operation {
        Operation::Put { .. } => {
            table.put(&inputs.key, &inputs.value)?;
            tally.operations += 1;
            tally.rows += 1;
        }
        Operation::Delete => {
            let found = table.delete(&inputs.key)?;
            tally.operations += 1;
            tally.digest.word(u64::from(found));
            tally.rows += u64::from(found);
        }
        Operation::Get | Operation::Exists | Operation::Scan => apply_read(table, operation, &inputs.key, tally)?,
    }
    Ok(())
}

/// Opens a database of a run that ended, for checks.
pub(crate) fn reopen<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    open_database(job, suite, label)
}

/// Whether a folder holds a database already.
pub(crate) fn has_database(job: &Job, label: &str) -> bool {
    Path::exists(&database_folder(job, label))
}
