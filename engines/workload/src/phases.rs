//! The phases measured around a test: opening the database, waiting until the engine's own threads are idle, and closing the database.
//!
//! An engine may defer work to any of these that another engine does inside the timer: a checkpoint, a flush, a compaction.

use crate::{cold::ColdStart, resources::counters};
use dbdyno_engine::{EngineError, counters::Counters, engine::EngineInstance};
use rustix::time::{ClockId, clock_gettime};
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// The phases that occurred around one test, as counters of that test.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    counters: Counters,
    cold: Option<ColdStart>,
    /// Whether a database that was used before has left nothing on the disk.
    is_lost: bool,
}

/// The figures of a phase: the name of its time, and the names of its resource figures, each with the counter it is read from.
struct PhaseFigures {
    time: &'static str,
    used: &'static [(&'static str, &'static str)],
}

const OPEN: PhaseFigures = PhaseFigures {
    time: "open_ns",
    used: &[("open_syncs", "syncs"), ("open_written_bytes", "written_bytes"), ("open_read_bytes", "read_bytes")],
};
const SETTLE: PhaseFigures =
    PhaseFigures { time: "settle_ns", used: &[("settle_syncs", "syncs"), ("settle_written_bytes", "written_bytes")] };
const CLOSE: PhaseFigures =
    PhaseFigures { time: "close_ns", used: &[("close_syncs", "syncs"), ("close_written_bytes", "written_bytes")] };

impl Phases {
    /// Drops the database in a folder from memory. The database must be closed. `is_used`: whether it was used before.
    ///
    /// # Errors
    /// A file of the database cannot be read or synced.
    pub(crate) fn start_cold(&mut self, folder: &Path, is_used: bool) -> Result<(), EngineError> {
        let start = ColdStart::of(folder)?;
        self.is_lost = is_used && !start.has_data();
        self.cold = Some(start);
        Ok(())
    }

    /// Checks a database that was just opened. If it was closed before, checks that the engine can still have its data. Also measures how
    /// much of the database opening has brought into memory.
    ///
    /// # Errors
    /// The engine keeps nothing on the disk, so its answers would be wrong. A file cannot be read.
    pub(crate) fn check_opened<E: EngineInstance>(&mut self, engine: &E) -> Result<(), EngineError> {
        if let Some(cold) = &mut self.cold {
            cold.look_after_opening()?;
        }
        if self.is_lost && engine.answers() {
            let message =
                "a test cannot start cold: this engine keeps its data in memory, and loses it when it is closed";
            return Err(EngineError::fatal(message));
        }
        Ok(())
    }

    /// Runs `work`, which opens a database, and measures it.
    pub(crate) fn open<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.measure(&OPEN, work)
    }

    /// Runs `work`, which closes the database, and measures it.
    pub(crate) fn close<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.measure(&CLOSE, work)
    }

    /// Waits until the engine's own threads are idle. The time reported is the time of their work, without the checks that find them idle.
    pub(crate) fn settle(&mut self, own: &OwnThreads) {
        let worked = self.measure(&SETTLE, || own.wait_for_others());
        self.counters.set(SETTLE.time, Some(worked.as_nanos() as u64));
    }

    /// Returns how long opening took, ns; `None` if the database was already open.
    pub(crate) fn open_ns(&self) -> Option<u64> {
        self.counters.get(OPEN.time)
    }

    /// Adds the phases to the counters of their test.
    pub(crate) fn add_to(&self, test: &mut Counters) {
        for figures in [OPEN, SETTLE, CLOSE] {
            let names = figures.used.iter().map(|(name, _)| *name);
            names.chain([figures.time]).for_each(|name| test.set(name, self.counters.get(name)));
        }
        if let Some(cold) = &self.cold {
            cold.add_to(test);
        }
    }

    fn measure<T>(&mut self, figures: &PhaseFigures, work: impl FnOnce() -> T) -> T {
        let before = counters();
        let begun = Instant::now();
        let result = work();
        let ns = begun.elapsed().as_nanos() as u64;
        let used = counters().since(&before);
        self.counters.set(figures.time, Some(ns));
        figures.used.iter().for_each(|(name, counter)| self.counters.set(name, used.get(counter)));
        result
    }
}

/// The threads of this process before an engine was opened. All later threads belong to the engine.
pub(crate) struct OwnThreads(BTreeSet<String>);

/// Time between two checks of an engine's threads.
const LOOK: Duration = Duration::from_millis(2);
/// The threads count as idle after this many idle checks in a row.
const RESTING_LOOKS: u32 = 5;
/// A larger share of the time between checks on a CPU counts as work. A thread that only wakes up and finds nothing to do uses less.
const WORK: f64 = 0.05;
/// The longest wait for work that never ends.
const SETTLE_AT_MOST: Duration = Duration::from_secs(10);

impl OwnThreads {
    /// Returns the threads that exist now.
    pub(crate) fn now() -> Self {
        Self(threads().collect())
    }

    /// Waits until all other threads are idle, and returns how long they worked.
    fn wait_for_others(&self) -> Duration {
        let (begun, mut worked, mut resting) = (Instant::now(), Duration::ZERO, 0);
        let mut cpu = others_cpu();
        while resting < RESTING_LOOKS && worked < SETTLE_AT_MOST {
            let Some(busy) = self.others_are_busy() else { break };
            std::thread::sleep(LOOK);
            let now = others_cpu();
            if busy || now.saturating_sub(cpu).as_secs_f64() > LOOK.as_secs_f64() * WORK {
                (worked, resting) = (begun.elapsed(), 0);
            } else {
                resting += 1;
            }
            cpu = now;
        }
        worked
    }

    /// Whether a thread of the engine is on a CPU or waits for a disk; `None` if the engine has no threads.
    fn others_are_busy(&self) -> Option<bool> {
        let mut others = threads().filter(|thread| !self.0.contains(thread)).peekable();
        others.peek()?;
        Some(others.any(|thread| {
            let state = fs::read_to_string(format!("/proc/self/task/{thread}/status")).unwrap_or_default();
            state.lines().any(|line| line.starts_with("State:\tR") || line.starts_with("State:\tD"))
        }))
    }
}

fn threads() -> impl Iterator<Item = String> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    tasks.filter_map(|task| task.ok()?.file_name().into_string().ok())
}

/// Returns the CPU time of all threads except this one.
pub(crate) fn others_cpu() -> Duration {
    let read = |clock| {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    read(ClockId::ProcessCPUTime).saturating_sub(read(ClockId::ThreadCPUTime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_threads_that_came_later_is_waited_for() {
        let own = OwnThreads::now();
        assert_eq!(own.wait_for_others(), Duration::ZERO, "nothing to wait for");
        let work = std::thread::spawn(|| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_secs(60));
        });
        let mut phases = Phases::default();
        phases.settle(&own);
        let mut test = Counters::default();
        phases.add_to(&mut test);
        let settled = Duration::from_nanos(test.get("settle_ns").unwrap());
        assert!(settled >= Duration::from_millis(30) && settled < SETTLE_AT_MOST, "{settled:?}");
        assert!(!work.is_finished(), "a thread that sleeps is not waited for");
        assert_eq!(test.get("open_ns"), None);
    }

    #[test]
    fn what_opening_writes_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut phases = Phases::default();
        phases.open(|| fs::File::create(folder.path().join("a")).unwrap().sync_all().unwrap());
        let mut test = Counters::default();
        phases.add_to(&mut test);
        assert_eq!(phases.open_ns(), test.get("open_ns"));
        assert!(test.get("open_syncs").is_some() && test.get("close_syncs").is_none());
    }
}
