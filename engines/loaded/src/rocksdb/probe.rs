//! Identifies a library, and checks on a scratch database that it behaves as the tiers assume.

use super::{
    api::Api,
    batch::WriteBatch,
    database::RocksDatabase,
    describe::{LIBRARY, describe},
    facts::DatabaseFacts,
};
use dbdyno_engine::{
    EngineError,
    describe::Probed,
    durability::{Tier, TierRule},
    engine::Open,
    names::one_of,
    settings::Settings,
};
use dbdyno_workload::syncs;
use std::{collections::BTreeMap, path::Path};

/// Returns the identity of the library that the settings name.
pub(super) fn probe(settings: &Settings) -> Result<Probed, EngineError> {
    let api = Api::load(settings.text(LIBRARY)?)?;
    let scratch = tempfile::Builder::new().prefix("dbdyno-probe-").tempdir();
    let scratch = scratch.map_err(EngineError::doing("creating a scratch folder to try the library in"))?;
    let defaults = BTreeMap::from([(LIBRARY.to_owned(), settings.text(LIBRARY)?.to_owned())]);
    let plain = tried(&scratch.path().join("plain"), &defaults)?;
    refuse_compression(api, &plain.facts, settings)?;
    let mut synced = defaults;
    synced.insert("sync".to_owned(), "on".to_owned());
    let synced = tried(&scratch.path().join("synced"), &synced)?;
    // The scratch folder may be in memory, where direct I/O does not work.
    let mut asked = settings.to_map();
    asked.insert("direct_io".to_owned(), "off".to_owned());
    tried(&scratch.path().join("asked"), &asked)?;
    let doubt = match (plain.syncs, synced.syncs, plain.facts.recovers_to_a_point()) {
        (0, 1.., true) => None,
        (1.., ..) => Some("a write without sync syncs"),
        (0, 0, _) => Some("a write with sync does not sync"),
        (0, 1.., false) => Some("it does not recover a truncated log up to its end"),
    };
    let unknown = |doubt: &str| {
        vec![TierRule::new(&[], Tier::Unknown, &format!("the library does not do what RocksDB documents: {doubt}"))]
    };
    Ok(Probed { tiers: doubt.map(unknown), ..Probed::new(plain.facts.library()) })
}

/// Observations of a database with some settings.
struct Observation {
    facts: DatabaseFacts,
    /// Sync calls while a row was written.
    syncs: u64,
}

fn tried(folder: &Path, asked: &BTreeMap<String, String>) -> Result<Observation, EngineError> {
    std::fs::create_dir(folder).map_err(EngineError::doing("creating a scratch folder to try the library in"))?;
    let settings = Settings::resolve(&describe(), asked).map_err(|error| EngineError::new(error.to_string()))?;
    let database = RocksDatabase::open(Open { folder, settings: &settings, schema: &[], data_bytes: 0 })?;
    let mut batch = WriteBatch::new(database.api);
    batch.put(b"key", b"value");
    let before = syncs::calls();
    database.write(&batch)?;
    let syncs = syncs::calls() - before;
    let facts = database.facts()?;
    database.close();
    Ok(Observation { facts, syncs })
}

/// Rejects a compression that the library was built without, because RocksDB would fail later.
fn refuse_compression(api: &Api, facts: &DatabaseFacts, settings: &Settings) -> Result<(), EngineError> {
    let (asked, has) = (settings.text("compression")?, facts.compressions());
    if matches!(asked, "own" | "none") || has.contains(&asked) {
        return Ok(());
    }
    let expected: Vec<String> = ["own", "none"].iter().chain(&has).map(|word| (*word).to_owned()).collect();
    let (path, expected) = (api.path.display(), one_of(&expected));
    Err(EngineError::new(format!(
        "option `compression`: library {path} was built without {asked}, expected {expected}"
    )))
}
