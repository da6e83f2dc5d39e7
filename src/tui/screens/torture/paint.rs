//! Painting of the Torture screen: the crash test in progress, the evidence, and the details of the row under the cursor.

use super::{TortureScreen, WatchedSeries};
use crate::tui::widgets::{
    paint::{Paint, rows, wrap},
    table::{ListTable, TableColumn},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::{evidence::evidence_lines, torture::step_text};
use dbdyno_store::{EvidenceRecord, TierVerdict};
use ratatui::layout::{Constraint, Layout, Rect};

/// The text shown before there is any evidence.
const EMPTY: &str = "Does an engine keep what its tier promises? dbdyno kills it while it commits, and opens images of the possible states of a disk \
                     after a power loss. There are no findings yet: + chooses an engine.";

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &TortureScreen) {
    let about = screen.current().map_or_else(Vec::new, evidence_lines);
    let inside = usize::from(area.width).saturating_sub(2);
    let lines: Vec<String> = about.iter().flat_map(|line| wrap(line, inside)).collect();
    let below = if lines.is_empty() { 0 } else { (lines.len() as u16 + 2).min(area.height / 2) };
    let above = above_height(screen, inside);
    let split = Layout::vertical([Constraint::Length(above), Constraint::Min(3), Constraint::Length(below)]);
    let [under_way, list, details] = area.layout(&split);
    if above > 0 {
        draw_under_way(paint, under_way, screen);
    }
    draw_list(paint, list, screen);
    if let Some(evidence) = screen.current() {
        let inner = paint.pane(details, &plain(&evidence.choice), false);
        let fits = usize::from(inner.height);
        let cut = lines.len() > fits;
        for (at, (line, row)) in lines.iter().zip(rows(inner)).enumerate() {
            let role = if at == 0 { role(evidence) } else { Role::Text };
            if cut && at + 1 == fits {
                paint.text(row, "the rest: Enter", Role::Dim)
            } else {
                paint.text(row, line, role)
            };
        }
    }
}

fn above_height(screen: &TortureScreen, inside: usize) -> u16 {
    let failures: usize = screen.failures.iter().map(|failure| wrap(&plain(failure), inside).len().min(3)).sum();
    let watched = if screen.watched.is_some() { 2 } else { 0 };
    let lines = failures.min(6) + watched;
    if lines == 0 { 0 } else { lines as u16 + 2 }
}

fn draw_under_way(paint: &mut Paint<'_>, area: Rect, screen: &TortureScreen) {
    let title = screen.watched.as_ref().map_or_else(|| "Not tortured".to_owned(), title);
    let inner = paint.pane(area, &title, false);
    let mut left = inner;
    if let Some(watched) = &screen.watched {
        let text = watched.step.as_ref().map_or_else(|| "starting".to_owned(), |step| step_text(step, &watched.terms));
        paint.text(Rect { height: 1, ..inner }, &text, Role::Text);
        let gauge = Rect { y: inner.y + 1, height: 1, ..inner };
        paint.gauge(gauge, watched.share().unwrap_or(0.0), Role::Accent);
        left = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
    }
    for failure in &screen.failures {
        let text = format!("✗ {failure}");
        let taken = wrap(&plain(&text), usize::from(left.width)).len().min(3) as u16;
        paint.wrapped(Rect { height: taken.min(left.height), ..left }, &text, Role::Bad);
        left = Rect { y: left.y + taken.min(left.height), height: left.height.saturating_sub(taken), ..left };
    }
}

fn title(watched: &WatchedSeries) -> String {
    match watched.choices.get(watched.at) {
        Some(choice) => format!("Torturing {} · {} of {}", plain(choice), watched.at + 1, watched.choices.len()),
        None => "Torturing".to_owned(),
    }
}

fn draw_list(paint: &mut Paint<'_>, area: Rect, screen: &TortureScreen) {
    let filter = if screen.filter.is_empty() { String::new() } else { format!(" · /{}", plain(screen.filter.line())) };
    let inner = paint.pane(area, &format!("Torture: are promises kept?{filter}"), true);
    let found = screen.matching();
    match &screen.found {
        None => {
            paint.text(inner, "reading …", Role::Dim);
        }
        Some(Err(reason)) => {
            paint.wrapped(inner, &format!("✗ {reason}: Ctrl-r reads again"), Role::Bad);
        }
        Some(Ok(all)) if all.is_empty() => {
            paint.wrapped(inner, EMPTY, Role::Dim);
        }
        Some(Ok(_)) if found.is_empty() => {
            paint.text(inner, "nothing matches the filter", Role::Dim);
        }
        Some(Ok(_)) => drop(ListTable::new(columns(), found, screen.cursor, 0).paint(paint, inner)),
    }
}

type EvidenceColumn<'t> = TableColumn<'t, &'t EvidenceRecord>;

fn columns<'t>() -> Vec<EvidenceColumn<'t>> {
    vec![
        EvidenceColumn::text("configuration", 0, |evidence| evidence.choice.as_str()),
        EvidenceColumn::text("version", 7, |evidence| evidence.engine_version.as_str()),
        EvidenceColumn::text("tier", 2, |evidence| evidence.tier.to_string()),
        EvidenceColumn::text("verdict", 1, |evidence| format!("{} {}", sign(evidence), evidence.verdict))
            .coloured(|evidence| role(evidence)),
        EvidenceColumn::number("kills", 3, |evidence| evidence.kills.to_string()),
        EvidenceColumn::number("images", 4, |evidence| evidence.images.to_string()),
        EvidenceColumn::number("mutants", 5, |evidence| match evidence.mutants {
            0 => "-".to_owned(),
            mutants => format!("{}/{mutants}", evidence.mutants_caught),
        }),
        EvidenceColumn::text("tried", 6, |evidence| evidence.tried_at.strftime("%m-%d %H:%M").to_string()),
    ]
}

fn sign(evidence: &EvidenceRecord) -> &'static str {
    match evidence.tier_verdict() {
        Some(TierVerdict::Evidenced) => "✓",
        Some(TierVerdict::Contradicted) => "✗",
        Some(TierVerdict::NotEvidenced) | None => "?",
    }
}

fn role(evidence: &EvidenceRecord) -> Role {
    match evidence.tier_verdict() {
        Some(TierVerdict::Evidenced) => Role::Good,
        Some(TierVerdict::Contradicted) => Role::Bad,
        Some(TierVerdict::NotEvidenced) | None => Role::Warn,
    }
}
