//! Painting of the Tune screen.

mod effects;
mod ledger;
mod scale;
mod search;
mod trial;

pub(super) use effects::effects_lines;

use super::{TunePane, TuneScreen, TuneView, WatchedTrial};
use crate::tui::{
    screens::Context,
    widgets::{
        list::more_below,
        paint::{Paint, ViewTitle, width, wrap},
        table::{ListTable, TableColumn},
    },
    world::World,
};
use dbdyno_catalog::Role;
use dbdyno_engine::describe::OptionSpec;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_running::tune::TestEffect;
use dbdyno_stats::Verdict;
use ratatui::layout::{Constraint, Layout, Rect};

/// Paints the options on the left, the trial or the search and the ledger on the right; or only the effects.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen, context: &Context<'_>) {
    let world = context.world;
    if tune.view == TuneView::Effects && tune.effects.is_some() {
        effects::draw(paint, area, tune);
        return;
    }
    if context.zoomed {
        return match tune.pane {
            TunePane::Options => draw_options(paint, area, tune, world),
            TunePane::Ledger => ledger::draw(paint, area, tune),
        };
    }
    let left = (area.width * 2 / 5).clamp(34, 60);
    let [options, right] = area.layout(&Layout::horizontal([Constraint::Length(left), Constraint::Min(40)]));
    draw_options(paint, options, tune, world);
    let ledger = (area.height / 3).max(6);
    let [above, below] = right.layout(&Layout::vertical([Constraint::Min(10), Constraint::Length(ledger)]));
    match (tune.view, tune.under_cursor()) {
        (TuneView::Search, _) => search::draw(paint, above, tune),
        (_, Some(stored)) => {
            let watched = tune.watched.as_ref().filter(|watched| watched.trial.trial_id == stored.trial_id);
            let running = tune.running.is_some() && watched.is_some();
            let shown = watched.cloned().unwrap_or_else(|| WatchedTrial::stored(stored.clone()));
            trial::draw(paint, above, tune, Some(&shown), running);
        }
        (_, None) => trial::draw(paint, above, tune, tune.watched.as_ref(), tune.running.is_some()),
    }
    ledger::draw(paint, below, tune);
}

/// Paints the pane of the view, with the names of all views if there are several. Of its titles, it has the first one that fits, and else
/// the last one. Returns the inside of the pane.
fn pane_of_view(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen, titles: &[&str], focused: bool) -> Rect {
    let views = tune.views();
    let current = views.iter().position(|view| *view == tune.view).unwrap_or(0);
    let of_views = |title: &str| {
        let names = views.iter().map(|view| view.name()).collect();
        ViewTitle { before: "", names, current, after: format!(" · {title}") }
    };
    let has_one = views.len() == 1;
    let taken = |title: &str| if has_one { width(title) } else { of_views(title).width() };
    let room = usize::from(area.width).saturating_sub(4);
    let fitting = titles.iter().find(|title| taken(title) <= room).or(titles.last());
    let title = fitting.copied().unwrap_or_default();
    if has_one { paint.pane(area, title, focused) } else { paint.pane_of_views(area, &of_views(title), focused).0 }
}

/// Returns the lines below the options: the tests, the durability, and the option under the cursor.
fn about(tune: &TuneScreen, world: &World) -> Vec<(String, Role)> {
    let form = &tune.form;
    let picked = form.found_suite(world).and_then(|suite| suite.picked_names(&form.tests));
    let tests = picked.map_or_else(|| "all tests".to_owned(), |names| names.join(", "));
    let mut lines = vec![(format!("on {tests}, {}", counted(form.rounds(world), "round")), Role::Text)];
    if let Some(what) = &tune.reading {
        lines.push((format!("{what} …"), Role::Accent));
    }
    if let Some((before, after)) = form.tiers(world) {
        let lost = before != after;
        let text = if lost { format!("tier {before} → {after}") } else { format!("tier {before}") };
        lines.push((text, if lost { Role::Warn } else { Role::Dim }));
    }
    if let Some(reason) = form.pointless(world) {
        lines.push((format!("! cannot differ: {reason}"), Role::Warn));
    } else if let Some(spec) = form.specs(world).get(tune.cursor.at) {
        lines.push((spec.help.clone(), Role::Dim));
    }
    lines
}

fn draw_options(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen, world: &World) {
    let form = &tune.form;
    let size = form.size.map_or_else(String::new, |size| size.to_string());
    let focused = tune.pane == TunePane::Options;
    let inner = paint.pane(area, &format!("Base · {} · {} {size}", form.engine, form.suite), focused);
    let specs = form.specs(world);
    if specs.is_empty() {
        paint.wrapped(inner, &format!("{} has no options to change", form.engine), Role::Dim);
        return;
    }
    let lines: Vec<(String, Role)> = about(tune, world)
        .into_iter()
        .flat_map(|(text, role)| {
            wrap(&plain(&text), usize::from(inner.width)).into_iter().map(move |line| (line, role))
        })
        .collect();
    let height = (lines.len() as u16).min(inner.height / 2);
    let [list, below] = inner.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(height)]));
    let is_set = |spec: &&OptionSpec| form.base.contains_key(&spec.name);
    let value = move |spec: &&OptionSpec| match form.change.get(&spec.name) {
        Some(value) => format!("{} → {value}", form.base_value(spec)),
        None => format!("{}{}", form.base_value(spec), if is_set(spec) { " ✓" } else { "" }),
    };
    let role = move |spec: &&OptionSpec| match (form.change.contains_key(&spec.name), is_set(spec)) {
        (true, _) => Role::Accent,
        (false, true) => Role::Good,
        (false, false) => Role::Dim,
    };
    let columns = vec![
        TableColumn::<&OptionSpec>::text("", 0, |spec| spec.name.as_str()).whole().gap(1),
        TableColumn::text("", 0, value).coloured(role),
    ];
    ListTable::new(columns, specs, tune.cursor, 0).highlighted_if(focused).paint(paint, list);
    paint.lines(below, &lines, more_below);
}

/// Returns the role of a verdict.
fn role(effect: &TestEffect) -> Role {
    match effect.found.as_ref().map(|found| found.verdict) {
        Some(Verdict::Faster) => Role::Good,
        Some(Verdict::Slower) => Role::Bad,
        Some(Verdict::Same) => Role::Accent,
        Some(Verdict::Undecided { .. } | Verdict::TooFew { .. }) => Role::Dim,
        None => Role::Warn,
    }
}
