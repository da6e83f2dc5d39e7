//! What the Results screen asks the user.

use crate::{
    store::{Annotation, Key, Listing},
    tui::{
        event::{Effect, Question as Outside},
        export::Content,
        keys::Action,
        overlay::{Asked as Who, Confirm, Given, Item, Overlay},
        screens::{
            results::{Filter, Question, Results, Row, ask, columns, nothing, short},
            step::{Step, Steps},
        },
        world::World,
    },
};

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// What is to be shown.
    Filter,
    /// The key to group by: one of these, the first for none.
    Group(Vec<String>),
    /// Tags to give or to take away.
    Tag(Target),
    /// A note.
    Note(Target),
    /// Delete?
    Delete(Target),
    /// Delete indeed?
    Erase(Target),
    /// The file to write the results of this selection to.
    Export(String),
}

/// Runs that something is done with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What means them.
    pub filter: Filter,
    /// They in words.
    pub words: String,
    /// The run, where it is one.
    pub run: Option<String>,
}

/// The word that has to be typed before anything is deleted.
const SURELY: &str = "delete";
/// What can be grouped by besides options, with a word about each.
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
    ("round", "the round, from 0"),
    ("tag", "each tag; a run with two is in two groups"),
];

impl Results {
    /// What the cursor is on.
    pub fn target(&self) -> Option<Target> {
        if let Some(opened) = &self.opened {
            return Some(of_run(&opened.run.run_id, &opened.run.label));
        }
        match (self.table.current()?, &self.listing) {
            (Row::Result(row), _) => Some(of_run(&row.run_id, &row.label)),
            (Row::Group(row), Listing::Groups(key, _)) => {
                let filter = self.filter.narrowed(key, row.value.as_deref()).ok()?;
                let words = format!("{} runs of {}", row.runs, filter.line);
                Some(Target { filter, words, run: None })
            }
            (Row::Group(_), Listing::Results(_)) => None,
        }
    }

    /// Asks the user what an action needs.
    pub(super) fn ask_user(&mut self, action: Action, _world: &World) -> Steps {
        let overlay = match action {
            Action::Filter => {
                let help = "KEY=VALUE terms: engine=lmdb|redb size>=10000 test=2 page_size!=4096 status=ok tag=nightly run=ID; \
                            * stands for any characters, KEY! for what has none";
                Overlay::prompt("Show only", help, self.filter.line.clone(), Who::Results(Asked::Filter))
            }
            Action::Group => self.group_choice(),
            Action::Export => {
                let line = match &self.opened {
                    Some(_) => self.target().map_or_else(String::new, |target| target.filter.line),
                    None => self.filter.line.clone(),
                };
                let what = if line.is_empty() { "all results".to_owned() } else { format!("the results of {line}") };
                let help = "a file that is not there yet; its ending says the format: .csv, .json or .parquet";
                Overlay::prompt(format!("Export {what}"), help, "dbdyno-results.csv", Who::Results(Asked::Export(line)))
            }
            Action::Tag | Action::Note | Action::Delete => {
                let Some(target) = self.target() else { return nothing() };
                return self.ask_about(action, target);
            }
            _ => return Steps::new(),
        };
        vec![Step::Open(overlay)]
    }

    fn ask_about(&mut self, action: Action, target: Target) -> Steps {
        let words = target.words.clone();
        match action {
            Action::Tag => {
                let help = "words with spaces between: each is a tag, -WORD takes one away";
                vec![Step::Open(Overlay::prompt(format!("Tag {words}"), help, "", Who::Results(Asked::Tag(target))))]
            }
            Action::Note => {
                let help = "one line; it is kept with the time";
                vec![Step::Open(Overlay::prompt(
                    format!("Note on {words}"),
                    help,
                    "",
                    Who::Results(Asked::Note(target)),
                ))]
            }
            _ => {
                self.busy = Some(format!("counting what belongs to {words}"));
                vec![ask(Question::Extent(target))]
            }
        }
    }

    fn group_choice(&self) -> Overlay {
        let mut items = vec![Item::new("not grouped", "one row a test of a run")];
        items.extend(KEYS.map(|(word, about)| Item::new(word, about)));
        items.extend(self.names.iter().map(|name| Item::new(name, "an option or kept key")));
        let now = match &self.listing {
            Listing::Results(_) => "not grouped",
            Listing::Groups(key, _) => key.word(),
        };
        for item in &mut items {
            item.chosen = item.label == now;
        }
        let words = items.iter().map(|item| item.label.clone()).collect();
        Overlay::choose("Group by", items, false, Who::Results(Asked::Group(words)))
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, given: Given, _world: &World) -> Result<Steps, String> {
        match (asked, given) {
            (Asked::Filter, Given::Text(line)) => {
                let filter = Filter::read(&line, &self.names)?;
                self.trail.clear();
                self.opened = None;
                Ok(self.show(filter, self.listing.clone()))
            }
            (Asked::Group(words), Given::Chosen(chosen)) => {
                let Some((at, word)) = chosen.first().and_then(|&at| Some((at, words.get(at)?))) else {
                    return Ok(Steps::new());
                };
                self.trail.clear();
                self.opened = None;
                let listing = if at == 0 { columns::newest() } else { columns::groups(Key::parse(word)?) };
                Ok(self.show(self.filter.clone(), listing))
            }
            (Asked::Tag(target), Given::Text(text)) => self.change(target, tags(&text)?),
            (Asked::Note(_), Given::Text(text)) if text.is_empty() => Err("nothing is typed yet".to_owned()),
            (Asked::Note(target), Given::Text(text)) => self.change(target, vec![Annotation::Note(text)]),
            (Asked::Delete(target), Given::Yes) => {
                let help = format!("this cannot be undone: type the word {SURELY}");
                let title = format!("Delete {} for good?", target.words);
                Ok(vec![Step::Open(Overlay::prompt(title, help, "", Who::Results(Asked::Erase(target.clone()))))])
            }
            (Asked::Erase(target), Given::Text(text)) if text == SURELY => {
                self.busy = Some(format!("deleting {}", target.words));
                self.opened = None;
                Ok(vec![ask(Question::Delete(target.clone()))])
            }
            (Asked::Erase(_), Given::Text(text)) => {
                Err(format!("`{text}`: expected the word {SURELY}; Esc keeps everything"))
            }
            (Asked::Export(line), Given::Text(path)) => {
                let content = Content::Results(line.clone());
                Ok(vec![Step::Do(Effect::Ask(Outside::Write { path: path.into(), content }))])
            }
            _ => Ok(Steps::new()),
        }
    }

    fn change(&mut self, target: &Target, annotations: Vec<Annotation>) -> Result<Steps, String> {
        self.busy = Some(format!("writing to {}", target.words));
        Ok(vec![ask(Question::Annotate(target.clone(), annotations))])
    }
}

fn of_run(run_id: &str, label: &str) -> Target {
    let words = format!("run {} of {label}", short(run_id));
    Target { filter: Filter::run(run_id), words, run: Some(run_id.to_owned()) }
}

/// The tags that are typed.
fn tags(text: &str) -> Result<Vec<Annotation>, String> {
    let annotation = |word: &str| match word.strip_prefix('-') {
        Some("") => Err("`-`: expected the tag to take away right after it".to_owned()),
        Some(tag) => Ok(Annotation::Untag(tag.to_owned())),
        None => Ok(Annotation::Tag(word.to_owned())),
    };
    let tags: Vec<Annotation> =
        text.split([' ', ',']).filter(|word| !word.is_empty()).map(annotation).collect::<Result<_, _>>()?;
    if tags.is_empty() { Err("nothing is typed yet".to_owned()) } else { Ok(tags) }
}

/// The first of two questions.
pub(super) fn confirm_deletion(target: Target, lines: Vec<String>) -> Overlay {
    let title = format!("Delete {}?", target.words);
    Overlay::Confirm(Confirm { title, lines, asked: Who::Results(Asked::Delete(target)) })
}
