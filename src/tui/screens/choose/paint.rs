//! Painting of the Choose screen: the questions or the answer, and the engines.

use super::{ChoosePane, ChooseScreen, WatchedChoice, question::QuestionRow};
use crate::tui::widgets::{
    list::{VisibleRows, in_pane},
    paint::{Paint, TextPiece, fit, pad, piece, width, wrap},
    table::{ListTable, TableColumn},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_reports::choose::{BoardLine, sentences};
use dbdyno_running::choose::{ChoiceAnswer, ChoiceVerdict};
use ratatui::layout::{Constraint, Layout, Rect};
use std::time::Duration;

/// The least rows for the list of engines, with its frame and titles.
const LEAST_ENGINES: u16 = 6;

/// The text in place of the engines before the first choice.
const EMPTY: &str = "All engines of this machine that meet the constraints compete on this workload, each with many settings. \
                     The slower half drops out again and again; the leaders are measured once more on fresh data. \
                     The answer says which engine to take, with which settings, and how sure that is.";

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &ChooseScreen, now: Duration) {
    let inside = usize::from(area.width).saturating_sub(2);
    let told = told(screen, inside, now);
    let frame = if paint.bare { 1 } else { 2 };
    let shows_questions = screen.pane == ChoosePane::Questions || told.is_empty();
    let questions = if shows_questions { QuestionRow::ALL.len() as u16 + frame } else { 0 };
    let room = area.height.saturating_sub(questions + LEAST_ENGINES);
    let gauge = u16::from(screen.watched.is_some());
    let above = if told.is_empty() { 0 } else { (told.len() as u16 + gauge + frame).min(room) };
    let split = Layout::vertical([Constraint::Length(questions), Constraint::Length(above), Constraint::Min(3)]);
    let [questions, above, engines] = area.layout(&split);
    if shows_questions {
        draw_questions(paint, questions, screen);
    }
    if above.height > 0 {
        let title = if screen.watched.is_some() { "Choosing" } else { "Answer" };
        let inner = paint.pane(above, title, false);
        let mut lines = inner;
        if let Some(watched) = &screen.watched
            && inner.height > 1
        {
            paint.gauge(Rect { height: 1, ..inner }, watched.spent(now), Role::Accent);
            lines = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
        }
        paint.lines(lines, &told, |hidden| format!("{hidden} more lines: n shows the report"));
    }
    draw_engines(paint, engines, screen);
}

fn draw_questions(paint: &mut Paint<'_>, area: Rect, screen: &ChooseScreen) {
    let title = paint.title_after_way(area, "Which engine, with which settings?");
    let has_focus = screen.pane == ChoosePane::Questions;
    let inner = paint.pane(area, &title, has_focus);
    let names = QuestionRow::ALL.iter().map(|row| width(row.title())).max().unwrap_or(0) + 2;
    let lines: Vec<Vec<TextPiece<'_>>> = QuestionRow::ALL
        .iter()
        .map(|row| {
            let (answer, is_given) = screen.questions.shown(*row);
            let name = if *row == QuestionRow::Start { Role::Accent } else { Role::Title };
            let room = usize::from(inner.width).saturating_sub(names);
            let answer = fit(&plain(&answer), room);
            let sign = if *row == QuestionRow::Start { format!("▶ {}", row.title()) } else { row.title().to_owned() };
            vec![piece(pad(&sign, names), name), piece(answer, if is_given { Role::Text } else { Role::Dim })]
        })
        .collect();
    let rows = VisibleRows::new(lines.len(), screen.cursor).highlighted_if(has_focus);
    rows.paint(paint, inner, in_pane(0), |paint, at, row| {
        paint.line(row, &lines[at]);
    });
}

/// Returns what the pane above the engines says: the progress, the answer, or why there is none.
fn told(screen: &ChooseScreen, columns: usize, now: Duration) -> Vec<(String, Role)> {
    let mut lines = Vec::new();
    let mut say =
        |text: &str, role: Role| lines.extend(wrap(&plain(text), columns).into_iter().map(|line| (line, role)));
    if let Some(watched) = &screen.watched {
        say(&progress(watched, now), Role::Text);
        // The report has them in full.
        lines.extend(watched.news.iter().rev().map(|news| (fit(news, columns), Role::Dim)));
        return lines;
    }
    if let Some(reason) = &screen.failed {
        say(&format!("✗ {reason}"), Role::Bad);
    }
    if let Some(choice) = &screen.answer {
        for (at, sentence) in sentences(choice).iter().enumerate() {
            say(sentence, if at == 0 { role(choice) } else { Role::Text });
        }
        say(&format!("For {} at size {}.", choice.question.suite, choice.question.size), Role::Dim);
    }
    if let Some(unfinished) = &screen.unfinished {
        let done = units::counted(unfinished.steps.len(), "finished session");
        say(
            &format!("A choice for {} was interrupted after {done}: r goes on.", unfinished.question.suite),
            Role::Warn,
        );
    }
    lines
}

fn progress(watched: &WatchedChoice, now: Duration) -> String {
    let of = if watched.suite.is_empty() { String::new() } else { format!("{} · ", watched.suite) };
    let left = watched.left(now).map_or_else(String::new, |left| format!(" · {} left", units::clock(left)));
    format!("{of}{}{left}", watched.phase)
}

fn role(choice: &ChoiceAnswer) -> Role {
    match choice.verdict {
        ChoiceVerdict::One | ChoiceVerdict::Alone => Role::Good,
        ChoiceVerdict::Level => Role::Title,
        ChoiceVerdict::Nothing | ChoiceVerdict::Stopped => Role::Warn,
    }
}

fn draw_engines(paint: &mut Paint<'_>, area: Rect, screen: &ChooseScreen) {
    let has_focus = screen.pane == ChoosePane::Engines;
    let lines = screen.lines();
    let title = "Engines, each with its best settings (time: the first = 1, ~ rough)";
    let inner = paint.pane(area, title, has_focus);
    if lines.is_empty() {
        let text = if screen.watched.is_some() { "starting …" } else { EMPTY };
        paint.wrapped(inner, text, Role::Dim);
        return;
    }
    // Resources are known at the end only.
    let has_resources = lines.iter().any(|line| !line.memory.is_empty());
    ListTable::new(columns(has_resources), lines, screen.row, 1).highlighted_if(has_focus).paint(paint, inner);
}

fn columns<'t>(has_resources: bool) -> Vec<TableColumn<'t, BoardLine>> {
    type Lines<'t> = TableColumn<'t, BoardLine>;
    let of_state = |line: &BoardLine| match line.state {
        "first" | "leads" => Role::Good,
        "level" | "racing" => Role::Text,
        "out" => Role::Warn,
        _ => Role::Dim,
    };
    let said = |line: &BoardLine| line.reason.clone().unwrap_or_else(|| line.settings.clone());
    let mut columns = vec![
        Lines::text("engine", 0, |line| line.engine.clone()).coloured(of_state),
        Lines::number("time", 0, |line| line.time.clone()).coloured(of_state),
        Lines::number("interval", 2, |line| line.interval.clone()),
        Lines::text("state", 1, |line| line.state).coloured(of_state),
        Lines::number("tier", 5, |line| line.tier.clone()),
    ];
    if has_resources {
        columns.push(Lines::number("memory", 4, |line| line.memory.clone()));
        columns.push(Lines::number("disk", 6, |line| line.disk.clone()));
    }
    columns.push(Lines::number("tried", 3, |line| line.tried.clone()));
    columns.push(Lines::text("settings, or why not", 0, said).coloured(of_state));
    columns
}
