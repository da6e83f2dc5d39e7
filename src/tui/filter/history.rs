//! The history of filters, one per line in a file of the user's configuration folder.

use dbdyno_catalog::Catalog;
use dbdyno_foundation::base::{input, output::Output};
use std::{fs, path::PathBuf};

/// Filters to keep, at most.
const MOST: usize = 200;

fn file(catalog: &Catalog) -> PathBuf {
    catalog.own_file("filter-history")
}

/// Returns the earlier filters, newest last; none if the file is missing or cannot be read.
pub(crate) fn read(catalog: &Catalog) -> Vec<String> {
    let text = input::read_text(&file(catalog)).unwrap_or_default();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// Returns the history with one more line, which occurs in it only once.
pub(crate) fn remembered(mut past: Vec<String>, line: &str) -> Vec<String> {
    past.retain(|known| known != line);
    past.push(line.to_owned());
    past.drain(..past.len().saturating_sub(MOST));
    past
}

/// Adds a filter to the history file. Filters that another program has added meanwhile stay.
pub(super) fn keep(catalog: &Catalog, line: &str) -> Result<(), String> {
    let path = file(catalog);
    let text = remembered(read(catalog), line).join("\n") + "\n";
    write(&path, &text).map_err(|reason| format!("{} cannot be written: {reason}", path.display()))
}

/// Writes a file of the configuration folder, whole or not at all.
pub(super) fn write(path: &std::path::Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    let output = Output::check(path, &[]).map_err(|error| error.to_string())?;
    output.replace_with(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_kept_once_and_the_oldest_are_forgotten() {
        let past = remembered(vec!["a".to_owned(), "b".to_owned()], "a");
        assert_eq!(past, ["b", "a"]);
        let many = (0..MOST + 5).fold(Vec::new(), |past, at| remembered(past, &at.to_string()));
        assert_eq!((many.len(), many[0].as_str()), (MOST, "5"));
    }
}
