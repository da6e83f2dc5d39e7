//! Painting of the Claims screen: the publications, or one of them compared with the results measured here.

use super::{ClaimRow, ClaimsScreen, OpenedClaims, claim_name, claim_rows};
use crate::tui::{
    screens::Context,
    widgets::{
        paint::{Paint, TextPiece, piece, width, wrap},
        table::{ColumnWidth, ListTable, TableColumn, TableLine},
    },
};
use dbdyno_catalog as catalog;
use dbdyno_catalog::Role;
use dbdyno_comparing::claims::{ClaimsTable, JudgedClaim, JudgedComparison, Reproduction, RunOrigin};
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_reports::claims::measured;
use ratatui::layout::{Constraint, Layout, Rect};

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &ClaimsScreen, context: &Context<'_>) {
    match &screen.opened {
        None => draw_publications(paint, area, screen, context),
        Some(opened) => draw_opened(paint, area, screen, context, opened),
    }
}

/// Paints the publications, and the details of the one under the cursor.
fn draw_publications(paint: &mut Paint<'_>, area: Rect, screen: &ClaimsScreen, context: &Context<'_>) {
    let claims = &context.world.claims;
    let height = (claims.len() as u16 + 2).clamp(3, (area.height / 2).max(3));
    let [list, about] = area.layout(&Layout::vertical([Constraint::Length(height), Constraint::Min(4)]));
    let inner = paint.pane(list, "Claims: what others published", true);
    if claims.is_empty() {
        paint.text(inner, "there is no claims file", Role::Dim);
    }
    ListTable::new(publication_columns(), claims, screen.cursor, 0).paint(paint, inner);
    if let Some(one) = claims.get(screen.cursor.at) {
        let inner = paint.pane(about, &one.name, false);
        draw_about(paint, inner, one);
    }
}

type PublicationColumn<'t> = TableColumn<'t, &'t catalog::Claims>;

fn publication_columns<'t>() -> Vec<PublicationColumn<'t>> {
    let count = |one: &&catalog::Claims| {
        units::counted(one.comparisons.iter().flat_map(|comparison| &comparison.claims).count(), "claim")
    };
    let rest = ColumnWidth::Filled(16, usize::MAX);
    vec![
        PublicationColumn::text("", 0, |one| one.name.as_str()).whole().coloured(|_| Role::Accent),
        PublicationColumn::drawn("", 0, rest, |one, room| vec![piece(short(&one.title, room), Role::Text)]),
        PublicationColumn::number("", 0, count).coloured(|_| Role::Dim),
    ]
}

/// Returns a title, or only the part before its colon if the whole does not fit.
fn short(title: &str, room: usize) -> &str {
    if width(title) <= room { title } else { title.split(':').next().unwrap_or(title) }
}

/// Paints the source of a publication's figures, then as many of its caveats as fit whole.
fn draw_about(paint: &mut Paint<'_>, area: Rect, claims: &catalog::Claims) {
    let mut lines =
        vec![(claims.title.clone(), Role::Title), (format!("{}: {}", claims.source, claims.setup), Role::Text)];
    lines.extend(claims.caveats.iter().map(|caveat| (format!("! {caveat}"), Role::Warn)));
    let mut left = area;
    for (number, (text, role)) in lines.iter().enumerate() {
        let taken = wrap(&plain(text), usize::from(left.width)).len() as u16;
        let after = u16::from(number + 1 < lines.len());
        if taken + after > left.height {
            paint.text(left, &format!("{} more: n", lines.len() - number), Role::Dim);
            break;
        }
        paint.wrapped(left, text, *role);
        left = Rect { y: left.y + taken, height: left.height - taken, ..left };
    }
}

fn draw_opened(paint: &mut Paint<'_>, area: Rect, screen: &ClaimsScreen, context: &Context<'_>, opened: &OpenedClaims) {
    let filter = if screen.filter.is_empty() { String::new() } else { format!(" · /{}", plain(screen.filter.line())) };
    let inner = paint.pane(area, &format!("Claims › {}{filter}", opened.name), true);
    if opened.waiting {
        let text = if context.is_measuring { " waiting for the test under way… " } else { " reading… " };
        paint.right(Rect { x: area.x, width: area.width - 2, height: 1, ..area }, text, Role::Warn);
    }
    let table = match &opened.table {
        None => {
            paint.wrapped(inner, &format!("reading {} …", context.world.store), Role::Dim);
            return;
        }
        Some(Err(reason)) => {
            paint.wrapped(inner, &format!("✗ {reason}: Ctrl-r reads again"), Role::Bad);
            return;
        }
        Some(Ok(table)) => table,
    };
    let head = draw_head(paint, inner, table);
    let below = Rect { y: inner.y + head, height: inner.height.saturating_sub(head), ..inner };
    draw_claims(paint, below, screen, opened, table);
}

/// Paints counts, source and caveats. Caveats that do not fit whole into a third of the height are only counted. Returns the number of rows
/// used.
fn draw_head(paint: &mut Paint<'_>, area: Rect, table: &ClaimsTable) -> u16 {
    let mut row = Rect { height: 1, ..area };
    row.y += draw_counts(paint, area, table);
    let room = area.height / 3;
    let origin = format!("{}: {}", table.source, table.setup);
    let mut texts = vec![(origin, Role::Dim)];
    texts.extend(table.caveats.iter().map(|caveat| (format!("! {caveat}"), Role::Warn)));
    for (number, (text, role)) in texts.iter().enumerate() {
        let lines = wrap(&plain(text), usize::from(area.width)).len() as u16;
        let taken = row.y - area.y;
        if taken + lines + u16::from(number + 1 < texts.len()) > room.max(4) {
            paint.text(
                row,
                &format!("! {} on these figures: n", units::counted(texts.len() - number, "more note")),
                Role::Warn,
            );
            row.y += 1;
            break;
        }
        paint.wrapped(Rect { height: lines, ..row }, text, *role);
        row.y += lines;
    }
    row.y - area.y
}

/// Paints the number of claims for each verdict, without breaking words. Returns the number of rows used.
fn draw_counts(paint: &mut Paint<'_>, area: Rect, table: &ClaimsTable) -> u16 {
    let mut place = Rect { height: 1, ..area };
    for (kind, count) in table.counts() {
        let text = format!("{} {count} {}", kind.sign(), kind.words());
        if width(&text) > usize::from(place.width) {
            place = Rect { y: place.y + 1, height: 1, ..area };
        }
        let taken = paint.text(place, &text, if count == 0 { Role::Dim } else { role(kind) }) + 3;
        place.x += taken.min(place.width);
        place.width -= taken.min(place.width);
    }
    place.y + 1 - area.y
}

fn draw_claims(paint: &mut Paint<'_>, area: Rect, screen: &ClaimsScreen, opened: &OpenedClaims, table: &ClaimsTable) {
    let all = claim_rows(table, &screen.filter);
    if all.is_empty() {
        paint.text(area, "no claim matches the filter", Role::Dim);
        return;
    }
    let obstacle = screen.claim().and_then(|(_, claim)| claim.obstacle.as_ref());
    let about = obstacle.map_or("ratios are time A / time B: below 1 A is faster", String::as_str);
    let lines = (wrap(&plain(about), usize::from(area.width)).len() as u16).min(area.height / 2);
    let foot = Rect { y: area.bottom().saturating_sub(lines), height: lines, ..area };
    let list = Rect { height: area.height.saturating_sub(lines), ..area };
    paint.wrapped(foot, about, Role::Dim);
    let lines = all.iter().map(|row| match row {
        ClaimRow::Title(comparison) => TableLine::Title(title(comparison, usize::from(area.width))),
        ClaimRow::Claim(_, claim) => TableLine::Row(*claim),
    });
    ListTable::new(claim_columns(&all), lines, opened.cursor, 0).paint(paint, list);
}

type ClaimColumn<'t> = TableColumn<'t, &'t JudgedClaim>;

fn claim_columns<'t>(all: &[ClaimRow<'t>]) -> Vec<ClaimColumn<'t>> {
    let verdict = |claim: &&JudgedClaim| format!("{} {}", claim.reproduction.sign(), claim.reproduction.words());
    let mut columns = vec![
        ClaimColumn::text("test", 0, |claim| claim_name(claim)).at_most(usize::MAX),
        ClaimColumn::text("published", 0, |claim| claim.published.as_str()).whole(),
        ClaimColumn::text("measured", 0, |claim| measured(claim)).whole(),
        ClaimColumn::text("verdict", 0, verdict).whole().coloured(|claim| role(claim.reproduction)),
    ];
    if all.iter().any(|row| matches!(row, ClaimRow::Claim(_, claim) if claim.figures.is_some())) {
        let figures =
            |claim: &&JudgedClaim| claim.figures.as_ref().map_or(String::new(), |(a, b)| format!("{a} / {b}"));
        columns.insert(2, ClaimColumn::text("A / B", 1, figures).whole().coloured(|_| Role::Dim));
    }
    columns
}

/// Returns the sides with their runs, and the comparison's title if there is room.
fn title<'t>(comparison: &JudgedComparison, room: usize) -> Vec<TextPiece<'t>> {
    let side = |name: &str, text: &str, runs: usize| plain(&format!("{name} {text} {}", units::counted(runs, "run")));
    let (a, b) = comparison.runs;
    let sides = [side("A", &comparison.a_name, a), side("B", &comparison.b_name, b)];
    let title = plain(&comparison.title);
    let whole = width(&sides[0]) + width(&sides[1]) + width(&title) + 6 <= room;
    let [a, b] = sides;
    let imported = (comparison.origin == RunOrigin::Imported).then(|| piece("imported: ", Role::Bad));
    let mut pieces: Vec<TextPiece<'t>> = imported.into_iter().collect();
    pieces.extend([piece(a, Role::A), piece(" · ", Role::Dim), piece(b, Role::B)]);
    if whole {
        pieces.extend([piece(" · ", Role::Dim), piece(title, Role::Title)]);
    }
    pieces
}

fn role(reproduction: Reproduction) -> Role {
    match reproduction {
        Reproduction::Agrees => Role::Good,
        Reproduction::DirectionOnly | Reproduction::OppositeElsewhere => Role::Warn,
        Reproduction::NotReproduced => Role::Bad,
        Reproduction::Undecided => Role::Text,
        Reproduction::NotMeasured => Role::Dim,
    }
}
