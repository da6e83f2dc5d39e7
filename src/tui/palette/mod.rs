//! Commands that are typed by name, with an argument. A new one is a line of `COMMANDS`.

mod ask;
mod export;
mod sides;
mod stage;

pub(crate) use ask::respond;
pub use ask::{Request, Response, Stored};
pub(crate) use sides::opening_of;
pub(crate) use stage::{
    Argument, ArgumentValues, CompletionData, DialogPrompt, ReplyForm, Stage, arguments, names, offered,
};

use crate::tui::keys::{Action, ScreenId};

/// A command that is typed by name.
#[derive(Debug)]
pub(crate) struct PaletteCommand {
    /// The words that the user types before a space and the argument. No command begins with the words of another and a space.
    pub(crate) words: &'static str,
    /// The name of the argument in lists of commands.
    pub(crate) argument: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
    pub(crate) takes: Takes,
}

/// The kind of an argument. It decides what happens with the argument, and where the command is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A theme; shown while the cursor is on it.
    Theme,
    Screen,
    /// A saved view.
    View,
    /// A name under which to save the current view.
    NewView,
    /// An engine, run or session in the store.
    Stored(Stored),
    /// The reply to a key's dialog, on a screen of its own or on the one in view. The command is offered where the key does something. The
    /// key must change nothing before it has the reply.
    Reply {
        on: Option<ScreenId>,
        to: Action,
    },
}

const fn command(words: &'static str, argument: &'static str, help: &'static str, takes: Takes) -> PaletteCommand {
    PaletteCommand { words, argument, help, takes }
}

/// Returns the reply to a key's dialog on the screen in view.
const fn reply(to: Action) -> Takes {
    Takes::Reply { on: None, to }
}

/// Every command, in the order of the list.
pub(crate) const COMMANDS: &[PaletteCommand] = &[
    command("filter", "TERMS", "show only what matches", reply(Action::Filter)),
    command("sort by", "COLUMN", "sort the list", reply(Action::SortBy)),
    command("group by", "KEY", "group the list", reply(Action::Group)),
    command("metric", "FIGURE", "compare another figure", reply(Action::Metric)),
    command("export", "FORMAT FILE", "write the current screen to a file", reply(Action::Export)),
    command("tag", "WORDS", "tag the item under the cursor; -WORD removes a tag", reply(Action::Tag)),
    command("note", "TEXT", "write a note about the item under the cursor", reply(Action::Note)),
    command("save preset", "NAME", "save this bench as a preset", reply(Action::Save)),
    command(
        "load preset",
        "PRESET",
        "load a preset that is one bench onto Bench",
        Takes::Reply { on: Some(ScreenId::Bench), to: Action::Presets },
    ),
    command(
        "compare",
        "A with B",
        "two selections, or one with all configurations of its sessions",
        Takes::Stored(Stored::Engines),
    ),
    command("open run", "RUN", "a stored run with its tests and details", Takes::Stored(Stored::Runs)),
    command("open session", "SESSION", "the configurations of a stored session", Takes::Stored(Stored::Sessions)),
    command("view", "VIEW", "a saved view: its filter, columns, order and groups", Takes::View),
    command("save view", "NAME", "save filter, columns, order and groups under a name", Takes::NewView),
    command("go", "SCREEN", "show a screen", Takes::Screen),
    command("theme", "THEME", "change the colours", Takes::Theme),
];

/// Returns the offered command whose argument is typed in a line.
pub(crate) fn command_of(line: &str, offered: &[&'static PaletteCommand]) -> Option<&'static PaletteCommand> {
    let is_typed =
        |command: &&&PaletteCommand| line.strip_prefix(command.words).is_some_and(|rest| rest.starts_with(' '));
    offered.iter().find(is_typed).copied()
}

/// Returns the error for an unexpected word, with some of the valid ones.
pub(crate) fn unknown<'l>(typed: &str, expected: &str, labels: impl Iterator<Item = &'l str>) -> String {
    /// Valid words that are named, at most.
    const MOST: usize = 6;
    let labels: Vec<&str> = labels.take(MOST).collect();
    let such_as =
        if labels.is_empty() { "; there is none".to_owned() } else { format!(", such as {}", labels.join(", ")) };
    format!("`{typed}`: expected {expected}{such_as}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_is_the_beginning_of_another() {
        for (at, one) in COMMANDS.iter().enumerate() {
            let line = format!("{} x", one.words);
            let all: Vec<&PaletteCommand> = COMMANDS.iter().collect();
            assert_eq!(command_of(&line, &all).map(|found| found.words), Some(COMMANDS[at].words));
            assert!(!one.help.is_empty() && !one.argument.is_empty(), "{}", one.words);
        }
        assert!(command_of("theme", &COMMANDS.iter().collect::<Vec<_>>()).is_none(), "no argument yet");
    }

    #[test]
    fn what_is_none_of_them_is_named_with_some_that_are() {
        let all = ["dark", "light"];
        assert_eq!(unknown("red", "THEME", all.into_iter()), "`red`: expected THEME, such as dark, light");
        assert_eq!(unknown("x", "RUN", std::iter::empty()), "`x`: expected RUN; there is none");
    }
}
