//! Groups of results with their figures.

use super::{
    super::{
        Store, StoreError,
        read::{ALIKE, Narrow},
    },
    Selection, SelectionKey, TypedColumn,
    list::named,
    order::{ListOrder, ListedRows, SortKey, by_value, limited},
};
use dbdyno_engine::names::instead_of;

/// The columns of each group; times of different tests have no common figure.
const FIGURES: [(&str, &str); 7] = [
    ("results", "count(*)"),
    ("runs", "count(DISTINCT run_id)"),
    ("sessions", "count(DISTINCT session_id)"),
    ("ok", "count(*) FILTER (status = 'ok')"),
    ("median_wall_ms", "CASE WHEN {alike} THEN round(median(wall_ns) / 1e6, 3) END"),
    ("least_wall_ms", "CASE WHEN {alike} THEN round(min(wall_ns) / 1e6, 3) END"),
    ("most_wall_ms", "CASE WHEN {alike} THEN round(max(wall_ns) / 1e6, 3) END"),
];

/// A test's name. If it differs between sizes (`25000 INSERTs`), its numbers become `N`, so that the test is one group.
const TEST_NAME: &str = "CASE WHEN min(test_name) OVER same_test = max(test_name) OVER same_test THEN test_name
    ELSE regexp_replace(test_name, '[0-9]+', 'N', 'g') END";
const SAME_TEST: &str = "WINDOW same_test AS (PARTITION BY suite, test, regexp_replace(test_name, '[0-9]+', 'N', 'g'))";

impl Store {
    /// Returns for each combination of the keys' values: results, runs, sessions, the number of results that count, and figures if all
    /// are of one test, size and suite. Ordered by the values, unless `order` sorts them.
    ///
    /// # Errors
    /// The column to sort by does not exist, or the store cannot be opened or read.
    pub fn grouped(
        &self,
        selection: &Selection,
        keys: &[SelectionKey],
        order: &ListOrder,
    ) -> Result<ListedRows, StoreError> {
        let mut parameters = Vec::new();
        let mut value = |(at, key): (usize, &SelectionKey)| match key {
            SelectionKey::Column { column: "test_name", .. } => format!("{TEST_NAME} AS key_{at}"),
            key => format!("{} AS key_{at}", key.sql(&mut parameters)),
        };
        let values: Vec<String> = keys.iter().enumerate().map(&mut value).collect();
        let rows = Narrow::selected(selection, keys.iter().filter_map(SelectionKey::option));
        parameters.extend(rows.parameters);
        let places: Vec<String> = (0..keys.len()).map(|at| format!("key_{at}")).collect();
        let figures: Vec<String> =
            FIGURES.iter().map(|(name, sql)| format!("{} AS {name}", sql.replace("{alike}", ALIKE))).collect();
        let shown = keys.iter().zip(&places).map(|(key, place)| named(&typed(key, place), key.word()));
        let shown: Vec<String> = shown.chain(FIGURES.iter().map(|(name, _)| (*name).to_owned())).collect();
        let by = keys.iter().zip(&places).map(|(key, place)| ordered(key, place).join(", "));
        let by: Vec<String> = sorted(order.sort.as_ref(), keys)?.into_iter().chain(by).collect();
        let sql = format!(
            "SELECT {} FROM (
                 SELECT {places}, {} FROM (SELECT {}, * FROM ({}) WHERE test IS NOT NULL {SAME_TEST}) GROUP BY {places}
             ) ORDER BY {}",
            shown.join(", "),
            figures.join(", "),
            values.join(", "),
            rows.sql,
            by.join(", "),
            places = places.join(", "),
        );
        limited(&sql, order.limit, |sql| self.bound(sql, &parameters))
    }
}

/// Returns SQL that converts a key's text back to its own type.
fn typed(key: &SelectionKey, place: &str) -> String {
    if key.is_number() { format!("CAST({place} AS UBIGINT)") } else { place.to_owned() }
}

/// Returns SQL for the values by which a key's groups are sorted.
fn ordered(key: &SelectionKey, place: &str) -> Vec<String> {
    by_value(&TypedColumn { name: key.word().to_owned(), sql_type: "VARCHAR".to_owned() }, place)
}

/// Returns the beginning of the ORDER BY clause.
fn sorted(sort: Option<&SortKey>, keys: &[SelectionKey]) -> Result<Option<String>, StoreError> {
    let Some(sort) = sort else { return Ok(None) };
    if let Some((at, key)) = keys.iter().enumerate().find(|(_, key)| key.word() == sort.column) {
        return Ok(Some(sort.clause(&ordered(key, &format!("key_{at}")))));
    }
    if let Some((figure, _)) = FIGURES.iter().find(|(name, _)| *name == sort.column) {
        return Ok(Some(sort.clause(&[(*figure).to_owned()])));
    }
    let columns = keys.iter().map(SelectionKey::word).chain(FIGURES.iter().map(|(name, _)| *name));
    let message = format!("unknown column `{}` to sort groups by: {}", sort.column, instead_of(&sort.column, columns));
    Err(StoreError::Query { message })
}
