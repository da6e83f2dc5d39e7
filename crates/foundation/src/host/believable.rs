//! A plausibility check of measured sync times.

use super::SyncTimes;

/// The fastest disks, with power-loss protection, take about 10 µs for a synced write.
const FASTEST_DISK_NS: u64 = 5_000;
/// Below this, a sync after a write should take longer than a sync with nothing to write: a flush alone takes longer than this.
const FLUSH_NS: u64 = 20_000;
/// A disk with 15,000 rotations a minute takes 4 ms for one, and the same sector passes once in a rotation.
const FASTEST_TURN_NS: u64 = 1_000_000;
/// Bytes a second: twice the bandwidth of a disk on four lanes of PCIe 5, and four times the write rate of the widest arrays of rotating
/// disks.
const MOST_SOLID: u64 = 32_000_000_000;
const MOST_TURNING: u64 = 4_000_000_000;

/// The known properties of the device that is synced to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Whether its disk rotates; none if unknown.
    pub rotational: Option<bool>,
    /// Whether every write is already synced (mount option `sync`): then a sync has nothing left to do.
    pub written_at_once: bool,
}

/// Why measured sync times cannot be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImplausibleSyncs {
    /// No disk answers that fast.
    NoDisk,
    /// A sync after a write takes no longer than a sync of nothing.
    AsNothing,
    /// A rotating disk cannot answer within a fraction of a rotation.
    NoTurn,
    /// A large amount takes no longer than a small one.
    NoGrowth,
    /// No disk of this kind writes this number of bytes in that time.
    TooMuch { bytes_per_second: u64 },
}

/// Checks that these times are plausible for syncs of such a device.
///
/// # Errors
/// The first reason why not.
pub fn believable(times: &SyncTimes, device: Device) -> Result<(), ImplausibleSyncs> {
    let SyncTimes { nothing_ns, small_ns, large_ns } = *times;
    let turns = device.rotational == Some(true);
    let bytes_per_second = (u128::from(SyncTimes::LARGE_BYTES) * 1_000_000_000 / u128::from(large_ns.max(1))) as u64;
    let most = if turns { MOST_TURNING } else { MOST_SOLID };
    match () {
        () if small_ns < FASTEST_DISK_NS => Err(ImplausibleSyncs::NoDisk),
        () if small_ns < FLUSH_NS && small_ns < nothing_ns.saturating_mul(2) => Err(ImplausibleSyncs::AsNothing),
        () if turns && small_ns < FASTEST_TURN_NS => Err(ImplausibleSyncs::NoTurn),
        () if device.written_at_once => Ok(()),
        // A tenth is less than any disk needs for four thousand times the bytes, however slow its flush is.
        () if large_ns < small_ns.saturating_add(small_ns / 10) => Err(ImplausibleSyncs::NoGrowth),
        () if bytes_per_second > most => Err(ImplausibleSyncs::TooMuch { bytes_per_second }),
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: Device = Device { rotational: None, written_at_once: false };
    const SOLID: Device = Device { rotational: Some(false), written_at_once: false };
    const TURNING: Device = Device { rotational: Some(true), written_at_once: false };

    fn times(nothing_us: u64, small_us: u64, large_us: u64) -> SyncTimes {
        SyncTimes { nothing_ns: nothing_us * 1000, small_ns: small_us * 1000, large_ns: large_us * 1000 }
    }

    #[test]
    fn real_disks_are_believed() {
        for (disk, device) in [
            (times(1, 12, 3_000), SOLID),          // power-loss protection: no flush
            (times(450, 470, 9_000), SOLID),       // NVMe without: the flush is all
            (times(4_000, 9_000, 15_000), SOLID),  // slow flush, fast cells
            (times(200, 8_300, 110_000), TURNING), // 7,200 turns
            (times(1, 3_900, 60_000), TURNING),    // 15,000 turns
            (times(500, 900, 130_000), UNKNOWN),   // a disk of a cloud
            (times(1, 56, 6_000), UNKNOWN),        // a virtual disk
        ] {
            assert_eq!(believable(&disk, device), Ok(()), "{disk:?}");
        }
    }

    #[test]
    fn lies_are_found_with_their_reason() {
        let swallowed = SyncTimes { nothing_ns: 300, small_ns: 2_100, large_ns: 900 };
        assert_eq!(believable(&swallowed, SOLID), Err(ImplausibleSyncs::NoDisk), "eatmydata, tmpfs");
        assert_eq!(believable(&times(8, 12, 3_000), UNKNOWN), Err(ImplausibleSyncs::AsNothing));
        assert_eq!(believable(&times(40, 90, 90_000), TURNING), Err(ImplausibleSyncs::NoTurn), "a cache answers");
        assert_eq!(believable(&times(40, 90, 90_000), SOLID), Ok(()), "the same is right without turns");
        assert_eq!(believable(&times(30, 100, 105), SOLID), Err(ImplausibleSyncs::NoGrowth));
        let quick = believable(&times(30, 100, 300), SOLID);
        assert_eq!(quick, Err(ImplausibleSyncs::TooMuch { bytes_per_second: 55_924_053_333 }));
        assert!(matches!(believable(&times(200, 2_000, 3_000), TURNING), Err(ImplausibleSyncs::TooMuch { .. })));
    }

    #[test]
    fn where_writes_are_synced_the_sync_has_nothing_left_to_do() {
        let device = Device { written_at_once: true, ..SOLID };
        assert_eq!(believable(&times(1, 500, 1), device), Ok(()));
        assert_eq!(believable(&times(0, 2, 1), device), Err(ImplausibleSyncs::NoDisk));
    }

    #[test]
    fn no_time_at_all_is_no_time_of_a_disk() {
        let none = SyncTimes { nothing_ns: 0, small_ns: 0, large_ns: 0 };
        assert_eq!(believable(&none, UNKNOWN), Err(ImplausibleSyncs::NoDisk));
        let endless = SyncTimes { nothing_ns: u64::MAX, small_ns: u64::MAX, large_ns: u64::MAX };
        assert_eq!(believable(&endless, UNKNOWN), Ok(()), "nothing overflows");
    }
}
