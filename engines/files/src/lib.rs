//! The file system as a store: one file per row, named by its key. It shows what a program gets that keeps its rows in separate files, from
//! the plainest way to write them to one that survives a power loss.

mod folder;
mod journal;
mod kv;
mod name;
mod store;

pub use kv::Files;

use dbdyno_engine::{
    describe::{Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    serve::Program,
    suite::SuiteKind,
};
use dbdyno_workload::program;
use std::collections::BTreeMap;

/// The engine as a program.
pub static PROGRAM: Program = program::kv_with_threads::<Files>(describe);

const COMMIT: &str = "commit";
const SYNC: &str = "sync";
const FOLDERS: &str = "folders";

/// Returns the description: every option, and what a commit survives.
pub fn describe() -> Description {
    Description {
        options: vec![
            OptionSpec::choice(
                COMMIT,
                &["overwrite", "rename", "journal"],
                "overwrite",
                "how a commit changes files: overwrites them, writes new files and renames them, or does so with a list of them that makes the transaction atomic",
            ),
            OptionSpec::choice(
                SYNC,
                &["off", "data", "full"],
                "off",
                "what a commit waits for: nothing, the content of each file (fdatasync), or that and its name (fsync of file and folder)",
            ),
            OptionSpec::integer(
                FOLDERS,
                1,
                65_536,
                "1",
                "folders that the files are spread over by a hash of their keys",
            )
            .fresh()
            .tune(&["16", "256"]),
            OptionSpec::memory(MemoryTarget::Nothing),
        ],
        tiers: tiers(),
        longest_key: Some(name::MOST),
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY)]),
        ..Description::new("files", "the file system: one file per row", env!("CARGO_PKG_VERSION"), &[SuiteKind::Kv])
            .licensed(env!("CARGO_PKG_LICENSE"), &[])
    }
}

fn tiers() -> Vec<TierRule> {
    let atomic: (&str, &[&str]) = (COMMIT, &["journal"]);
    vec![
        TierRule::new(
            &[atomic, (SYNC, &["full"])],
            Tier::PowerSafe,
            "new files, a list of them and their folders are synced before the first is renamed, and recovery carries out a list that it finds",
        ),
        TierRule::new(
            &[atomic],
            Tier::ProcessSafe,
            "after a crash of the program, recovery carries out the list of a commit's files; names are not synced: a power loss may leave half of a commit",
        ),
        TierRule::new(
            &[(COMMIT, &["rename"])],
            Tier::Unsafe,
            "each file is old or new as a whole, but a crash in the middle of a commit leaves some of its files new",
        ),
        TierRule::new(
            &[],
            Tier::Unsafe,
            "a crash leaves the file being written empty or truncated, and some of a commit's files new",
        ),
    ]
}
