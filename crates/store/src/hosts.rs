//! One identifier for each machine: names given by users, and machines that older versions stored under another identifier.

use dbdyno_foundation::host::{HostFacts, named_id};
use duckdb::{Transaction, params};

/// Moves a machine's sessions from the identifier that older versions derived from its name to its current identifier, and deletes the
/// old one.
pub(super) fn adopt_former(transaction: &Transaction<'_>) -> duckdb::Result<()> {
    let mut statement = transaction.prepare(
        "SELECT host_id, name, cpu_model, cores, memory_bytes, coalesce(architecture, '?'), virtualisation FROM host",
    )?;
    let hosts = statement.query_map([], |row| {
        let facts = HostFacts {
            name: row.get(1)?,
            is_named: false,
            machine_id: None,
            cpu_model: row.get(2)?,
            cores: row.get(3)?,
            memory_bytes: row.get(4)?,
            kernel: String::new(),
            architecture: row.get(5)?,
            virtualisation: row.get(6)?,
            os: None,
        };
        Ok((row.get::<_, String>(0)?, facts.former_id()))
    })?;
    let hosts: Vec<(String, String)> = hosts.collect::<duckdb::Result<_>>()?;
    let is_stored = |id: &String| hosts.iter().any(|(stored, _)| stored == id);
    for (id, former) in hosts.iter().filter(|(id, former)| id != former && is_stored(former)) {
        for table in ["session", "tier_evidence"] {
            transaction.execute(&format!("UPDATE {table} SET host_id = ? WHERE host_id = ?"), params![id, former])?;
        }
        transaction.execute("DELETE FROM host WHERE host_id = ?", params![former])?;
    }
    Ok(())
}

/// Names the machine on which the sessions of the runs in the table `chosen` ran. This applies to whole sessions.
pub(super) fn name_host(transaction: &Transaction<'_>, name: &str) -> duckdb::Result<usize> {
    let id = named_id(name);
    let sessions = "SELECT session_id FROM run WHERE run_id IN (FROM chosen)";
    transaction.execute(
        &format!(
            "INSERT OR IGNORE INTO host BY NAME SELECT h.* REPLACE (? AS host_id, ? AS name)
             FROM host h JOIN session s USING (host_id) WHERE s.session_id IN ({sessions})
             ORDER BY s.started_at DESC NULLS LAST LIMIT 1"
        ),
        params![id, name],
    )?;
    let named = transaction
        .execute(&format!("UPDATE session SET host_id = ? WHERE session_id IN ({sessions})"), params![id])?;
    let unused = "DELETE FROM host WHERE host_id NOT IN (SELECT host_id FROM session)
        AND host_id NOT IN (SELECT host_id FROM tier_evidence)";
    transaction.execute(unused, [])?;
    Ok(named)
}
