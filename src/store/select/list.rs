//! Lists: results or runs with the columns that a reader chooses, groups with their figures, and all that is known of a run.

use super::{
    super::{Store, StoreError, read::Narrow, schema::identifier},
    Selection, SelectionKey, TextRows,
};
use std::collections::HashMap;

/// What a list has a row for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// A run and test.
    Results,
    /// A run, those without a finished test too.
    Runs,
}

impl Listed {
    fn view(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Runs => "runs",
        }
    }

    /// The columns when none are chosen.
    fn default_columns(self) -> &'static [&'static str] {
        match self {
            Self::Results => &[
                "started",
                "suite",
                "size",
                "test",
                "test_name",
                "label",
                "round",
                "tier",
                "status",
                "wall_ms",
                "rate",
                "p50_ns",
                "p99_ns",
            ],
            Self::Runs => &[
                "started",
                "run_id",
                "suite",
                "size",
                "label",
                "engine_version",
                "run_status",
                "tests",
                "failed_tests",
                "wall_ms",
                "tags",
            ],
        }
    }
}

/// The order of a list, but for the tests of a run.
const NEWEST: &str = "started_at DESC NULLS LAST, run_id";
/// Columns that only the whole view has; `all` is all of them.
const WIDE: [&str; 7] = ["all", "options", "keys", "verification", "seed", "failure", "data_bytes"];

/// Columns that are made for reading.
const READABLE: [(&str, &str); 3] = [
    ("started", "strftime(started_at, '%Y-%m-%d %H:%M:%S')"),
    ("wall_ms", "round(wall_ns / 1e6, 3)"),
    ("rate", "round(rate, 1)"),
];

impl Store {
    /// The results or runs of a selection, newest first, all of them. Columns are those of the view, `started`, `wall_ms`,
    /// options and kept keys; `all` is every column of the view as it is, and none are the usual ones.
    ///
    /// # Errors
    /// A column that is not there, or a store that cannot be read.
    pub fn listed(&self, selection: &Selection, listed: Listed, columns: &[String]) -> Result<TextRows, StoreError> {
        let types = self.columns_of(listed.view())?;
        let mut parameters = Vec::new();
        let mut chosen = Vec::new();
        let default = || listed.default_columns().iter().map(|column| (*column).to_owned()).collect();
        let columns: Vec<String> = if columns.is_empty() { default() } else { columns.to_vec() };
        for column in &columns {
            if column == "all" {
                chosen.extend(types.iter().map(|(name, kind)| named(&exported(name, kind), name)));
            } else {
                chosen.push(named(&self.column(column, listed, &types, &mut parameters)?, column));
            }
        }
        let chosen = chosen.join(", ");
        let is_narrow = listed == Listed::Results && !columns.iter().any(|column| WIDE.contains(&column.as_str()));
        if is_narrow {
            let keys: Vec<SelectionKey> =
                columns.iter().filter_map(|column| SelectionKey::parse(column).ok()).collect();
            let rows = Narrow::selected(selection, keys.iter().filter_map(SelectionKey::option));
            parameters.extend(rows.parameters);
            let sql = format!("SELECT {chosen} FROM ({}) WHERE test IS NOT NULL ORDER BY {NEWEST}, test", rows.sql);
            return self.bound(&sql, &parameters);
        }
        let (condition, of_condition) = selection.condition();
        let (rows, order) = match listed {
            Listed::Results => (format!("results WHERE {condition}"), format!("{NEWEST}, test")),
            Listed::Runs => ("runs".to_owned(), NEWEST.to_owned()),
        };
        if listed == Listed::Results {
            parameters.extend(of_condition);
        }
        self.of_chosen(selection, &format!("SELECT {chosen} FROM {rows} ORDER BY {order}"), &parameters)
    }

    /// For each combination of the keys' values: results, runs, sessions, how many results count, and their figures.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn grouped(&self, selection: &Selection, keys: &[SelectionKey]) -> Result<TextRows, StoreError> {
        let mut parameters = Vec::new();
        let values: Vec<String> =
            keys.iter().enumerate().map(|(at, key)| format!("{} AS key_{at}", key.sql(&mut parameters))).collect();
        let rows = Narrow::selected(selection, keys.iter().filter_map(SelectionKey::option));
        parameters.extend(rows.parameters);
        let words: Vec<String> =
            keys.iter().enumerate().map(|(at, key)| named(&format!("key_{at}"), key.word())).collect();
        let order: Vec<String> = (0..keys.len()).map(|at| format!("TRY_CAST(key_{at} AS DOUBLE), key_{at}")).collect();
        let sql = format!(
            "SELECT {}, count(*) AS results, count(DISTINCT run_id) AS runs, count(DISTINCT session_id) AS sessions,
                    count(*) FILTER (status = 'ok') AS ok, round(median(wall_ns) / 1e6, 3) AS median_wall_ms,
                    round(min(wall_ns) / 1e6, 3) AS least_wall_ms, round(max(wall_ns) / 1e6, 3) AS most_wall_ms
             FROM (SELECT {}, * FROM ({}) WHERE test IS NOT NULL)
             GROUP BY {} ORDER BY {}",
            words.join(", "),
            values.join(", "),
            rows.sql,
            (0..keys.len()).map(|at| format!("key_{at}")).collect::<Vec<_>>().join(", "),
            order.join(", "),
        );
        self.bound(&sql, &parameters)
    }

    /// All that is known of a selection's runs: run_id, part, name, value; by run, the parts in order.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn details(&self, selection: &Selection) -> Result<TextRows, StoreError> {
        let rows = Narrow::selected(selection, std::iter::empty());
        self.bound(&include_str!("details.sql").replace("{rows}", &rows.sql), &rows.parameters)
    }

    /// The names in a selection or in keys that no stored run has as an option or key: most likely misspelt.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn unknown_names(&self, selection: &Selection, keys: &[SelectionKey]) -> Result<Vec<String>, StoreError> {
        let mut unknown: Vec<String> = Vec::new();
        for name in selection.names().chain(keys.iter().filter_map(SelectionKey::option)) {
            if !unknown.iter().any(|known| known == name) && !self.is_name(name)? {
                unknown.push(name.to_owned());
            }
        }
        Ok(unknown)
    }

    /// Whether some stored run has such an option or kept key.
    fn is_name(&self, name: &str) -> Result<bool, StoreError> {
        let sql =
            "(SELECT 1 FROM run_option WHERE name = ? LIMIT 1) UNION (SELECT 1 FROM run_key WHERE key = ? LIMIT 1)";
        Ok(!self.bound(sql, &[name.to_owned(), name.to_owned()])?.rows.is_empty())
    }

    /// The columns of a view of this program's, with their types, in order.
    fn columns_of(&self, view: &str) -> Result<Vec<(String, String)>, StoreError> {
        let rows = self.query(&format!("SELECT column_name, column_type FROM (DESCRIBE {view})"), &[])?.rows;
        Ok(rows.into_iter().filter_map(|row| Some((row.first()?.clone()?, row.get(1)?.clone()?))).collect())
    }

    /// SQL for a column by the word that a reader typed.
    fn column(
        &self,
        word: &str,
        listed: Listed,
        types: &[(String, String)],
        parameters: &mut Vec<String>,
    ) -> Result<String, StoreError> {
        let types: HashMap<&str, &str> = types.iter().map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
        if let Some((_, sql)) =
            READABLE.iter().find(|(name, _)| *name == word && !(word == "rate" && listed == Listed::Runs))
        {
            return Ok((*sql).to_owned());
        }
        if let Some(kind) = types.get(word) {
            return Ok(exported(word, kind));
        }
        let wrong = |message: String| StoreError::Query { message: format!("columns: {message}") };
        let key = SelectionKey::parse(word).map_err(wrong)?;
        match &key {
            SelectionKey::Column { column, .. } if !types.contains_key(column) => {
                return Err(wrong(format!("`{word}` is a column of tests, which a list of runs does not have")));
            }
            SelectionKey::Option(name) if !self.is_name(name)? => {
                let mut columns: Vec<&str> = types.keys().copied().chain(["all", "started", "wall_ms"]).collect();
                columns.sort_unstable();
                return Err(wrong(format!(
                    "`{word}` is no column and no stored run has such an option or key: expected an option, a key, or {}",
                    columns.join(", ")
                )));
            }
            _ => {}
        }
        Ok(key.sql(parameters))
    }
}

fn named(sql: &str, name: &str) -> String {
    format!("{sql} AS {}", identifier(name))
}

/// A column as it is; lists and maps as JSON, which says where their parts begin.
fn exported(column: &str, kind: &str) -> String {
    let name = identifier(column);
    if kind.starts_with("MAP") || kind.ends_with("[]") { format!("to_json({name})") } else { name }
}
