//! The table that pages are read from: few columns, and only those options that a selection or grouping names.

/// SQL with the values bound in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Narrow {
    /// A SELECT.
    pub(super) sql: String,
    /// Its parameters, in order.
    pub(super) parameters: Vec<String>,
}

/// The option in force of a run; one of the engine comes before one of the suite with the same name.
const OPTIONS: &str = "SELECT run_id, name AS k, arg_min(coalesce(in_force, asked), scope) AS v FROM run_option
    WHERE name IN ({places}) GROUP BY run_id, name";
const KEYS: &str = "SELECT run_id, key AS k, value AS v FROM run_key WHERE key IN ({places})";

impl Narrow {
    /// The table whose maps hold these names.
    pub(super) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        let (options, keys) =
            if names.is_empty() { ("MAP {}", "MAP {}") } else { ("coalesce(o.m, MAP {})", "coalesce(k.m, MAP {})") };
        let mut sql = include_str!("narrow.sql").replace("{options}", options).replace("{keys}", keys);
        if names.is_empty() {
            return Self { sql, parameters: names };
        }
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
