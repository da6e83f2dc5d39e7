//! The engine that does nothing, deterministically: the harness's own cost, and what tests script behaviour with.

mod sql;

use dbdyno_engine::{
    EngineError,
    clock::{Clock, SystemClock},
    describe::{Description, MemoryTarget, OptionSpec},
    durability::{Tier, TierRule},
    engine::{Engine, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    serve::Program,
    suite::{KvStatements, SuiteKind},
};
use dbdyno_workload::{program, rng::SplitMix64};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fs,
    rc::Rc,
};

pub const PROGRAM: Program = program::both::<NullEngine, NullEngine>(describe);

pub fn describe() -> Description {
    Description {
        options: vec![
            OptionSpec::memory(MemoryTarget::Nothing),
            OptionSpec::choice(
                "clock",
                &["real", "simulated"],
                "real",
                "real time, or only what latency_ns adds up to",
            )
            .tune(&[]),
            OptionSpec::integer("latency_ns", 1, 1_000_000_000, "1000", "simulated time of one operation, ns")
                .tune(&["800", "1000", "1250"])
                .same(&[], &[("clock", &["real"])], "the clock is real: nothing is simulated"),
            OptionSpec::integer("noise_percent", 0, 100, "0", "seeded uniform noise on the simulated time, +- percent"),
            OptionSpec::integer("noise_seed", 0, i64::MAX, "1", "seed of the noise"),
            OptionSpec::choice(
                "answers",
                &["none", "wrong"],
                "none",
                "whether answers are given (always wrong) to be verified",
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
        ..Description::new(
            "null",
            "does nothing: the harness's own cost, and scripted behaviour for tests",
            env!("CARGO_PKG_VERSION"),
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
    }
}

/// Real time, or time that only operations move.
#[derive(Debug, Clone)]
pub enum NullClock {
    Real(SystemClock),
    /// Advanced by the engine's operations.
    Simulated(Rc<Cell<u64>>),
}

impl Clock for NullClock {
    #[inline]
    fn now(&self) -> u64 {
        match self {
            Self::Real(clock) => clock.now(),
            Self::Simulated(now) => now.get(),
        }
    }

    fn is_real(&self) -> bool {
        matches!(self, Self::Real(_))
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
    clock: NullClock,
    latency_ns: u64,
    noise_percent: u64,
    noise: RefCell<SplitMix64>,
    rows: Cell<u64>,
    fault: Fault,
    sessions_left: i64,
}

const KEY: &[u8] = b"key_00000000";
const VALUE: &[u8] = b"value_00000000_with_some_additional_data_to_make_it_realistic";

impl NullEngine {
    #[inline]
    fn work(&self) {
        if let NullClock::Simulated(now) = &self.clock {
            let spread = 2 * self.latency_ns * self.noise_percent / 100;
            let noisy = self.latency_ns - spread / 2 + self.noise.borrow_mut().below(spread + 1);
            now.set(now.get() + noisy);
        }
    }
}

impl NullEngine {
    fn new(open: Open<'_>) -> Result<Self, EngineError> {
        fs::write(open.folder.join(Self::MAIN_FILE), "")?;
        let simulated = open.settings.text("clock")? == "simulated";
        Ok(Self {
            answers: open.settings.text("answers")? == "wrong",
            clock: if simulated { NullClock::Simulated(Rc::default()) } else { NullClock::Real(SystemClock::get()) },
            latency_ns: open.settings.integer("latency_ns")? as u64,
            noise_percent: open.settings.integer("noise_percent")? as u64,
            noise: RefCell::new(SplitMix64::new(open.settings.integer("noise_seed")? as u64)),
            rows: Cell::new(0),
            fault: match open.settings.text("fault")? {
                "fail" => Fault::Fail,
                "crash" => Fault::Crash,
                "stop" => Fault::Stop,
                _ => Fault::None,
            },
            sessions_left: open.settings.integer("fault_session")?,
        })
    }

    /// Counts a test, and does what the option `fault` asks for in this one.
    fn count_session(&mut self) -> Result<(), EngineError> {
        self.sessions_left -= 1;
        if self.sessions_left == 0 {
            match self.fault {
                Fault::None => {}
                Fault::Fail => return Err(EngineError::new("the option fault=fail asked for this")),
                Fault::Crash => std::process::abort(),
                Fault::Stop => rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)
                    .map_err(EngineError::doing("stopping"))?,
            }
        }
        Ok(())
    }
}

impl Engine for NullEngine {
    const MAIN_FILE: &'static str = "null";
    type Clock = NullClock;

    fn clock(&self) -> NullClock {
        self.clock.clone()
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
        Ok(NullSession(self))
    }
}

#[derive(Debug)]
pub struct NullSession<'e>(&'e NullEngine);

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
        Ok(NullTable(self.0))
    }

    fn write(&mut self) -> Result<NullTable<'_>, EngineError> {
        Ok(NullTable(self.0))
    }
}

/// A transaction and its table.
#[derive(Debug)]
pub struct NullTable<'s>(&'s NullEngine);

impl KvTransaction for NullTable<'_> {
    type Table<'t>
        = NullTable<'t>
    where
        Self: 't;

    fn table(&mut self) -> Result<NullTable<'_>, EngineError> {
        Ok(NullTable(self.0))
    }

    fn commit(self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl KvRead for NullTable<'_> {
    #[inline]
    fn get<R>(&mut self, _: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.0.work();
        Ok(Some(visit(VALUE)))
    }

    #[inline]
    fn exists(&mut self, _: &[u8]) -> Result<bool, EngineError> {
        self.0.work();
        Ok(true)
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for _ in 0..self.0.rows.get() {
            self.0.work();
            visit(KEY, VALUE);
        }
        Ok(())
    }
}

impl KvWrite for NullTable<'_> {
    #[inline]
    fn put(&mut self, _: &[u8], _: &[u8]) -> Result<(), EngineError> {
        self.0.work();
        self.0.rows.set(self.0.rows.get() + 1);
        Ok(())
    }

    #[inline]
    fn delete(&mut self, _: &[u8]) -> Result<bool, EngineError> {
        self.0.work();
        Ok(true)
    }
}
