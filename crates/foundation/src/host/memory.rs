//! `/proc/meminfo`.

use super::text::field;

/// Returns the bytes of the line `key` of `/proc/meminfo`, whose unit is called kB but is KiB.
pub(super) fn bytes(meminfo: &str, key: &str) -> Option<u64> {
    let kib = field(meminfo, key)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    kib.checked_mul(1024)
}

/// Returns the bytes of swap in use. `None` if the kernel does not report swap; 0 if there is none, or none in use.
pub(super) fn swap_used_bytes(meminfo: &str) -> Option<u64> {
    Some(bytes(meminfo, "SwapTotal")?.saturating_sub(bytes(meminfo, "SwapFree")?))
}

/// Estimates the sum of the memory modules from the part that the kernel manages: the next of 2, 3, 4, 6, 8, 12, 16 ...
///
/// `MemTotal` is some percent less, and differs by megabytes between kernels. This estimate does not.
pub(super) fn installed_bytes(total: u64) -> u64 {
    let power = total.checked_next_power_of_two().unwrap_or(u64::MAX);
    let three_quarters = power / 4 * 3;
    if total <= three_quarters { three_quarters } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAPTOP: &str = "MemTotal:       16167948 kB\nMemFree:         1034220 kB\nSwapCached:       102400 kB\n\
                          SwapTotal:       8388604 kB\nSwapFree:        8126460 kB\nHugePages_Total:       0\n";

    #[test]
    fn kib_become_bytes() {
        assert_eq!(bytes(LAPTOP, "MemTotal"), Some(16_167_948 * 1024));
        assert_eq!(bytes(LAPTOP, "MemNone"), None);
        assert_eq!(bytes(LAPTOP, "HugePages_Total"), None, "a count is no size");
    }

    #[test]
    fn swap() {
        assert_eq!(swap_used_bytes(LAPTOP), Some((8_388_604 - 8_126_460) * 1024));
        assert_eq!(swap_used_bytes("SwapTotal: 0 kB\nSwapFree: 0 kB\n"), Some(0));
        assert_eq!(swap_used_bytes("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn installed_memory_forgives_what_the_kernel_keeps() {
        const GIB: u64 = 1 << 30;
        assert_eq!(installed_bytes(16_167_948 * 1024), 16 * GIB);
        assert_eq!(installed_bytes(16_100_000 * 1024), 16 * GIB);
        assert_eq!(installed_bytes(24_684_084 * 1024), 24 * GIB);
        assert_eq!(installed_bytes(8 * GIB), 8 * GIB);
        assert_eq!(installed_bytes(u64::MAX), u64::MAX);
    }
}
