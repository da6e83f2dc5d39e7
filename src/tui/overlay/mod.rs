//! What lies over a screen: a question, a list to choose from, a page to read.

pub(crate) mod paint;

use crate::tui::{
    keys::Key,
    widgets::cursor::{Cursor, PAGE},
};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};
use tui_input::{Input, InputRequest};

/// Something that takes the keys until it is answered.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// A text is asked for.
    Prompt(Prompt),
    /// One or several of a list.
    Choose(Choose),
    /// Yes or no.
    Confirm(Confirm),
    /// Something to read.
    Page(Page),
}

/// A text is asked for.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What for.
    pub title: String,
    /// What is expected.
    pub help: String,
    /// What is typed.
    pub input: Input,
    /// Why the last text was not taken.
    pub error: Option<String>,
    /// Who asked.
    pub asked: Asked,
}

/// One or several of a list, narrowed by typing.
#[derive(Debug, Clone)]
pub struct Choose {
    /// What for.
    pub title: String,
    /// What there is.
    pub items: Vec<Item>,
    /// Whether several can be chosen, with Space.
    pub several: bool,
    /// What is typed to narrow it.
    pub input: Input,
    /// Place among those that match.
    pub cursor: Cursor,
    /// Who asked.
    pub asked: Asked,
}

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub label: String,
    /// More about it.
    pub detail: String,
    /// Whether it is chosen.
    pub chosen: bool,
}

impl Item {
    /// An item that is not chosen.
    pub fn new(label: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { label: label.into(), detail: detail.into(), chosen: false }
    }
}

/// Yes or no.
#[derive(Debug, Clone)]
pub struct Confirm {
    /// What is asked.
    pub title: String,
    /// What to know before answering.
    pub lines: Vec<String>,
    /// Who asked.
    pub asked: Asked,
}

/// Something to read.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// What it is.
    pub title: String,
    /// Its lines; long ones are wrapped.
    pub lines: Vec<String>,
    /// Lines scrolled past.
    pub scroll: usize,
}

/// Who asked, and so who is given the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// The palette: the chosen item is an action.
    Palette,
    /// Leave while a session runs?
    Leave,
    /// The Bench screen.
    Bench(crate::tui::screens::bench::Asked),
    /// The Live screen.
    Live(crate::tui::screens::live::Asked),
    /// The Results screen.
    Results(crate::tui::screens::results::Asked),
    /// The Compare screen.
    Compare(crate::tui::screens::compare::Asked),
    /// The Tune screen.
    Tune(crate::tui::screens::tune::Asked),
    /// The Claims screen.
    Claims(crate::tui::screens::claims::Asked),
}

/// What was answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// A text, as it is typed; sent with every change for those that narrow a screen.
    Typing(String),
    /// A text.
    Text(String),
    /// Indices of the chosen items.
    Chosen(Vec<usize>),
    /// Yes.
    Yes,
    /// It was closed without an answer.
    Nothing,
}

/// What a key did to an overlay.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It stays; with what was typed so far, for those that follow the typing.
    Stays(Option<Given>),
    /// It is answered and closed.
    Answered(Given),
}

impl Overlay {
    /// A prompt.
    pub fn prompt(title: impl Into<String>, help: impl Into<String>, text: impl Into<String>, asked: Asked) -> Self {
        let input = Input::new(text.into());
        Self::Prompt(Prompt { title: title.into(), help: help.into(), input, error: None, asked })
    }

    /// A list to choose from; the cursor is on the first that is chosen.
    pub fn choose(title: impl Into<String>, items: Vec<Item>, several: bool, asked: Asked) -> Self {
        let at = items.iter().position(|item| item.chosen).unwrap_or(0);
        let input = Input::default();
        Self::Choose(Choose { title: title.into(), items, several, input, cursor: Cursor { at }, asked })
    }

    /// A page.
    pub fn page(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Page(Page { title: title.into(), lines, scroll: 0 })
    }

    /// Who asked; none for a page.
    pub fn asked(&self) -> Option<&Asked> {
        match self {
            Self::Prompt(prompt) => Some(&prompt.asked),
            Self::Choose(choose) => Some(&choose.asked),
            Self::Confirm(confirm) => Some(&confirm.asked),
            Self::Page(_) => None,
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Outcome {
        if matches!(key, Key::Esc | Key::Ctrl('c')) {
            return Outcome::Answered(Given::Nothing);
        }
        match self {
            Self::Prompt(prompt) => prompt.key(key),
            Self::Choose(choose) => choose.key(key),
            Self::Confirm(_) => match key {
                Key::Char('y' | 'Y') => Outcome::Answered(Given::Yes),
                Key::Char('n' | 'N' | 'q') | Key::Enter => Outcome::Answered(Given::Nothing),
                _ => Outcome::Stays(None),
            },
            Self::Page(page) => page.key(key),
        }
    }

    /// Takes pasted text; line ends become spaces, because every input is one line.
    pub fn paste(&mut self, text: &str) -> Outcome {
        let mut outcome = Outcome::Stays(None);
        for c in text.chars().map(|c| if c.is_control() { ' ' } else { c }) {
            outcome = self.key(Key::Char(c));
        }
        outcome
    }

    /// Takes a click on one of its rows.
    pub fn click(&mut self, row: usize) -> Outcome {
        let Self::Choose(choose) = self else { return Outcome::Stays(None) };
        choose.cursor.at = row;
        choose.key(if choose.several { Key::Char(' ') } else { Key::Enter })
    }
}

impl Prompt {
    fn key(&mut self, key: Key) -> Outcome {
        if key == Key::Enter {
            return Outcome::Answered(Given::Text(self.input.value().trim().to_owned()));
        }
        if edit(&mut self.input, key) {
            self.error = None;
            return Outcome::Stays(Some(Given::Typing(self.input.value().to_owned())));
        }
        Outcome::Stays(None)
    }
}

impl Choose {
    /// The items that match what is typed, best first: their indices.
    pub fn matching(&self) -> Vec<usize> {
        let typed = self.input.value();
        if typed.is_empty() {
            return (0..self.items.len()).collect();
        }
        let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut scored: Vec<(u32, usize)> = Vec::new();
        let mut buffer = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let text = format!("{} {}", item.label, item.detail);
            if let Some(score) = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher) {
                scored.push((score, at));
            }
        }
        scored.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
        scored.into_iter().map(|(_, at)| at).collect()
    }

    fn key(&mut self, key: Key) -> Outcome {
        let matching = self.matching();
        let last = matching.len().saturating_sub(1);
        match key {
            Key::Up => self.cursor.at = self.cursor.at.saturating_sub(1),
            Key::Down => self.cursor.at = (self.cursor.at + 1).min(last),
            Key::PageUp => self.cursor.at = self.cursor.at.saturating_sub(PAGE),
            Key::PageDown => self.cursor.at = (self.cursor.at + PAGE).min(last),
            Key::Char(' ') if self.several => {
                if let Some(item) = matching.get(self.cursor.at).and_then(|&at| self.items.get_mut(at)) {
                    item.chosen = !item.chosen;
                }
            }
            Key::Enter if self.several => {
                let chosen = self.items.iter().enumerate().filter(|(_, item)| item.chosen).map(|(at, _)| at);
                return Outcome::Answered(Given::Chosen(chosen.collect()));
            }
            Key::Enter => {
                let chosen = matching.get(self.cursor.at).copied();
                return Outcome::Answered(chosen.map_or(Given::Nothing, |at| Given::Chosen(vec![at])));
            }
            key => {
                if edit(&mut self.input, key) {
                    self.cursor = Cursor::default();
                }
            }
        }
        Outcome::Stays(None)
    }
}

impl Page {
    fn key(&mut self, key: Key) -> Outcome {
        let last = self.lines.len().saturating_sub(1);
        match key {
            Key::Up | Key::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            Key::Down | Key::Char('j') => self.scroll = (self.scroll + 1).min(last),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            Key::PageDown | Key::Char(' ') => self.scroll = (self.scroll + PAGE).min(last),
            Key::Home => self.scroll = 0,
            Key::End => self.scroll = last,
            Key::Enter | Key::Char('q' | '?' | 'x' | 'w') => return Outcome::Answered(Given::Nothing),
            _ => {}
        }
        Outcome::Stays(None)
    }
}

/// Edits a line of text; whether the key meant that.
fn edit(input: &mut Input, key: Key) -> bool {
    let request = match key {
        Key::Char(c) => InputRequest::InsertChar(c),
        Key::Backspace => InputRequest::DeletePrevChar,
        Key::Delete => InputRequest::DeleteNextChar,
        Key::Left => InputRequest::GoToPrevChar,
        Key::Right => InputRequest::GoToNextChar,
        Key::Home | Key::Ctrl('a') => InputRequest::GoToStart,
        Key::End | Key::Ctrl('e') => InputRequest::GoToEnd,
        Key::Ctrl('w') => InputRequest::DeletePrevWord,
        Key::Ctrl('u') => InputRequest::DeleteLine,
        Key::Ctrl('k') => InputRequest::DeleteTillEnd,
        _ => return false,
    };
    input.handle(request);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(overlay: &mut Overlay, text: &str) -> Outcome {
        text.chars().map(|c| overlay.key(Key::Char(c))).last().unwrap()
    }

    #[test]
    fn a_list_is_narrowed_by_typing_and_the_best_match_is_taken() {
        let items = ["journal_mode", "page_size", "synchronous"].map(|label| Item::new(label, "")).to_vec();
        let mut overlay = Overlay::choose("option", items, false, Asked::Palette);
        typed(&mut overlay, "sync");
        assert_eq!(overlay.key(Key::Enter), Outcome::Answered(Given::Chosen(vec![2])));
        typed(&mut overlay, "zzz");
        assert_eq!(overlay.key(Key::Enter), Outcome::Answered(Given::Nothing));
    }

    #[test]
    fn several_are_chosen_with_space() {
        let items = ["a", "b", "c"].map(|label| Item::new(label, "")).to_vec();
        let mut overlay = Overlay::choose("values", items, true, Asked::Palette);
        for key in [Key::Char(' '), Key::Down, Key::Down, Key::Char(' ')] {
            overlay.key(key);
        }
        assert_eq!(overlay.key(Key::Enter), Outcome::Answered(Given::Chosen(vec![0, 2])));
    }

    #[test]
    fn pasted_line_ends_do_not_answer_a_prompt() {
        let mut overlay = Overlay::prompt("note", "", "", Asked::Palette);
        overlay.paste("two\nlines\u{1b}[2J");
        assert_eq!(overlay.key(Key::Enter), Outcome::Answered(Given::Text("two lines [2J".to_owned())));
    }
}
