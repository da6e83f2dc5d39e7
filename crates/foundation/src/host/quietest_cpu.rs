//! The CPU with the least work that is not its processes'.

use super::text;
use rustix::thread::{CpuSet, sched_getaffinity};

/// Returns the CPU, of those that this process may use, that has spent the least time on interrupts and on other virtual machines since the
/// machine started (`/proc/stat`). `None`: the kernel does not tell.
pub fn quietest_cpu() -> Option<u32> {
    let allowed = sched_getaffinity(None).ok()?;
    let is_allowed = |cpu: u32| (cpu as usize) < CpuSet::MAX_CPU && allowed.is_set(cpu as usize);
    quietest(&text::read("/proc/stat")?, is_allowed)
}

fn quietest(stat: &str, is_allowed: impl Fn(u32) -> bool) -> Option<u32> {
    let of_line = |line: &str| {
        let (cpu, ticks) = line.strip_prefix("cpu")?.split_once(' ')?;
        let cpu = cpu.parse().ok().filter(|cpu| is_allowed(*cpu))?;
        let ticks: Vec<u64> = ticks.split_ascii_whitespace().filter_map(|ticks| ticks.parse().ok()).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        Some((ticks.get(5..8)?.iter().sum::<u64>(), cpu))
    };
    stat.lines().filter_map(of_line).min().map(|(_, cpu)| cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str =
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 500 0 90 70 1 4 30 9 0 0\ncpu1 900 0 90 70 1 2 10 9 0 0\nctxt 5\n";

    #[test]
    fn the_cpu_with_the_fewest_interrupts_is_taken_whatever_runs_on_it() {
        assert_eq!(quietest(STAT, |_| true), Some(1));
        assert_eq!(quietest(STAT, |cpu| cpu == 0), Some(0));
        assert_eq!(quietest("ctxt 5\n", |_| true), None);
    }
}
