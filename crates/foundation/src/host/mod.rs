//! The machine on which a result was measured, and its other activity at that time.
//!
//! Recorded with every session: [`HostFacts`], [`WorkFolderFacts`], [`measure_fsync`] and [`Load`]; also [`SyncEvidence`] and the
//! [`SyncDoubt`] that follows from it, the [`Limits`] of surrounding control groups, and the [`Preloaded`] libraries. Recorded with every
//! run: a [`NoiseDelta`], the difference of two [`NoiseSample`]s. Used only by `dbdyno doctor`: the [`ClockReading`].
//!
//! Nothing here fails because a fact is missing: containers mask files, old kernels lack them, other systems never had them. Such a fact
//! is `None`. Pure functions parse the kernel's texts, separately from reading the files, so that the tests can cover machines that are
//! not available.
//!
//! Names of disks, folders and hosts are the machine's own, not sanitised for a terminal: escape them on output.

mod believable;
mod clock_reading;
mod cpu;
mod disk;
mod facts;
mod fsync;
mod limits;
mod load;
mod memory;
mod mount_options;
mod mounts;
mod noise;
mod preloaded;
mod quietest_cpu;
#[cfg(test)]
mod scratch;
mod sync_doubt;
mod sync_times;
mod text;
mod virtualisation;
mod work_folder;
mod write_cache;

pub use believable::{Device, ImplausibleSyncs, believable};
pub use clock_reading::ClockReading;
pub use facts::{HostFacts, name_machine, named_id};
pub use fsync::measure_fsync;
pub use limits::cpus_in_words;
pub use limits::{Limits, Throttling};
pub use load::Load;
pub use mount_options::{MountEffect, MountOption};
pub use noise::{CpuTimes, NoiseDelta, NoiseSample, process_cpu_ns};
pub use preloaded::{Preloaded, is_system_allocator};
pub use quietest_cpu::quietest_cpu;
pub use sync_doubt::{SyncDoubt, SyncEvidence, device};
pub use sync_times::SyncTimes;
pub use work_folder::WorkFolderFacts;
pub use write_cache::WriteCache;
