//! Runs a target: first its corpus, then its cases. Each is watched for panics, time and memory.

use super::{Verdict, mutate};
use dbdyno::base::identifier::clock_seed;
use dbdyno_workload::rng::SplitMix64;
use rustix::time::{ClockId, clock_gettime};
use std::{
    env, fs,
    panic::{self, AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, Once, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

/// The seed of all cases of a usual run.
const SEED: u64 = 20_260_101;
/// The most CPU time for a case. `MOST_WALL` limits its wall time, because other programs may be running too.
const MOST_CPU: Duration = Duration::from_secs(2);
const MOST_WALL: Duration = Duration::from_secs(30);
/// The time after which a case counts as hanging. Only ending the program stops such a case.
const HANGS: Duration = Duration::from_secs(120);
/// The most that a case may add to the peak memory.
const MOST_MEMORY_KIB: u64 = 512 << 10;
/// The shortest time in which a case can use much memory. The memory of faster cases is not checked.
const LOOKED_AT: Duration = Duration::from_millis(5);
/// The number of finds after which a long run stops.
const MOST_FINDS: usize = 10;

/// A parser under test, and its cases.
pub(super) struct Target {
    /// The name of the target, and of its corpus.
    name: &'static str,
    /// The number of cases of a usual run.
    cases: u64,
}

/// Panics of threads other than the target's.
static ELSEWHERE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records panics of threads that start while a target runs. Threads of tests have names.
fn watch_panics() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current().name().is_none_or(|name| name.starts_with("tokio")) {
                ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
            }
            before(panic);
        }));
    });
}

/// The requested duration of the run, if there is one.
fn asked_time() -> Option<Duration> {
    let asked = env::var("DBDYNO_FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(asked.parse().expect("DBDYNO_FUZZ_SECONDS: expected a whole number")))
}

/// The folder for finds.
fn kept() -> PathBuf {
    env::var_os("DBDYNO_FUZZ_KEEP").map_or_else(env::temp_dir, PathBuf::from)
}

impl Target {
    pub(super) fn new(name: &'static str, cases: u64) -> Self {
        Self { name, cases }
    }

    /// Runs the target on a thread with the usual stack size, whatever thread the test runs on.
    ///
    /// # Panics
    ///
    /// If anything was found.
    pub(super) fn fuzz(&self, samples: &[Vec<u8>], check: impl Fn(&[u8]) -> Verdict + Send) {
        watch_panics();
        thread::scope(|scope| {
            let thread = thread::Builder::new().name(format!("fuzz {}", self.name)).stack_size(2 << 20);
            let found = thread.spawn_scoped(scope, move || self.run(samples, &check)).unwrap().join();
            assert_eq!(found.expect("the harness itself does not panic"), 0, "finds of target {}", self.name);
        });
    }

    /// Returns the number of finds.
    fn run(&self, samples: &[Vec<u8>], check: &dyn Fn(&[u8]) -> Verdict) -> usize {
        let mut finds = 0;
        let mut watcher = Watcher::new(self.name);
        let asked = asked_time();
        for (file, input) in self.corpus() {
            finds += usize::from(self.is_find(&file, &input, check, &mut watcher));
        }
        // A corpus that fails is reported before the cases run.
        let (seed, begun) = (asked.map_or(SEED, |_| clock_seed()), Instant::now());
        let goes_on = |case: u64, finds: usize| match asked {
            Some(time) => begun.elapsed() < time && finds < MOST_FINDS,
            None => case < self.cases && finds == 0,
        };
        let mut cases = 0;
        while goes_on(cases, finds) {
            let input = mutate::input(samples, &mut SplitMix64::stream(seed, cases));
            let case = format!("seed {seed}, case {cases}");
            finds += usize::from(self.is_find(&case, &input, check, &mut watcher));
            cases += 1;
        }
        watcher.end();
        if asked.is_some() || finds > 0 {
            eprintln!("fuzz: {}: {cases} cases, {finds} finds, seed {seed}", self.name);
        }
        finds
    }

    /// The inputs of earlier finds and inputs chosen by hand, by name.
    fn corpus(&self) -> Vec<(String, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(self.name);
        let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        paths.into_iter().map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
    }

    /// Runs a case. If it fails, prints the fault, keeps the input and returns true.
    fn is_find(&self, case: &str, input: &[u8], check: &dyn Fn(&[u8]) -> Verdict, watcher: &mut Watcher) -> bool {
        let Err(wrong) = watcher.watch(case, input, || check(input)) else { return false };
        let file = kept().join(format!("{}-{:016x}", self.name, digest(input)));
        fs::write(&file, input).unwrap();
        eprintln!("fuzz: {} ({case}): {wrong:.2000}", self.name);
        eprintln!("fuzz: {}: {} bytes kept in {}", self.name, input.len(), file.display());
        true
    }
}

/// A number that names an input.
fn digest(input: &[u8]) -> u64 {
    input.iter().fold(0, |sum, byte| SplitMix64::stream(sum, u64::from(*byte)).next_u64())
}

/// Watches the cases of a target.
struct Watcher {
    /// Signals the end of a case to the thread that waits for it.
    ended: mpsc::Sender<()>,
    /// The file of the running case in a long run. It shows the cause if the program dies.
    case: Option<PathBuf>,
    memory_kib: u64,
    running: Arc<Mutex<(String, Vec<u8>)>>,
}

impl Watcher {
    fn new(target: &'static str) -> Self {
        let running = Arc::new(Mutex::new((String::new(), Vec::new())));
        let (ended, events) = mpsc::channel();
        let seen = Arc::clone(&running);
        // Waits for the end of a case, or of all cases. Only a hanging case causes a timeout.
        thread::spawn(move || {
            loop {
                match events.recv_timeout(HANGS) {
                    Ok(()) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let (case, input) = &*seen.lock().unwrap_or_else(PoisonError::into_inner);
                        let file = kept().join(format!("{target}-hang"));
                        let kept = fs::write(&file, input);
                        eprintln!("fuzz: {target} ({case}): it does not end; kept in {}: {kept:?}", file.display());
                        std::process::abort();
                    }
                }
            }
        });
        let case = asked_time().map(|_| kept().join(format!("{target}-running")));
        // Earlier memory use does not count for this target.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { ended, case, memory_kib: memory_kib(), running }
    }

    /// Runs a case. The error is a failed check, or a panic, too much time or too much memory.
    fn watch(&mut self, case: &str, input: &[u8], check: impl FnOnce() -> Verdict) -> Verdict {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = (case.to_owned(), input.to_vec());
        if let Some(file) = &self.case {
            fs::write(file, input).unwrap();
        }
        let (wall, cpu) = (Instant::now(), cpu_time());
        let done = catch_unwind(AssertUnwindSafe(check));
        let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
        // The thread runs until this watcher is dropped.
        let _ = self.ended.send(());
        let elsewhere = std::mem::take(&mut *ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(panic) = elsewhere.first() {
            return Err(format!("a thread panicked: {panic}"));
        }
        match done {
            Err(panic) => return Err(format!("it panicked: {}", said(panic.as_ref()))),
            Ok(done) => done?,
        }
        if cpu > MOST_CPU || wall > MOST_WALL {
            return Err(format!("it took {cpu:?} of the processor, {wall:?} by the clock"));
        }
        if self.case.is_some() && wall > LOOKED_AT {
            let more = memory_kib().saturating_sub(self.memory_kib);
            if more > MOST_MEMORY_KIB {
                self.memory_kib += more;
                return Err(format!("it took {} MiB more of memory than anything before", more >> 10));
            }
        }
        Ok(())
    }

    fn end(self) {
        if let Some(file) = &self.case {
            let _ = fs::remove_file(file);
        }
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The peak memory of this process.
fn memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
