//! The stored evidence for tiers: a list, and all facts about one configuration.

use super::{
    command::shell,
    results,
    sheet::{Section, Sheet},
};
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_store::{EvidenceRecord, Store, StoreError, TextRows};
use serde::{Serialize, Serializer};

const TO_READ: &str =
    "choice AS configuration, engine_version AS version, tier, verdict, kills, images, coalesce(route, '-') AS through,
    CASE WHEN mutants > 0 THEN mutants_caught || ' of ' || mutants ELSE '-' END AS mutants,
    strftime(tried_at, '%Y-%m-%d %H:%M') AS tried, coalesce(reason, '') AS reason";

/// All evidence, the latest first.
#[derive(Debug)]
pub struct EvidenceList {
    /// The columns that people read.
    shown: TextRows,
    /// Every column.
    all: TextRows,
}

impl EvidenceList {
    /// Reads the list.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        let of =
            |columns: &str| store.ask(&format!("SELECT {columns} FROM tier_evidence ORDER BY tried_at DESC, choice"));
        Ok(Self { shown: of(TO_READ)?, all: of("*")? })
    }

    /// Builds the list as a sheet; its records have every column. `command`: the command that requested it.
    pub fn sheet(&self, command: &str) -> Sheet {
        Sheet {
            title: "Evidence of tiers".to_owned(),
            sections: vec![Section::table(results::table(&self.shown))],
            records: Some(results::table(&self.all)),
            command: command.to_owned(),
        }
    }
}

impl Serialize for EvidenceList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        results::Objects(&self.all).serialize(serializer)
    }
}

/// Returns the command that shows the evidence: from a saved image if there is one, otherwise from the whole trial.
pub fn evidence_command(evidence: &EvidenceRecord) -> String {
    evidence.image.as_ref().map_or_else(
        || evidence.command_line.clone(),
        |image| shell(["dbdyno", "torture", &evidence.choice, "--image", image]),
    )
}

/// Names the source of the record of writes, if it is not the usual one.
fn through(route: Option<&str>) -> &'static str {
    if route == Some("mount") { ", through a mounted file system" } else { "" }
}

/// Describes one configuration, line by line.
pub fn evidence_lines(evidence: &EvidenceRecord) -> Vec<String> {
    let EvidenceRecord { kills, images, route, whole, earlier, broken, mutants, mutants_caught, .. } = evidence;
    let reason = evidence.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    let strict = match evidence.strict_names {
        Some(true) => "kept",
        Some(false) => "not kept",
        None => "not tried",
    };
    let mut lines = vec![
        format!("{}{reason}", evidence.verdict),
        format!("tier {}: {}", evidence.tier, evidence.tier_reason),
        format!("{} of a committing worker", counted(*kills, "kill")),
        // The counts below are of half of the images: the other half is of disks of the kind in the line after them.
        format!("{} of power losses{}", counted(*images, "image"), through(route.as_deref())),
        format!(
            "where syncing a file also keeps its name: {whole} whole, {earlier} without the latest commits, {broken} broken"
        ),
        format!("where a new name is durable only after its folder is synced: {strict}"),
    ];
    if *mutants > 0 {
        lines.push(format!("{mutants_caught} of {mutants} mutants caught, each without one kind of sync calls"));
    }
    lines.push(format!(
        "{} {} · {}",
        evidence.engine,
        evidence.engine_version,
        evidence.tried_at.strftime("%Y-%m-%d %H:%M UTC")
    ));
    lines.push(evidence_command(evidence));
    lines.iter().map(|line| plain(line)).collect()
}
