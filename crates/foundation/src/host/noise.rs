//! The machine's activity while a run was measured.

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::{Throttling, text};

/// Ticks a second of `/proc/stat` if the kernel does not report them: all but long obsolete ports use this value.
const USUAL_TICKS: u64 = 100;
/// The entry of `/proc/self/auxv` with the ticks a second (`AT_CLKTCK`, the value of `sysconf(_SC_CLK_TCK)`).
const AT_CLKTCK: usize = 17;

/// Counters since the machine started, read before and after a run. Only their differences have a meaning: [`NoiseSample::since`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoiseSample {
    /// Time of the sample: nanoseconds of `CLOCK_MONOTONIC`.
    pub monotonic_ns: u64,
    /// Time of all CPUs (the line `cpu` of `/proc/stat`).
    pub cpu: Option<CpuTimes>,
    /// Context switches of all CPUs (the line `ctxt` of `/proc/stat`).
    pub context_switches: Option<u64>,
    /// Microseconds in which some task waited for a CPU (`total` of `some` in `/proc/pressure/cpu`). `None` on kernels before 4.20, or
    /// kernels built or started without it.
    pub psi_cpu_us: Option<u64>,
    /// Microseconds in which some task waited for a disk (`/proc/pressure/io`).
    pub psi_io_us: Option<u64>,
    /// Microseconds in which some task waited for memory (`/proc/pressure/memory`).
    pub psi_memory_us: Option<u64>,
    /// How often control groups around this process had used up their CPU time. `None` if no group counts it.
    pub throttling: Option<Throttling>,
}

/// Nanoseconds of all CPUs together, from the line `cpu` of `/proc/stat`. It counts in ticks of 10 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTimes {
    /// The total: running, idle, waiting and stolen.
    pub total_ns: u64,
    /// Time with nothing to do.
    pub idle_ns: u64,
    /// Time with nothing to do but wait for a disk.
    pub iowait_ns: u64,
    /// Time in which a CPU had work, but the hypervisor ran something else.
    pub steal_ns: u64,
}

/// The differences between two samples. They describe the whole machine: the run's own activity is part of every figure except steal. So
/// a test that syncs often has high I/O pressure even on the quietest machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseDelta {
    /// Nanoseconds between the samples.
    pub elapsed_ns: u64,
    /// Share of the time of all CPUs, 0 to 1, that the hypervisor gave to others (`/proc/stat`). `None` if no tick (10 ms) passed.
    pub steal_share: Option<f64>,
    /// Share of the time of all CPUs, 0 to 1, in which anything ran here (`/proc/stat`). One busy thread on four CPUs: 0.25. `None` if no
    /// tick passed.
    pub busy_share: Option<f64>,
    /// Average number of busy CPUs: 0.5 is half of one CPU's time.
    pub busy_cpus: Option<f64>,
    /// Share of the elapsed time, 0 to 1, in which some task waited for a CPU (`/proc/pressure/cpu`).
    pub psi_cpu_share: Option<f64>,
    /// Share of the elapsed time, 0 to 1, in which some task waited for a disk (`/proc/pressure/io`).
    pub psi_io_share: Option<f64>,
    /// Share of the elapsed time, 0 to 1, in which some task waited for memory (`/proc/pressure/memory`).
    pub psi_memory_share: Option<f64>,
    /// Context switches of the whole machine (`/proc/stat`).
    pub context_switches: Option<u64>,
    /// Periods in which control groups around this process had used up their CPU time and its threads waited (`cpu.stat`).
    pub throttled_periods: Option<u64>,
    /// Their waiting time, summed over CPUs, ns.
    pub throttled_ns: Option<u64>,
}

impl NoiseSample {
    /// Takes a sample now. Costs some tens of microseconds, or some milliseconds on machines with very many CPUs.
    pub fn now() -> Self {
        let stat = text::read("/proc/stat");
        let stat = stat.as_deref();
        let pressure = |path| text::read(path).as_deref().and_then(some_total_us);
        Self {
            monotonic_ns: monotonic_ns(),
            cpu: stat.and_then(|stat| cpu_times(stat, ticks_a_second())),
            context_switches: stat.and_then(context_switches),
            psi_cpu_us: pressure("/proc/pressure/cpu"),
            psi_io_us: pressure("/proc/pressure/io"),
            psi_memory_us: pressure("/proc/pressure/memory"),
            throttling: Throttling::now(),
        }
    }

    /// Returns the differences from `earlier` to this sample.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> NoiseDelta {
        let elapsed_ns = self.monotonic_ns.saturating_sub(earlier.monotonic_ns);
        let throttling = self.throttling.zip(earlier.throttling).map(|(later, earlier)| later.since(earlier));
        let cpu = self.cpu.zip(earlier.cpu).map(|(later, earlier)| later.since(earlier));
        let pressure = |later: Option<u64>, earlier: Option<u64>| {
            let (later, earlier) = later.zip(earlier)?;
            share(later.saturating_sub(earlier).saturating_mul(1000), elapsed_ns)
        };
        NoiseDelta {
            elapsed_ns,
            steal_share: cpu.and_then(|cpu| share(cpu.steal_ns, cpu.total_ns)),
            busy_share: cpu.and_then(|cpu| share(cpu.busy_ns(), cpu.total_ns)),
            busy_cpus: cpu.filter(|_| elapsed_ns > 0).map(|cpu| cpu.busy_ns() as f64 / elapsed_ns as f64),
            psi_cpu_share: pressure(self.psi_cpu_us, earlier.psi_cpu_us),
            psi_io_share: pressure(self.psi_io_us, earlier.psi_io_us),
            psi_memory_share: pressure(self.psi_memory_us, earlier.psi_memory_us),
            context_switches: self
                .context_switches
                .zip(earlier.context_switches)
                .map(|(later, earlier)| later.saturating_sub(earlier)),
            throttled_periods: throttling.map(|throttling| throttling.periods),
            throttled_ns: throttling.map(|throttling| throttling.ns),
        }
    }
}

impl NoiseDelta {
    /// Returns the average number of CPUs that were busy with anything but a process that used `own_ns` of CPU time.
    pub fn others_cpus(&self, own_ns: u64) -> Option<f64> {
        let own = own_ns as f64 / self.elapsed_ns.max(1) as f64;
        self.busy_cpus.map(|busy| (busy - own).max(0.0))
    }
}

impl CpuTimes {
    /// Returns the difference. Each field saturates, because the kernel lets idle and iowait step back slightly.
    fn since(self, earlier: Self) -> Self {
        Self {
            total_ns: self.total_ns.saturating_sub(earlier.total_ns),
            idle_ns: self.idle_ns.saturating_sub(earlier.idle_ns),
            iowait_ns: self.iowait_ns.saturating_sub(earlier.iowait_ns),
            steal_ns: self.steal_ns.saturating_sub(earlier.steal_ns),
        }
    }

    /// Returns the remainder: the time in which something of this machine ran.
    fn busy_ns(self) -> u64 {
        self.total_ns.saturating_sub(self.idle_ns).saturating_sub(self.iowait_ns).saturating_sub(self.steal_ns)
    }
}

/// Returns the share of the whole, between 0 and 1 although the two are not read at the same instant. `None` if the whole is 0.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64).min(1.0))
}

/// Returns the CPU time of a process with all its threads and the children that it has waited for, ns; `None` if there is no such
/// process.
pub fn process_cpu_ns(process: u32) -> Option<u64> {
    stat_cpu_ns(&text::read(format!("/proc/{process}/stat"))?, ticks_a_second())
}

/// Sums `utime`, `stime`, `cutime` and `cstime`: fields 14 to 17. The second field is a name in brackets, which may contain anything.
fn stat_cpu_ns(stat: &str, ticks_a_second: u64) -> Option<u64> {
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    let ticks: Vec<u64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
    (ticks.len() == 4).then(|| ticks.iter().sum::<u64>().saturating_mul(1_000_000_000 / ticks_a_second.max(1)))
}

fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u64::try_from(now.tv_nsec));
    seconds.unwrap_or_default().saturating_mul(1_000_000_000).saturating_add(nanoseconds.unwrap_or_default())
}

fn ticks_a_second() -> u64 {
    std::fs::read("/proc/self/auxv").ok().and_then(|auxv| auxv_ticks(&auxv)).unwrap_or(USUAL_TICKS)
}

/// Reads `AT_CLKTCK` from the auxiliary vector: pairs of native words, a key and its value.
fn auxv_ticks(auxv: &[u8]) -> Option<u64> {
    const WORD: usize = size_of::<usize>();
    let word = |bytes: &[u8]| Some(usize::from_ne_bytes(bytes.try_into().ok()?));
    auxv.as_chunks::<{ 2 * WORD }>()
        .0
        .iter()
        .find(|pair| word(&pair[..WORD]) == Some(AT_CLKTCK))
        .and_then(|pair| word(&pair[WORD..]))
        .and_then(|ticks| u64::try_from(ticks).ok())
        .filter(|&ticks| ticks > 0)
}

/// Parses the line `cpu`: user, nice, system, idle, iowait, irq, softirq, steal. Guest time follows, but is already included in user. Old
/// kernels end the line earlier.
fn cpu_times(stat: &str, ticks_a_second: u64) -> Option<CpuTimes> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let mut ticks = [0_u64; 8];
    let mut count = 0;
    for (slot, figure) in ticks.iter_mut().zip(line.split_whitespace()) {
        *slot = figure.parse().ok()?;
        count += 1;
    }
    // Without idle, busy time cannot be computed.
    if count < 4 {
        return None;
    }
    let tick_ns = 1_000_000_000 / ticks_a_second.max(1);
    let ns = |ticks: u64| ticks.saturating_mul(tick_ns);
    let [.., idle, iowait, _irq, _softirq, steal] = ticks;
    Some(CpuTimes {
        total_ns: ns(ticks.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks))),
        idle_ns: ns(idle),
        iowait_ns: ns(iowait),
        steal_ns: ns(steal),
    })
}

fn context_switches(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("ctxt "))?.trim().parse().ok()
}

/// Returns the microseconds at the end of the line `some` of `/proc/pressure/*`.
fn some_total_us(pressure: &str) -> Option<u64> {
    let some = pressure.lines().find(|line| line.starts_with("some "))?;
    some.split_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "\
cpu  84778 9925 6711 98918 399 0 57 212 0 0
cpu0 41910 4776 3330 50363 43 0 11 112 0 0
cpu1 42868 5149 3381 48554 355 0 46 99 0 0
intr 1234 0 0
ctxt 461022
btime 1763692000
";

    const PSI: &str = "some avg10=94.52 avg60=92.06 avg300=68.29 total=380838346\n\
                       full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";

    fn sample(monotonic_ns: u64, stat: &str, psi: &str) -> NoiseSample {
        NoiseSample {
            monotonic_ns,
            cpu: cpu_times(stat, 100),
            context_switches: context_switches(stat),
            psi_cpu_us: some_total_us(psi),
            psi_io_us: some_total_us(psi),
            psi_memory_us: None,
            throttling: Some(Throttling { periods: monotonic_ns / 1_000_000_000, ns: monotonic_ns }),
        }
    }

    #[test]
    fn ticks_become_nanoseconds() {
        let times = cpu_times(STAT, 100).unwrap();
        assert_eq!(times.total_ns, 201_000 * 10_000_000);
        assert_eq!(times.idle_ns, 98_918 * 10_000_000);
        assert_eq!(times.iowait_ns, 399 * 10_000_000);
        assert_eq!(times.steal_ns, 212 * 10_000_000);
        assert_eq!(cpu_times(STAT, 1024).unwrap().steal_ns, 212 * 976_562);
        assert_eq!(context_switches(STAT), Some(461_022));
    }

    #[test]
    fn guests_are_not_counted_twice() {
        let host = cpu_times("cpu  1000 0 0 1000 0 0 0 0 900 0\n", 100).unwrap();
        assert_eq!(host.total_ns, 2000 * 10_000_000);
    }

    #[test]
    fn old_kernels_know_less() {
        let times = cpu_times("cpu  10 20 30 40\nctxt 5\n", 100).unwrap();
        assert_eq!((times.total_ns, times.idle_ns, times.steal_ns), (1_000_000_000, 400_000_000, 0));
        assert_eq!(cpu_times("cpu  10 20\n", 100), None);
        assert_eq!(cpu_times("cpu0 10 20 30 40\n", 100), None);
        assert_eq!(cpu_times("", 100), None);
        assert_eq!(context_switches("cpu  1 2 3 4\n"), None);
    }

    #[test]
    fn pressure() {
        assert_eq!(some_total_us(PSI), Some(380_838_346));
        assert_eq!(some_total_us(""), None);
        assert_eq!(some_total_us("full avg10=0.00 total=7\n"), None);
    }

    #[test]
    fn shares_between_two_samples() {
        // One second on two CPUs: 100 ticks ran, 60 were idle, 20 waited, 20 were stolen.
        let earlier = sample(5_000_000_000, "cpu  100 0 0 100 10 0 0 5\nctxt 1000\n", "some total=1000\n");
        let later = sample(6_000_000_000, "cpu  180 0 20 160 30 0 0 25\nctxt 1234\n", "some total=251000\n");
        let delta = later.since(&earlier);
        assert_eq!(delta.elapsed_ns, 1_000_000_000);
        assert_eq!(delta.steal_share, Some(0.1));
        assert_eq!(delta.busy_share, Some(0.5));
        assert_eq!((delta.busy_cpus, delta.others_cpus(750_000_000)), (Some(1.0), Some(0.25)));
        assert_eq!(delta.others_cpus(2_000_000_000), Some(0.0));
        assert_eq!(delta.psi_cpu_share, Some(0.25));
        assert_eq!(delta.psi_io_share, Some(0.25));
        assert_eq!(delta.psi_memory_share, None);
        assert_eq!(delta.context_switches, Some(234));
        assert_eq!((delta.throttled_periods, delta.throttled_ns), (Some(1), Some(1_000_000_000)));
    }

    #[test]
    fn cpu_time_of_a_process() {
        let stat = "42 (a) b (c) S 1 42 42 0 -1 4194560 9 8 7 6 120 30 4 1 20 0 3 0 99 1000 200";
        assert_eq!(stat_cpu_ns(stat, 100), Some(1_550_000_000));
        assert_eq!(stat_cpu_ns("42 (a) S 1", 100), None);
        assert!(process_cpu_ns(std::process::id()).is_some());
    }

    #[test]
    fn no_time_no_share() {
        let same = sample(5, STAT, PSI);
        let delta = same.since(&same);
        assert_eq!((delta.elapsed_ns, delta.steal_share, delta.busy_share), (0, None, None));
        assert_eq!((delta.psi_cpu_share, delta.context_switches), (None, Some(0)));
    }

    #[test]
    fn counters_that_step_back_or_run_ahead() {
        let earlier = sample(1_000, "cpu  0 0 0 500 500 0 0 0\nctxt 9\n", "some total=5000\n");
        let later = sample(2_000, "cpu  0 0 0 502 400 0 0 200\nctxt 8\n", "some total=9000\n");
        let delta = later.since(&earlier);
        assert_eq!(delta.steal_share, Some(1.0));
        assert_eq!(delta.busy_share, Some(0.0));
        assert_eq!(delta.psi_cpu_share, Some(1.0));
        assert_eq!(delta.context_switches, Some(0));
    }

    #[test]
    fn the_clock_tick_of_the_auxiliary_vector() {
        let auxv: Vec<u8> = [6_usize, 4096, AT_CLKTCK, 250, 0, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(auxv_ticks(&auxv), Some(250));
        assert_eq!(auxv_ticks(&auxv[..20]), None);
        assert_eq!(auxv_ticks(&[]), None);
    }

    #[test]
    fn samples_of_this_machine_go_forward() {
        let earlier = NoiseSample::now();
        std::thread::sleep(std::time::Duration::from_millis(30));
        let delta = NoiseSample::now().since(&earlier);
        assert!(delta.elapsed_ns >= 30_000_000);
        assert!(delta.busy_share.is_none_or(|share| (0.0..=1.0).contains(&share)));
    }
}
