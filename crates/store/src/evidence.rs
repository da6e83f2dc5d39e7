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
    /// The result of one crash test of a configuration.
    EvidenceRecord in "tier_evidence" {
        /// UUID.
        evidence_id: String,
        /// The machine on which it was tested.
        host_id: String,
        tried_at: Timestamp,
        engine: String,
        /// Version of the engine's library.
        engine_version: String,
        /// The engine with the options that differ from their defaults, in the form of the command line.
        choice: String,
        /// Every option of the engine, as JSON.
        options: String,
        /// NULL: unknown.
        tier: Tier,
        tier_reason: String,
        /// Kills of a committing worker.
        kills: u32,
        /// Images of possible disk contents after a power loss.
        images: u32,
        /// How the writes were recorded that the images come from: `writes` or `mount`.
        route: Option<String>,
        /// Images with all acknowledged commits, if a file's sync also makes its name durable.
        whole: u32,
        /// Images without the latest commits.
        earlier: u32,
        /// Images that match no state between commits.
        broken: u32,
        /// Whether the tier holds if only a folder's sync makes names durable; NULL: not tested.
        strict_names: Option<bool>,
        /// Kinds of sync calls that were left out, one at a time.
        mutants: u32,
        /// Those whose absence the test detected.
        mutants_caught: u32,
        /// The word of a [`TierVerdict`].
        verdict: String,
        /// The contradiction of the tier, or why the test showed nothing.
        reason: Option<String>,
        /// The folder with an image that contradicts the tier.
        image: Option<String>,
        seed: u64,
        command_line: String,
    }
}

/// The verdict of crash tests on a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TierVerdict {
    /// Every test confirmed the tier's promise.
    Evidenced,
    /// A test broke the tier's promise.
    Contradicted,
    /// The tests showed nothing.
    NotEvidenced,
}

impl TierVerdict {
    const ALL: [Self; 3] = [Self::Evidenced, Self::Contradicted, Self::NotEvidenced];

    /// Returns the word under which it is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Evidenced => "evidenced",
            Self::Contradicted => "contradicted",
            Self::NotEvidenced => "not evidenced",
        }
    }
}

impl EvidenceRecord {
    /// Returns the verdict, or `None` if a newer version has stored an unknown word.
    pub fn tier_verdict(&self) -> Option<TierVerdict> {
        TierVerdict::ALL.into_iter().find(|verdict| verdict.word() == self.verdict)
    }
}

/// The latest verdict on each configuration.
#[derive(Debug, Clone, Default)]
pub struct TierVerdicts(HashMap<(String, String, String), String>);

impl TierVerdicts {
    /// Returns the verdict on an engine of this version with exactly these options.
    pub fn of(&self, engine: &str, version: &str, options: &BTreeMap<String, String>) -> Option<&str> {
        self.0.get(&(engine.to_owned(), version.to_owned(), options_text(options))).map(String::as_str)
    }
}

/// Returns options as the text that identifies evidence.
pub fn options_text(options: &BTreeMap<String, String>) -> String {
    serde_json::json!(options).to_string()
}

pub(super) const VERDICTS: &str = "SELECT engine, engine_version, options, arg_max(verdict, tried_at) AS verdict
    FROM tier_evidence GROUP BY ALL";

/// Updates the runs of the configuration that evidence is about: those that requested all of its options, and no others.
const TELL_RUNS: &str = "UPDATE run SET tier_evidence = e.verdict FROM (
        SELECT r.run_id, e.verdict FROM run r
        JOIN tier_evidence e ON e.evidence_id = ?::UUID AND e.engine = r.engine AND e.engine_version = r.engine_version
        JOIN run_option o ON o.run_id = r.run_id AND o.scope = 'engine'
        GROUP BY r.run_id, e.verdict, e.options
        HAVING count(*) = len(json_keys(e.options)) AND bool_and(json_extract_string(e.options, '$.\"' || o.name || '\"') = o.asked)
    ) e WHERE run.run_id = e.run_id";

impl Store {
    /// Saves the evidence of a configuration, and adds its verdict to the configuration's runs.
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

    /// Returns all evidence, the latest first; empty if there is no store.
    pub fn evidence(&self) -> Result<Vec<EvidenceRecord>, StoreError> {
        self.rows("SELECT * FROM tier_evidence ORDER BY tried_at DESC, choice", &[])
    }

    /// Returns the latest verdict on each configuration.
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
