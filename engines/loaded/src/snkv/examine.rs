//! Checks that a library behaves as its options promise. The promises follow from SQLite's pager. A build with another pager below the
//! same functions may keep none of them.

use super::{
    api::Api,
    describe::{JOURNAL_MODES, LIBRARY, SYNC_LEVELS, config, tiers},
    store::Snkv,
};
use dbdyno_engine::{
    EngineError,
    describe::Probed,
    durability::{Tier, TierRule},
    kv::{KvSession, KvTransaction, KvWrite},
    settings::Settings,
};
use dbdyno_workload::syncs;
use std::{ffi::c_int, fs, path::Path};

/// Returns the version of the library that the settings name, and its tiers.
pub(super) fn probe(settings: &Settings) -> Result<Probed, EngineError> {
    let library = Api::load(settings.text(LIBRARY)?)?.library();
    let folder = tempfile::Builder::new().prefix("dbdyno-probe-").tempdir();
    let folder = folder.map_err(EngineError::doing("creating a scratch folder to try the library in"))?;
    let unknown = |why: String| {
        let reason = format!("the library is not known to do what its options say: {why}");
        vec![TierRule::new(&[], Tier::Unknown, &reason)]
    };
    let tiers = strange(folder.path(), settings)?.map_or_else(tiers, unknown);
    Ok(Probed { tiers: Some(tiers), ..Probed::new(library) })
}

/// Returns the first way in which the library differs from plain SNKV; tries each journal with each sync level on its own scratch
/// database.
fn strange(folder: &Path, settings: &Settings) -> Result<Option<String>, EngineError> {
    for (journal_mode, journal) in (0..).zip(JOURNAL_MODES) {
        for (sync_level, synchronous) in (0..).zip(SYNC_LEVELS) {
            let folder = folder.join(format!("{journal}-{synchronous}"));
            fs::create_dir(&folder).map_err(EngineError::doing("creating a scratch folder to try the library in"))?;
            let made = commit_syncs(&folder, settings, (journal_mode, sync_level))?;
            let strange = match made {
                CommitOutcome::OtherFormat => Some("its file has not SQLite's format".to_owned()),
                CommitOutcome::OtherJournal(found) => Some(format!("journal_mode={journal} leaves `{found}` in force")),
                // With a write-ahead log, only `full` waits for each commit; with a rollback journal every level but `off` waits.
                CommitOutcome::Syncs(syncs) => {
                    let waits = synchronous == "full" || (synchronous == "normal" && journal == "delete");
                    let made = format!(
                        "a commit with journal_mode={journal}, synchronous={synchronous} made {syncs} sync calls"
                    );
                    ((syncs > 0) != waits).then_some(made)
                }
            };
            if strange.is_some() {
                return Ok(strange);
            }
        }
    }
    Ok(None)
}

/// The outcome of one commit on a scratch database.
enum CommitOutcome {
    OtherFormat,
    /// The file header records this journal mode.
    OtherJournal(String),
    /// Sync calls during the commit.
    Syncs(u64),
}

fn commit_syncs(
    folder: &Path,
    settings: &Settings,
    (journal, level): (c_int, c_int),
) -> Result<CommitOutcome, EngineError> {
    let own = config(settings)?;
    let config = super::api::KvStoreConfig { journal_mode: journal, sync_level: level, wal_size_limit: 0, ..own };
    let mut store = Snkv::open_in(folder, settings.text(LIBRARY)?, &config, false)?;
    let mut session = &mut store;
    let mut write = session.write()?;
    write.table()?.put(b"key", b"value")?;
    let before = syncs::calls();
    write.commit()?;
    let made = syncs::calls() - before;
    let Some(header) = store.header() else { return Ok(CommitOutcome::OtherFormat) };
    let found = &header["journal_mode"];
    Ok(if found == JOURNAL_MODES[journal as usize] {
        CommitOutcome::Syncs(made)
    } else {
        CommitOutcome::OtherJournal(found.clone())
    })
}
