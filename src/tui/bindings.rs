//! Which key does what on which screen. Hints, help and the command palette are made from this table, so they never lie.

use super::event::Key;

/// The screens, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Screen {
    /// Choose and start a bench.
    Bench,
    /// Watch a session, or replay a run.
    Live,
    /// What is stored.
    Results,
    /// A beside B.
    Compare,
    /// What if?
    Tune,
    /// What was published.
    Claims,
}

impl Screen {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Bench, Self::Live, Self::Results, Self::Compare, Self::Tune, Self::Claims];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bench => "Bench",
            Self::Live => "Live",
            Self::Results => "Results",
            Self::Compare => "Compare",
            Self::Tune => "Tune",
            Self::Claims => "Claims",
        }
    }

    /// Its number key, from 1.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|screen| *screen == self).map_or(1, |at| at + 1)
    }

    /// The screen so many places further, around the end.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self::ALL[(self.number() - 1 + by) % Self::ALL.len()]
    }
}

/// Something that can be done by a key, the palette or a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Show a screen.
    Show(Screen),
    /// Show the next screen.
    NextScreen,
    /// Show the screen before.
    PreviousScreen,
    /// Keys of this screen.
    Help,
    /// All that can be done, by name.
    Palette,
    /// Show only what matches.
    Filter,
    /// Write what is on screen to a file.
    Export,
    /// The findings of the last session.
    Warnings,
    /// Explain the number under the cursor.
    Explain,
    /// Leave the program.
    Quit,
    /// Put the program into the background.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Go back: close what is open, clear marks and filters.
    Back,
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One pane or column to the left.
    Left,
    /// One pane or column to the right.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Do what the screen is for with what is under the cursor.
    Enter,
    /// Choose what is under the cursor, or the next value.
    Toggle,
    /// The value before.
    Previous,
    /// Several values of an option: a sweep.
    Sweep,
    /// Set what is under the cursor back to its default.
    Reset,
    /// Type a value.
    Edit,
    /// One more of it: an engine with other options, a size.
    Add,
    /// Remove what was added.
    Remove,
    /// Choose tests.
    Tests,
    /// Load a preset.
    Presets,
    /// Save as a preset.
    Save,
    /// The first configuration twice a round.
    Twins,
    /// The notes of the suite.
    Notes,
    /// Pause or go on.
    Pause,
    /// Give up the run under way.
    Skip,
    /// End the session.
    Stop,
    /// Run what an interrupted session still owes.
    Resume,
    /// Slower or faster.
    Speed,
    /// The next test.
    NextTest,
    /// The test before.
    PreviousTest,
    /// Sort by another column.
    Sort,
    /// The other way round.
    Reverse,
    /// Group by a key.
    Group,
    /// Mark as side A.
    MarkA,
    /// Mark as side B.
    MarkB,
    /// Exchange A and B.
    Swap,
    /// Compare what is marked.
    Compare,
    /// Give a tag.
    Tag,
    /// Write a note.
    Note,
    /// Delete.
    Delete,
    /// Run it again.
    Rerun,
    /// Replay it.
    Replay,
    /// What the worker wrote to stderr.
    Log,
    /// Another way to show it.
    View,
    /// Choose rows and columns.
    Pivot,
    /// Compare in spite of differences.
    Allow,
    /// Read it again.
    Refresh,
    /// Take the change over as the new base.
    Accept,
    /// Run as many rounds again.
    More,
    /// Put the answer into the clipboard.
    Copy,
}

/// A key, what it does and how that is told.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The keys that do it; the first is shown.
    pub keys: &'static [Key],
    /// What they do.
    pub action: Action,
    /// One or two words for the line of hints; empty for what only the help tells.
    pub hint: &'static str,
    /// One line of help.
    pub help: &'static str,
}

const fn binding(keys: &'static [Key], action: Action, hint: &'static str, help: &'static str) -> Binding {
    Binding { keys, action, hint, help }
}

use Action as A;
use Key as K;

/// What holds on every screen.
pub const EVERYWHERE: &[Binding] = &[
    binding(&[K::Char('1')], A::Show(Screen::Bench), "", "Bench: choose and start a bench"),
    binding(&[K::Char('2')], A::Show(Screen::Live), "", "Live: watch the session, or replay a run"),
    binding(&[K::Char('3')], A::Show(Screen::Results), "", "Results: all that is stored"),
    binding(&[K::Char('4')], A::Show(Screen::Compare), "", "Compare: A beside B, with verdicts"),
    binding(&[K::Char('5')], A::Show(Screen::Tune), "", "Tune: what if an option were different?"),
    binding(&[K::Char('6')], A::Show(Screen::Claims), "", "Claims: published figures beside your own"),
    binding(&[K::Tab], A::NextScreen, "", "next screen"),
    binding(&[K::BackTab], A::PreviousScreen, "", "screen before"),
    binding(&[K::Up, K::Char('k')], A::Up, "", "up"),
    binding(&[K::Down, K::Char('j')], A::Down, "", "down"),
    binding(&[K::Left, K::Char('h')], A::Left, "", "left: the pane or column before"),
    binding(&[K::Right, K::Char('l')], A::Right, "", "right: the next pane or column"),
    binding(&[K::PageUp, K::Ctrl('u')], A::PageUp, "", "page up"),
    binding(&[K::PageDown, K::Ctrl('d')], A::PageDown, "", "page down"),
    binding(&[K::Home], A::First, "", "first"),
    binding(&[K::End], A::Last, "", "last"),
    binding(&[K::Esc], A::Back, "", "back: close, clear the filter"),
    binding(&[K::Char('w')], A::Warnings, "", "warnings of the last session"),
    binding(&[K::Ctrl('l')], A::Redraw, "", "draw everything again"),
    binding(&[K::Ctrl('z')], A::Suspend, "", "put dbdyno into the background"),
    binding(&[K::Char(':')], A::Palette, "commands", "command palette: everything by name"),
    binding(&[K::Char('?')], A::Help, "help", "this help"),
    binding(&[K::Char('q'), K::Ctrl('c')], A::Quit, "leave", "leave (asks while a session runs)"),
];

const BENCH: &[Binding] = &[
    binding(&[K::Enter], A::Enter, "run", "run this bench"),
    binding(&[K::Char(' ')], A::Toggle, "choose", "choose: suite, engine, next value, size"),
    binding(&[K::Backspace], A::Previous, "", "the option's value before"),
    binding(&[K::Char('s')], A::Sweep, "sweep", "several values of the option: a sweep"),
    binding(&[K::Char('i')], A::Edit, "type", "type a value"),
    binding(&[K::Char('d')], A::Reset, "", "the option's default"),
    binding(&[K::Char('+')], A::Add, "", "add a size, or the engine once more with other options"),
    binding(&[K::Char('-')], A::Remove, "", "remove what was added"),
    binding(&[K::Char('t')], A::Tests, "tests", "choose the tests that are measured"),
    binding(&[K::Char('a')], A::Twins, "", "the first configuration twice a round: measures the noise floor"),
    binding(&[K::Char('p')], A::Presets, "presets", "load a preset"),
    binding(&[K::Char('S')], A::Save, "save", "save as a preset"),
    binding(&[K::Char('n')], A::Notes, "", "what to know about the suite"),
    binding(&[K::Char('/')], A::Filter, "", "show only what matches"),
    binding(&[K::Char('e')], A::Export, "", "export the plan"),
];

const LIVE: &[Binding] = &[
    binding(&[K::Char('p'), K::Char(' ')], A::Pause, "pause", "pause before the next run, or go on"),
    binding(&[K::Char('s')], A::Skip, "skip", "give up the run under way"),
    binding(&[K::Char('x')], A::Stop, "stop", "end the session; what is finished is kept"),
    binding(&[K::Char('r')], A::Resume, "resume", "run what the last session that was interrupted still owes"),
    binding(&[K::Char('c')], A::Compare, "compare", "compare the first two engines of this session"),
    binding(&[K::Char('f')], A::Speed, "", "replay faster: 1x, 10x, 100x"),
    binding(&[K::Char(']')], A::NextTest, "", "replay: the next test"),
    binding(&[K::Char('[')], A::PreviousTest, "", "replay: the test before"),
    binding(&[K::Char('v')], A::View, "table", "live figures, or the session's table so far"),
    binding(&[K::Char('e')], A::Export, "export", "export the session's table"),
];

const RESULTS: &[Binding] = &[
    binding(&[K::Enter], A::Enter, "open", "open the run: histogram, timeline, options, log"),
    binding(&[K::Char('/')], A::Filter, "filter", "terms such as engine=lmdb size>=10000"),
    binding(&[K::Char('g')], A::Group, "group", "group by a key, or not; Enter shows the group's results"),
    binding(&[K::Char('a')], A::MarkA, "side A", "mark the run or group as side A, or not"),
    binding(&[K::Char('b')], A::MarkB, "side B", "mark the run or group as side B, or not"),
    binding(&[K::Char('c')], A::Compare, "compare", "compare A with B"),
    binding(&[K::Char('s')], A::Sort, "sort", "sort by the next column"),
    binding(&[K::Char('r')], A::Reverse, "", "sort the other way round"),
    binding(&[K::Char('x')], A::Explain, "explain", "explain the number under the cursor (h and l move it)"),
    binding(&[K::Char('t')], A::Tag, "tag", "tag the run or group; -TAG takes a tag away"),
    binding(&[K::Char('n')], A::Note, "note", "write a note about the run"),
    binding(&[K::Char('d'), K::Delete], A::Delete, "delete", "delete the run (asks twice)"),
    binding(&[K::Char('R')], A::Rerun, "", "put the run onto the Bench screen, to run it again"),
    binding(&[K::Char('p')], A::Replay, "replay", "replay the run on the Live screen"),
    binding(&[K::Char('L')], A::Log, "", "what the run's worker wrote: its log"),
    binding(&[K::Char(']')], A::NextTest, "", "open run: the next test"),
    binding(&[K::Char('[')], A::PreviousTest, "", "open run: the test before"),
    binding(&[K::Char('e')], A::Export, "export", "export what the filter means"),
    binding(&[K::Ctrl('r')], A::Refresh, "", "read the store again"),
];

const COMPARE: &[Binding] = &[
    binding(&[K::Char('a')], A::MarkA, "side A", "type the selection of side A"),
    binding(&[K::Char('b')], A::MarkB, "side B", "type the selection of side B"),
    binding(&[K::Char('v')], A::View, "view", "the next view: table, sizes, latencies, pivot"),
    binding(&[K::Char('x')], A::Explain, "explain", "explain the number: formula, n, runs, SQL"),
    binding(&[K::Char('e')], A::Export, "export", "export the comparison"),
    binding(&[K::Char('s')], A::Swap, "swap", "exchange A and B"),
    binding(&[K::Enter], A::Enter, "", "compare the pair under the cursor; else the next view"),
    binding(&[K::Char('p')], A::Pivot, "pivot", "choose the pivot's rows and columns"),
    binding(&[K::Char('o')], A::Allow, "allow", "compare in spite of differing tiers, hosts, sizes"),
    binding(&[K::Char('n')], A::Notes, "notes", "what to know: obstacles, warnings, options in force"),
    binding(&[K::Char('/')], A::Filter, "", "show only tests that match"),
    binding(&[K::Char('y')], A::Copy, "", "copy the SQL that fetches the times under the cursor"),
    binding(&[K::Ctrl('r')], A::Refresh, "", "read the store again"),
];

const TUNE: &[Binding] = &[
    binding(&[K::Enter], A::Enter, "try", "try the change: base against change in ABBA rounds"),
    binding(&[K::Char(' ')], A::Toggle, "value", "the option's next value"),
    binding(&[K::Backspace], A::Previous, "", "the option's value before"),
    binding(&[K::Char('i')], A::Edit, "type", "type a value"),
    binding(&[K::Char('d')], A::Reset, "", "the option's default"),
    binding(&[K::Char('t')], A::Tests, "test", "choose the test"),
    binding(&[K::Char('p')], A::Presets, "base", "choose engine and suite"),
    binding(&[K::Char('A')], A::Accept, "accept", "take the change over as the new base"),
    binding(&[K::Char('m')], A::More, "more", "as many rounds again"),
    binding(&[K::Char('x')], A::Stop, "", "stop the trial"),
    binding(&[K::Char('y')], A::Copy, "copy", "copy the base as PRAGMA statements, Rust or a preset"),
    binding(&[K::Char('e')], A::Export, "export", "export the ledger"),
];

const CLAIMS: &[Binding] = &[
    binding(&[K::Enter], A::Enter, "open", "open the publication; on a claim: compare the runs that it is judged by"),
    binding(&[K::Char('n')], A::Notes, "notes", "what to know about how the figures came about"),
    binding(&[K::Char('m')], A::More, "measure", "load the preset that measures it"),
    binding(&[K::Char('x')], A::Explain, "explain", "explain the verdict"),
    binding(&[K::Char('/')], A::Filter, "filter", "show only tests that match"),
    binding(&[K::Char('e')], A::Export, "export", "export the claims"),
    binding(&[K::Ctrl('r')], A::Refresh, "", "read the store again"),
];

/// What holds on this screen, before [`EVERYWHERE`].
pub fn of(screen: Screen) -> &'static [Binding] {
    match screen {
        Screen::Bench => BENCH,
        Screen::Live => LIVE,
        Screen::Results => RESULTS,
        Screen::Compare => COMPARE,
        Screen::Tune => TUNE,
        Screen::Claims => CLAIMS,
    }
}

/// What a key does on a screen.
pub fn action(screen: Screen, key: Key) -> Option<Action> {
    let all = of(screen).iter().chain(EVERYWHERE);
    all.into_iter().find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_key_means_two_things_on_one_screen() {
        for screen in Screen::ALL {
            let mut seen = HashSet::new();
            for binding in of(screen).iter().chain(EVERYWHERE) {
                for key in binding.keys {
                    assert!(seen.insert(*key), "{} has two meanings on {}", key.word(), screen.name());
                }
            }
        }
    }

    #[test]
    fn every_binding_has_a_line_of_help() {
        for binding in Screen::ALL.iter().flat_map(|screen| of(*screen)).chain(EVERYWHERE) {
            assert!(!binding.help.is_empty(), "{:?} is not explained", binding.action);
        }
    }
}
