//! What each operation does, if the options ask for anything.

use super::simulation::Simulation;
use dbdyno_engine::{EngineError, settings::Settings};
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

#[derive(Debug, Clone)]
pub(super) struct NullScript {
    /// `None`: time is real.
    simulation: Option<Simulation>,
    /// How long each operation sleeps; zero: not at all.
    sleep: Duration,
    /// How often each operation turns in a loop.
    spins: i64,
    /// Held during an operation, if operations come one after the other.
    lock: Option<Arc<Mutex<()>>>,
}

impl NullScript {
    /// Returns the script of these options. `None`: operations do nothing.
    pub(super) fn of(settings: &Settings) -> Result<Option<Self>, EngineError> {
        let simulated = settings.text("clock")? == "simulated";
        let script = Self {
            simulation: simulated.then(|| Simulation::new(settings)).transpose()?,
            sleep: Duration::from_micros(settings.integer("sleep_us")?.unsigned_abs()),
            spins: settings.integer("spins")?,
            lock: (settings.text("lock")? == "one").then(Arc::default),
        };
        let does_something =
            script.simulation.is_some() || !script.sleep.is_zero() || script.spins > 0 || script.lock.is_some();
        Ok(does_something.then_some(script))
    }

    pub(super) fn is_simulated(&self) -> bool {
        self.simulation.is_some()
    }

    #[inline(never)]
    pub(super) fn follow(&self) {
        let _held = self.lock.as_ref().map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(simulation) = &self.simulation {
            simulation.operate();
        }
        if !self.sleep.is_zero() {
            thread::sleep(self.sleep);
        }
        let last = (0..self.spins).fold(1, |number, _| turned(number));
        std::hint::black_box(last);
    }
}

/// One turn of the loop, of about 25 ns: steps of which each waits for the one before. No pause of the processor: a virtual machine may
/// leave the CPU to others when a program pauses.
fn turned(number: u64) -> u64 {
    const STEPS: u32 = 12;
    (0..STEPS).fold(number, |number, _| {
        // Marsaglia's xorshift.
        let number = number ^ number << 13;
        let number = number ^ number >> 7;
        number ^ number << 17
    })
}
