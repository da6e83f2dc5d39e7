//! The machine's settings and its load when a session starts.

use serde::{Deserialize, Serialize};

use super::{memory, text};

/// The conditions that may change from one session to the next on the same machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Tasks that ran or waited for a disk, mean of the last minute (`/proc/loadavg`).
    pub load_1: Option<f64>,
    /// The same, mean of five minutes.
    pub load_5: Option<f64>,
    /// The same, mean of fifteen minutes.
    pub load_15: Option<f64>,
    /// The governor of the first CPU's frequency, such as `performance` (`/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor`).
    /// Virtual machines have none.
    pub cpu_governor: Option<String>,
    /// The kernel's time source, such as `tsc`; others make every clock read slow
    /// (`/sys/devices/system/clocksource/clocksource0/current_clocksource`).
    pub clock_source: Option<String>,
    /// When the kernel uses huge pages: `always`, `madvise` or `never` (`/sys/kernel/mm/transparent_hugepage/enabled`).
    pub transparent_hugepages: Option<String>,
    /// Bytes of swap in use (`SwapTotal` less `SwapFree` of `/proc/meminfo`).
    pub swap_used_bytes: Option<u64>,
}

impl Load {
    /// Reads the current settings and load.
    pub fn read() -> Self {
        let [load_1, load_5, load_15] = text::read("/proc/loadavg").as_deref().map(averages).unwrap_or_default();
        Self {
            load_1,
            load_5,
            load_15,
            cpu_governor: text::read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            clock_source: text::read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            transparent_hugepages: text::read("/sys/kernel/mm/transparent_hugepage/enabled")
                .and_then(|text| text::bracketed(&text)),
            swap_used_bytes: text::read("/proc/meminfo").and_then(|text| memory::swap_used_bytes(&text)),
        }
    }
}

/// Returns the first three figures of `/proc/loadavg`.
fn averages(loadavg: &str) -> [Option<f64>; 3] {
    let mut figures = loadavg.split_whitespace();
    [(); 3].map(|()| figures.next()?.parse().ok().filter(|figure: &f64| figure.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_averages() {
        assert_eq!(averages("4.04 3.27 1.65 5/102 8952"), [Some(4.04), Some(3.27), Some(1.65)]);
        assert_eq!(averages("0.00 nan"), [Some(0.0), None, None]);
        assert_eq!(averages(""), [None; 3]);
    }

    #[test]
    fn reading_it_never_fails() {
        let load = Load::read();
        assert!(load.load_1.is_none_or(|figure| figure >= 0.0));
    }
}
