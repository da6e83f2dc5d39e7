//! From results to what a person or a program reads.

pub mod claims;
pub mod command;
pub mod comparison;
pub(crate) mod file;
mod grid;
pub mod matrix;
pub mod results;
pub mod session_table;
pub mod text;
pub mod tune;
pub mod units;

/// A line of CSV, its cells quoted as RFC 4180 has it.
pub fn csv_line<'c>(cells: impl IntoIterator<Item = &'c str>) -> String {
    let quoted = |cell: &str| {
        let plain = !cell.contains([',', '"', '\n', '\r']);
        if plain { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
    };
    cells.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
