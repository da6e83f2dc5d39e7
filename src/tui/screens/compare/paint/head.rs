//! The head with both sides: their selections, numbers of runs, configurations, and whether they are comparable.

use super::joined;
use crate::tui::{
    keys::KeyPress,
    screens::compare::{Matrix, output, remarks},
    widgets::{
        Target,
        paint::{Paint, fit, piece, rows, width, wrap},
    },
};
use dbdyno_catalog::{Difference, Role};
use dbdyno_comparing::compare::{Comparison, ObstacleKind, SideFacts};
use dbdyno_foundation::base::{
    identifier::shortened,
    units::{self, counted, plain},
};
use dbdyno_reports::comparison::{
    facts, sentence, sentences,
    several::{group_answers, name, reliance},
    words,
};
use ratatui::layout::Rect;
use std::collections::BTreeSet;

/// Rows of the largest area that is too small for a second line above the table: a terminal of 24 rows leaves 20.
const SMALL: u16 = 22;

/// Paints the answer, both sides, and the facts about their comparison. Returns the number of rows used.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, comparison: &Comparison) -> u16 {
    let mut row = Rect { height: 1, ..area };
    let has_runs = comparison.a.runs > 0 && comparison.b.runs > 0;
    let answer = match (has_runs, area.height > SMALL) {
        (false, _) => 0,
        (true, false) => draw_answer(paint, area, &[sentence(comparison)]),
        (true, true) => draw_answer(paint, area, &sentences(comparison)),
    };
    row.y += answer;
    for (name, side, role, key) in [("A", &comparison.a, Role::A, 'a'), ("B", &comparison.b, Role::B, 'b')] {
        paint.hit(Rect { height: 2, ..row }, Target::Press(KeyPress::Char(key)));
        if paint.bare {
            draw_short_side(paint, row, name, side, role);
            row.y += 1;
            continue;
        }
        draw_side(paint, row, name, side, role);
        row.y += 1;
        let room = usize::from(row.width).saturating_sub(3);
        let indented = Rect { x: row.x + 3, width: row.width.saturating_sub(3), ..row };
        paint.text(indented, &configurations(side, room), Role::Text);
        row.y += 1;
    }
    if !has_runs {
        return row.y - area.y;
    }
    // A small terminal needs its rows for the tests; `n` has the facts.
    if answer == 1 || area.height > SMALL {
        paint.text(row, &joined(&both(comparison), " · ", usize::from(row.width)), Role::Dim);
        row.y += 1;
    }
    row.y += draw_badges(paint, row, std::slice::from_ref(comparison), None, remarks(comparison).len());
    row.y - area.y
}

/// Paints the answers, the references, and the facts about all comparisons with them. Returns the number of rows used.
pub(super) fn draw_reference(paint: &mut Paint<'_>, area: Rect, matrix: &Matrix) -> u16 {
    let sides = matrix.comparisons.as_slice();
    let Some(first) = sides.first() else { return 0 };
    let mut row = Rect { height: 1, ..area };
    let mut answers: Vec<String> = matrix.groups().flat_map(|(sides, leader)| group_answers(sides, leader)).collect();
    answers.extend(reliance(sides).into_iter().filter(|_| area.height > SMALL));
    row.y += draw_answer(paint, area, &answers);
    let counts = units::counted(first.b.runs, "run");
    let room = usize::from(row.width).saturating_sub(width(&counts) + 1);
    let left = Rect { width: room as u16, ..row };
    let named: Vec<String> = matrix.groups().map(|(group, _)| configurations(&group[0].b, room)).collect();
    let title = if named.len() > 1 { "references  " } else { "reference   " };
    let references = joined(&named, "; ", room.saturating_sub(width(title)));
    paint.line(left, &[piece(title, Role::Dim), piece(references, Role::B)]);
    paint.right(row, &counts, Role::Text);
    row.y += 1;
    paint.text(row, &joined(&both(first), " · ", usize::from(row.width)), Role::Dim);
    row.y += 1;
    let parted = match (matrix.groups().count(), matrix.alone()) {
        (2.., _) => Some("tiers are apart: o compares across them".to_owned()),
        (_, []) => None,
        (_, alone) => {
            let names: Vec<String> = alone.iter().map(|side| name(&side.a)).collect();
            Some(format!("no other is as durable as {}: o compares anyway", names.join(", ")))
        }
    };
    row.y += draw_badges(paint, row, sides, parted, output::remarks_of(sides).len());
    row.y - area.y
}

/// Paints the answer: as many whole sentences as its share of the area has room for. The others are counted, and `n` shows them.
fn draw_answer(paint: &mut Paint<'_>, area: Rect, sentences: &[String]) -> u16 {
    let height = match area.height {
        _ if paint.bare => 2,
        ..=SMALL => 3,
        height => (height / 5).max(3),
    };
    let lines = answer_lines(sentences, usize::from(area.width), usize::from(height));
    for (line, row) in lines.iter().zip(rows(area)) {
        paint.text(row, line, Role::Accent);
    }
    lines.len() as u16
}

/// The key that shows all of a cut sentence.
const ALL: &str = " (n: all)";

/// Wraps as many whole sentences as fit into a number of lines, with the number of the others. The first is cut if it does not fit.
fn answer_lines(sentences: &[String], columns: usize, most: usize) -> Vec<String> {
    let shown = |count: usize| {
        let others = match sentences.len() - count {
            0 => String::new(),
            others => format!(" (n: {} more)", counted(others, "sentence")),
        };
        wrap(&plain(&format!("{}{others}", sentences[..count].join(" "))), columns)
    };
    let whole = (1..=sentences.len()).rev().map(shown).find(|lines| lines.len() <= most);
    whole.unwrap_or_else(|| {
        let mut lines = sentences.first().map(|first| wrap(&plain(first), columns)).unwrap_or_default();
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}{ALL}", fit(&format!("{last} …"), columns.saturating_sub(width(ALL))));
        }
        lines
    })
}

/// Paints the differences and the hint at more remarks. Returns the number of rows used.
///
/// `parted`: why some configurations have no verdict, in place of the differences that prevent it.
fn draw_badges(paint: &mut Paint<'_>, row: Rect, sides: &[Comparison], parted: Option<String>, more: usize) -> u16 {
    let badges = badges(sides, parted, more);
    if badges.is_empty() {
        return 0;
    }
    let text = joined(&badges, " · ", usize::from(row.width).saturating_sub(2));
    paint.line(row, &[piece("! ", Role::Warn), piece(text, Role::Warn)]);
    1
}

/// Paints only the configurations of a side, where rows are few.
fn draw_short_side(paint: &mut Paint<'_>, row: Rect, name: &str, side: &SideFacts, role: Role) {
    let counts = units::counted(side.runs, "run");
    let room = usize::from(row.width).saturating_sub(width(&counts) + 1);
    let left = Rect { width: room as u16, ..row };
    paint.line(
        left,
        &[piece(format!("{name}  "), role), piece(configurations(side, room.saturating_sub(3)), Role::Text)],
    );
    paint.right(row, &counts, if side.runs == 0 { Role::Bad } else { Role::Text });
}

fn draw_side(paint: &mut Paint<'_>, row: Rect, name: &str, side: &SideFacts, role: Role) {
    let counts = units::counted(side.runs, "run");
    let selection = plain(&shortened(&facts::selection(side)));
    let room = usize::from(row.width).saturating_sub(width(&counts) + 1);
    let left = Rect { width: room as u16, ..row };
    paint.line(left, &[piece(format!("{name}  "), role), piece(selection, role)]);
    paint.right(row, &counts, if side.runs == 0 { Role::Bad } else { Role::Text });
}

/// Returns the configurations with version and tier, as many as fit.
fn configurations(side: &SideFacts, room: usize) -> String {
    let named: Vec<String> = facts::named(side).iter().map(|name| plain(name)).collect();
    if named.is_empty() { "nothing stored".to_owned() } else { joined(&named, "; ", room) }
}

/// Returns whether runs are paired, the number of sizes, and the noise floor, most important first.
fn both(comparison: &Comparison) -> Vec<String> {
    let sizes: BTreeSet<&str> = comparison.lines.iter().map(|line| line.size.as_str()).collect();
    let sizes: Vec<&str> = sizes.into_iter().collect();
    let sizes = match sizes.as_slice() {
        [] => None,
        [one] => Some(format!("size {one}")),
        several => Some(units::counted(several.len(), "size")),
    };
    let figure = words::figure(comparison.metric).into_iter();
    figure.chain(words::basis(comparison)).chain(sizes).chain([words::noise(comparison)]).collect()
}

/// Returns the differences that prevent a comparison or were allowed, and a hint at more remarks.
fn badges(sides: &[Comparison], parted: Option<String>, more: usize) -> Vec<String> {
    let found = |difference: Difference, allowed: bool| {
        let mut obstacles = sides.iter().flat_map(|side| &side.lines).flat_map(|line| &line.obstacles);
        obstacles.any(|obstacle| obstacle.kind == ObstacleKind::Differ(difference) && obstacle.allowed == allowed)
    };
    let words = |allowed: bool| -> Vec<&str> {
        Difference::ALL.into_iter().filter(|one| found(*one, allowed)).map(Difference::word).collect()
    };
    let mut badges = Vec::new();
    let (allowed, refused) = (words(true), words(false));
    if let Some(parted) = parted {
        badges.push(parted);
    } else if !refused.is_empty() {
        badges.push(format!("{} differ: o compares anyway", refused.join(", ")));
    }
    if !allowed.is_empty() {
        badges.push(format!("compared although {} differ: o undoes", allowed.join(", ")));
    }
    if more > 0 {
        badges.push(format!("{}: n shows them", units::counted(more, "note")));
    }
    badges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_shown_whole_and_the_others_are_counted() {
        let sentences = ["lmdb is faster.", "Both survive a power cut.", "One doubt remains."].map(str::to_owned);
        let text = |columns, most| answer_lines(&sentences, columns, most).join("|");
        assert_eq!(text(80, 1), sentences.join(" "));
        assert_eq!(text(59, 1), "lmdb is faster. (n: 2 sentences more)");
        assert_eq!(text(30, 1), "lmdb is faster. … (n: all)");
        assert_eq!(text(20, 1), "lmdb is fa… (n: all)");
    }
}
