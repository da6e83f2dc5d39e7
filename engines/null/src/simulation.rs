//! Simulated time that only operations advance, separate for each thread.

use dbdyno_engine::{EngineError, settings::Settings};
use dbdyno_workload::rng::SplitMix64;
use std::cell::{Cell, RefCell};

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
    /// The last period between stalls in which an operation ran.
    static STALLED: Cell<u64> = const { Cell::new(0) };
    static NOISE: RefCell<Option<SplitMix64>> = const { RefCell::new(None) };
}

/// The duration of an operation, ns.
#[derive(Debug, Clone)]
pub(super) struct Simulation {
    latency: u64,
    /// Random variation of the latency, plus or minus this many percent.
    noise_percent: u64,
    noise_seed: u64,
    /// Extra time of the first operation that ends after each multiple of `stall_every`.
    stall: u64,
    stall_every: u64,
}

impl Simulation {
    pub(super) fn new(settings: &Settings) -> Result<Self, EngineError> {
        let number = |name| settings.integer(name).map(|number| number as u64);
        let ms = |name| number(name).map(|ms| ms * 1_000_000);
        Ok(Self {
            latency: number("latency_ns")?,
            noise_percent: number("noise_percent")?,
            noise_seed: number("noise_seed")?,
            stall: ms("stall_ms")?,
            stall_every: ms("stall_every_ms")?,
        })
    }

    pub(super) fn operate(&self) {
        let spread = 2 * self.latency * self.noise_percent / 100;
        let noise = NOISE
            .with_borrow_mut(|noise| noise.get_or_insert_with(|| SplitMix64::new(self.noise_seed)).below(spread + 1));
        let after = NOW.get() + self.latency - spread / 2 + noise;
        let stretch = after / self.stall_every;
        if self.stall > 0 && stretch > STALLED.replace(stretch) {
            NOW.set(after + self.stall);
        } else {
            NOW.set(after);
        }
    }
}

pub(super) fn now() -> u64 {
    NOW.get()
}

pub(super) fn wait_until(ns: u64) {
    NOW.set(NOW.get().max(ns));
}
