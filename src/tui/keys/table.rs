//! Which key does what on which screen.

use super::{Action, Binding, Key, ScreenId};

const fn binding(keys: &'static [Key], action: Action, hint: &'static str, help: &'static str) -> Binding {
    Binding { keys, action, hint, help }
}

/// What holds on every screen.
pub const EVERYWHERE: &[Binding] = &[
    binding(&[Key::Char('1')], Action::Show(ScreenId::Bench), "", "Bench: choose and start a bench"),
    binding(&[Key::Char('2')], Action::Show(ScreenId::Live), "", "Live: watch the session, or replay a run"),
    binding(&[Key::Char('3')], Action::Show(ScreenId::Results), "", "Results: all that is stored"),
    binding(&[Key::Char('4')], Action::Show(ScreenId::Compare), "", "Compare: A beside B, with verdicts"),
    binding(&[Key::Char('5')], Action::Show(ScreenId::Tune), "", "Tune: what if an option were different?"),
    binding(&[Key::Char('6')], Action::Show(ScreenId::Claims), "", "Claims: published figures beside your own"),
    binding(&[Key::Tab], Action::NextScreen, "", "next screen"),
    binding(&[Key::BackTab], Action::PreviousScreen, "", "screen before"),
    binding(&[Key::Up, Key::Char('k')], Action::Up, "", "up"),
    binding(&[Key::Down, Key::Char('j')], Action::Down, "", "down"),
    binding(&[Key::Left, Key::Char('h')], Action::Left, "", "left: the pane or column before"),
    binding(&[Key::Right, Key::Char('l')], Action::Right, "", "right: the next pane or column"),
    binding(&[Key::PageUp, Key::Ctrl('u')], Action::PageUp, "", "page up"),
    binding(&[Key::PageDown, Key::Ctrl('d')], Action::PageDown, "", "page down"),
    binding(&[Key::Home], Action::First, "", "first"),
    binding(&[Key::End], Action::Last, "", "last"),
    binding(&[Key::Esc], Action::Back, "", "back: close, clear the filter"),
    binding(&[Key::Char('w')], Action::Warnings, "", "warnings of the last session"),
    binding(&[Key::Ctrl('l')], Action::Redraw, "", "draw everything again"),
    binding(&[Key::Ctrl('z')], Action::Suspend, "", "put dbdyno into the background"),
    binding(&[Key::Char(':')], Action::Palette, "commands", "command palette: everything by name"),
    binding(&[Key::Char('?')], Action::Help, "help", "this help"),
    binding(&[Key::Char('q'), Key::Ctrl('c')], Action::Quit, "leave", "leave (asks while a session runs)"),
];

const BENCH: &[Binding] = &[
    binding(&[Key::Enter], Action::Enter, "run", "run this bench"),
    binding(&[Key::Char(' ')], Action::Toggle, "choose", "choose: suite, engine, next value, size"),
    binding(&[Key::Backspace], Action::Previous, "", "the option's value before"),
    binding(&[Key::Char('s')], Action::Sweep, "sweep", "several values of the option: a sweep"),
    binding(&[Key::Char('i')], Action::Edit, "type", "type a value"),
    binding(&[Key::Char('d')], Action::Reset, "", "the option's default"),
    binding(&[Key::Char('+')], Action::Add, "", "add a size, or the engine once more with other options"),
    binding(&[Key::Char('-')], Action::Remove, "", "remove what was added"),
    binding(&[Key::Char('t')], Action::Tests, "tests", "choose the tests that are measured"),
    binding(&[Key::Char('a')], Action::Twins, "", "the first configuration twice a round: measures the noise floor"),
    binding(&[Key::Char('p')], Action::Presets, "presets", "load a preset"),
    binding(&[Key::Char('S')], Action::Save, "save", "save as a preset"),
    binding(&[Key::Char('n')], Action::Notes, "", "what to know about the suite"),
    binding(&[Key::Char('/')], Action::Filter, "", "show only what matches"),
    binding(&[Key::Char('e')], Action::Export, "", "export the plan"),
];

const LIVE: &[Binding] = &[
    binding(&[Key::Char('p'), Key::Char(' ')], Action::Pause, "pause", "pause before the next run, or go on"),
    binding(&[Key::Char('s')], Action::Skip, "skip", "give up the run under way"),
    binding(&[Key::Char('x')], Action::Stop, "stop", "end the session; what is finished is kept"),
    binding(&[Key::Char('r')], Action::Resume, "resume", "run what the last session that was interrupted still owes"),
    binding(&[Key::Char('c')], Action::Compare, "compare", "compare the first two engines of this session"),
    binding(&[Key::Char('f')], Action::Speed, "", "replay faster: 1x, 10x, 100x"),
    binding(&[Key::Char(']')], Action::NextTest, "", "replay: the next test"),
    binding(&[Key::Char('[')], Action::PreviousTest, "", "replay: the test before"),
    binding(&[Key::Char('v')], Action::View, "table", "live figures, or the session's table so far"),
    binding(&[Key::Char('e')], Action::Export, "export", "export the session's table"),
];

const RESULTS: &[Binding] = &[
    binding(&[Key::Enter], Action::Enter, "open", "open the run: histogram, timeline, options, log"),
    binding(&[Key::Char('/')], Action::Filter, "filter", "terms such as engine=lmdb size>=10000"),
    binding(&[Key::Char('g')], Action::Group, "group", "group by a key, or not; Enter shows the group's results"),
    binding(&[Key::Char('a')], Action::MarkA, "side A", "mark the run or group as side A, or not"),
    binding(&[Key::Char('b')], Action::MarkB, "side B", "mark the run or group as side B, or not"),
    binding(&[Key::Char('c')], Action::Compare, "compare", "compare A with B"),
    binding(&[Key::Char('s')], Action::Sort, "sort", "sort by the next column"),
    binding(&[Key::Char('r')], Action::Reverse, "", "sort the other way round"),
    binding(&[Key::Char('x')], Action::Explain, "explain", "explain the number under the cursor (h and l move it)"),
    binding(&[Key::Char('t')], Action::Tag, "tag", "tag the run or group; -TAG takes a tag away"),
    binding(&[Key::Char('n')], Action::Note, "note", "write a note about the run"),
    binding(&[Key::Char('d'), Key::Delete], Action::Delete, "delete", "delete the run (asks twice)"),
    binding(&[Key::Char('R')], Action::Rerun, "", "put the run onto the Bench screen, to run it again"),
    binding(&[Key::Char('p')], Action::Replay, "replay", "replay the run on the Live screen"),
    binding(&[Key::Char('L')], Action::Log, "", "what the run's worker wrote: its log"),
    binding(&[Key::Char(']')], Action::NextTest, "", "open run: the next test"),
    binding(&[Key::Char('[')], Action::PreviousTest, "", "open run: the test before"),
    binding(&[Key::Char('e')], Action::Export, "export", "export what the filter means"),
    binding(&[Key::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const COMPARE: &[Binding] = &[
    binding(&[Key::Char('a')], Action::MarkA, "side A", "type the selection of side A"),
    binding(&[Key::Char('b')], Action::MarkB, "side B", "type the selection of side B"),
    binding(&[Key::Char('v')], Action::View, "view", "the next view: table, sizes, latencies, pivot"),
    binding(&[Key::Char('x')], Action::Explain, "explain", "explain the number: formula, n, runs, SQL"),
    binding(&[Key::Char('e')], Action::Export, "export", "export the comparison"),
    binding(&[Key::Char('s')], Action::Swap, "swap", "exchange A and B"),
    binding(&[Key::Enter], Action::Enter, "", "compare the pair under the cursor; else the next view"),
    binding(&[Key::Char('p')], Action::Pivot, "pivot", "choose the pivot's rows and columns"),
    binding(&[Key::Char('o')], Action::Allow, "allow", "compare in spite of differing tiers, hosts, sizes"),
    binding(&[Key::Char('n')], Action::Notes, "notes", "what to know: obstacles, warnings, options in force"),
    binding(&[Key::Char('/')], Action::Filter, "", "show only tests that match"),
    binding(&[Key::Char('y')], Action::Copy, "", "copy the SQL that fetches the times under the cursor"),
    binding(&[Key::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const TUNE: &[Binding] = &[
    binding(&[Key::Enter], Action::Enter, "try", "try the change: base against change in ABBA rounds"),
    binding(&[Key::Char(' ')], Action::Toggle, "value", "the option's next value"),
    binding(&[Key::Backspace], Action::Previous, "", "the option's value before"),
    binding(&[Key::Char('i')], Action::Edit, "type", "type a value"),
    binding(&[Key::Char('d')], Action::Reset, "", "the option's default"),
    binding(&[Key::Char('t')], Action::Tests, "test", "choose the test"),
    binding(&[Key::Char('p')], Action::Presets, "base", "choose engine and suite"),
    binding(&[Key::Char('A')], Action::Accept, "accept", "take the change over as the new base"),
    binding(&[Key::Char('m')], Action::More, "more", "as many rounds again"),
    binding(&[Key::Char('x')], Action::Stop, "", "stop the trial"),
    binding(&[Key::Char('y')], Action::Copy, "copy", "copy the base as PRAGMA statements, Rust or a preset"),
    binding(&[Key::Char('e')], Action::Export, "export", "export the ledger"),
];

const CLAIMS: &[Binding] = &[
    binding(
        &[Key::Enter],
        Action::Enter,
        "open",
        "open the publication; on a claim: compare the runs that it is judged by",
    ),
    binding(&[Key::Char('n')], Action::Notes, "notes", "what to know about how the figures came about"),
    binding(&[Key::Char('m')], Action::More, "measure", "load the preset that measures it"),
    binding(&[Key::Char('x')], Action::Explain, "explain", "explain the verdict"),
    binding(&[Key::Char('/')], Action::Filter, "filter", "show only tests that match"),
    binding(&[Key::Char('e')], Action::Export, "export", "export the claims"),
    binding(&[Key::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

/// What holds on this screen, before [`EVERYWHERE`].
pub fn of(screen: ScreenId) -> &'static [Binding] {
    match screen {
        ScreenId::Bench => BENCH,
        ScreenId::Live => LIVE,
        ScreenId::Results => RESULTS,
        ScreenId::Compare => COMPARE,
        ScreenId::Tune => TUNE,
        ScreenId::Claims => CLAIMS,
    }
}
