//! Workers are not trusted: their reports of a test are compared with dbdyno's own clock and the kernel's figures for their process.

use super::sent::SentHistogram;
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_engine::protocol::{Job, TestDone};
use dbdyno_foundation::base::units::{bytes, counted, duration};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The kernel's current figures for a process. None: unavailable, for example because the process is gone.
#[derive(Debug, Clone, Copy, Default)]
struct KernelFacts {
    read_bytes: Option<u64>,
    written_bytes: Option<u64>,
    /// Bytes passed to the system to write, to any target, wherever the files are.
    passed_bytes: Option<u64>,
    peak_rss_bytes: Option<u64>,
}

/// Observes a worker from the moment it may begin a test.
#[derive(Debug)]
pub struct Witness {
    process: Option<u32>,
    databases: PathBuf,
    /// Whether the clock is a simulation that tests request.
    simulated: bool,
    cores: u64,
    began: Instant,
    since: Instant,
    /// When it passed its turn in the test under way; none while it has it.
    passed: Option<Instant>,
    /// How long others have had their turns in that test.
    away: Duration,
    /// The sum of all reports so far.
    said: Traffic,
    /// The same sum at the last inspection.
    looked: Traffic,
}

/// Bytes read from and written to the storage layer according to reports, for the tests and for the work around them.
#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    read: u64,
    written: u64,
}

impl Traffic {
    fn add(&mut self, done: &TestDone) {
        let sum = |names: &[&str], so_far: u64| {
            names.iter().filter_map(|name| done.counters.get(name)).fold(so_far, u64::saturating_add)
        };
        self.read = sum(&["read_bytes", "open_read_bytes"], self.read);
        self.written =
            sum(&["written_bytes", "open_written_bytes", "settle_written_bytes", "close_written_bytes"], self.written);
    }
}

/// The figures of a process and its databases, as seen from outside.
#[derive(Debug, Clone, Copy)]
struct Outside {
    kernel: KernelFacts,
    database_bytes: u64,
}

impl Witness {
    /// Creates the witness of a worker on a job. `process`: the worker's process ID.
    pub fn new(process: Option<u32>, job: &Job) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let (databases, now) = (job.folder.clone(), Instant::now());
        let simulated = job.engine == HARNESS_ENGINE && job.options.get("clock") == Some("simulated");
        let (said, looked) = <(Traffic, Traffic)>::default();
        let (passed, away) = (None, Duration::ZERO);
        Self { process, databases, simulated, cores, began: now, since: now, passed, away, said, looked }
    }

    /// Records that the worker may begin a test from now on.
    pub fn begin(&mut self) {
        (self.since, self.passed, self.away) = (Instant::now(), None, Duration::ZERO);
    }

    /// Records that the worker passes its turn to others.
    pub fn passes(&mut self) {
        self.passed = Some(Instant::now());
    }

    /// Records that the worker has its turn again.
    pub fn goes_on(&mut self) {
        self.away += self.passed.take().map_or(Duration::ZERO, |passed| passed.elapsed());
    }

    /// Whether the worker's report of the test that has just ended can be true.
    ///
    /// # Errors
    /// The impossible figure, and the figure that contradicts it.
    pub fn check(&mut self, done: &TestDone, histogram: Option<&SentHistogram>) -> Result<(), String> {
        let elapsed = (!self.simulated).then(|| self.since.elapsed());
        check_times(done, histogram, elapsed, self.cores)?;
        elapsed.map_or(Ok(()), |elapsed| check_turns(done, elapsed, self.away))?;
        // A database may have been opened before the worker was allowed to continue.
        check_span(done, "open_ns", done.counters.get("open_ns").unwrap_or(0), self.began.elapsed())?;
        for name in ["settle_ns", "close_ns"] {
            check_span(done, name, done.counters.get(name).unwrap_or(0), self.since.elapsed())?;
        }
        self.said.add(done);
        // An inspection costs as much as a small test. It is skipped if the reported bytes are within the slack anyway.
        let unlooked = [self.said.read - self.looked.read, self.said.written - self.looked.written];
        if unlooked.into_iter().chain(sizes(done)).all(|said| said <= SLACK_BYTES) {
            return Ok(());
        }
        self.looked = self.said;
        check_sizes(done, self.said, &self.look())
    }

    fn look(&self) -> Outside {
        let kernel = self.process.map(facts).unwrap_or_default();
        let database_bytes = dbdyno_workload::resources::disk_bytes(&self.databases, "").map_or(0, |(all, _)| all);
        Outside { kernel, database_bytes }
    }
}

/// Reads the figures of a process and all that it started, because a program may be a script around the engine's.
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

/// Tolerance for the difference between two clocks, and for the rounding of counters: a hundredth, plus this.
const SLACK: Duration = Duration::from_millis(20);
/// Tolerance for files and memory that come and go between two inspections, bytes.
const SLACK_BYTES: u64 = 64 << 20;

/// Returns the longest time that another clock may show for this elapsed time, ns.
fn most_ns(elapsed: Duration) -> u64 {
    (elapsed + elapsed / 100 + SLACK).as_nanos() as u64
}

fn check_span(done: &TestDone, name: &str, said_ns: u64, elapsed: Duration) -> Result<(), String> {
    if said_ns <= most_ns(elapsed) {
        return Ok(());
    }
    let (said, elapsed) = (duration(said_ns as f64), duration(elapsed.as_nanos() as f64));
    refuse(done, &format!("{name} is {said}, but it took {elapsed} by dbdyno's clock"))
}

/// Compares the times of a test that took turns with those between dbdyno's own messages. A worker's time away is longer than that of the
/// others' turns: it includes the way of the messages.
fn check_turns(done: &TestDone, elapsed: Duration, away: Duration) -> Result<(), String> {
    check_span(done, "wall_ns", done.wall_ns, elapsed.saturating_sub(away))?;
    let both = done.counters.get("away_ns").map_or(0, |away| away.saturating_add(done.wall_ns));
    check_span(done, "away_ns with wall_ns", both, elapsed)
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
                return refuse(done, &format!("{name} is {cpu}, more than {from_outside} on {cores} cores allow"));
            }
        }
        let parts = PARTS.iter().filter_map(|name| done.counters.get(name)).fold(0, u64::saturating_add);
        let threads = threads(done);
        if parts > most.saturating_mul(threads) {
            let (parts, threads) = (duration(parts as f64), counted(threads as usize, "thread"));
            return refuse(done, &format!("the parts of its time are {parts}, more than {from_outside} on {threads}"));
        }
    }
    if let Some(sent) = histogram {
        // Buckets are a thousandth wide, and a sample below one nanosecond counts as one.
        let samples = sent.samples.len();
        let sum: f64 =
            sent.samples.iter_recorded().map(|one| one.value_iterated_to() as f64 * one.count_at_value() as f64).sum();
        // Threads that work at the same time each have this much time.
        let threads = threads(done);
        if sum * 0.99 - samples as f64 > (done.wall_ns as f64 + 1_000.0) * threads as f64 {
            let (sum, took) = (duration(sum), duration(done.wall_ns as f64));
            return refuse(done, &format!("its samples add up to {sum}, but it took {took}"));
        }
    }
    Ok(())
}

/// The counters that divide the time of a test's threads.
const PARTS: [&str; 6] =
    ["part_user_ns", "part_kernel_ns", "part_sync_ns", "part_sleep_ns", "part_queue_ns", "part_rest_ns"];

/// Returns the threads of a test.
fn threads(done: &TestDone) -> u64 {
    done.actors.iter().map(|actor| u64::from(actor.threads)).sum::<u64>().max(1)
}

/// Returns the figures of a report that are bytes at one moment.
fn sizes(done: &TestDone) -> [u64; 4] {
    let floor = done.counters.get("floor_rss_bytes").unwrap_or(0);
    [done.peak_rss_bytes, floor, done.database_bytes, done.side_bytes]
}

/// Compares reported bytes with the whole run so far: a log may have grown in any previous test, and be gone by now.
fn check_sizes(done: &TestDone, said: Traffic, outside: &Outside) -> Result<(), String> {
    let KernelFacts { read_bytes, written_bytes, passed_bytes, peak_rss_bytes } = outside.kernel;
    // Data that closing the database removed was written earlier: through the storage layer, or at least to the system.
    let removed = written_bytes.unwrap_or(0).saturating_add(passed_bytes.unwrap_or(0));
    let database = outside.database_bytes.saturating_mul(4).saturating_add(removed);
    let [said_peak, said_floor, said_database, said_side] = sizes(done);
    for (name, said, most) in [
        ("read_bytes", said.read, read_bytes),
        ("written_bytes", said.written, written_bytes),
        ("peak_rss_bytes", said_peak, peak_rss_bytes),
        ("floor_rss_bytes", said_floor, peak_rss_bytes),
        ("database_bytes", said_database, Some(database)),
        ("side_bytes", said_side, Some(said_database)),
    ] {
        if let Some(most) = most
            && said > most.saturating_add(SLACK_BYTES)
        {
            let (said, most) = (bytes(said), bytes(most));
            let what = format!("{name} is {said}, but dbdyno saw at most {most} in the run so far");
            return refuse(done, &what);
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
    use dbdyno_engine::protocol::ActorDone;
    use dbdyno_workload::histogram::empty;
    use std::sync::Arc;

    const OUTSIDE: Outside = Outside {
        kernel: KernelFacts {
            read_bytes: Some(4096),
            written_bytes: Some(1 << 20),
            passed_bytes: Some(200 << 20),
            peak_rss_bytes: Some(50 << 20),
        },
        database_bytes: 1 << 20,
    };

    fn check(done: &TestDone, histogram: Option<&SentHistogram>, elapsed: Option<Duration>) -> Result<(), String> {
        let mut said = Traffic::default();
        said.add(done);
        check_times(done, histogram, elapsed, 2)?;
        check_sizes(done, said, &OUTSIDE)
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
        SentHistogram { bytes: Vec::new(), samples: Arc::new(samples) }
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
        for name in
            ["read_bytes", "open_read_bytes", "written_bytes", "close_written_bytes", "user_ns", "floor_rss_bytes"]
        {
            let mut done = honest();
            done.counters.set(name, Some(u64::MAX));
            refused(done, None, name.trim_start_matches("close_").trim_start_matches("open_"));
        }
    }

    #[test]
    fn a_worker_has_its_own_turns_only() {
        let [all, away] = [400, 300].map(Duration::from_millis);
        let mut done = honest();
        done.counters.set("away_ns", Some(310_000_000));
        assert_eq!(check_turns(&done, all, away), Ok(()));
        let others = TestDone { wall_ns: 200_000_000, ..done.clone() };
        assert!(check_turns(&others, all, away).unwrap_err().contains("wall_ns is 200 ms"));
        done.counters.set("away_ns", Some(400_000_000));
        assert!(check_turns(&done, all, away).unwrap_err().contains("away_ns with wall_ns is 490 ms"));
    }

    #[test]
    fn the_parts_of_all_threads_are_at_most_their_time() {
        let with = |rest_ns: u64, threads: u32| {
            let mut done = honest();
            let actor = ActorDone { threads, ..ActorDone::default() };
            done.actors = if threads > 1 { vec![actor] } else { Vec::new() };
            done.counters.set("part_user_ns", Some(80_000_000));
            done.counters.set("part_rest_ns", Some(rest_ns));
            check(&done, None, ELAPSED)
        };
        assert_eq!((with(10_000_000, 1), with(200_000_000, 3)), (Ok(()), Ok(())));
        for refused in [with(200_000_000, 1), with(u64::MAX, 3)] {
            assert!(refused.unwrap_err().contains("the parts of its time are"));
        }
    }

    /// The case of a log that no test moves into the database, and that closing the database after the last test removes.
    #[test]
    fn what_earlier_tests_wrote_may_be_there_until_the_last() {
        let mut done = honest();
        (done.database_bytes, done.side_bytes) = (773 << 20, 771 << 20);
        done.counters.set("written_bytes", Some(100 << 20));
        let mut said = Traffic::default();
        (0..7).for_each(|_| said.add(&done));
        let mut outside = OUTSIDE;
        outside.kernel.written_bytes = Some(771 << 20);
        assert_eq!(check_sizes(&done, said, &outside), Ok(()));
        said.add(&done);
        (0..2).for_each(|_| said.add(&done));
        let refused = check_sizes(&done, said, &outside).unwrap_err();
        assert!(refused.contains("written_bytes is 0.98 GiB, but dbdyno saw at most 771 MiB"), "{refused}");
    }

    /// Each report is within the slack of one inspection, but their sum is not.
    #[test]
    fn small_lies_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let (now, databases) = (Instant::now(), folder.path().to_owned());
        let (said, looked) = <(Traffic, Traffic)>::default();
        let process = Some(std::process::id());
        let simulated = true;
        let (passed, away) = (None, Duration::ZERO);
        let mut witness =
            Witness { process, databases, simulated, cores: 1, began: now, since: now, passed, away, said, looked };
        let mut done = TestDone { database_bytes: 0, side_bytes: 0, peak_rss_bytes: 0, ..honest() };
        done.counters.set("read_bytes", Some(60 << 20));
        done.counters.set("written_bytes", None);
        let refused = (0..1000).find_map(|_| witness.check(&done, None).err()).unwrap();
        assert!(refused.contains("read_bytes is"), "{refused}");
    }
}
