//! The options and keys that distinguish the configurations of a page.

use super::super::{
    super::{Store, StoreError},
    rows as read,
};
use duckdb::Connection;
use std::collections::BTreeMap;

/// Values of options and keys by their names.
pub type OptionValues = BTreeMap<String, String>;

/// The values of all options and keys of the runs of a relation. An engine option takes precedence over a suite option of the same name,
/// and any option over a key.
const VALUES: &str = "SELECT run_id, name, arg_min(value, scope) AS value FROM (
        SELECT run_id, name, scope, coalesce(in_force, asked) AS value FROM run_option WHERE run_id IN (SELECT run_id FROM {runs})
        UNION ALL SELECT run_id, key, 'z', value FROM run_key WHERE run_id IN (SELECT run_id FROM {runs})
    ) WHERE value IS NOT NULL GROUP BY run_id, name";

/// One run represents each configuration of each session, because their options are the same.
const ONE_EACH: &str = "SELECT arg_min(run_id, ordinal) AS run_id FROM run {of} GROUP BY session_id, label";

/// Returns the options of the runs of the table `shown`, by run.
pub(super) fn of_shown(connection: &Connection) -> Result<BTreeMap<String, OptionValues>, StoreError> {
    let sql = format!("SELECT run_id::VARCHAR, name, value FROM ({})", VALUES.replace("{runs}", "shown"));
    let mut all: BTreeMap<String, OptionValues> = BTreeMap::new();
    for (run, name, value) in read::<(String, String, String)>(connection, &sql, &[])? {
        all.entry(run).or_default().insert(name, value);
    }
    Ok(all)
}

/// Returns the names of the options in which configurations of one engine differ, among the runs of the table `matched`.
pub(super) fn differing(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let each = ONE_EACH.replace("{of}", "WHERE run_id IN (SELECT run_id FROM matched)");
    let sql = format!(
        "WITH one AS MATERIALIZED ({each})
         SELECT DISTINCT o.name FROM run_option o JOIN run r ON r.run_id = o.run_id
         WHERE o.run_id IN (SELECT run_id FROM one)
         GROUP BY r.engine, o.name HAVING count(DISTINCT coalesce(o.in_force, o.asked)) > 1 ORDER BY 1"
    );
    Ok(read::<(String,)>(connection, &sql, &[])?.into_iter().map(|(name,)| name).collect())
}

/// SQL for the options in which runs with the same label differ, in the whole store: label and name.
const TELLING: &str = "WITH one AS MATERIALIZED ({each})
    SELECT r.label, o.name FROM run_option o JOIN run r ON r.run_id = o.run_id
    WHERE o.run_id IN (SELECT run_id FROM one)
    GROUP BY r.label, o.name HAVING count(DISTINCT coalesce(o.in_force, o.asked)) > 1";

fn telling() -> String {
    TELLING.replace("{each}", &ONE_EACH.replace("{of}", ""))
}

/// Creates the table `told`: for each run whose label is shared by runs with other options, these options as JSON.
pub(super) fn tell(connection: &Connection) -> Result<(), StoreError> {
    let sql = format!(
        "CREATE TEMP TABLE told AS
         WITH telling AS MATERIALIZED ({}), labelled AS (
             SELECT r.run_id, t.name FROM run r JOIN telling t ON t.label = r.label
         ), valued AS (
             SELECT o.run_id, o.name, arg_min(coalesce(o.in_force, o.asked), o.scope) AS value
             FROM run_option o JOIN labelled l ON l.run_id = o.run_id AND l.name = o.name GROUP BY o.run_id, o.name
         )
         SELECT run_id, to_json(list([name, value] ORDER BY name) FILTER (value IS NOT NULL))::VARCHAR AS told
         FROM valued GROUP BY run_id",
        telling()
    );
    super::execute(connection, &sql, &[])
}

impl Store {
    /// Returns the names of the differing options for each label that several configurations share.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn telling_options(&self) -> Result<BTreeMap<String, Vec<String>>, StoreError> {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let sql = format!("{} ORDER BY r.label, o.name", telling());
        for (label, name) in self.rows::<(String, String)>(&sql, &[])? {
            all.entry(label).or_default().push(name);
        }
        Ok(all)
    }
}
