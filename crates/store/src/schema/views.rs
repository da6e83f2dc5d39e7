//! The store's views, as this program has them: on its own connections their names mean these, whatever the file has.

use dbdyno_foundation::metric::{Better, Metric};
use duckdb::Connection;

/// The views in the file, for others; each uses tables and those before it.
const VIEWS: &str = include_str!("views.sql");

/// The columns of `results` and `runs` with their types, one a line. Asking DuckDB for them would open the store once more and make the view.
pub(super) const COLUMNS: &str = include_str!("view_columns.txt");

/// The rows of the view `run_tests` with the columns that selections and pages need. `{options}`, `{keys}` and `{of}` are to be put in.
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

/// The same with one row a run, without what is known of its tests. A run that was done is `done`, whether it has a test or not.
pub(crate) fn narrow_of_runs() -> String {
    NARROW.replace("{columns_of_tests}", "r.run_status").replace("{join_tests}", "")
}

const NARROW: &str = include_str!("narrow.sql");

/// Whether the figures of a row `t` of the table `result` are in statistics; `r` has the run's status.
const COUNTS: &str = "(t.failure IS NULL AND r.run_status NOT IN ('invalid', 'superseded'))";

/// How a run ended, in a row that has a test of it or, where it has none, no test: one that was done without a finished test is `empty`.
const RUN_STATUS: &str = "CASE WHEN t.test IS NULL AND r.run_status = 'done' THEN 'empty' ELSE r.run_status END";

/// How a test stands; of a run without one, whether that is because there was nothing to do.
const STATUS: &str = "CASE
        WHEN t.test IS NULL AND r.run_status = 'done' THEN 'empty'
        WHEN t.test IS NULL THEN NULL
        WHEN t.failure IS NOT NULL THEN 'failed'
        WHEN r.run_status IN ('invalid', 'superseded') THEN r.run_status
        WHEN t.agrees = false THEN 'disagrees'
        ELSE 'ok'
    END";

/// What is known of a test's answers. Of an actor's part, its test's row says it where they were not held against others.
const VERIFIED: &str = "CASE
        WHEN t.agrees THEN 'yes'
        WHEN t.agrees = false THEN 'no'
        WHEN t.test IS NULL OR t.actor IS NOT NULL THEN NULL
        WHEN t.verification IS NOT NULL THEN 'not cross-checked'
        ELSE 'not verified'
    END";

/// The results of tests as a whole, and of the actors of those that have several threads. A row of an actor has the test's number and a name
/// of its own.
pub(crate) const TESTS: &str = "(SELECT *, NULL::VARCHAR AS actor FROM result UNION ALL BY NAME FROM actor_result)";

/// SQL with the rules put in that several queries share: `{tests}`, `{status}`, `{verified}`, `{run_status}`, and `{figures}` for the columns of all figures. A figure that says
/// how well something was done is NULL where it does not count, so that whoever makes statistics of a view need not know.
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

/// The definitions of the views.
pub(super) fn definitions() -> String {
    definitions_of("")
}

/// The same kept to the runs of a WHERE clause over `run_id`.
fn definitions_of(runs: &str) -> String {
    filled(VIEWS).replace("{of}", runs)
}

/// Makes those of the views on this connection that are wanted by their names. Each is whole in itself, because DuckDB looks at
/// all that a view uses whenever it makes one; those that nothing asks for cost nothing.
pub(crate) fn make_views(connection: &Connection, wanted: impl Fn(&str) -> bool) -> duckdb::Result<()> {
    make_views_of(connection, wanted, "")
}

/// The same kept to the runs of a WHERE clause over `run_id`: then nothing of other runs is read, whatever the store holds.
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

/// Whether a query reads this view: its name follows FROM or JOIN outside of a comment. Users' queries are not asked this way: they may name
/// a view anywhere.
pub(crate) fn is_read_from(sql: &str, view: &str) -> bool {
    let code = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
    let words =
        code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).filter(|word| !word.is_empty());
    let leads = |word: &str| ["FROM", "JOIN"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword));
    words.clone().zip(words.skip(1)).any(|(before, word)| word == view && leads(before))
}

/// The columns of `results` or `runs` with their types, in order.
pub(crate) fn columns_of_view(view: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_view = move |line: &'static str| line.split_once(' ').filter(|(of, _)| *of == view)?.1.split_once(' ');
    COLUMNS.lines().filter_map(of_view)
}

/// Each view's name and query.
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
