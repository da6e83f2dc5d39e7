//! The store's views as this program defines them. On its own connections their names mean these, even if the file has other definitions.

use dbdyno_foundation::metric::{Better, Metric};
use duckdb::Connection;

/// The views in the file, for other programs; each uses tables and the views before it.
const VIEWS: &str = include_str!("views.sql");

/// The columns of `results` and `runs` with their types, one per line. Asking DuckDB for them would open the store once more and create
/// the view.
pub(super) const COLUMNS: &str = include_str!("view_columns.txt");

/// Returns the rows of the view `run_tests` with the columns that selections and pages need. The caller replaces `{options}`, `{keys}`
/// and `{of}`.
pub(crate) fn narrow() -> String {
    filled(
        &NARROW
            .replace(
                "{columns_of_tests}",
                "t.test, t.test_name, t.actor, {status} AS status, {verified} AS verified, {run_status} AS run_status, {figures}",
            )
            .replace("{join_tests}", "LEFT JOIN (FROM {tests} {of}) t ON t.run_id = r.run_id"),
    )
}

/// Does the same with one row for each run, without data about its tests. A finished run is `done`, whether it has a test or not.
pub(crate) fn narrow_of_runs() -> String {
    NARROW.replace("{columns_of_tests}", "r.run_status").replace("{join_tests}", "")
}

const NARROW: &str = include_str!("narrow.sql");

/// Whether statistics include the figures of a row `t` of the table `result`; `r` has the run's status.
const COUNTS: &str = "(t.failure IS NULL AND r.run_status NOT IN ('invalid', 'superseded'))";

/// How a run ended, in a row for one of its tests or for no test. A run that is done without a finished test is `empty`.
const RUN_STATUS: &str = "CASE WHEN t.test IS NULL AND r.run_status = 'done' THEN 'empty' ELSE r.run_status END";

/// The state of a test. For a run without a test, it says whether the run had nothing to do.
const STATUS: &str = "CASE
        WHEN t.test IS NULL AND r.run_status = 'done' THEN 'empty'
        WHEN t.test IS NULL THEN NULL
        WHEN t.failure IS NOT NULL THEN 'failed'
        WHEN r.run_status IN ('invalid', 'superseded') THEN r.run_status
        WHEN t.agrees = false THEN 'disagrees'
        ELSE 'ok'
    END";

/// How far a test's answers are verified. For an actor's part that was not compared with others, see its test's row.
const VERIFIED: &str = "CASE
        WHEN t.agrees THEN 'yes'
        WHEN t.agrees = false THEN 'no'
        WHEN t.test IS NULL OR t.actor IS NOT NULL THEN NULL
        WHEN t.verification IS NOT NULL THEN 'not cross-checked'
        ELSE 'not verified'
    END";

/// The results of whole tests, and of the actors of tests with several threads. A row of an actor has the test's number and a name of its
/// own.
pub(crate) const TESTS: &str = "(SELECT *, NULL::VARCHAR AS actor FROM result UNION ALL BY NAME FROM actor_result)";

/// Fills shared rules into SQL: `{tests}`, `{status}`, `{verified}`, `{run_status}`, and `{figures}` for the columns of all figures. A
/// figure that measures performance is NULL if it does not count, so that users' statistics over a view need no condition.
pub(crate) fn filled(sql: &str) -> String {
    let figure = |metric: &Metric| match metric.better() {
        Better::Neither => format!("{} AS {}", metric.sql(), metric.name()),
        _ => format!("CASE WHEN {COUNTS} THEN {} END AS {}", metric.sql(), metric.name()),
    };
    let figures: Vec<String> = Metric::ALL.iter().map(figure).collect();
    sql.replace("{tests}", TESTS)
        .replace("{status}", STATUS)
        .replace("{verified}", VERIFIED)
        .replace("{run_status}", RUN_STATUS)
        .replace("{figures}", &figures.join(",\n    "))
}

/// Returns the definitions of the views.
pub(super) fn definitions() -> String {
    definitions_of("")
}

/// Returns the definitions restricted to the runs of a WHERE clause over `run_id`.
fn definitions_of(runs: &str) -> String {
    filled(VIEWS).replace("{of}", runs)
}

/// Creates the requested views on this connection. Each is complete in itself, because DuckDB inspects everything that a view uses
/// whenever it creates one; views that no query needs cost nothing.
pub(crate) fn make_views(connection: &Connection, wanted: impl Fn(&str) -> bool) -> duckdb::Result<()> {
    make_views_of(connection, wanted, "")
}

/// Does the same, restricted to the runs of a WHERE clause over `run_id`: then nothing of other runs is read, however large the store is.
pub(crate) fn make_views_of(connection: &Connection, wanted: impl Fn(&str) -> bool, runs: &str) -> duckdb::Result<()> {
    let mut before: Vec<String> = Vec::new();
    let definitions = definitions_of(runs);
    for (name, query) in views(&definitions) {
        if wanted(name) {
            let with = if before.is_empty() { String::new() } else { format!("WITH {} ", before.join(", ")) };
            connection.execute_batch(&format!("CREATE OR REPLACE TEMP VIEW {name} AS {with}{query}"))?;
        }
        before.push(format!("{name} AS NOT MATERIALIZED ({query}\n)"));
    }
    Ok(())
}

/// Whether a query reads this view: its name follows FROM or JOIN outside of a comment. This is not used for users' queries, which may
/// name a view anywhere.
pub(crate) fn is_read_from(sql: &str, view: &str) -> bool {
    let code = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
    let words =
        code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).filter(|word| !word.is_empty());
    let leads = |word: &str| ["FROM", "JOIN"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword));
    words.clone().zip(words.skip(1)).any(|(before, word)| word == view && leads(before))
}

/// Returns the columns of `results` or `runs` with their types, in order.
pub(crate) fn columns_of_view(view: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_view = move |line: &'static str| line.split_once(' ').filter(|(of, _)| *of == view)?.1.split_once(' ');
    COLUMNS.lines().filter_map(of_view)
}

/// Returns each view's name and query.
fn views(definitions: &str) -> impl Iterator<Item = (&str, &str)> {
    let definitions = definitions.split("CREATE OR REPLACE VIEW ").skip(1);
    definitions.filter_map(|definition| definition.split_once(";\n")?.0.split_once(" AS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_found_in_its_file() {
        let names: Vec<&str> = views(VIEWS).map(|(name, _)| name).collect();
        assert_eq!(names, ["run_facts", "run_tests", "results", "runs"]);
        assert_eq!(VIEWS.matches("VIEW").count(), 4);
    }

    #[test]
    fn a_view_is_read_where_it_follows_from_or_join() {
        assert!(is_read_from("SELECT 1 FROM results WHERE true", "results"));
        assert!(is_read_from("select 1 from results", "results"));
        assert!(is_read_from("WITH a AS (FROM (FROM runs)) FROM a", "runs"));
        assert!(is_read_from("FROM run r LEFT JOIN run_tests t", "run_tests"));
        assert!(!is_read_from("-- FROM results\nSELECT count(*) AS runs FROM run", "results"));
        assert!(!is_read_from("SELECT count(*) AS runs FROM run", "runs"));
        assert!(!is_read_from(&narrow(), "run_tests"));
    }
}
