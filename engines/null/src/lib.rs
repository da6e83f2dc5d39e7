//! An engine that does nothing, deterministically. It shows the harness's own cost, and lets tests script behaviour.

mod lying;
mod script;
mod simulation;
mod sql;

use self::{
    lying::{Lie, LyingMap, StoredRows, TransactionView},
    script::NullScript,
};
use dbdyno_engine::{
    EngineError,
    clock::{Clock, SystemClock},
    describe::{Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite},
    serve::Program,
    suite::{KvStatements, SuiteKind},
};
use dbdyno_workload::program;
use std::{
    collections::BTreeMap,
    fs,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

pub static PROGRAM: Program = program::connecting::<NullEngine, NullEngine>(describe);

pub fn describe() -> Description {
    Description {
        options: vec![
            OptionSpec::memory(MemoryTarget::Nothing),
            OptionSpec::choice(
                "clock",
                &["real", "simulated"],
                "real",
                "real time, or simulated time from latency_ns alone",
            )
            .tune(&[]),
            OptionSpec::integer("latency_ns", 1, 1_000_000_000, "1000", "simulated time of one operation, ns")
                .tune(&["800", "1000", "1250"])
                .same(&[], &[("clock", &["real"])], "the clock is real: nothing is simulated"),
            OptionSpec::integer("noise_percent", 0, 100, "0", "seeded uniform noise on the simulated time, +- percent"),
            OptionSpec::integer("noise_seed", 0, i64::MAX, "1", "seed of the noise"),
            OptionSpec::integer("stall_ms", 0, 60_000, "0", "length of each simulated stall, ms; 0: none")
                .tune(&[]),
            OptionSpec::integer("stall_every_ms", 1, 3_600_000, "1000", "simulated time from stall to stall, ms")
                .tune(&[]),
            OptionSpec::integer("sleep_us", 0, 1_000_000, "0", "real sleep in each operation, µs").tune(&[]),
            OptionSpec::integer("spins", 0, 1_000_000, "0", "turns of a loop in each operation").tune(&[]),
            OptionSpec::choice("lock", &["none", "one"], "none", "one: operations of all threads come one after the other")
                .tune(&[]),
            OptionSpec::integer("busy_threads", 0, 64, "0", "threads that calculate at the same time as each thread of a test").tune(&[]),
            OptionSpec::integer("busy_ms", 1, 60_000, "500", "how long they calculate, ms").tune(&[]),
            OptionSpec::choice(
                "answers",
                &["none", "wrong", "torn", "nothing", "stale"],
                "none",
                "none; wrong ones, to test verification; or those of a map whose reads see uncommitted writes, find no key, or see the map \
                 as it was when their test began",
            )
            .tune(&[]),
            OptionSpec::choice(
                "fault",
                &["none", "fail", "crash", "stop"],
                "none",
                "an error, an abort, or a process that is stopped",
            )
            .tune(&[]),
            OptionSpec::integer(
                "fault_session",
                1,
                1_000,
                "1",
                "in which test of the run the fault happens, counted from 1",
            ),
        ],
        tiers: vec![TierRule::new(&[], Tier::Unsafe, "nothing is stored at all")],
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY), (SuiteKind::Sql, Threads::MANY)]),
        // It ignores the file that a suite starts from.
        sqlite_files: true,
        ..Description::new(
            "null",
            "does nothing: the harness's own cost, and scripted behaviour for tests",
            env!("CARGO_PKG_VERSION"),
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        .licensed(env!("CARGO_PKG_LICENSE"), &["rust"])
    }
}

/// Real time, or simulated time that only operations advance.
#[derive(Debug, Clone)]
pub enum NullClock {
    Real(SystemClock),
    /// Advanced by the operations of the thread that reads it.
    Simulated,
}

impl Clock for NullClock {
    #[inline]
    fn now(&self) -> u64 {
        match self {
            Self::Real(clock) => clock.now(),
            Self::Simulated => simulation::now(),
        }
    }

    fn is_real(&self) -> bool {
        matches!(self, Self::Real(_))
    }

    fn name(&self) -> Option<&'static str> {
        match self {
            Self::Real(clock) => clock.name(),
            Self::Simulated => None,
        }
    }

    fn wait_until(&self, ns: u64) {
        match self {
            Self::Real(clock) => clock.wait_until(ns),
            Self::Simulated => simulation::wait_until(ns),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Fail,
    Crash,
    Stop,
}

#[derive(Debug)]
pub struct NullEngine {
    answers: bool,
    map: Option<LyingMap>,
    script: Option<NullScript>,
    /// How many threads calculate during each session, and how long.
    busy_threads: i64,
    busy: Duration,
    rows: AtomicU64,
    fault: Fault,
    sessions_left: i64,
}

const KEY: &[u8] = b"key_00000000";
const VALUE: &[u8] = b"value_00000000_with_some_additional_data_to_make_it_realistic";

impl NullEngine {
    #[inline]
    fn work(&self) {
        if let Some(script) = &self.script {
            script.follow();
        }
    }
}

impl NullEngine {
    fn new(open: Open<'_>) -> Result<Self, EngineError> {
        fs::write(open.folder.join(Self::MAIN_FILE), "")?;
        let settings = open.settings;
        let answers = settings.text("answers")?;
        Ok(Self {
            answers: answers != "none",
            map: Lie::named(answers).map(LyingMap::new),
            script: NullScript::of(settings)?,
            busy_threads: settings.integer("busy_threads")?,
            busy: Duration::from_millis(settings.integer("busy_ms")?.unsigned_abs()),
            rows: AtomicU64::new(0),
            fault: match open.settings.text("fault")? {
                "fail" => Fault::Fail,
                "crash" => Fault::Crash,
                "stop" => Fault::Stop,
                _ => Fault::None,
            },
            sessions_left: open.settings.integer("fault_session")?,
        })
    }

    /// Counts a test, and triggers the fault of the option `fault` if it is due in this test.
    fn count_session(&mut self) -> Result<(), EngineError> {
        self.sessions_left -= 1;
        if self.sessions_left == 0 {
            match self.fault {
                Fault::None => {}
                Fault::Fail => return Err(EngineError::new("requested by the option fault=fail")),
                Fault::Crash => std::process::abort(),
                Fault::Stop => rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)
                    .map_err(EngineError::doing("stopping"))?,
            }
        }
        Ok(())
    }
}

impl EngineInstance for NullEngine {
    const MAIN_FILE: &'static str = "null";
    type Clock = NullClock;

    fn clock(&self) -> NullClock {
        if self.script.as_ref().is_some_and(NullScript::is_simulated) {
            NullClock::Simulated
        } else {
            NullClock::Real(SystemClock::get())
        }
    }

    fn answers(&self) -> bool {
        self.answers
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn check(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl KvEngine for NullEngine {
    type Session<'e> = NullSession<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        Self::new(open)
    }

    fn holds_reads(&self) -> bool {
        true
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<NullSession<'e>, EngineError> {
        self.count_session()?;
        Ok(self.shared())
    }
}

impl KvShared for NullEngine {
    type Shared<'e> = NullSession<'e>;

    fn shared(&self) -> NullSession<'_> {
        NullSession::new(self)
    }
}

#[derive(Debug)]
pub struct NullSession<'e> {
    engine: &'e NullEngine,
    /// The rows at the beginning of the session, if it does not see later ones.
    old: Option<StoredRows>,
}

impl<'e> NullSession<'e> {
    fn new(engine: &'e NullEngine) -> Self {
        let until = Instant::now() + engine.busy;
        for _ in 0..engine.busy_threads {
            thread::spawn(move || while Instant::now() < until {});
        }
        Self { engine, old: engine.map.as_ref().and_then(LyingMap::frozen) }
    }
}

impl KvSession for NullSession<'_> {
    type Read<'s>
        = NullTable<'s>
    where
        Self: 's;
    type Write<'s>
        = NullTable<'s>
    where
        Self: 's;

    fn read(&mut self) -> Result<NullTable<'_>, EngineError> {
        let view = self.engine.map.as_ref().map_or(TransactionView::Now, |map| map.view(self.old.as_ref()));
        Ok(NullTable { engine: self.engine, view })
    }

    fn write(&mut self) -> Result<NullTable<'_>, EngineError> {
        Ok(NullTable { engine: self.engine, view: TransactionView::Now })
    }
}

/// A transaction and its table.
#[derive(Debug)]
pub struct NullTable<'s> {
    engine: &'s NullEngine,
    view: TransactionView<'s>,
}

impl KvTransaction for NullTable<'_> {
    type Table<'t>
        = NullTable<'t>
    where
        Self: 't;

    fn table(&mut self) -> Result<NullTable<'_>, EngineError> {
        Ok(NullTable { engine: self.engine, view: self.view })
    }

    fn commit(self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl KvRead for NullTable<'_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.engine.work();
        match &self.engine.map {
            None => Ok(Some(visit(VALUE))),
            Some(map) => Ok(map.get(self.view, key).map(|value| visit(&value))),
        }
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.engine.work();
        Ok(self.engine.map.as_ref().is_none_or(|map| map.get(self.view, key).is_some()))
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        if let Some(map) = &self.engine.map {
            map.walk(self.view, visit);
            return Ok(());
        }
        for _ in 0..self.engine.rows.load(Relaxed) {
            self.engine.work();
            visit(KEY, VALUE);
        }
        Ok(())
    }

    fn range(&mut self, _: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.engine.work();
        (0..most).for_each(|_| visit(KEY, VALUE));
        Ok(())
    }
}

impl KvWrite for NullTable<'_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.engine.work();
        match &self.engine.map {
            // With several threads the count may be too low, which does not matter.
            None => self.engine.rows.store(self.engine.rows.load(Relaxed) + 1, Relaxed),
            Some(map) => map.put(key, value),
        }
        Ok(())
    }

    #[inline]
    fn delete(&mut self, _: &[u8]) -> Result<bool, EngineError> {
        self.engine.work();
        Ok(true)
    }
}
