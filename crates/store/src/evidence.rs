//! Evidence of tiers: what kills and simulated power losses showed of configurations.

use super::{
    Batch, HostRecord, Store, StoreError,
    error::Doing,
    record::{Record, record},
    value::StoredField,
    write::write_batch,
};
use dbdyno_engine::durability::Tier;
use duckdb::types::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

record! {
    /// What was found of a configuration.
    EvidenceRecord in "tier_evidence" {
        /// UUID.
        evidence_id: String,
        /// The machine on which it was found.
        host_id: String,
        tried_at: Timestamp,
        engine: String,
        /// Version of the engine's library.
        engine_version: String,
        /// The engine with the options that are not at their default, as it is asked for.
        choice: String,
        /// Every option of the engine, as JSON.
        options: String,
        /// NULL: unknown.
        tier: Tier,
        tier_reason: String,
        /// Kills of a committing worker.
        kills: u32,
        /// Images of what a disk may hold after a power loss.
        images: u32,
        /// Where the record came from that they were made of: `writes` or `mount`.
        route: Option<String>,
        /// Those with all acknowledged commits, where a file's sync keeps its name.
        whole: u32,
        /// Those without the latest of them.
        earlier: u32,
        /// Those that are no state between commits.
        broken: u32,
        /// Whether the tier is kept where only a folder's sync keeps names; NULL: not tried.
        strict_names: Option<bool>,
        /// Kinds of sync calls that were left out, one at a time.
        mutants: u32,
        /// Those whose lack was seen.
        mutants_caught: u32,
        /// The word of a [`TierVerdict`].
        verdict: String,
        /// What contradicts the tier, or why nothing was shown.
        reason: Option<String>,
        /// The folder with an image that contradicts the tier.
        image: Option<String>,
        seed: u64,
        command_line: String,
    }
}

/// What tries showed of a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TierVerdict {
    /// Everything that was tried kept what it promises.
    Evidenced,
    /// Something did not.
    Contradicted,
    /// Nothing was shown.
    NotEvidenced,
}

impl TierVerdict {
    const ALL: [Self; 3] = [Self::Evidenced, Self::Contradicted, Self::NotEvidenced];

    /// As it is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Evidenced => "evidenced",
            Self::Contradicted => "contradicted",
            Self::NotEvidenced => "not evidenced",
        }
    }
}

impl EvidenceRecord {
    /// What was shown; none where a newer version has stored another word.
    pub fn tier_verdict(&self) -> Option<TierVerdict> {
        TierVerdict::ALL.into_iter().find(|verdict| verdict.word() == self.verdict)
    }
}

/// The latest verdict on each configuration.
#[derive(Debug, Clone, Default)]
pub struct TierVerdicts(HashMap<(String, String, String), String>);

impl TierVerdicts {
    /// That of an engine of this version with these options, which are all it has.
    pub fn of(&self, engine: &str, version: &str, options: &BTreeMap<String, String>) -> Option<&str> {
        self.0.get(&(engine.to_owned(), version.to_owned(), options_text(options))).map(String::as_str)
    }
}

/// Options as evidence is known by them.
pub fn options_text(options: &BTreeMap<String, String>) -> String {
    serde_json::json!(options).to_string()
}

pub(super) const VERDICTS: &str = "SELECT engine, engine_version, options, arg_max(verdict, tried_at) AS verdict
    FROM tier_evidence GROUP BY ALL";

/// The runs of a configuration that evidence is about: those that were asked for all of its options, and no others.
const TELL_RUNS: &str = "UPDATE run SET tier_evidence = e.verdict FROM (
        SELECT r.run_id, e.verdict FROM run r
        JOIN tier_evidence e ON e.evidence_id = ?::UUID AND e.engine = r.engine AND e.engine_version = r.engine_version
        JOIN run_option o ON o.run_id = r.run_id AND o.scope = 'engine'
        GROUP BY r.run_id, e.verdict, e.options
        HAVING count(*) = len(json_keys(e.options)) AND bool_and(json_extract_string(e.options, '$.\"' || o.name || '\"') = o.asked)
    ) e WHERE run.run_id = e.run_id";

impl Store {
    /// Keeps what was found of a configuration, and tells it of its runs.
    pub fn keep_evidence(&self, host: HostRecord, evidence: EvidenceRecord) -> Result<(), StoreError> {
        let evidence_id = evidence.evidence_id.clone();
        let batch = Batch { hosts: vec![host], evidence: vec![evidence], ..Batch::default() };
        self.writing(|connection| {
            let transaction = connection.transaction().doing(&self.path)?;
            write_batch(&transaction, &batch).doing(&self.path)?;
            transaction.execute(TELL_RUNS, [&evidence_id]).doing(&self.path)?;
            transaction.commit().doing(&self.path)
        })
    }

    /// All that was found, the latest first; nothing where there is no store.
    pub fn evidence(&self) -> Result<Vec<EvidenceRecord>, StoreError> {
        self.rows("SELECT * FROM tier_evidence ORDER BY tried_at DESC, choice", &[])
    }

    /// What was found last of each configuration.
    pub fn tier_verdicts(&self) -> Result<TierVerdicts, StoreError> {
        self.rows(VERDICTS, &[]).map(TierVerdicts::from)
    }
}

impl From<Vec<(String, String, String, String)>> for TierVerdicts {
    fn from(rows: Vec<(String, String, String, String)>) -> Self {
        Self(
            rows.into_iter().map(|(engine, version, options, verdict)| ((engine, version, options), verdict)).collect(),
        )
    }
}
