//! From the store to plain rows. Only this file knows how results are stored.

use super::rows::Side;
use crate::{
    plan::TWIN_SUFFIX,
    store::{Selection, Store, StoreError},
};
use duckdb::ToSql;
use serde::de::DeserializeOwned;

/// A run as an object. Of an imported test that is not counted in operations, the whole test is one. `wanted` has the run_id and test of each result that is to be loaded.
const RUNS: &str = "
    SELECT to_json({
        'run_id': r.run_id, 'session_id': r.session_id, 'ordinal': r.ordinal, 'round': r.round, 'seed': r.seed,
        'status': r.status, 'label': r.label, 'size': r.size, 'tests': t.tests,
        'configuration': {
            'engine': r.engine, 'version': r.engine_version, 'tier': r.tier, 'suite': r.suite,
            'options': coalesce(o.engine, MAP {}), 'suite_options': coalesce(o.suite, MAP {})
        }
    })
    FROM run r
    JOIN (
        SELECT run_id, list({
            'test': test, 'name': test_name, 'wall_ns': wall_ns, 'operations': coalesce(operations, 1), 'agrees': agrees,
            'verification': verification, 'operations_per_sample': coalesce(operations_per_sample, 1),
            'histogram': base64(histogram)
        } ORDER BY test) AS tests
        FROM result JOIN wanted USING (run_id, test) GROUP BY run_id
    ) t USING (run_id)
    LEFT JOIN (
        SELECT run_id,
            map_from_entries(list({'k': name, 'v': value} ORDER BY name) FILTER (scope = 'engine')) AS engine,
            map_from_entries(list({'k': name, 'v': value} ORDER BY name) FILTER (scope <> 'engine')) AS suite
        FROM (SELECT run_id, scope, name, coalesce(in_force, asked) AS value FROM run_option)
        WHERE value IS NOT NULL GROUP BY run_id
    ) o USING (run_id)
    ORDER BY r.started_at, r.ordinal";

/// The sessions of the selected results, each with what linters said of it or of those runs.
const SESSIONS: &str = "
    SELECT to_json({
        'session_id': s.session_id, 'started_at': coalesce(strftime(s.started_at, '%Y-%m-%dT%H:%M:%SZ'), 'unknown'),
        'dbdyno_version': coalesce(s.dbdyno_version, 'none (' || s.source || ')', 'unknown'),
        'debug_build': coalesce(s.debug_build, false), 'command_line': coalesce(s.command_line, ''),
        'file_system': s.file_system, 'disk_model': s.disk_model, 'warnings': coalesce(w.messages, []),
        'host': {
            'host_id': s.host_id, 'name': coalesce(h.name, '?'), 'cpu_model': h.cpu_model, 'cores': h.cores,
            'memory_bytes': h.memory_bytes, 'kernel': coalesce(s.kernel, h.kernel, '?'), 'os': h.os,
            'virtualisation': h.virtualisation
        }
    })
    FROM session s
    LEFT JOIN host h USING (host_id)
    LEFT JOIN (
        SELECT session_id, list(linter || ': ' || message ORDER BY linter, message) AS messages FROM warning
        WHERE run_id IS NULL OR run_id IN (SELECT run_id FROM selected) GROUP BY session_id
    ) w USING (session_id)
    WHERE s.session_id IN (SELECT session_id FROM selected)
    ORDER BY s.started_at";

/// The results of configurations that ran twice a round in the selected sessions, and of their twins.
const TWINS: &str = "
    twins AS (
        SELECT DISTINCT r.session_id, r.size, left(r.label, -length(CAST(? AS VARCHAR))) AS label, r.label AS twin
        FROM run r WHERE ends_with(r.label, CAST(? AS VARCHAR)) AND r.session_id IN (SELECT session_id FROM selected)
    ),
    wanted AS (
        SELECT t.run_id, t.test FROM result t JOIN run r USING (run_id)
        JOIN twins w ON r.session_id = w.session_id AND r.size = w.size AND r.label IN (w.label, w.twin)
        WHERE t.wall_ns IS NOT NULL
    )";

/// Loads a side. `text` is the selection as typed: terms with spaces or commas between.
///
/// # Errors
/// What is wrong with the store.
pub fn load(store: &Store, text: &str, selection: &Selection) -> Result<Side, StoreError> {
    let runs = objects(
        store,
        selection,
        &format!(", wanted AS (SELECT DISTINCT run_id, test FROM selected WHERE wall_ns IS NOT NULL) {RUNS}"),
        &[],
    )?;
    if runs.is_empty() {
        return Ok(Side { selection: text.to_owned(), ..Side::default() });
    }
    let sessions = objects(store, selection, SESSIONS, &[])?;
    let twins = objects(store, selection, &format!(", {TWINS} {RUNS}"), &[&TWIN_SUFFIX, &TWIN_SUFFIX])?;
    Ok(Side { selection: text.to_owned(), runs, sessions, twins })
}

/// The answer of a query that gives one object of JSON a row.
fn objects<T: DeserializeOwned>(
    store: &Store,
    selection: &Selection,
    sql: &str,
    parameters: &[&dyn ToSql],
) -> Result<Vec<T>, StoreError> {
    let answer = store.query_selected(selection, sql, parameters)?;
    let object = |text: &str| {
        serde_json::from_str(text).map_err(|error| StoreError::Other {
            path: store.path().to_owned(),
            message: format!("a row that dbdyno does not understand: {error}"),
        })
    };
    answer.rows.iter().filter_map(|row| row.first()?.as_deref()).map(object).collect()
}
