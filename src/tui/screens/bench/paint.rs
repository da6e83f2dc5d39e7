//! Painting of the Bench screen.

use super::{
    BenchPane, BenchScreen, EngineEntry, OptionOwner, OptionRow, form::BenchSubject, panes::Measurable,
    rounds::shown_rounds, selected::Selected,
};
use crate::tui::{
    screens::Context,
    widgets::{
        list::{VisibleRows, in_pane},
        paint::{Paint, TextPiece, ViewTitle, fit, fit_end, pad, pad_left, piece, width, wrap},
        table::{ColumnWidth, ListTable, TableColumn, TableLine},
    },
    world::World,
};
use dbdyno_catalog::{Role, Suite, bench::BenchPlan};
use dbdyno_engine::{durability::Tier, size::Size};
use dbdyno_foundation::base::units::{self, plain};
use ratatui::layout::{Constraint, Layout, Rect};

/// Paints suites, engines and options above, sizes, rounds and the plan below.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, context: &Context<'_>) {
    let world = context.world;
    if paint.bare {
        return draw_compact(paint, area, bench, world);
    }
    if context.zoomed {
        return draw_pane(paint, area, bench, world);
    }
    let lower = (area.height / 3).clamp(8, 14);
    let [upper, lower] = area.layout(&Layout::vertical([Constraint::Min(10), Constraint::Length(lower)]));
    let (left, middle) = match area.width {
        QUESTIONS.. => (38, 34),
        110.. => (26, 34),
        _ => (20, 22),
    };
    let is_suite = matches!(bench.form.measured, BenchSubject::Suite(_));
    let about = if area.width >= ROOMY && is_suite { ABOUT } else { 0 };
    let columns =
        [Constraint::Length(left), Constraint::Length(middle), Constraint::Min(30), Constraint::Length(about)];
    let [suites, engines, options, about] = upper.layout(&Layout::horizontal(columns));
    draw_subjects(paint, suites, bench, world);
    draw_engines(paint, engines, bench, world);
    let chosen = || Measurable::all(world).into_iter().find(|one| one.is(&bench.form.measured));
    match bench.other_subject(world) {
        Some(other) if about.is_empty() => draw_about(paint, options, other, true),
        other => {
            draw_options(paint, options, bench, world);
            if let Some(subject) = other.or_else(chosen) {
                draw_about(paint, about, subject, other.is_some());
            }
        }
    }
    let [sizes, plan] = lower.layout(&Layout::horizontal([Constraint::Length(left), Constraint::Min(40)]));
    let [sizes, rounds] = sizes.layout(&Layout::vertical([Constraint::Min(4), Constraint::Length(3)]));
    draw_sizes(paint, sizes, bench, world);
    draw_rounds(paint, rounds, bench);
    draw_plan(paint, plan, bench, world);
}

/// Rows of the plan below a pane that fills a small terminal.
const PLAN_ROWS: u16 = 4;

/// Paints the pane with the cursor below the names of all panes, and the plan, which tells the effect of each choice.
fn draw_compact(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    let rows = Layout::vertical([Constraint::Length(1), Constraint::Min(4), Constraint::Length(PLAN_ROWS)]);
    let [names, pane, plan] = area.layout(&rows);
    let names_of_panes = ViewTitle {
        before: "",
        names: BenchPane::ALL.map(BenchPane::name).to_vec(),
        current: bench.pane.index(),
        after: String::new(),
    };
    paint.pane_of_views(names, &names_of_panes, false);
    draw_pane(paint, pane, bench, world);
    draw_plan(paint, plan, bench, world);
}

/// Paints only the pane with the cursor.
fn draw_pane(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    match bench.pane {
        BenchPane::Suites => draw_subjects(paint, area, bench, world),
        BenchPane::Engines => draw_engines(paint, area, bench, world),
        BenchPane::Options => draw_options(paint, area, bench, world),
        BenchPane::Sizes => draw_sizes(paint, area, bench, world),
        BenchPane::Rounds => draw_rounds(paint, area, bench),
    }
}

/// Paints the rows of a list, scrolled to its cursor, and makes them clickable.
fn list<'t>(
    paint: &mut Paint<'_>,
    area: Rect,
    bench: &BenchScreen,
    pane: BenchPane,
    lines: impl Iterator<Item = Vec<TextPiece<'t>>>,
) {
    let lines: Vec<_> = lines.collect();
    let around = VisibleRows::new(lines.len(), bench.cursors[pane.index()]).highlighted_if(bench.pane == pane);
    around.paint(paint, area, in_pane(pane.index()), |paint, at, row| {
        paint.line(row, &lines[at]);
    });
}

/// The description of what Tune does.
const ABOUT_WHAT_IF: &str = "Tune runs a change of an option against the options as they are, in turns, and says what it gains and what it costs";

/// The description of what Choose does.
const ABOUT_CHOOSE: &str =
    "Lets all engines compete on the workload that is chosen here, each with many settings, and says which one to take";

/// What a newcomer needs at the first start, until something is measured.
const FIRST_STEPS: [&str; 3] = [
    "Enter  runs this bench and shows it live",
    "4      compares the results when it is over",
    "?      lists the keys of the screen; q leaves",
];

/// The description of the workload that the form describes.
const ABOUT_WORKLOAD: &str =
    "A workload of your own: rows, value sizes, shares of reads and writes, threads, what a commit must survive";

/// Columns of the screen, and of the first pane, from which its entries are the user's questions.
const QUESTIONS: u16 = 130;
const QUESTION: u16 = 38;

/// Titles of the first pane, the longest that fits is shown.
const PUBLISHED: [&str; 2] = ["Reproduce a publication", "Publications"];

/// Paints the user's own workload, SQL and suites, and the built-in suites below a title.
fn draw_subjects(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    let has_questions = area.width >= QUESTION;
    let title = if has_questions { "What do you want to know?" } else { "What to measure" };
    let inner = paint.pane(area, title, bench.pane == BenchPane::Suites);
    let room = usize::from(inner.width);
    let (above, below): (Vec<Measurable<'_>>, Vec<Measurable<'_>>) =
        Measurable::all(world).into_iter().partition(|subject| !matches!(subject, Measurable::Published(_)));
    let title = PUBLISHED.into_iter().find(|title| width(title) <= room).unwrap_or_default();
    let title = TableLine::Title(vec![piece(title, Role::Dim)]);
    let lines = above.into_iter().map(TableLine::Row).chain([title]).chain(below.into_iter().map(TableLine::Row));
    let cell = move |subject: &Measurable<'_>, room: usize| subject_line(*subject, bench, room);
    let columns = vec![TableColumn::drawn("", 0, ColumnWidth::Filled(room, room), cell)];
    ListTable::new(columns, lines, bench.cursors[BenchPane::Suites.index()], BenchPane::Suites.index())
        .highlighted_if(bench.pane == BenchPane::Suites)
        .paint(paint, inner);
}

fn subject_line<'t>(subject: Measurable<'_>, bench: &BenchScreen, room: usize) -> Vec<TextPiece<'t>> {
    let (name, suite) = subject.named();
    let name = subject.question().filter(|_| room >= usize::from(QUESTION) - 2).unwrap_or(name);
    let tests = suite.map(|suite| units::counted(suite.tests().count(), "test")).unwrap_or_default();
    let chosen = subject.is(&bench.form.measured);
    let name = pad(name, room.saturating_sub(width(&tests) + 3));
    let role = if chosen { Role::Accent } else { Role::Text };
    vec![piece(if chosen { "▸ " } else { "  " }, role), piece(name, role), piece(format!(" {tests}"), Role::Dim)]
}

fn draw_engines(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    let title = if world.engines_complete { "Engines" } else { "Engines · looking for more" };
    let inner = paint.pane(area, title, bench.pane == BenchPane::Engines);
    let room = usize::from(inner.width);
    let mut lines: Vec<Vec<TextPiece<'_>>> =
        bench.form.entries.iter().map(|entry| engine(entry, bench.refused(entry).is_some(), world, room)).collect();
    lines.extend(world.registry.unavailable.iter().map(|missing| {
        let (name, word) = (format!(" ✗  {}", missing.name), missing.kind.word());
        // The name is more important than why; the options pane says why.
        let left = room.saturating_sub(width(&name));
        let why = if left > width(word) { pad_left(word, left) } else { String::new() };
        vec![piece(name, Role::Dim), piece(why, Role::Dim)]
    }));
    list(paint, inner, bench, BenchPane::Engines, lines.into_iter());
}

/// Columns from which an engine says in words how many of its options are set.
const WIDE_ENGINES: usize = 30;

fn engine<'t>(entry: &EngineEntry, is_refused: bool, world: &World, room: usize) -> Vec<TextPiece<'t>> {
    let found = world.registry.engines.iter().find(|engine| engine.description.name == entry.engine);
    let version = match found {
        None => "missing",
        Some(_) if is_refused => "cannot",
        Some(engine) => engine.description.version.as_str(),
    };
    let sign = if entry.on { "[x] " } else { "[ ] " };
    let role = match (entry.on, found.is_some()) {
        (_, false) => Role::Bad,
        (true, true) if is_refused => Role::Bad,
        (true, true) => Role::Good,
        (false, true) if is_refused => Role::Dim,
        (false, true) => Role::Text,
    };
    let configurations: usize = entry.options.values().map(Vec::len).product();
    let changed = match (configurations, entry.options.len()) {
        (1, 0) => String::new(),
        (1, options) if room >= WIDE_ENGINES => format!(", {options} set"),
        (1, options) => format!(" +{options}"),
        (several, _) => format!(" x{several}"),
    };
    let name = format!("{}{changed}", entry.engine);
    // The number of configurations is more important than the version.
    let left = room.saturating_sub(4 + width(&name));
    let version = if left > width(version).min(10) { fit(version, 10) } else { String::new() };
    let name = pad(&name, room.saturating_sub(4 + width(&version)));
    vec![piece(sign, role), piece(name, role), piece(version, Role::Dim)]
}

/// Columns from which the chosen subject is described beside the options, and the columns of that description.
const ROOMY: u16 = 150;
const ABOUT: u16 = 58;

/// Describes a subject: the chosen one, or another under the cursor, which a key chooses.
fn draw_about(paint: &mut Paint<'_>, area: Rect, subject: Measurable<'_>, is_other: bool) {
    if area.is_empty() {
        return;
    }
    let (name, suite) = subject.named();
    let inner = paint.pane(area, &format!("About {name}"), false);
    let sizes = |suite: &Suite| {
        let all: Vec<String> = suite.sizes.iter().map(Size::to_string).collect();
        format!("{}, {}: {}", units::counted(suite.tests().count(), "test"), suite.size_unit, all.join(", "))
    };
    let (title, lines) = match (subject, suite) {
        (_, Some(suite)) => (suite.title.as_str(), vec![suite.about.clone(), sizes(suite), suite.source.clone()]),
        (Measurable::Files(kind), None) => (kind.about(), Vec::new()),
        (Measurable::Choose, None) => (ABOUT_CHOOSE, Vec::new()),
        (Measurable::WhatIf, None) => (ABOUT_WHAT_IF, Vec::new()),
        (_, None) => (ABOUT_WORKLOAD, Vec::new()),
    };
    let texts = [(title.to_owned(), Role::Text)].into_iter().chain(lines.into_iter().map(|line| (line, Role::Dim)));
    let mut left = inner;
    let tests =
        suite.into_iter().flat_map(Suite::tests).map(|test| (format!("{} {}", test.number, test.name), Role::Text));
    let key = is_other.then(|| ("Enter chooses it.".to_owned(), Role::Accent));
    for (text, role) in texts.chain(key).chain([(String::new(), Role::Text)]).chain(tests) {
        let taken = paint.wrapped(left, &text, role);
        left = Rect { y: left.y + taken, height: left.height - taken, ..left };
    }
}

fn draw_options(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    let missing = match bench.owner {
        OptionOwner::Suite => None,
        OptionOwner::Entry(at) => world.registry.unavailable.get(at.wrapping_sub(bench.form.entries.len())),
    };
    let owner = match (bench.owner, missing) {
        (OptionOwner::Suite, _) => bench.subject_name(),
        (OptionOwner::Entry(_), Some(missing)) => &missing.name,
        (OptionOwner::Entry(at), None) => bench.form.entries.get(at).map_or("", |entry| entry.engine.as_str()),
    };
    let tiers = bench.tiers(world);
    let wide = area.width >= 50 && tiers.len() < 3;
    let named = |tier: &Tier| if wide { tier.to_string() } else { tier.sign() };
    let names: Vec<String> = tiers.iter().map(named).collect();
    let between = if names.len() < 3 { " and " } else { " " };
    let tier = if names.is_empty() { String::new() } else { format!(" · tier {}", names.join(between)) };
    let filter = if bench.filter.is_empty() { String::new() } else { format!(" · /{}", plain(bench.filter.line())) };
    let inner = paint.pane(area, &format!("Options · {owner}{tier}{filter}"), bench.pane == BenchPane::Options);
    let options = bench.rows(world);
    let refusal = match bench.owner {
        OptionOwner::Entry(at) => bench.form.entries.get(at).and_then(|entry| bench.refused(entry)),
        OptionOwner::Suite => None,
    };
    if let Some(refusal) = refusal {
        let text = format!("It cannot run {}: {refusal}.", bench.subject_name());
        paint.wrapped(inner, &text, Role::Warn);
        return;
    }
    if options.is_empty() {
        match missing {
            Some(missing) => paint.wrapped(inner, &missing.reason, Role::Warn),
            None => paint.wrapped(inner, "no options", Role::Dim),
        };
        return;
    }
    let help = 4.min(inner.height / 3);
    let [rows_area, help_area] = inner.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(help)]));
    let name = options.iter().map(|row| width(row.name)).max().unwrap_or(0) + 1;
    let room = usize::from(inner.width).saturating_sub(name);
    let lines: Vec<Vec<TextPiece<'_>>> = options.iter().map(|row| option(row, name, room)).collect();
    list(paint, rows_area, bench, BenchPane::Options, lines.into_iter());
    if let Some(row) = options.get(bench.cursors[BenchPane::Options.index()].at) {
        paint.wrapped(help_area, &row.help, Role::Dim);
    }
}

/// Returns the row of an option. A choice also shows its other values, in the order in which a key takes them, if there is room.
fn option<'t>(row: &OptionRow<'_>, name: usize, room: usize) -> Vec<TextPiece<'t>> {
    let role = if row.chosen.is_some() { Role::Accent } else { Role::Text };
    let mut line = vec![piece(pad(row.name, name), role)];
    if let Some(chosen @ [_, _, ..]) = row.chosen.as_deref() {
        line.push(piece(several(chosen, room), Role::Accent));
        return line;
    }
    let value = row.value();
    if let Some(value) = &row.by_memory {
        line.push(piece(fit(&format!("{value} by memory"), room), role));
        return line;
    }
    if row.words.is_empty() {
        line.push(piece(if row.is_path { fit_end(value, room) } else { fit(value, room) }, role));
        return line;
    }
    let current = format!("‹{}›", if value.is_empty() { "-" } else { value });
    let mut left = room.saturating_sub(width(&current));
    line.push(piece(current, role));
    for word in row.others() {
        if width(word) + 1 > left {
            // The sign that there are more takes the place of the last value if nothing else is free.
            if left < 2 && line.len() > 2 {
                line.pop();
            }
            line.push(piece(" …", Role::Dim));
            break;
        }
        left -= width(word) + 1;
        line.push(piece(format!(" {word}"), Role::Dim));
    }
    line
}

/// Returns as many whole values as fit, and their total number.
fn several(chosen: &[&str], room: usize) -> String {
    let count = format!("{} values", chosen.len());
    let each: Vec<String> = chosen.iter().map(|value| format!("[{value}] ")).collect();
    let shown = |some: usize| format!("{}{}{count}", each[..some].concat(), if some < each.len() { "… " } else { "" });
    let widest = (1..=each.len()).rev().map(shown).find(|text| width(text) <= room);
    widest.unwrap_or_else(|| fit(&count, room))
}

fn draw_sizes(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    let unit = bench.suite(world).map_or("", |suite| suite.size_unit.as_str());
    let titles = [format!("Sizes · {unit}"), "Sizes".to_owned()];
    let fits = |title: &&String| width(title) + 4 <= usize::from(area.width);
    let title = titles.iter().find(fits).map_or("", String::as_str);
    let inner = paint.pane(area, title, bench.pane == BenchPane::Sizes);
    let lines = bench.form.offered.iter().map(|size| {
        let on = bench.form.sizes.contains(size);
        let role = if on { Role::Good } else { Role::Text };
        let text = size.second.map_or_else(|| units::count(size.first), |_| size.to_string());
        vec![piece(if on { "[x] " } else { "[ ] " }, role), piece(text, role)]
    });
    list(paint, inner, bench, BenchPane::Sizes, lines.collect::<Vec<_>>().into_iter());
}

fn draw_rounds(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen) {
    let inner = paint.pane(area, "Rounds · ABBA", bench.pane == BenchPane::Rounds);
    let twins = if bench.form.twins { " + A/A" } else { "" };
    let why = if bench.form.why > 0 { format!(" + {} why", bench.form.why) } else { String::new() };
    let rounds = shown_rounds(bench.form.rounds, bench.form.until_decided);
    let line = vec![piece(format!("‹{rounds}›{twins}{why}"), Role::Accent)];
    list(paint, inner, bench, BenchPane::Rounds, std::iter::once(line));
}

/// Returns the options of an engine that are set: `sqlite: journal_mode=wal, synchronous=full|normal`.
fn set_options(entry: &EngineEntry) -> Option<(String, Role)> {
    let set = entry.options.iter().map(|(name, values)| format!("{name}={}", values.join("|")));
    let set: Vec<String> = set.collect();
    (!set.is_empty()).then(|| (format!("{}: {}", entry.engine, set.join(", ")), Role::Dim))
}

fn draw_plan(paint: &mut Paint<'_>, area: Rect, bench: &BenchScreen, world: &World) {
    let preview = match &bench.preview {
        Ok(preview) => preview,
        Err(reason) => {
            let inner = paint.pane(area, "Plan", false);
            let (sign, role) = if bench.awaits_files() { ("…", Role::Dim) } else { ("✗", Role::Bad) };
            paint.wrapped(inner, &format!("{sign} {reason}"), role);
            return;
        }
    };
    let estimate = &preview.estimate;
    let guess = if estimate.from_history { "" } else { " (a guess)" };
    let title = format!(
        "Plan: {} · about {}{guess} · {}",
        units::counted(estimate.runs, "run"),
        units::clock(estimate.time),
        units::bytes(estimate.space_bytes)
    );
    let inner = paint.pane(area, &title, false);
    let mut lines: Vec<(String, Role)> = Vec::new();
    if let Some(preset) = &bench.form.preset {
        lines.push((format!("preset {preset}"), Role::Accent));
    }
    let tests = preview.plan.suite.operations(preview.plan.configurations[0].size, &preview.plan.pick).len();
    lines.push((
        format!(
            "{} x {}, {} each",
            units::counted(preview.plan.configurations.len(), "configuration"),
            units::counted(preview.plan.rounds, "round"),
            units::counted(tests, "test")
        ),
        Role::Text,
    ));
    lines.extend(estimate.more_rounds(&preview.plan).map(|line| (line, Role::Text)));
    lines.extend(estimate.repeated(&preview.plan, bench.form.why).map(|line| (line, Role::Text)));
    let held = preview.plan.conditions.to_string();
    if !held.is_empty() {
        lines.push((held, Role::Accent));
    }
    lines.extend(preview.warnings.iter().map(|warning| (format!("! {warning}"), Role::Warn)));
    if let Ok(Selected::Workload(made)) = bench.selected(world) {
        lines.push((made.workload.sentence(), Role::Text));
    }
    lines.push((labels(&preview.plan), Role::Dim));
    if world.is_first {
        lines.extend(FIRST_STEPS.map(|step| (step.to_owned(), Role::Key)));
    }
    // All other options have the engine's default.
    lines.extend(bench.form.entries.iter().filter(|entry| entry.on).filter_map(set_options));
    lines.extend(world.broken.iter().map(|broken| (format!("✗ {broken}"), Role::Bad)));
    let mut left = inner;
    for (text, role) in lines {
        if left.height == 0 {
            break;
        }
        let taken = paint.wrapped(left, &text, role);
        if wrap(&text, usize::from(left.width)).len() > usize::from(left.height) {
            let last = Rect { x: left.right() - 2, y: left.bottom() - 1, width: 2, height: 1 };
            paint.text(last, " …", Role::Dim);
        }
        left = Rect { y: left.y + taken, height: left.height - taken, ..left };
    }
}

/// Returns the labels of the configurations, each once.
fn labels(plan: &BenchPlan) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for configuration in &plan.configurations {
        if !labels.contains(&configuration.label.as_str()) {
            labels.push(&configuration.label);
        }
    }
    labels.join("  ")
}
