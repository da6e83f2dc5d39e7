//! Views: settings of the results list, saved and restored.

use super::{ChosenColumn, Intents, ListedColumn, ResultsScreen, RowKind, TypedSelection, cells, columns};
use crate::tui::filter::{View, ViewRows};
use dbdyno_store::SelectionKey;

impl ResultsScreen {
    /// Returns the filter, columns, order and groups of the current listing.
    pub(super) fn kept_view(&self) -> View {
        let kind = RowKind::of(&self.listing);
        let key = columns::key(&self.listing);
        let (sort, descending) = columns::ordering(&self.listing);
        let chosen = self.chosen.get(&kind).map(Vec::as_slice).unwrap_or_default();
        View {
            filter: self.filter.line.clone(),
            rows: Some(match kind {
                RowKind::Configurations => ViewRows::Configurations,
                RowKind::Runs => ViewRows::Runs,
                RowKind::Results => ViewRows::Results,
                RowKind::Groups => ViewRows::Groups,
            }),
            group: key.map(|key| key.word().to_owned()),
            sort: Some(sort.word(key).to_owned()),
            descending,
            columns: chosen.iter().map(|chosen| chosen.column.word(key).to_owned()).collect(),
            ..View::default()
        }
    }

    /// Shows a saved view, with no group entered and no run open.
    pub(super) fn show_kept(&mut self, view: &View) -> Result<Intents, String> {
        let filter = TypedSelection::read(&view.filter, &self.names)?;
        let mut listing = match (view.rows, &view.group) {
            (Some(ViewRows::Groups), Some(group)) => columns::groups(SelectionKey::parse(group)?),
            (Some(ViewRows::Groups), None) => {
                return Err("groups: expected `group`, the key to group by".to_owned());
            }
            (Some(ViewRows::Runs), _) => columns::runs(),
            (Some(ViewRows::Results), _) => columns::newest(),
            (Some(ViewRows::Configurations) | None, _) => columns::configurations(),
        };
        let kind = RowKind::of(&listing);
        let key = columns::key(&listing).cloned();
        let column = |word: &str| column(kind, key.as_ref(), word);
        if let Some(sort) = &view.sort {
            columns::order_by(&mut listing, column(sort)?);
            if columns::ordering(&listing).1 != view.descending {
                columns::reverse(&mut listing);
            }
        }
        let chosen: Vec<ChosenColumn> = view
            .columns
            .iter()
            .map(|word| Ok(ChosenColumn { column: column(word)?, is_wanted: true }))
            .collect::<Result<_, String>>()?;
        self.chosen.remove(&kind);
        if !chosen.is_empty() {
            self.chosen.insert(kind, chosen);
        }
        self.trail.clear();
        (self.opened, self.flat) = (None, kind == RowKind::Results);
        Ok(self.show(filter, listing))
    }
}

/// Returns the column with a title. A title that is not one of the rows' own columns names an option.
fn column(kind: RowKind, key: Option<&SelectionKey>, word: &str) -> Result<ListedColumn, String> {
    let own = cells::usual(kind).into_iter().find(|column| column.word(key) == word);
    own.or_else(|| kind.option(word)).ok_or_else(|| format!("`{word}`: expected a column of groups, such as median"))
}
