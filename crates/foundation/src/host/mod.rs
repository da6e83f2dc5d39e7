//! On what machine a result was measured, and what else that machine did meanwhile.
//!
//! Recorded with every session: [`HostFacts`], [`WorkFolderFacts`], [`measure_fsync`] and [`Load`]. Recorded with
//! every run: a [`NoiseDelta`], the difference of two [`NoiseSample`]s. Recorded with every session too: [`SyncEvidence`] and the
//! [`SyncDoubt`] that follows, the [`Limits`] of surrounding control groups, and what is [`Preloaded`]. Looked at by `dbdyno doctor`
//! only: the [`ClockReading`].
//!
//! Nothing here fails because a fact is missing: containers mask files, old kernels lack them, other systems never had
//! them. Such a fact is `None`. Texts of the kernel are parsed by pure functions, apart from reading the files, so that
//! the tests can show them machines that nobody has at hand.
//!
//! Names of disks, folders and hosts are what the machine says, not cleaned for a terminal: escape them on output.

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
#[cfg(test)]
mod scratch;
mod sync_doubt;
mod sync_times;
mod text;
mod virtualisation;
mod work_folder;
mod write_cache;

pub use believable::{Device, Doubt, believable};
pub use clock_reading::ClockReading;
pub use facts::{HostFacts, name_machine, named_id};
pub use fsync::measure_fsync;
pub use limits::cpus_in_words;
pub use limits::{Limits, Throttling};
pub use load::Load;
pub use mount_options::{MountEffect, MountOption};
pub use noise::{CpuTimes, NoiseDelta, NoiseSample, process_cpu_ns};
pub use preloaded::{Preloaded, is_system_allocator};
pub use sync_doubt::{SyncDoubt, SyncEvidence, device};
pub use sync_times::SyncTimes;
pub use work_folder::WorkFolderFacts;
pub use write_cache::WriteCache;
