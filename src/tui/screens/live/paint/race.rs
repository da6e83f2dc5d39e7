//! The race: each test with every configuration's median, rounds and interval.

use crate::tui::{
    screens::live::{
        LiveScreen, Phase, WatchedSession,
        race::{RaceCell, RaceColumn, RacePlace, RaceRow},
        standing::Standing,
    },
    widgets::{
        names::{names, values_only},
        paint::{Paint, TextPiece, fit, pad, piece, rows, width},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{JudgedRatio, ObstacleKind};
use dbdyno_foundation::{
    base::units::{counted, plain},
    metric::{Better, Metric},
};
use dbdyno_reports::comparison::{looks::OF_PAIRS, words};
use dbdyno_stats::{Verdict, median};
use ratatui::layout::Rect;
use std::ops::Range;

/// Columns of a time, and of a ratio with its interval and sign; an undecided one also has rounds, for which there is not always room.
const TIME: usize = 7;
const VERDICT: usize = 18;
pub(super) const WHOLE_VERDICT: usize = 20;
/// Columns of a cell that are enough for a bar.
const WIDE: usize = 32;
/// The minimum and maximum width of a sparkline.
const ROUNDS: (usize, usize) = (4, 20);

/// The key to the signs, shown if there is a reference.
const SIGNS: &str = "▼ faster  ▲ slower  = same  ? undecided +rounds  … too few";
/// The name of the rows with the ratios, below the first test in view, if the legend has no room to say it.
const RATIO_ROW: &str = "ratio: paired runs";
/// Columns beside the title for the rows in view: `j k 10-14 of 18`.
const IN_VIEW: usize = 18;

/// The layout of the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RaceLayout {
    /// Columns for the names of tests.
    name: usize,
    /// Columns for a cell.
    cell: usize,
    /// Columns for the number of runs.
    count: usize,
    /// Whether the verdict is below the time, instead of next to it.
    tall: bool,
    /// Number of configurations shown.
    shown: usize,
    /// Whether a bar below shows the magnitude of each figure.
    bars: bool,
}

impl RaceLayout {
    /// Puts verdicts next to times if all configurations fit this way, else below them.
    fn new(room: usize, columns: usize, name: usize, count: usize, rounds: usize, label: usize) -> Self {
        let figures = |rounds: usize| TIME + count + rounds + 2;
        let name = name.min(room / 3);
        let left = room.saturating_sub(name);
        let beside = figures(rounds.clamp(ROUNDS.0, ROUNDS.1 / 2)) + 1 + WHOLE_VERDICT;
        if columns * (beside + 1) <= left {
            return Self { name, cell: beside, count, tall: false, shown: columns, bars: false };
        }
        let least = figures(ROUNDS.0).max(VERDICT);
        let shown = (left / (least + 1)).clamp(1, columns.max(1));
        // Bars use what is left.
        let most = figures(rounds.clamp(ROUNDS.0, ROUNDS.1)).max(label).max(least).max(WIDE);
        Self { name, cell: (left / shown).saturating_sub(1).min(most), count, tall: true, shown, bars: false }
    }

    /// Returns the number of rounds in a sparkline.
    fn rounds(self) -> usize {
        let beside = if self.tall { 0 } else { 1 + WHOLE_VERDICT };
        self.cell.saturating_sub(TIME + self.count + 2 + beside)
    }

    /// Returns the lines of a test.
    fn lines(self) -> usize {
        1 + usize::from(self.tall) + usize::from(self.bars)
    }

    /// Adds bars, and an empty line between tests, as far as all tests fit into these lines.
    fn with_bars(self, tests: usize, lines: usize) -> Self {
        let barred = Self { bars: true, ..self };
        if tests * barred.lines() <= lines { barred } else { self }
    }
}

/// Paints the race of a session.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, session: &WatchedSession, live: &LiveScreen) {
    let (columns, tests) = (session.race_columns(), session.race_rows());
    let said = moment(session, &columns, &tests);
    let room = usize::from(area.width).saturating_sub(2);
    let least = grid(session, &columns, &tests, room).lines() * tests.len() + titles(&tests) + SENTENCE;
    // The tests are more important than a line for the sentence.
    let (above, beside) = if usize::from(area.height) > least { (said, None) } else { (None, said) };
    let title = match beside {
        // A small terminal has no room for more.
        Some([_, shortly]) if paint.bare => shortly,
        Some(sentences) => {
            let are_all_in_view = usize::from(area.height) + 1 >= least;
            title_beside(session, sentences, room.saturating_sub(if are_all_in_view { 2 } else { IN_VIEW }))
        }
        None => title(session, None),
    };
    let mut inner = paint.pane(area, &title, true);
    if paint.bare {
        // The last row is that of the reference and the hidden part, which a border has elsewhere.
        inner.height = inner.height.saturating_sub(1);
    }
    if let Phase::Failed(reason) = &session.phase {
        paint.wrapped(inner, &format!("✗ {reason}"), Role::Bad);
        return;
    }
    let inner = match above {
        Some([sentence, _]) => {
            paint.text(Rect { height: 1, ..inner }, &sentence, Role::Accent);
            Rect { y: inner.y + 1, height: inner.height - 1, ..inner }
        }
        None => inner,
    };
    let room = usize::from(inner.height).saturating_sub(1 + titles(&tests));
    let grid = grid(session, &columns, &tests, usize::from(inner.width)).with_bars(tests.len(), room);
    let first = live.column.min(columns.len().saturating_sub(grid.shown));
    let beside = &columns[first..(first + grid.shown).min(columns.len())];
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    let range = window(&tests, grid.lines(), usize::from(list.height), live.scroll);
    let hidden = hidden((first, beside.len(), columns.len()), (range.clone(), tests.len()));
    let edge = Rect { x: area.x + 1, width: area.width - 2, height: 1, ..area };
    let foot = Rect { y: area.bottom() - 1, ..edge };
    let taken = if paint.bare { width(&hidden) } else { 0 };
    let legend = (columns.len() > 1).then(|| legend(session, usize::from(foot.width).saturating_sub(taken)));
    draw_header(paint, Rect { height: 1, ..inner }, session, (&columns, first), tests.get(range.start), grid);
    let mut left = list;
    for at in range.clone() {
        if at > range.start && tests[at].size != tests[at - 1].size {
            let text = format!("size {}", tests[at].size);
            paint.text(next(&mut left, 1), &text, Role::Title);
        }
        let place = next(&mut left, grid.lines() as u16);
        draw_row(paint, place, session, (beside, first), &tests[at], grid);
        let has_to_say = at == range.start && grid.tall && legend.as_ref().is_some_and(|legend| !legend.says_of_what);
        if let Some(row) = rows(place).nth(1).filter(|_| has_to_say) {
            paint.text(Rect { x: row.x + 1, width: grid.name as u16 - 1, ..row }, RATIO_ROW, Role::Dim);
        }
    }
    paint.right(if paint.bare { foot } else { edge }, &hidden, Role::Key);
    if let Some(legend) = legend {
        paint.text(foot, &legend.text, Role::Dim);
    }
}

/// The line below the race.
struct RaceLegend {
    text: String,
    /// Whether it says what the ratios are estimated from.
    says_of_what: bool,
}

/// Returns the reference of the ratios, what they are estimated from if there is room, and the signs.
fn legend(session: &WatchedSession, room: usize) -> RaceLegend {
    let reference = match session.references().as_slice() {
        [only] => fit(&values_only(&plain(only)), 24),
        several => format!("one of each tier ({})", several.len()),
    };
    let fits = |text: &String| width(text) <= room;
    let explained = OF_PAIRS.map(|of| format!(" ratio to {reference}, {of}: {SIGNS} "));
    if let Some(text) = explained.into_iter().find(fits) {
        return RaceLegend { text, says_of_what: true };
    }
    let whole = format!(" ratio to {reference}: {SIGNS} ");
    let text = if fits(&whole) { whole } else { fit(&whole.replace("  ", " "), room) };
    RaceLegend { text, says_of_what: false }
}

/// Rows of the race in addition to those of tests, if it has a line for its sentence.
const SENTENCE: usize = 4;

/// Returns the number of titles of sizes among the tests.
fn titles(tests: &[RaceRow<'_>]) -> usize {
    tests.windows(2).filter(|two| two[0].size != two[1].size).count()
}

/// Returns who leads at this moment, in how many tests, and in how many of these a verdict says so; and the same in fewer words. None with
/// a single configuration, and before a test has figures of two.
fn moment(session: &WatchedSession, columns: &[RaceColumn<'_>], tests: &[RaceRow<'_>]) -> Option<[String; 2]> {
    let mut led: Vec<(usize, bool)> = Vec::new();
    for row in tests {
        let cells = columns.iter().enumerate().filter_map(|(at, column)| Some((at, cell(session, column, row)?)));
        let figures: Vec<(usize, RaceCell<'_>, f64)> = cells
            .filter_map(|(at, cell)| {
                let median = median_of(&cell)?;
                Some((at, cell, median))
            })
            .collect();
        if figures.len() < 2 {
            continue;
        }
        let is_better = |a: f64, b: f64| match session.gathered.metric().better() {
            Better::More => b.total_cmp(&a),
            _ => a.total_cmp(&b),
        };
        let (at, cell, _) = figures.iter().min_by(|a, b| is_better(a.2, b.2))?;
        let is_decided = match &cell.place {
            RacePlace::Reference { is_fastest } => *is_fastest,
            RacePlace::Against(Standing::Judged(found)) => found.verdict == Verdict::Faster,
            RacePlace::Against(Standing::Withheld(_)) | RacePlace::Open => false,
        };
        led.push((*at, is_decided));
    }
    let tests_led = |at: usize| led.iter().filter(|(leader, _)| *leader == at).count();
    let leader =
        (0..columns.len()).max_by_key(|at| (tests_led(*at), columns.len() - at)).filter(|_| !led.is_empty())?;
    let decided = led.iter().filter(|(at, is_decided)| *at == leader && *is_decided).count();
    let name = values_only(&plain(columns[leader].label));
    // The verdicts on a configuration compare it with its reference only, and those on a reference with each other configuration.
    let references = session.references();
    let ahead_of = match references.as_slice() {
        _ if columns.len() == 2 => String::new(),
        all if all.contains(&columns[leader].label) => "ahead of all ".to_owned(),
        [only] => format!("ahead of {} ", values_only(&plain(only))),
        _ => "ahead of its reference ".to_owned(),
    };
    let [verdicts, shortly] = match decided {
        0 if session.running() => ["no verdict yet"; 2].map(str::to_owned),
        0 => ["no verdict"; 2].map(str::to_owned),
        decided => [format!("{ahead_of}with a verdict in {decided}"), format!("{decided} decided")],
    };
    let (leads, of) = (tests_led(leader), led.len());
    let tense = if session.running() { "leads" } else { "led" };
    Some([
        format!("{name} {tense} in {leads} of {}, {verdicts}", counted(of, "test")),
        format!("{name} {tense} {leads} of {of}, {shortly}"),
    ])
}

/// Returns lines from the top of an area, and removes them from it.
fn next(area: &mut Rect, lines: u16) -> Rect {
    let taken = Rect { height: lines.min(area.height), ..*area };
    *area = Rect { y: area.y + taken.height, height: area.height - taken.height, ..*area };
    taken
}

/// Returns the round, the sentence of the moment if there is one, and the test in progress.
fn title(session: &WatchedSession, said: Option<String>) -> String {
    let Some(run) = session.current.and_then(|at| session.runs.get(at)) else {
        return "Race · no test has begun yet".to_owned();
    };
    let metric = session.gathered.metric();
    let what = if metric == Metric::Wall { String::new() } else { format!(" · {}", metric.title()) };
    let said = said.map_or_else(String::new, |said| format!(" · {said}"));
    let round = format!("Race{what} · round {}/{}{said}", run.round + 1, session.rounds);
    let under_way = session.test_under_way().and_then(|(place, test)| {
        let (one, figures) = (session.configurations.get(place)?, session.figures.as_ref()?);
        let size = if session.race_rows().iter().any(|row| row.size != one.size) {
            format!(" at {}", one.size)
        } else {
            String::new()
        };
        Some(format!(" · ▶ {test} {}{size} · {}", figures.name, one.label))
    });
    round + &under_way.unwrap_or_default()
}

/// Returns the title with the sentence of the moment, the short one if there is no room for the whole one.
fn title_beside(session: &WatchedSession, sentences: [String; 2], room: usize) -> String {
    let [whole, shortly] = sentences.map(|sentence| title(session, Some(sentence)));
    if width(&whole) <= room { whole } else { fit(&shortly, room) }
}

fn grid(session: &WatchedSession, columns: &[RaceColumn<'_>], tests: &[RaceRow<'_>], room: usize) -> RaceLayout {
    let rounds = session.rounds as usize;
    let names = tests.iter().map(|row| width(&name(row)));
    let name = names.chain((columns.len() > 1).then_some(width(RATIO_ROW))).max().unwrap_or(0) + 2;
    let count = width(&count_text(rounds, session.most_failed()));
    let label = columns.iter().map(|column| width(&values_only(&plain(column.label)))).max().unwrap_or(0) + 2;
    RaceLayout::new(room, columns.len(), name, count, rounds, label)
}

fn cell<'s>(session: &'s WatchedSession, column: &RaceColumn<'_>, row: &RaceRow<'_>) -> Option<RaceCell<'s>> {
    Some(session.race_cell(column.at(row.size)?, row.test))
}

fn name(row: &RaceRow<'_>) -> String {
    format!("{} {}", row.test, plain(row.name))
}

/// `n7`, and how many runs failed.
fn count_text(finished: usize, failed: usize) -> String {
    if failed > 0 { format!("n{finished}✗{failed}") } else { format!("n{finished}") }
}

/// Returns the range of rows that fit, from the scrolled one on, and starts earlier if there would be empty room. Sizes after the first
/// have a title.
fn window(tests: &[RaceRow<'_>], each: usize, height: usize, scroll: usize) -> Range<usize> {
    let lines = |range: &Range<usize>| {
        let titles = tests[range.clone()].windows(2).filter(|two| two[0].size != two[1].size).count();
        range.len() * each + titles
    };
    let fits = |range: &Range<usize>| lines(range) <= height;
    let last = (0..tests.len()).find(|from| fits(&(*from..tests.len()))).unwrap_or(tests.len().saturating_sub(1));
    let from = scroll.min(last);
    let until = (from..=tests.len()).rev().find(|until| fits(&(from..*until))).unwrap_or(from);
    from..until
}

/// Paints the size of the rows below, and the configurations; the one in progress has a sign.
fn draw_header(
    paint: &mut Paint<'_>,
    area: Rect,
    session: &WatchedSession,
    (columns, first): (&[RaceColumn<'_>], usize),
    row: Option<&RaceRow<'_>>,
    grid: RaceLayout,
) {
    let size = row.map_or_else(String::new, |row| format!("size {}", row.size));
    paint.text(Rect { width: grid.name as u16, ..area }, &size, Role::Title);
    let labels: Vec<&str> = columns.iter().map(|column| column.label).collect();
    let names = names(&labels, grid.cell.saturating_sub(1));
    let running = session.run_under_way().and(session.configuration()).map(|(_, one)| one.label.as_str());
    for (place, (name, label)) in names.iter().zip(&labels).skip(first).take(grid.shown).enumerate() {
        let sign = if running == Some(label) { "▶" } else { " " };
        let role = Role::series(first + place);
        paint.line(at(area, grid, place), &[piece(sign, role), piece(name.as_str(), role)]);
    }
}

/// Returns the area of a cell in its row.
fn at(row: Rect, grid: RaceLayout, place: usize) -> Rect {
    let x = row.x + (grid.name + place * (grid.cell + 1)) as u16;
    Rect { x, width: (grid.cell as u16).min(row.right().saturating_sub(x)), ..row }
}

fn draw_row(
    paint: &mut Paint<'_>,
    area: Rect,
    session: &WatchedSession,
    (beside, first): (&[RaceColumn<'_>], usize),
    row: &RaceRow<'_>,
    grid: RaceLayout,
) {
    let cells: Vec<Option<RaceCell<'_>>> = beside.iter().map(|column| cell(session, column, row)).collect();
    let of_size = |place: usize| session.configurations.get(place).is_some_and(|one| one.size == row.size);
    let is_under_way = session.test_under_way().is_some_and(|(place, test)| test == row.test && of_size(place));
    let (sign, role) = if is_under_way { ("▶", Role::Accent) } else { (" ", Role::Text) };
    let text = fit(&name(row), grid.name.saturating_sub(2));
    paint.line(Rect { width: grid.name as u16, ..area }, &[piece(sign, role), piece(text, role)]);
    let most = cells.iter().flatten().filter_map(median_of).fold(0.0, f64::max);
    for (place, cell) in cells.iter().enumerate() {
        let Some(cell) = cell else { continue };
        let area = at(area, grid, place);
        let series = Role::series(first + place);
        let room = if grid.tall { grid.cell } else { WHOLE_VERDICT };
        let (figures, verdict) = (figures(cell, grid, series), verdict(cell, room));
        let lines = match grid.tall {
            true => vec![figures, vec![verdict]],
            false => vec![[figures, vec![piece(" ", Role::Text), verdict]].concat()],
        };
        for (line, row) in lines.iter().zip(rows(area)) {
            paint.line(row, line);
        }
        if let (true, Some(median)) = (grid.bars, median_of(cell)) {
            let y = area.y + lines.len() as u16;
            let bar =
                Rect { y, height: 1.min(area.bottom().saturating_sub(y)), width: area.width.saturating_sub(2), ..area };
            paint.bar(bar, median / most.max(f64::MIN_POSITIVE), series);
        }
        if cell.is_under_way {
            paint.highlight(area);
        }
    }
}

/// Returns the median, the number of runs, and a sparkline of them.
fn figures(cell: &RaceCell<'_>, grid: RaceLayout, series: Role) -> Vec<TextPiece<'static>> {
    let (times, time) = values(cell);
    let count = if times.is_empty() && cell.failed == 0 { String::new() } else { count_text(times.len(), cell.failed) };
    let rounds = grid.rounds();
    vec![
        piece(format!("{}{time} ", " ".repeat(TIME.saturating_sub(width(&time)))), Role::Text),
        piece(pad(&count, grid.count) + " ", if cell.failed > 0 { Role::Bad } else { Role::Dim }),
        piece(pad(&sparkline(&times[times.len().saturating_sub(rounds)..]), rounds), series),
    ]
}

/// Returns the median of a cell's figures.
fn median_of(cell: &RaceCell<'_>) -> Option<f64> {
    let values: Vec<f64> = cell.times.iter().map(|time| time.value(cell.metric)).collect();
    cell.metric.median(&values).ok()
}

/// Returns the figures of a cell, and their median as text. The title names the metric, so a rate needs no unit.
fn values(cell: &RaceCell<'_>) -> (Vec<f64>, String) {
    let values: Vec<f64> = cell.times.iter().map(|time| time.value(cell.metric)).collect();
    let shown = |median| cell.metric.shown(median).trim_end_matches("/s").trim_end().to_owned();
    let median = cell.metric.median(&values).map_or_else(|_| "-".to_owned(), shown);
    (values, median)
}

/// Returns the last rounds as bars. The scale extends at least 10 % below and 12.5 % above the median, so that steady times look steady:
/// the median is in the middle of a bar.
fn sparkline(times: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Ok(middle) = median(times) else { return String::new() };
    let least = times.iter().copied().fold(middle * 0.9, f64::min);
    let most = times.iter().copied().fold(middle * 1.125, f64::max);
    let bar = |time: &f64| BARS[(((time - least) / (most - least) * 7.0).round() as usize).min(7)];
    if most > least { times.iter().map(bar).collect() } else { "▁".repeat(times.len()) }
}

/// Returns a cell as text: `325 µs n9 0.026 0.016-0.038 ▼`.
pub(in crate::tui::screens::live) fn cell_in_words(cell: &RaceCell<'_>) -> String {
    let (times, time) = values(cell);
    let count = count_text(times.len(), cell.failed);
    format!("{time} {count} {}", verdict(cell, usize::MAX).0).trim_end().to_owned()
}

/// Returns the verdict of a cell with a sign; only a verdict marks a winner.
pub(super) fn verdict(cell: &RaceCell<'_>, room: usize) -> TextPiece<'static> {
    if cell.times.iter().any(|time| time.wrong) {
        return piece("✗ wrong answers", Role::Bad);
    }
    match &cell.place {
        _ if cell.times.is_empty() && cell.failed > 0 => piece("✗ failed", Role::Bad),
        RacePlace::Open | RacePlace::Reference { is_fastest: false } => piece("", Role::Dim),
        RacePlace::Reference { is_fastest: true } => piece("✓ fastest", Role::Good),
        RacePlace::Against(Standing::Judged(found)) => {
            let role = match found.verdict {
                Verdict::Faster => Role::Good,
                Verdict::Slower | Verdict::Same => Role::Text,
                Verdict::Undecided { .. } | Verdict::TooFew { .. } => Role::Dim,
            };
            piece(judged(found, room), role)
        }
        RacePlace::Against(Standing::Withheld(kind)) => withheld(*kind),
    }
}

/// `1.77 1.62-1.95 ▲`; without room for all of it, only the interval, or only the ratio of an undecided one.
fn judged(found: &JudgedRatio, room: usize) -> String {
    let sign = words::sign(Some(found.verdict));
    let ratio = words::ratio(found.ratio);
    let Some(interval) = found.interval else { return format!("{ratio} {sign}") };
    let interval = words::range(Some(interval));
    let more = match found.verdict {
        Verdict::Undecided { more_rounds: Some(more) } => format!("+{more}"),
        _ => String::new(),
    };
    // An undecided one says more by its ratio than by its interval.
    let shorter = if more.is_empty() { format!("{interval} {sign}") } else { format!("{ratio} {sign}{more}") };
    let whole = [format!("{ratio} {interval} {sign}{more}"), shorter];
    let fits = whole.into_iter().find(|text| width(text) <= room);
    fits.unwrap_or_else(|| format!("{interval} {sign}"))
}

/// Returns the reason why there is no ratio.
fn withheld(kind: ObstacleKind) -> TextPiece<'static> {
    match kind {
        ObstacleKind::FailedVerification => piece("✗ answers differ", Role::Bad),
        ObstacleKind::Differ(difference) => piece(format!("· {} differ", difference.word()), Role::Warn),
        ObstacleKind::NoRatio => piece("· no ratio to 0", Role::Dim),
        ObstacleKind::SeveralConfigurations
        | ObstacleKind::SharedRuns
        | ObstacleKind::OneSide
        | ObstacleKind::NotVerified => piece("· not comparable", Role::Dim),
    }
}

/// Returns the range of configurations and of tests that is shown, with the keys that scroll; empty if nothing is hidden.
fn hidden((first, shown, columns): (usize, usize, usize), (range, tests): (Range<usize>, usize)) -> String {
    let sideways = (shown < columns).then(|| format!("h l {}-{} of {columns}", first + 1, first + shown));
    let down = (range.len() < tests).then(|| format!("j k {}-{} of {tests}", range.start + 1, range.end));
    let hidden: Vec<String> = sideways.into_iter().chain(down).collect();
    if hidden.is_empty() { String::new() } else { format!(" {} ", hidden.join(" · ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_comparing::compare::RatioRange;

    #[test]
    fn three_configurations_fit_into_eighty_columns() {
        let narrow = RaceLayout::new(78, 3, 21, 3, 10, 20);
        assert_eq!((narrow.shown, narrow.tall, narrow.cell, narrow.rounds()), (3, true, 18, 6));
        let wide = RaceLayout::new(198, 4, 21, 3, 10, 20);
        assert_eq!((wide.shown, wide.tall, wide.rounds()), (4, false, 10));
        for columns in 1..40 {
            let grid = RaceLayout::new(78, columns, 60, 5, 100, 60);
            assert!(grid.shown >= 1 && grid.name + grid.shown * (grid.cell + 1) <= 78, "{grid:?}");
        }
    }

    #[test]
    fn a_steady_time_looks_steady_and_an_outlier_is_seen() {
        assert_eq!(sparkline(&[100.0, 101.0, 99.0]), "▄▄▄");
        assert_eq!(sparkline(&[100.0, 105.0, 93.0]), "▄▆▂");
        assert_eq!(sparkline(&[100.0, 100.0, 200.0]), "▂▂█");
        assert_eq!(sparkline(&[0.0, 0.0]), "▁▁");
    }

    #[test]
    fn the_interval_is_never_cut() {
        let found = |ratio, low, high, verdict| {
            let interval = Some(RatioRange { low, high, confidence: 0.95 });
            let (paired, exact, sessions, p, p_adjusted) = (true, false, None, None, None);
            judged(
                &JudgedRatio { verdict, ratio, median_ratio: ratio, interval, paired, exact, sessions, p, p_adjusted },
                VERDICT,
            )
        };
        assert_eq!(found(1.77, 1.62, 1.95, Verdict::Slower), "1.77 1.62-1.95 ▲");
        assert_eq!(found(0.081, 0.0791, 0.0961, Verdict::Faster), "0.079-0.096 ▼");
        let undecided = |more| Verdict::Undecided { more_rounds: Some(more) };
        assert_eq!(found(0.96, 0.91, 1.02, undecided(6)), "0.96 0.91-1.02 ?+6");
        assert_eq!(found(0.96, 0.91, 1.02, undecided(600)), "0.96 ?+600");
    }

    #[test]
    fn the_last_rows_are_reached_and_sizes_have_titles() {
        let row = |size: &str, test| RaceRow { size: size.parse().unwrap(), test, name: "x" };
        let tests: Vec<RaceRow<'_>> =
            ["10", "20"].into_iter().flat_map(|size| (1..=4).map(move |test| row(size, test))).collect();
        assert_eq!(window(&tests, 1, 9, 5), 0..8, "all fit, with the title of the second size");
        assert_eq!(window(&tests, 1, 8, 0), 0..7);
        assert_eq!(window(&tests, 2, 8, 99), 4..8);
        assert_eq!(window(&tests, 2, 1, 3), 3..3);
        assert_eq!(window(&[], 1, 5, 0), 0..0);
    }
}
