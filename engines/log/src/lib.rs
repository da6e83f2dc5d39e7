//! The minimum for a durable commit: one append to a file, and one sync. If another engine takes longer, the difference is the cost of its
//! trees, pages and locks. If it takes less time, its commit was not made durable.

mod file;
mod kv;

pub use kv::Log;

use dbdyno_engine::{
    describe::{Description, MemoryTarget, OptionSpec},
    durability::{Tier, TierRule},
    serve::Program,
    suite::SuiteKind,
};
use dbdyno_workload::program;

/// The engine as a program.
pub static PROGRAM: Program = program::kv_only::<Log>(describe);

fn describe() -> Description {
    Description {
        options: vec![
            OptionSpec::bool("sync", "on", "whether a commit waits until the disk has its record"),
            OptionSpec::memory(MemoryTarget::Nothing),
        ],
        tiers: vec![
            TierRule::new(
                &[("sync", &["off"])],
                Tier::Consistent,
                "commits are handed to the system; records have checksums, and everything after a broken one is dropped",
            ),
            TierRule::synced(),
        ],
        ..Description::new(
            "log",
            "a map in memory and a file that each commit is appended to: the floor of a durable commit",
            env!("CARGO_PKG_VERSION"),
            &[SuiteKind::Kv],
        )
        .licensed(env!("CARGO_PKG_LICENSE"), &[])
    }
}
