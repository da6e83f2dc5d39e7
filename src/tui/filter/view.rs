//! Views: filters with the columns, order and groups of their list, saved under names that the user chooses.

use super::history::write;
use dbdyno_catalog::Catalog;
use dbdyno_foundation::base::input;
use serde::{Deserialize, Serialize};

/// A saved view of a screen, by its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    pub(crate) name: String,
    /// The word of the screen.
    pub(crate) screen: String,
    #[serde(default)]
    pub(crate) filter: String,
    /// The kind of rows; none: the screen's usual kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rows: Option<ViewRows>,
    /// The key to group by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    /// The title of the column to sort by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sort: Option<String>,
    /// Whether the greatest value comes first.
    #[serde(default)]
    pub(crate) descending: bool,
    /// Titles of the columns; none: the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) columns: Vec<String>,
}

/// The kind of rows of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViewRows {
    Configurations,
    Runs,
    Results,
    Groups,
}

/// The file of all views.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Views {
    #[serde(default)]
    view: Vec<View>,
}

const FILE: &str = "views.toml";

/// The views that were saved.
///
/// # Errors
/// The file cannot be read or parsed.
pub(crate) fn read_views(catalog: &Catalog) -> Result<Vec<View>, String> {
    let path = catalog.own_file(FILE);
    let wrong = |reason: String| format!("{}: {reason}", path.display());
    match input::read_text(&path) {
        Ok(text) => toml::from_str::<Views>(&text).map(|views| views.view).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Saves a view, in place of one of the same name, and returns all of them.
pub(super) fn save(catalog: &Catalog, view: View) -> Result<Vec<View>, String> {
    // A file that cannot be read is not overwritten.
    let all = with(read_views(catalog)?, view);
    let path = catalog.own_file(FILE);
    let wrong = |reason: String| format!("{} cannot be written: {reason}", path.display());
    let text = toml::to_string(&Views { view: all.clone() }).map_err(|error| wrong(error.to_string()))?;
    write(&path, &text).map_err(wrong)?;
    Ok(all)
}

fn with(mut all: Vec<View>, view: View) -> Vec<View> {
    match all.iter_mut().find(|known| known.name == view.name) {
        Some(known) => *known = view,
        None => all.push(view),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_survives_as_text_and_takes_the_place_of_one_of_its_name() {
        let view = |name: &str, filter: &str| View {
            name: name.to_owned(),
            screen: "results".to_owned(),
            filter: filter.to_owned(),
            rows: Some(ViewRows::Groups),
            group: Some("engine".to_owned()),
            sort: Some("median".to_owned()),
            descending: true,
            columns: vec!["median".to_owned()],
        };
        let all = with(vec![view("a", "x"), view("b", "y")], view("a", "z"));
        assert_eq!(all, [view("a", "z"), view("b", "y")]);
        let text = toml::to_string(&Views { view: all.clone() }).unwrap();
        assert_eq!(toml::from_str::<Views>(&text).unwrap().view, all);
        assert!(toml::from_str::<Views>("[[view]]\nname = \"a\"\nscreen = \"x\"\ncolour = 1\n").is_err());
    }
}
