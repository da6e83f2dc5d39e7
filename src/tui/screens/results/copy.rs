//! The texts that can be copied: the item under the cursor as an identifier, a selection, a command or a text.

use super::{DetailSection, Dialog, Intents, ListedRow, OpenedRun, ResultsScreen, SectionLine, columns, paint};
use crate::tui::{
    screens::copying::{Copyable, copy_one_of},
    world::World,
};
use dbdyno_reports::command::shell;
use dbdyno_store::Selection;

impl ResultsScreen {
    pub(super) fn copy(&self, world: &World) -> Intents {
        let mut all: Vec<Copyable> = self.opened.as_ref().and_then(of_page).into_iter().collect();
        if let Some(target) = self.target() {
            let details = match &target.run {
                Some(run) => {
                    all.push(Copyable::new(format!("the identifier of {}", target.words), run));
                    Some("--details".to_owned())
                }
                None => {
                    all.push(Copyable::new(format!("the selection of {}", target.words), &target.filter.line));
                    None
                }
            };
            let words = ["dbdyno", "results"].map(str::to_owned).into_iter().chain(details);
            let words = words.chain(Selection::terms(&target.filter.line)).chain(world.arguments.iter().cloned());
            all.push(Copyable::new(format!("the command that shows {}", target.words), shell(words)));
        }
        if let (None, Some(row)) = (&self.opened, self.table.current()) {
            all.extend(self.of_row(row));
        }
        copy_one_of(all, Dialog::Copy)
    }

    /// Returns the value under the cursor, and its whole row.
    fn of_row(&self, row: ListedRow<'_>) -> [Copyable; 2] {
        let all = self.columns();
        let texts: Vec<String> = all.iter().map(|column| paint::whole_cell(self, row, column)).collect();
        let value = paint::whole_cell(self, row, &self.focus);
        let word = self.focus.word(columns::key(&self.listing));
        [
            Copyable::new(format!("{word} of this row"), value),
            Copyable::new("this row, separated by tabs", texts.join("\t")),
        ]
    }
}

/// Returns the item under the cursor on the page of a run.
fn of_page(opened: &OpenedRun) -> Option<Copyable> {
    if let Some(moment) = opened.moment_in_words() {
        return Some(Copyable::new("the figures at this moment", moment));
    }
    if opened.section == DetailSection::Tests {
        return opened.chosen().map(|test| Copyable::new("the figures of this test", paint::test_in_words(test)));
    }
    match opened.lines().into_iter().nth(opened.line.at)? {
        SectionLine::Fact { name, value, .. } if value.is_empty() => Some(Copyable::new("this line", name)),
        SectionLine::Fact { name, value, .. } => Some(Copyable::new(format!("{name} of this run"), value)),
        SectionLine::Title(_) | SectionLine::None(_) => None,
    }
}
