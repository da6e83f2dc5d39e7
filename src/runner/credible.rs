//! A worker is not believed: what it reports of a test is held against dbdyno's own clock and what the kernel says of its process.

use super::sent::SentHistogram;
use crate::{
    base::units::{bytes, duration},
    engines::HARNESS_ENGINE,
};
use dbdyno_engine::protocol::{Job, TestDone};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// What the kernel says of a process now. None: it does not say, as for a process that is gone.
#[derive(Debug, Clone, Copy, Default)]
struct KernelFacts {
    read_bytes: Option<u64>,
    written_bytes: Option<u64>,
    /// Given to the system to write, to whatever: wherever the files are.
    passed_bytes: Option<u64>,
    peak_rss_bytes: Option<u64>,
}

/// Looks at a worker from the moment it may begin a test.
#[derive(Debug)]
pub(crate) struct Witness {
    process: Option<u32>,
    databases: PathBuf,
    /// Whether its clock is a simulation that tests ask for.
    simulated: bool,
    cores: u64,
    began: Instant,
    since: Instant,
    /// At the last look: what was read and written after it is the most that a report may say.
    last: KernelFacts,
}

/// What a process and its databases came to, as seen from outside.
#[derive(Debug, Clone, Copy)]
struct Outside {
    kernel: KernelFacts,
    database_bytes: u64,
}

impl Witness {
    /// Of a worker on a job, with this process.
    pub(crate) fn new(process: Option<u32>, job: &Job) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let (databases, now) = (job.folder.clone(), Instant::now());
        let simulated = job.engine == HARNESS_ENGINE && job.options.get("clock") == Some("simulated");
        Self { process, databases, simulated, cores, began: now, since: now, last: KernelFacts::default() }
    }

    /// The worker may begin a test from now on.
    pub(crate) fn begin(&mut self) {
        self.since = Instant::now();
    }

    /// Whether what the worker reports of the test that it has just ended can be true.
    ///
    /// # Errors
    /// The figure that cannot be, and what it was held against.
    pub(crate) fn check(&mut self, done: &TestDone, histogram: Option<&SentHistogram>) -> Result<(), String> {
        let real = (!self.simulated).then_some(self.since);
        check_times(done, histogram, real.map(|since| since.elapsed()), self.cores)?;
        // A database may have been opened before the worker was told to go on.
        check_span(done, "open_ns", done.counters.get("open_ns").unwrap_or(0), self.began.elapsed())?;
        for name in ["settle_ns", "close_ns"] {
            check_span(done, name, done.counters.get(name).unwrap_or(0), self.since.elapsed())?;
        }
        // A look costs as much as a small test: what is within the slack in any case needs none.
        if sizes(done).into_iter().flatten().all(|said| said <= SLACK_BYTES) {
            return Ok(());
        }
        check_sizes(done, &self.look())
    }

    fn look(&mut self) -> Outside {
        let now = self.process.map(facts).unwrap_or_default();
        let since = |now: Option<u64>, last: Option<u64>| Some(now?.saturating_sub(last.unwrap_or(0)));
        let kernel = KernelFacts {
            read_bytes: since(now.read_bytes, self.last.read_bytes),
            written_bytes: since(now.written_bytes, self.last.written_bytes),
            passed_bytes: since(now.passed_bytes, self.last.passed_bytes),
            peak_rss_bytes: now.peak_rss_bytes,
        };
        self.last = now;
        let database_bytes = dbdyno_workload::resources::disk_bytes(&self.databases, "").map_or(0, |(all, _)| all);
        Outside { kernel, database_bytes }
    }
}

/// Of a process and all that it started: a program may be a script around the engine's.
fn facts(process: u32) -> KernelFacts {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let (io, status) = (read("io"), read("status"));
    let field = |text: &str, name: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
    };
    let own = KernelFacts {
        read_bytes: field(&io, "read_bytes:"),
        written_bytes: field(&io, "write_bytes:"),
        passed_bytes: field(&io, "wchar:"),
        peak_rss_bytes: field(&status, "VmHWM:").map(|kib| kib * 1024),
    };
    let children = read(&format!("task/{process}/children"));
    children.split_whitespace().filter_map(|child| child.parse().ok()).map(facts).fold(own, |sum, child| {
        let add = |a: Option<u64>, b: Option<u64>| Some(a? + b.unwrap_or(0));
        KernelFacts {
            read_bytes: add(sum.read_bytes, child.read_bytes),
            written_bytes: add(sum.written_bytes, child.written_bytes),
            passed_bytes: add(sum.passed_bytes, child.passed_bytes),
            peak_rss_bytes: add(sum.peak_rss_bytes, child.peak_rss_bytes),
        }
    })
}

/// Room for two clocks, and for what a counter is rounded to: a hundredth and this.
const SLACK: Duration = Duration::from_millis(20);
/// Room for files and memory that come and go between two looks, bytes.
const SLACK_BYTES: u64 = 64 << 20;

/// What another clock may say of as much time, ns.
fn most_ns(elapsed: Duration) -> u64 {
    (elapsed + elapsed / 100 + SLACK).as_nanos() as u64
}

fn check_span(done: &TestDone, name: &str, said_ns: u64, elapsed: Duration) -> Result<(), String> {
    if said_ns <= most_ns(elapsed) {
        return Ok(());
    }
    let (said, elapsed) = (duration(said_ns as f64), duration(elapsed.as_nanos() as f64));
    refuse(done, &format!("{name} is {said}, and by dbdyno's clock it took {elapsed}"))
}

fn check_times(
    done: &TestDone,
    histogram: Option<&SentHistogram>,
    elapsed: Option<Duration>,
    cores: u64,
) -> Result<(), String> {
    if let Some(elapsed) = elapsed {
        check_span(done, "wall_ns", done.wall_ns, elapsed)?;
        let most = most_ns(elapsed);
        let from_outside = duration(elapsed.as_nanos() as f64);
        for name in ["user_ns", "system_ns"] {
            let cpu = done.counters.get(name).unwrap_or(0);
            if cpu > most.saturating_mul(cores) {
                let cpu = duration(cpu as f64);
                return refuse(done, &format!("{name} is {cpu}, in {from_outside} on {cores} cores"));
            }
        }
    }
    if let Some(sent) = histogram {
        // Buckets are a thousandth wide, and a sample below one nanosecond counts as one.
        let samples = sent.samples.len();
        let sum: f64 =
            sent.samples.iter_recorded().map(|one| one.value_iterated_to() as f64 * one.count_at_value() as f64).sum();
        // Threads that work at the same time have as much time each.
        let threads = done.actors.iter().map(|actor| u64::from(actor.threads)).sum::<u64>().max(1);
        if sum * 0.99 - samples as f64 > (done.wall_ns as f64 + 1_000.0) * threads as f64 {
            let (sum, took) = (duration(sum), duration(done.wall_ns as f64));
            return refuse(done, &format!("its samples add up to {sum}, and it took {took}"));
        }
    }
    Ok(())
}

/// The figures of a report that are bytes, in the order of [`check_sizes`].
fn sizes(done: &TestDone) -> [Option<u64>; 5] {
    let counter = |name| done.counters.get(name);
    let phases =
        ["open_written_bytes", "settle_written_bytes", "close_written_bytes"].map(|name| counter(name).unwrap_or(0));
    let written = phases.into_iter().fold(counter("written_bytes"), |sum, phase| match (sum, phase) {
        (None, 0) => None,
        (sum, phase) => Some(sum.unwrap_or(0).saturating_add(phase)),
    });
    let (database, side) = (Some(done.database_bytes), Some(done.side_bytes));
    [counter("read_bytes"), written, Some(done.peak_rss_bytes), database, side]
}

fn check_sizes(done: &TestDone, outside: &Outside) -> Result<(), String> {
    // Files that closing the database has removed, such as a log, were written before: through the storage layer, or at least to
    // the system.
    let KernelFacts { written_bytes, passed_bytes, .. } = outside.kernel;
    let removed = written_bytes.unwrap_or(0).saturating_add(passed_bytes.unwrap_or(0));
    let database = outside.database_bytes.saturating_mul(4).saturating_add(removed);
    let bounds = [
        ("read_bytes", outside.kernel.read_bytes),
        ("written_bytes", outside.kernel.written_bytes),
        ("peak_rss_bytes", outside.kernel.peak_rss_bytes),
        ("database_bytes", Some(database)),
        ("side_bytes", Some(done.database_bytes)),
    ];
    for (said, (name, most)) in sizes(done).into_iter().zip(bounds) {
        if let (Some(said), Some(most)) = (said, most)
            && said > most.saturating_add(SLACK_BYTES)
        {
            return refuse(done, &format!("{name} is {}, and from outside it is at most {}", bytes(said), bytes(most)));
        }
    }
    Ok(())
}

fn refuse(done: &TestDone, what: &str) -> Result<(), String> {
    Err(format!("its report of test {} cannot be true: {what}", done.test))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::histogram::empty;

    fn check(done: &TestDone, histogram: Option<&SentHistogram>, elapsed: Option<Duration>) -> Result<(), String> {
        let kernel = KernelFacts {
            read_bytes: Some(4096),
            written_bytes: Some(1 << 20),
            passed_bytes: Some(200 << 20),
            peak_rss_bytes: Some(50 << 20),
        };
        check_times(done, histogram, elapsed, 2)?;
        check_sizes(done, &Outside { kernel, database_bytes: 1 << 20 })
    }

    const ELAPSED: Option<Duration> = Some(Duration::from_millis(100));

    fn honest() -> TestDone {
        let mut done = TestDone {
            test: 3,
            wall_ns: 90_000_000,
            operations: 10,
            operations_per_sample: 1,
            database_bytes: 1 << 20,
            side_bytes: 4096,
            peak_rss_bytes: 40 << 20,
            ..TestDone::default()
        };
        done.counters.set("user_ns", Some(80_000_000));
        done.counters.set("written_bytes", Some(1 << 20));
        done
    }

    fn samples(ns: u64, count: u64) -> SentHistogram {
        let mut samples = empty();
        samples.record_n(ns, count).unwrap();
        SentHistogram { bytes: Vec::new(), samples }
    }

    #[test]
    fn an_honest_report_is_taken() {
        assert_eq!(check(&honest(), Some(&samples(9_000_000, 10)), ELAPSED), Ok(()));
        assert_eq!(check(&TestDone { wall_ns: 10, ..honest() }, Some(&samples(1, 10)), ELAPSED), Ok(()));
        assert_eq!(check(&TestDone { wall_ns: 10u64.pow(18), ..honest() }, None, None), Ok(()));
        let removed = TestDone { database_bytes: 200 << 20, side_bytes: 199 << 20, ..honest() };
        assert_eq!(check(&removed, None, ELAPSED), Ok(()), "a log that is gone when the database is closed");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |done: TestDone, histogram: Option<SentHistogram>, says: &str| {
            let found = check(&done, histogram.as_ref(), ELAPSED).unwrap_err();
            assert!(found.contains(says) && found.contains("test 3"), "{found}");
        };
        refused(TestDone { wall_ns: 10u64.pow(18), ..honest() }, None, "dbdyno's clock");
        refused(TestDone { wall_ns: 1, ..honest() }, Some(samples(1_000_000, 10)), "add up to");
        refused(TestDone { database_bytes: u64::MAX, ..honest() }, None, "database_bytes");
        refused(TestDone { side_bytes: u64::MAX, ..honest() }, None, "side_bytes");
        refused(TestDone { peak_rss_bytes: u64::MAX, ..honest() }, None, "peak_rss_bytes");
        for name in ["read_bytes", "written_bytes", "close_written_bytes", "user_ns"] {
            let mut done = honest();
            done.counters.set(name, Some(u64::MAX));
            refused(done, None, name.trim_start_matches("close_"));
        }
    }
}
