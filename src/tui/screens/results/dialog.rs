//! The dialogs of the Results screen.

use super::{
    ChosenColumn, Intents, ListedColumn, ListedRow, Request, ResultsScreen, RowKind, TypedSelection, actions::nothing,
    cells, columns, paint, short,
};
use crate::tui::{
    export::ResultsFile,
    keys::Action,
    overlay::{FilterKeys, ListItem, Reply},
    screens::{
        Context,
        copying::{Copyable, copy_chosen},
        intent::Intent,
    },
};
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::results::FILE_FORMATS;
use dbdyno_store::{Annotation, SelectionKey};

/// A question that the Results screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The filter of the listing.
    Filter,
    /// The key to group by, one of these; the first means no grouping.
    Group(Vec<String>),
    /// The column to sort by, one of these.
    Sort(Vec<ListedColumn>),
    /// Tags to add or remove.
    Tag(ChosenRuns),
    Note(ChosenRuns),
    Delete(ChosenRuns),
    /// Final confirmation of a deletion.
    Erase(ChosenRuns),
    /// The file to write the results of this selection to.
    Export(String),
    /// The text to copy, one of these.
    Copy(Vec<Copyable>),
    /// The columns of rows of this kind.
    Columns {
        kind: RowKind,
        /// All columns that these rows can have.
        all: Vec<ListedColumn>,
        /// The columns that are visible now.
        seen: Vec<ListedColumn>,
    },
}

/// The runs that an action applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenRuns {
    pub(crate) filter: TypedSelection,
    pub(crate) words: String,
    /// The run's identifier, if it is a single run.
    pub(crate) run: Option<String>,
}

/// The word that the user must type before anything is deleted.
const SURELY: &str = "delete";
/// The keys for grouping (except options), with a short description of each.
const KEYS: [(&str, &str); 13] = [
    ("engine", "the engine"),
    ("label", "the configuration: the engine with its options"),
    ("version", "the version of the engine's library"),
    ("suite", "the suite"),
    ("test", "the test's number"),
    ("size", "the data size"),
    ("session", "the runs started together"),
    ("host", "the machine"),
    ("tier", "what a commit survives"),
    ("status", "whether the figures count"),
    ("preset", "the preset it was started with"),
    ("round", "the round, from 0 as everywhere in results"),
    ("tag", "each tag; a run with two is in two groups"),
];

impl ResultsScreen {
    /// Returns the runs under the cursor.
    pub(crate) fn target(&self) -> Option<ChosenRuns> {
        if let Some(opened) = &self.opened {
            return Some(of_run(&opened.run.run_id, &self.labels.of_run(&opened.run)));
        }
        let row = self.table.current()?;
        let label = |label: &str| self.labels.whole(label, self.table.options(row));
        match row {
            ListedRow::Result(row) => Some(of_run(&row.run_id, &label(&row.label))),
            ListedRow::Run(row) => Some(of_run(&row.run_id, &label(&row.label))),
            ListedRow::Configuration(row) => {
                let filter = self.filter.of_configuration(row).ok()?;
                let runs = counted(row.runs, "run");
                let words = format!("{runs} of {} in session {}", label(&row.label), short(&row.session_id));
                Some(ChosenRuns { filter, words, run: None })
            }
            ListedRow::Group(row) => {
                let filter = self.filter.of_group(columns::key(&self.listing)?, row).ok()?;
                let words = format!("{} of {}", counted(row.runs, "run"), filter.line);
                Some(ChosenRuns { filter, words, run: None })
            }
        }
    }

    /// Returns the question that an action asks the user; none if the action asks nothing.
    pub(super) fn asked(&self, action: Action, context: &Context<'_>) -> Option<Intents> {
        let asked = match action {
            Action::Filter => Intent::filter(Dialog::Filter, "Results", FilterKeys::Stored, self.filter.line.clone()),
            Action::Group => self.group_choice(),
            Action::SortBy if self.opened.is_none() => self.sort_choice(),
            Action::Export => {
                let line = match &self.opened {
                    Some(_) => self.target().map_or_else(String::new, |target| target.filter.line),
                    None => self.filter.line.clone(),
                };
                let what = if line.is_empty() { "all results".to_owned() } else { format!("the results of {line}") };
                let help = "a file that does not exist yet; its ending selects the format: .csv, .json or .parquet";
                let title = format!("Export {what}");
                Intent::prompt_file(Dialog::Export(line), title, help, "dbdyno-results.csv").in_formats(FILE_FORMATS)
            }
            Action::Columns if self.opened.is_none() => self.column_choice(usize::from(context.size.0)),
            Action::Tag | Action::Note => {
                let Some(target) = self.target() else { return Some(nothing()) };
                let words = target.words.clone();
                if action == Action::Tag {
                    let help = "tags separated by spaces; -WORD removes a tag";
                    Intent::prompt(Dialog::Tag(target), format!("Tag {words}"), help, "")
                } else {
                    let help = "one line; it is stored with the time";
                    Intent::prompt(Dialog::Note(target), format!("Note on {words}"), help, "")
                }
            }
            _ => return None,
        };
        Some(vec![asked])
    }

    /// Requests the list of everything that a deletion would remove, for the question that follows.
    pub(super) fn delete(&mut self) -> Intents {
        let Some(target) = self.target() else { return nothing() };
        self.busy = Some(format!("counting the data of {}", target.words));
        vec![Intent::Request(Request::Extent(target))]
    }

    fn group_choice(&self) -> Intent<Request, Dialog> {
        let mut items = vec![ListItem::new("not grouped", "one row a test of a run")];
        items.extend(KEYS.map(|(word, about)| ListItem::new(word, about)));
        items.extend(self.names.iter().map(|name| ListItem::new(name, "an option or kept key")));
        let now = columns::key(&self.listing).map_or("not grouped", SelectionKey::word);
        for item in &mut items {
            item.chosen = item.label == now;
        }
        let words = items.iter().map(|item| item.label.clone()).collect();
        Intent::choose_one(Dialog::Group(words), "Group by", items)
    }

    fn sort_choice(&self) -> Intent<Request, Dialog> {
        let (key, (now, _)) = (columns::key(&self.listing), columns::ordering(&self.listing));
        let all = self.all_columns();
        let item = |column: &ListedColumn| ListItem { chosen: *column == now, ..ListItem::new(column.word(key), "") };
        let items = all.iter().map(item).collect();
        Intent::choose_one(Dialog::Sort(all), "Sort by", items)
    }

    /// Returns the columns that the rows can have: their own, then those of options and kept keys.
    fn all_columns(&self) -> Vec<ListedColumn> {
        let kind = RowKind::of(&self.listing);
        cells::usual(kind).into_iter().chain(self.names.iter().filter_map(|name| kind.option(name))).collect()
    }

    /// Returns the question for the columns to show, on a screen with the given number of columns.
    fn column_choice(&self, screen: usize) -> Intent<Request, Dialog> {
        let kind = RowKind::of(&self.listing);
        let seen = paint::columns_seen(self, screen);
        let key = columns::key(&self.listing);
        let own = cells::usual(kind).len();
        let all = self.all_columns();
        let item = |(at, column): (usize, &ListedColumn)| {
            let about = if at < own { "" } else { "an option or kept key" };
            ListItem { chosen: seen.contains(column), ..ListItem::new(column.word(key), about) }
        };
        let items = all.iter().enumerate().map(item).collect();
        Intent::choose_several(Dialog::Columns { kind, all, seen }, "Columns; none for the default", items)
    }

    /// Sets the columns for a kind of row; an empty choice restores the usual ones. If there is not room for all, newly chosen columns have
    /// priority.
    fn choose_columns(&mut self, kind: RowKind, chosen: Vec<ListedColumn>, seen: &[ListedColumn]) {
        let before = self.chosen.remove(&kind).unwrap_or_default();
        let is_wanted = |column: &ListedColumn| {
            !seen.contains(column) || before.iter().any(|known| known.column == *column && known.is_wanted)
        };
        let chosen: Vec<ChosenColumn> =
            chosen.into_iter().map(|column| ChosenColumn { is_wanted: is_wanted(&column), column }).collect();
        if !chosen.is_empty() {
            self.chosen.insert(kind, chosen);
        }
    }

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::Filter, Reply::Typing(line)) => self.follow_filter(&line),
            (Dialog::Filter, Reply::Text(line)) => self.take_filter(&line),
            (Dialog::Filter, _) => Ok(self.restore_filter()),
            (Dialog::Group(words), Reply::Chosen(chosen)) => {
                let Some((at, word)) = chosen.first().and_then(|&at| Some((at, words.get(at)?))) else {
                    return Ok(Intents::new());
                };
                self.trail.clear();
                self.opened = None;
                let listing = if at == 0 { columns::newest() } else { columns::groups(SelectionKey::parse(word)?) };
                self.flat |= at == 0;
                Ok(self.show(self.filter.clone(), listing))
            }
            (Dialog::Sort(all), Reply::Chosen(chosen)) => {
                let column = chosen.first().and_then(|&at| all.get(at)).cloned();
                Ok(column.map_or_else(Intents::new, |column| self.sorted(|listing| columns::order_by(listing, column))))
            }
            (Dialog::Columns { kind, all, seen }, Reply::Chosen(chosen)) => {
                let chosen = chosen.iter().filter_map(|&at| all.get(at).cloned()).collect();
                self.choose_columns(*kind, chosen, seen);
                Ok(Intents::new())
            }
            (Dialog::Copy(all), Reply::Chosen(chosen)) => Ok(copy_chosen(all, &chosen)),
            (Dialog::Tag(target), Reply::Text(text)) => self.change(target, tags(&text)?),
            (Dialog::Note(_), Reply::Text(text)) if text.is_empty() => Err("nothing is typed yet".to_owned()),
            (Dialog::Note(target), Reply::Text(text)) => self.change(target, vec![Annotation::Note(text)]),
            (Dialog::Delete(target), Reply::Yes) => {
                let help = format!("U restores it until dbdyno exits; after that nothing can: type the word {SURELY}");
                let title = format!("Really delete {}?", target.words);
                Ok(vec![Intent::prompt(Dialog::Erase(target.clone()), title, help, "")])
            }
            (Dialog::Erase(target), Reply::Text(text)) if text == SURELY => {
                self.busy = Some(format!("deleting {}", target.words));
                self.opened = None;
                Ok(vec![Intent::Request(Request::Delete(target.clone()))])
            }
            (Dialog::Erase(_), Reply::Text(text)) => {
                Err(format!("`{text}`: expected the word {SURELY}; Esc keeps everything"))
            }
            (Dialog::Export(line), Reply::Text(path)) => {
                let content = Box::new(ResultsFile(line.clone()));
                Ok(vec![Intent::Write { path: path.into(), content }])
            }
            _ => Ok(Intents::new()),
        }
    }

    fn change(&mut self, target: &ChosenRuns, annotations: Vec<Annotation>) -> Result<Intents, String> {
        self.busy = Some(format!("writing to {}", target.words));
        Ok(vec![Intent::Request(Request::Annotate(target.clone(), annotations))])
    }
}

fn of_run(run_id: &str, label: &str) -> ChosenRuns {
    let words = format!("run {} of {label}", short(run_id));
    ChosenRuns { filter: TypedSelection::run(run_id), words, run: Some(run_id.to_owned()) }
}

/// Parses the tags in a line.
fn tags(text: &str) -> Result<Vec<Annotation>, String> {
    let annotation = |word: &str| match word.strip_prefix('-') {
        Some("") => Err("`-`: expected the tag to remove right after it".to_owned()),
        Some(tag) => Ok(Annotation::Untag(tag.to_owned())),
        None => Ok(Annotation::Tag(word.to_owned())),
    };
    let tags: Vec<Annotation> =
        text.split([' ', ',']).filter(|word| !word.is_empty()).map(annotation).collect::<Result<_, _>>()?;
    if tags.is_empty() { Err("nothing is typed yet".to_owned()) } else { Ok(tags) }
}

/// Returns the first of two confirmations; a positive reply leads to the second.
pub(super) fn confirm_deletion(target: ChosenRuns, lines: Vec<String>) -> Intent<Request, Dialog> {
    let title = format!("Delete {}?", target.words);
    Intent::confirm(Dialog::Delete(target), title, lines)
}
