//! The table that pages are read from: few columns, and only those options that a selection or grouping names.

use super::super::super::{
    Selection,
    schema::{narrow, narrow_of_runs},
};

/// SQL with its bound values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Narrow {
    /// A SELECT.
    pub(crate) sql: String,
    /// Its parameters, in order.
    pub(crate) parameters: Vec<String>,
}

/// The option in force of a run; an engine option takes precedence over a suite option of the same name.
const OPTIONS: &str = "SELECT run_id, name AS k, arg_min(coalesce(in_force, asked), scope) AS v FROM run_option
    WHERE name IN ({places}) GROUP BY run_id, name";
const KEYS: &str = "SELECT run_id, key AS k, value AS v FROM run_key WHERE key IN ({places})";

impl Narrow {
    /// Returns the rows of a selection, including runs without a finished test, as a SELECT with its parameters.
    pub(crate) fn selected<'n>(selection: &'n Selection, names: impl Iterator<Item = &'n str>) -> Self {
        Self::with_names(selection.names().chain(names)).kept_to(selection)
    }

    /// Returns one row for each selected run, without columns of tests. The selection must not be about tests.
    pub(crate) fn selected_runs(selection: &Selection) -> Self {
        Self::of_table(&narrow_of_runs(), selection.names()).kept_to(selection)
    }

    fn kept_to(self, selection: &Selection) -> Self {
        let Self { sql, mut parameters } = self;
        let (condition, of_condition) = selection.condition();
        parameters.extend(of_condition);
        Self { sql: format!("SELECT * FROM ({sql}) WHERE {condition}"), parameters }
    }

    /// Returns the table of the runs in the table `shown`, without maps.
    pub(super) fn shown() -> String {
        filled(&narrow(), "WHERE run_id IN (SELECT run_id FROM shown)", "MAP {}", "MAP {}")
    }

    /// Returns the table of all runs, whose maps hold these names.
    pub(crate) fn with_names<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        Self::of_table(&narrow(), names)
    }

    fn of_table<'n>(table: &str, names: impl Iterator<Item = &'n str>) -> Self {
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Self { sql: filled(table, "", "MAP {}", "MAP {}"), parameters: names };
        }
        let mut sql = filled(table, "", "coalesce(o.m, MAP {})", "coalesce(k.m, MAP {})");
        let places = vec!["?"; names.len()].join(", ");
        for (pairs, alias) in [(OPTIONS, "o"), (KEYS, "k")] {
            let pairs = pairs.replace("{places}", &places);
            sql.push_str(&format!(
                "LEFT JOIN (SELECT run_id, map_from_entries(list({{'k': k, 'v': v}})) AS m FROM ({pairs}) GROUP BY run_id) {alias}
                 ON {alias}.run_id = r.run_id\n"
            ));
        }
        Self { sql, parameters: [names.clone(), names].concat() }
    }
}

fn filled(table: &str, of: &str, options: &str, keys: &str) -> String {
    table.replace("{of}", of).replace("{options}", options).replace("{keys}", keys)
}
