//! Lists: results or runs with chosen columns, and all details of a run.

use super::{
    super::{
        Store, StoreError,
        read::Narrow,
        schema::{self, identifier},
    },
    Selection, SelectionKey, TextRows, TypedColumn,
    order::{ListOrder, ListedRows, SortKey, by_value, limited},
};
use dbdyno_engine::names::instead_of;

/// The rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// One row for each run and test.
    Results,
    /// One row for each run, including runs without a finished test.
    Runs,
}

impl ListKind {
    fn view(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Runs => "runs",
        }
    }

    /// Returns the columns of its view, in order.
    fn columns(self) -> Vec<TypedColumn> {
        let typed =
            |(name, sql_type): (&str, &str)| TypedColumn { name: name.to_owned(), sql_type: sql_type.to_owned() };
        schema::columns_of_view(self.view()).map(typed).collect()
    }

    /// Returns the columns that are shown when none are chosen.
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
                "verified",
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

/// The default order of a list; the order of the tests of a run is added.
const NEWEST: &str = "started_at DESC NULLS LAST, run_id";
/// Columns that only the full view has; `all` is every column of it.
const WIDE: [&str; 11] = [
    "all",
    "options",
    "option_details",
    "keys",
    "verification",
    "seed",
    "failure",
    "data_bytes",
    "ordinal",
    "twin_of",
    "session_facts",
];

/// Columns that are formatted for people.
const READABLE: [(&str, &str); 3] = [
    ("started", "strftime(started_at, '%Y-%m-%d %H:%M:%S')"),
    ("wall_ms", "round(wall_ns / 1e6, 3)"),
    ("rate", "round(rate, 1)"),
];

impl Store {
    /// Returns the results or runs of a selection, newest first unless sorted otherwise. Columns are those of the view, `started`,
    /// `wall_ms`, options and keys. `all` is every column of the view as it is, and an empty list is the default columns.
    ///
    /// # Errors
    /// A column does not exist, or the store cannot be read.
    pub fn listed(
        &self,
        selection: &Selection,
        kind: ListKind,
        columns: &[String],
        order: &ListOrder,
    ) -> Result<ListedRows, StoreError> {
        let types = kind.columns();
        let mut parameters = Vec::new();
        let mut chosen = Vec::new();
        let default = || kind.default_columns().iter().map(|column| (*column).to_owned()).collect();
        let columns: Vec<String> = if columns.is_empty() { default() } else { columns.to_vec() };
        for column in &columns {
            if column == "all" {
                chosen.extend(types.iter().map(|column| named(&exported(column), &column.name)));
            } else {
                chosen.push(named(&self.column(column, kind, &types, &mut parameters)?, column));
            }
        }
        let (sorted, by) = self.sorted(order.sort.as_ref(), kind, &types, &mut parameters)?;
        let asked = || columns.iter().chain(order.sort.iter().map(|sort| &sort.column));
        let chosen = chosen.join(", ");
        if kind == ListKind::Results && !asked().any(|column| WIDE.contains(&column.as_str())) {
            let keys: Vec<SelectionKey> = asked().filter_map(|column| SelectionKey::parse(column).ok()).collect();
            let rows = Narrow::selected(selection, keys.iter().filter_map(SelectionKey::option));
            parameters.extend(rows.parameters);
            let rows = format!("SELECT *{sorted} FROM ({}) WHERE test IS NOT NULL", rows.sql);
            let sql = format!("SELECT {chosen} FROM ({rows}) ORDER BY {by}{NEWEST}, test");
            return limited(&sql, order.limit, |sql| self.bound(sql, &parameters));
        }
        let (rows, last) = match kind {
            ListKind::Results => {
                let (condition, of_condition) = selection.condition();
                parameters.extend(of_condition);
                (format!("SELECT *{sorted} FROM results WHERE {condition}"), ", test")
            }
            ListKind::Runs => (format!("SELECT *{sorted} FROM runs"), ""),
        };
        let sql = format!("SELECT {chosen} FROM ({rows}) ORDER BY {by}{NEWEST}{last}");
        limited(&sql, order.limit, |sql| self.of_chosen(selection, sql, &parameters))
    }

    /// Returns an additional column for a query's rows, and the beginning of the ORDER BY clause that uses it.
    fn sorted(
        &self,
        sort: Option<&SortKey>,
        kind: ListKind,
        types: &[TypedColumn],
        parameters: &mut Vec<String>,
    ) -> Result<(String, String), StoreError> {
        let Some(sort) = sort else { return Ok((String::new(), String::new())) };
        // A formatted column is sorted by the column that it is derived from.
        let word = match sort.column.as_str() {
            "started" => "started_at",
            "wall_ms" => "wall_ns",
            word => word,
        };
        if let Some(column) = types.iter().find(|column| column.name == word) {
            return Ok((String::new(), format!("{}, ", sort.clause(&by_value(column, &identifier(&column.name))))));
        }
        let sql = self.column(word, kind, types, parameters).map_err(|error| of_sort(error, word))?;
        let column = TypedColumn { name: word.to_owned(), sql_type: "VARCHAR".to_owned() };
        Ok((format!(", {sql} AS sorted_by"), format!("{}, ", sort.clause(&by_value(&column, "sorted_by")))))
    }

    /// Returns all details of a selection's runs: run_id, part, name, value; ordered by run, then part.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn details(&self, selection: &Selection) -> Result<TextRows, StoreError> {
        let rows = Narrow::selected(selection, std::iter::empty());
        self.bound(&include_str!("details.sql").replace("{rows}", &rows.sql), &rows.parameters)
    }

    /// Returns SQL for a column by the word that the user typed.
    fn column(
        &self,
        word: &str,
        kind: ListKind,
        types: &[TypedColumn],
        parameters: &mut Vec<String>,
    ) -> Result<String, StoreError> {
        let find = |name: &str| types.iter().find(|column| column.name == name);
        if let Some((_, sql)) =
            READABLE.iter().find(|(name, _)| *name == word && !(word == "rate" && kind == ListKind::Runs))
        {
            return Ok((*sql).to_owned());
        }
        if let Some(column) = find(word) {
            return Ok(exported(column));
        }
        let wrong = |message: String| StoreError::Query { message };
        let key = SelectionKey::parse(word).map_err(wrong)?;
        match &key {
            SelectionKey::Column { column, .. } if find(column).is_none() => {
                return Err(wrong(format!("`{word}` is a column of tests: a list of runs does not have it")));
            }
            SelectionKey::Option(name) if !self.is_name(name)? => {
                let columns = types.iter().map(|column| column.name.clone());
                let columns = columns.chain(["started", "wall_ms"].map(str::to_owned)).chain(self.names()?);
                return Err(wrong(format!("unknown column `{word}`: {}", instead_of(word, columns))));
            }
            _ => {}
        }
        Ok(key.sql(parameters))
    }
}

/// Adds to an error that it is about the column to sort by.
fn of_sort(error: StoreError, word: &str) -> StoreError {
    match error {
        StoreError::Query { message } => StoreError::Query { message: format!("cannot sort by `{word}`: {message}") },
        other => other,
    }
}

pub(super) fn named(sql: &str, name: &str) -> String {
    format!("{sql} AS {}", identifier(name))
}

/// Returns SQL for a column as it is; lists and maps become JSON, which marks where their parts begin.
fn exported(column: &TypedColumn) -> String {
    let name = identifier(&column.name);
    if column.is_nested() { format!("to_json({name})") } else { name }
}
