//! The store's views, as this program has them: on its own connections their names mean these, whatever the file has.

use duckdb::Connection;

/// The views in the file, for others; each uses tables and those before it.
pub(super) const VIEWS: &str = include_str!("views.sql");

/// Makes those of the views on this connection that are wanted by their names. Each is whole in itself, because DuckDB looks at
/// all that a view uses whenever it makes one; those that nothing asks for cost nothing.
pub(super) fn make(connection: &Connection, wanted: impl Fn(&str) -> bool) -> duckdb::Result<()> {
    let mut before: Vec<String> = Vec::new();
    for (name, query) in views() {
        if wanted(name) {
            let with = if before.is_empty() { String::new() } else { format!("WITH {} ", before.join(", ")) };
            connection.execute_batch(&format!("CREATE OR REPLACE TEMP VIEW {name} AS {with}{query}"))?;
        }
        before.push(format!("{name} AS NOT MATERIALIZED ({query}\n)"));
    }
    Ok(())
}

/// Each view's name and query.
fn views() -> impl Iterator<Item = (&'static str, &'static str)> {
    let definitions = VIEWS.split("CREATE OR REPLACE VIEW ").skip(1);
    definitions.filter_map(|definition| definition.split_once(";\n")?.0.split_once(" AS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_found_in_its_file() {
        let names: Vec<&str> = views().map(|(name, _)| name).collect();
        assert_eq!(names, ["run_facts", "run_tests", "results", "runs"]);
        assert_eq!(VIEWS.matches("VIEW").count(), 4);
    }
}
