//! The Tune screen.

mod trial;

use super::TuneScreen;
use crate::{
    base::units::plain,
    catalog::Role,
    report::tune::words,
    stats::Verdict,
    tui::{
        widgets::{
            Target,
            paint::{Paint, TextPiece, fit, pad, piece, rows, width, wrap},
        },
        world::World,
    },
    tune::{Entry, TestEffect, Trial, TrialState},
};
use ratatui::layout::{Constraint, Layout, Rect};

/// Paints the screen: the options on the left, the trial and the ledger on the right.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen, world: &World) {
    let left = (area.width * 2 / 5).clamp(34, 60);
    let [options, right] = area.layout(&Layout::horizontal([Constraint::Length(left), Constraint::Min(40)]));
    draw_options(paint, options, tune, world);
    let ledger = (area.height / 3).max(6);
    let [above, below] = right.layout(&Layout::vertical([Constraint::Min(10), Constraint::Length(ledger)]));
    trial::draw(paint, above, tune);
    draw_ledger(paint, below, tune);
}

fn draw_options(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen, world: &World) {
    let form = &tune.form;
    let size = form.size.map_or_else(String::new, |size| size.to_string());
    let inner = paint.pane(area, &format!("Base · {} · {} {size}", form.engine, form.suite), true);
    let specs = form.specs(world);
    if specs.is_empty() {
        paint.wrapped(inner, &format!("{} has no options to change", form.engine), Role::Dim);
        return;
    }
    let tests = if form.tests.is_empty() { "all tests".to_owned() } else { form.tests.join(", ") };
    let mut foot = vec![(format!("on {tests}, {} rounds", form.rounds(world)), Role::Text)];
    if let Some((before, after)) = form.tiers(world) {
        let lost = before != after;
        let text = if lost { format!("tier {before} → {after}") } else { format!("tier {before}") };
        foot.push((text, if lost { Role::Warn } else { Role::Dim }));
    }
    if let Some(reason) = form.pointless(world) {
        foot.push((format!("! cannot differ: {reason}"), Role::Warn));
    } else if let Some(spec) = specs.get(tune.cursor.at) {
        foot.push((spec.help.clone(), Role::Dim));
    }
    let lines: Vec<(String, Role)> = (foot.into_iter())
        .flat_map(|(text, role)| {
            wrap(&plain(&text), usize::from(inner.width)).into_iter().map(move |line| (line, role))
        })
        .collect();
    let height = (lines.len() as u16).min(inner.height / 2);
    let [list, below] = inner.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(height)]));
    let name = specs.iter().map(|spec| width(&spec.name)).max().unwrap_or(0) + 1;
    let room = usize::from(list.width).saturating_sub(name);
    let offset = tune.cursor.offset(specs.len(), usize::from(list.height));
    for ((at, spec), row) in specs.iter().enumerate().skip(offset).zip(rows(list)) {
        let base = form.base_value(spec);
        let mut line: Vec<TextPiece<'_>> = vec![piece(pad(&spec.name, name), Role::Text)];
        match form.change.get(&spec.name) {
            Some(value) => line.push(piece(fit(&format!("{base} → {value}"), room), Role::Accent)),
            None => line.push(piece(fit(base, room), Role::Dim)),
        }
        paint.line(row, &line);
        if at == tune.cursor.at {
            paint.highlight(row);
        }
        paint.hit(row, Target::Spot { pane: 0, row: at });
    }
    for ((text, role), row) in lines.iter().zip(rows(below)) {
        paint.text(row, text, *role);
    }
}

fn draw_ledger(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen) {
    let inner = paint.pane(area, &format!("Ledger · {}", tune.form.ledger_name()), false);
    let entries = tune.ledger.as_ref().map_or(&[][..], |ledger| &ledger.entries);
    if entries.is_empty() {
        paint.wrapped(inner, "nothing was tried yet: Space changes an option, Enter tries it", Role::Dim);
        return;
    }
    // The latest are what one is working at.
    let from = entries.len().saturating_sub(usize::from(inner.height));
    for (entry, row) in entries.iter().skip(from).zip(rows(inner)) {
        let (verdict, role) = outcome(entry);
        let room = usize::from(row.width).saturating_sub(width(&verdict) + 1);
        let mark = if entry.trial.accepted { "✓ " } else { "· " };
        let mark = format!("{}{mark}", "  ".repeat(entry.depth));
        let what = format!("{mark}{}", changed(&entry.trial, room.saturating_sub(width(&mark))));
        paint.line(row, &[piece(pad(&what, room), Role::Text), piece(" ", Role::Dim), piece(verdict, role)]);
    }
}

/// What a trial changes, in as many words as there is room for: no value is cut, because half of one is another.
fn changed(trial: &Trial, room: usize) -> String {
    let parts: Vec<String> = trial.change.0.iter().map(|(option, value)| format!("{option}={value}")).collect();
    let some = |shown: usize| match parts.len() - shown {
        0 => parts.join(" "),
        more => format!("{} +{more}", parts[..shown].join(" ")),
    };
    let mut texts = std::iter::once(words::change(trial)).chain((1..=parts.len()).rev().map(some));
    let widest = texts.find(|text| width(&plain(text)) <= room);
    plain(&widest.unwrap_or_else(|| format!("{} changed", parts.len())))
}

/// What a trial came to, in few words.
fn outcome(entry: &Entry) -> (String, Role) {
    let trial = &entry.trial;
    match (&trial.state, trial.effects.as_slice()) {
        (TrialState::Tried, [only]) => (words::short_verdict(only), role(only)),
        (TrialState::Tried, several) => {
            let faster = several.iter().filter(|effect| role(effect) == Role::Good).count();
            let slower = several.iter().filter(|effect| role(effect) == Role::Bad).count();
            let role = if slower > 0 {
                Role::Bad
            } else if faster > 0 {
                Role::Good
            } else {
                Role::Dim
            };
            (format!("{faster} faster, {slower} slower of {}", several.len()), role)
        }
        (TrialState::Stopped, _) => ("stopped".to_owned(), Role::Warn),
        (TrialState::CannotDiffer(_), _) => ("cannot differ".to_owned(), Role::Dim),
        (TrialState::Failed(_), _) => ("✗ failed".to_owned(), Role::Bad),
    }
}

/// How a verdict is painted.
fn role(effect: &TestEffect) -> Role {
    match effect.found.as_ref().map(|found| found.verdict) {
        Some(Verdict::Faster) => Role::Good,
        Some(Verdict::Slower) => Role::Bad,
        Some(Verdict::Same) => Role::Accent,
        Some(Verdict::Undecided { .. } | Verdict::TooFew { .. }) => Role::Dim,
        None => Role::Warn,
    }
}
