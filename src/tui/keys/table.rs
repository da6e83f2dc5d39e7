//! The key bindings of each screen.

use super::{Action, Binding, KeyPress, ScreenId};
use std::borrow::Cow;

const fn binding(keys: &'static [KeyPress], action: Action, hint: &'static str, help: &'static str) -> Binding {
    Binding { keys: Cow::Borrowed(keys), action, hint, help }
}

/// The zoom key, the same on every screen that has several panes.
const ZOOM: Binding =
    binding(&[KeyPress::Char('z')], Action::Zoom, "zoom", "toggle zoom: the focused pane fills the screen");

/// The bindings of every screen.
pub(super) const EVERYWHERE: &[Binding] = &[
    binding(&[KeyPress::Char('1')], Action::Show(ScreenId::Bench), "", "Bench: choose and start a bench"),
    binding(&[KeyPress::Char('2')], Action::Show(ScreenId::Live), "", "Live: watch the session, or replay a run"),
    binding(&[KeyPress::Char('3')], Action::Show(ScreenId::Results), "", "Results: everything in the store"),
    binding(&[KeyPress::Char('4')], Action::Show(ScreenId::Compare), "", "Compare: A against B, with verdicts"),
    binding(&[KeyPress::Char('5')], Action::Show(ScreenId::Tune), "", "Tune: what if an option were different?"),
    binding(&[KeyPress::Char('6')], Action::Show(ScreenId::Claims), "", "Claims: published figures next to your own"),
    binding(&[KeyPress::Char('7')], Action::Show(ScreenId::Torture), "", "Torture: do engines keep what they promise?"),
    binding(&[KeyPress::Tab], Action::NextScreen, "", "next screen"),
    binding(&[KeyPress::BackTab], Action::PreviousScreen, "", "previous screen"),
    binding(&[KeyPress::Up, KeyPress::Char('k')], Action::Up, "", "up"),
    binding(&[KeyPress::Down, KeyPress::Char('j')], Action::Down, "", "down"),
    binding(&[KeyPress::Left, KeyPress::Char('h')], Action::Left, "", "left: the previous pane or column"),
    binding(&[KeyPress::Right, KeyPress::Char('l')], Action::Right, "", "right: the next pane or column"),
    binding(&[KeyPress::PageUp, KeyPress::Ctrl('u')], Action::PageUp, "", "page up"),
    binding(&[KeyPress::PageDown, KeyPress::Ctrl('d')], Action::PageDown, "", "page down"),
    binding(&[KeyPress::Home], Action::First, "", "first"),
    binding(&[KeyPress::End], Action::Last, "", "last"),
    binding(&[KeyPress::Esc], Action::Back, "", "back: close, clear the filter"),
    binding(
        &[KeyPress::Char('Q')],
        Action::Show(ScreenId::Sql),
        "",
        "SQL: query the store; on an explanation: open its query",
    ),
    binding(
        &[KeyPress::Char('H')],
        Action::Show(ScreenId::Choose),
        "",
        "help me choose: which engine, with which settings?",
    ),
    binding(
        &[KeyPress::Char('J')],
        Action::Show(ScreenId::Jobs),
        "",
        "jobs: watch a bench of another terminal, or see an earlier one again",
    ),
    binding(&[KeyPress::Char('w')], Action::Warnings, "", "warnings of the last session"),
    binding(&[KeyPress::Char('M')], Action::Messages, "", "messages: the latest messages in full"),
    binding(&[KeyPress::Ctrl('l')], Action::Redraw, "", "redraw the screen"),
    binding(&[KeyPress::Ctrl('z')], Action::Suspend, "", "suspend dbdyno"),
    binding(&[KeyPress::Char('Z')], Action::Detach, "", "detach: leave while the job keeps running"),
    binding(
        &[KeyPress::Char(':')],
        Action::Palette,
        "commands",
        "command palette: commands with arguments, and all keys by name",
    ),
    binding(&[KeyPress::Char('?')], Action::Help, "help", "this help"),
    binding(
        &[KeyPress::Char('q'), KeyPress::Ctrl('c')],
        Action::Quit,
        "leave",
        "leave, quit (asks while a session runs)",
    ),
];

const BENCH: &[Binding] = &[
    binding(&[KeyPress::Enter], Action::Enter, "run", "run this bench"),
    binding(&[KeyPress::Char(' ')], Action::Toggle, "choose", "choose: suite, engine, next value, size"),
    binding(&[KeyPress::Backspace], Action::Previous, "", "the option's previous value"),
    binding(&[KeyPress::Char('s')], Action::Sweep, "sweep", "several values of the option: a sweep"),
    binding(&[KeyPress::Char('i')], Action::Edit, "type", "type a value"),
    binding(&[KeyPress::Char('d')], Action::Reset, "", "the option's default"),
    binding(&[KeyPress::Char('+')], Action::Add, "", "add a size, or the engine once more with other options"),
    binding(&[KeyPress::Char('-')], Action::Remove, "", "remove what was added"),
    binding(&[KeyPress::Char('t')], Action::Tests, "tests", "choose the tests that are measured"),
    binding(
        &[KeyPress::Char('a')],
        Action::Twins,
        "",
        "run the first configuration twice a round: measures the noise floor",
    ),
    binding(&[KeyPress::Char('W')], Action::Why, "", "repeat rounds at the end to find out what the time goes to"),
    binding(&[KeyPress::Char('u')], Action::Undo, "undo", "undo the latest change of these choices"),
    binding(&[KeyPress::Char('p')], Action::Presets, "presets", "load a preset"),
    binding(&[KeyPress::Char('S')], Action::Save, "save", "save as a preset"),
    binding(&[KeyPress::Char('n')], Action::Notes, "", "notes on the suite"),
    binding(&[KeyPress::Char('/')], Action::Filter, "", "show only what matches"),
    binding(&[KeyPress::Char('e')], Action::Export, "", "export the plan"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the command that runs this bench"),
    ZOOM,
];

const LIVE: &[Binding] = &[
    binding(
        &[KeyPress::Char('p'), KeyPress::Char(' ')],
        Action::Pause,
        "pause",
        "pause before the next run, or continue",
    ),
    binding(
        &[KeyPress::Char('v'), KeyPress::Char('V')],
        Action::View,
        "view",
        "the race of all configurations, or a single test with its latencies",
    ),
    binding(&[KeyPress::Char('s')], Action::Skip, "skip", "cancel the run under way (asks)"),
    binding(&[KeyPress::Char('K')], Action::Stop, "stop", "end the session; finished tests are kept"),
    binding(&[KeyPress::Char('r')], Action::Resume, "resume", "run the rest of the last interrupted session"),
    binding(&[KeyPress::Char('c')], Action::Compare, "compare", "compare the engines of this session with the first"),
    binding(
        &[KeyPress::Char('+')],
        Action::More,
        "more rounds",
        "when the session is over: run the further rounds that decide a test of a pair",
    ),
    binding(&[KeyPress::Char('f')], Action::Speed, "", "replay faster: 1x, 10x, 100x"),
    binding(
        &[KeyPress::Char(']')],
        Action::NextTest,
        "next test",
        "single test, replay: the next test; Esc follows again",
    ),
    binding(&[KeyPress::Char('[')], Action::PreviousTest, "", "single test, replay: the previous test"),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "when the session is over: export its results"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the race, a test of it, or the single test in view"),
    ZOOM,
];

const RESULTS: &[Binding] = &[
    binding(
        &[KeyPress::Enter],
        Action::Enter,
        "open",
        "open a configuration's runs, or a run with its tests and details; on a run: its charts",
    ),
    binding(
        &[KeyPress::Char('v'), KeyPress::Char('V')],
        Action::View,
        "view",
        "results by configuration, or one by one",
    ),
    binding(
        &[KeyPress::Char('/')],
        Action::Filter,
        "filter",
        "show only what matches: words, or terms such as engine=lmdb p99>1ms",
    ),
    binding(
        &[KeyPress::Char('T')],
        Action::Trend,
        "trend",
        "trend: the configuration over its sessions, and where it changed",
    ),
    binding(
        &[KeyPress::Char('g')],
        Action::Group,
        "group",
        "group by a key, or ungroup; Enter shows the group's results",
    ),
    binding(
        &[KeyPress::Char('a')],
        Action::MarkA,
        "side A",
        "mark or unmark the run, configuration or group as side A",
    ),
    binding(
        &[KeyPress::Char('b')],
        Action::MarkB,
        "side B",
        "mark or unmark the run, configuration or group as side B",
    ),
    binding(&[KeyPress::Char('c')], Action::Compare, "compare", "compare A with B"),
    binding(&[KeyPress::Char('s')], Action::Sort, "sort", "sort by the next column; a click on a title sorts by it"),
    binding(&[KeyPress::Char('S')], Action::SortBy, "", "choose the column to sort by"),
    binding(&[KeyPress::Char('r')], Action::Reverse, "", "reverse the order"),
    binding(&[KeyPress::Char('C')], Action::Columns, "", "choose the columns to show"),
    binding(
        &[KeyPress::Char('x')],
        Action::Explain,
        "explain",
        "explain the number under the cursor (h and l move it)",
    ),
    binding(&[KeyPress::Char('t')], Action::Tag, "tag", "tag the run, configuration or group; -TAG removes a tag"),
    binding(&[KeyPress::Char('n')], Action::Note, "note", "write a note about the run"),
    binding(
        &[KeyPress::Char('d'), KeyPress::Delete],
        Action::Delete,
        "delete",
        "delete the item under the cursor (asks twice)",
    ),
    binding(&[KeyPress::Char('U')], Action::Undo, "", "undo the last deletion"),
    binding(&[KeyPress::Char('R')], Action::Rerun, "", "load the run onto the Bench screen to run it again"),
    binding(&[KeyPress::Char('p')], Action::Replay, "replay", "replay the run on the Live screen"),
    binding(&[KeyPress::Char('L')], Action::Log, "", "the log of the run's worker"),
    binding(&[KeyPress::Char(']')], Action::NextTest, "", "open run: the next test"),
    binding(&[KeyPress::Char('[')], Action::PreviousTest, "", "open run: the previous test"),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the results that match the filter"),
    binding(
        &[KeyPress::Char('y')],
        Action::Copy,
        "copy",
        "copy the item under the cursor: identifier or selection, the command that shows it, the value, the row",
    ),
    ZOOM,
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const COMPARE: &[Binding] = &[
    binding(&[KeyPress::Char('a')], Action::MarkA, "side A", "type the selection of side A"),
    binding(&[KeyPress::Char('b')], Action::MarkB, "side B", "type the selection of side B"),
    binding(
        &[KeyPress::Char('v')],
        Action::View,
        "view",
        "the next view: matrix, sweep; table, sizes, latencies, pivot, scaling; or a click on its name",
    ),
    binding(&[KeyPress::Char('V')], Action::PreviousView, "", "the previous view"),
    binding(
        &[KeyPress::Char('C')],
        Action::Matrix,
        "matrix",
        "compare all configurations of the session with one reference",
    ),
    binding(
        &[KeyPress::Char('r')],
        Action::Reference,
        "",
        "matrix, sweep: make the configuration under the cursor the reference",
    ),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the comparison"),
    binding(&[KeyPress::Char('x')], Action::Explain, "explain", "explain the number: formula, n, runs, SQL"),
    binding(&[KeyPress::Char('s')], Action::Swap, "swap", "swap A and B; in the matrix the same as r"),
    binding(&[KeyPress::Enter], Action::Enter, "open", "compare the pair under the cursor; else the next view"),
    binding(
        &[KeyPress::Char('+')],
        Action::More,
        "more rounds",
        "run the further rounds that decide an undecided test of a pair, at the price of another look",
    ),
    binding(&[KeyPress::Char('p')], Action::Pivot, "pivot", "choose the pivot's rows and columns"),
    binding(
        &[KeyPress::Char('g')],
        Action::Scaling,
        "",
        "how figures grow with the size and with options: slopes, knees",
    ),
    binding(&[KeyPress::Char('m')], Action::Metric, "metric", "compare another figure: p99, CPU time, bytes, syncs"),
    binding(
        &[KeyPress::Char('T')],
        Action::Trend,
        "trend",
        "trend: the configuration over its sessions, and where it changed",
    ),
    binding(
        &[KeyPress::Char('o')],
        Action::Allow,
        "allow",
        "compare despite different tiers, hosts, sizes; again: no longer",
    ),
    binding(&[KeyPress::Char('O')], Action::AllowSome, "", "choose the differences that are allowed"),
    binding(&[KeyPress::Char('n')], Action::Notes, "notes", "notes: obstacles, warnings, options in force"),
    binding(&[KeyPress::Char('/')], Action::Filter, "", "show only tests that match"),
    binding(
        &[KeyPress::Char('y')],
        Action::Copy,
        "copy",
        "copy the answer and the tables as Markdown, or the command of an offered pair",
    ),
    binding(&[KeyPress::Char('Y')], Action::CopyAll, "", "copy the SQL that fetches the values under the cursor"),
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const TUNE: &[Binding] = &[
    binding(
        &[KeyPress::Enter],
        Action::Enter,
        "try",
        "try the change: base against change in ABBA rounds; in the ledger: the trial's details",
    ),
    binding(&[KeyPress::Char('K')], Action::Stop, "stop", "stop the trial or the search"),
    binding(&[KeyPress::Char(' ')], Action::Toggle, "value", "the option's next value"),
    binding(&[KeyPress::Backspace], Action::Previous, "", "the option's previous value"),
    binding(&[KeyPress::Char('i')], Action::Edit, "type", "type a value"),
    binding(&[KeyPress::Char('s')], Action::Sweep, "", "try several values of the option, each in a trial"),
    binding(&[KeyPress::Char('d')], Action::Reset, "", "the option's value in the base"),
    binding(&[KeyPress::Char('t')], Action::Tests, "", "choose the tests that count"),
    binding(
        &[KeyPress::Char('p')],
        Action::Presets,
        "base",
        "choose what is tuned: engine, suite, your own SQL or a recording, size, rounds, base, ledger",
    ),
    binding(&[KeyPress::Char('f')], Action::Search, "search", "search for the fastest settings of a tier"),
    binding(
        &[KeyPress::Char('A')],
        Action::Accept,
        "accept",
        "make the trial's change the base; in the ledger: the change of the trial under the cursor",
    ),
    binding(&[KeyPress::Char('m')], Action::More, "more", "add as many rounds again to the trial"),
    binding(&[KeyPress::Char('v')], Action::View, "view", "the next view: trial, search, effects"),
    binding(&[KeyPress::Char('V')], Action::PreviousView, "", "the previous view"),
    binding(&[KeyPress::Char('E')], Action::Effects, "effects", "how much each option matters in stored runs"),
    binding(
        &[KeyPress::Char('y')],
        Action::Copy,
        "copy",
        "copy the base or the decided settings as PRAGMA statements, Rust or a preset, or the trial's command",
    ),
    binding(&[KeyPress::Char('e')], Action::Export, "", "export the ledger, or the effects in view"),
    ZOOM,
];

const CLAIMS: &[Binding] = &[
    binding(
        &[KeyPress::Enter],
        Action::Enter,
        "open",
        "open the publication; on a claim: compare the runs behind its verdict",
    ),
    binding(&[KeyPress::Char('n')], Action::Notes, "notes", "notes on how the figures were measured"),
    binding(&[KeyPress::Char('m')], Action::More, "measure", "load the preset that measures it"),
    binding(&[KeyPress::Char('x')], Action::Explain, "explain", "explain the verdict"),
    binding(&[KeyPress::Char('/')], Action::Filter, "filter", "show only tests that match"),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the claims"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the claim with both figures, or the publication"),
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const TORTURE: &[Binding] = &[
    binding(&[KeyPress::Enter], Action::Enter, "open", "all findings on the configuration"),
    binding(&[KeyPress::Char('+')], Action::Add, "torture", "torture an engine: choose it, then its options"),
    binding(&[KeyPress::Char('R')], Action::Rerun, "again", "torture the configuration under the cursor again"),
    binding(&[KeyPress::Char('i')], Action::Edit, "amount", "the number of kills, images, and images per mutant"),
    binding(&[KeyPress::Char('K')], Action::Stop, "stop", "stop; findings on other configurations are kept"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the command that shows it"),
    binding(&[KeyPress::Char('/')], Action::Filter, "filter", "show only what matches"),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the findings"),
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const SQL: &[Binding] = &[
    binding(&[KeyPress::F(5), KeyPress::Ctrl('r')], Action::Run, "run", "run the statement"),
    binding(&[KeyPress::Char('i')], Action::Edit, "change", "change the statement; Esc returns to the answer"),
    binding(&[KeyPress::Ctrl('p')], Action::Older, "older", "the previous statement"),
    binding(&[KeyPress::Ctrl('n')], Action::Newer, "", "the next statement"),
    binding(&[KeyPress::Enter], Action::Enter, "whole cell", "show the cell under the cursor in full"),
    binding(
        &[KeyPress::Char('s')],
        Action::Sort,
        "sort",
        "sort the whole answer by the column under the cursor; a click on a title does too",
    ),
    binding(&[KeyPress::Char('r')], Action::Reverse, "", "reverse the order"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the cell under the cursor"),
    binding(&[KeyPress::Char('Y')], Action::CopyAll, "", "copy all shown rows as CSV"),
    ZOOM,
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the whole answer"),
];

const CHOOSE: &[Binding] = &[
    binding(&[KeyPress::Enter], Action::Enter, "change", "change the answer to a question; on an engine: its details"),
    binding(&[KeyPress::F(5)], Action::Run, "", "let the engines compete"),
    binding(&[KeyPress::Char('K')], Action::Stop, "stop", "stop; finished sessions are kept"),
    binding(&[KeyPress::Char('r')], Action::Resume, "resume", "go on with the choice that was interrupted"),
    binding(
        &[KeyPress::Char('y')],
        Action::Copy,
        "copy",
        "copy the settings as PRAGMA statements or Rust, or before there is an answer the command",
    ),
    binding(&[KeyPress::Char('x')], Action::Explain, "evidence", "the runs that the answer comes from"),
    binding(&[KeyPress::Char('n')], Action::Notes, "report", "the whole report: what you give up, how sure it is"),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the report"),
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const TREND: &[Binding] = &[
    binding(
        &[KeyPress::Enter],
        Action::Enter,
        "what changed",
        "compare the sessions since the change with those before it",
    ),
    binding(&[KeyPress::Char('m')], Action::Metric, "metric", "show another figure: p99, CPU time, bytes, syncs"),
    binding(&[KeyPress::Char('/')], Action::Filter, "filter", "show only tests that match"),
    binding(&[KeyPress::Char(']')], Action::NextTest, "next change", "the session of the next change"),
    binding(&[KeyPress::Char('[')], Action::PreviousTest, "", "the session of the previous change"),
    binding(
        &[KeyPress::Char('x')],
        Action::Explain,
        "explain",
        "how changes are found, and every session of this test",
    ),
    binding(&[KeyPress::Char('e')], Action::Export, "export", "export the trend"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the session under the cursor with its figure"),
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "", "read the store again"),
];

const JOBS: &[Binding] = &[
    binding(&[KeyPress::Enter], Action::Enter, "watch", "watch the job; a job that has ended is shown again"),
    binding(&[KeyPress::Char('y')], Action::Copy, "copy", "copy the command that watches the job"),
    binding(&[KeyPress::Ctrl('r')], Action::Refresh, "refresh", "read the list again"),
];

/// Returns the usual bindings of a screen, which come before [`EVERYWHERE`].
pub(super) fn bindings(screen: ScreenId) -> &'static [Binding] {
    match screen {
        ScreenId::Bench => BENCH,
        ScreenId::Live => LIVE,
        ScreenId::Results => RESULTS,
        ScreenId::Compare => COMPARE,
        ScreenId::Tune => TUNE,
        ScreenId::Claims => CLAIMS,
        ScreenId::Torture => TORTURE,
        ScreenId::Sql => SQL,
        ScreenId::Choose => CHOOSE,
        ScreenId::Trend => TREND,
        ScreenId::Jobs => JOBS,
    }
}
