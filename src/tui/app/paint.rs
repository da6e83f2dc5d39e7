//! The frame around the screens: tabs above, hints or a notice below, and overlays on top.

use crate::tui::{
    app::{App, zoom::Room},
    keys::{Action, Binding, KeyPress, ScreenId},
    overlay::{self, Overlay},
    screens::intent::{Notice, NoticeKind},
    widgets::{
        Hit, Look, Target,
        paint::{self, Paint, piece, width},
    },
    world::Noise,
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

/// Paints the application; returns what can be clicked, and where the terminal's cursor goes.
pub fn draw(app: &App, look: &Look, buffer: &mut Buffer) -> (Vec<Hit>, Option<Position>) {
    let area = buffer.area;
    let chosen = app.theme.as_ref().map(|theme| look.with_theme(theme));
    let look = chosen.as_ref().unwrap_or(look);
    let mut paint = Paint::new(buffer, look);
    paint.buffer.set_style(area, look.style(Role::Text));
    match app.room() {
        Room::TooSmall => too_small(&mut paint, area, app),
        Room::Compact | Room::Whole => whole(&mut paint, area, app),
    }
    let Paint { hits, cursor, .. } = paint;
    look.finish(buffer);
    (hits, cursor)
}

/// Paints the required size, and whether a job runs.
fn too_small(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let (columns, rows) = Room::LEAST;
    let lines = if app.asks_to_leave() {
        ["Stop the job and leave?", "y yes  n no", "Z leave, it keeps running"].map(str::to_owned).to_vec()
    } else {
        let needed = [
            format!("dbdyno needs {columns} x {rows}"),
            format!("this is {} x {}", area.width, area.height),
            "q leaves; other keys wait".to_owned(),
        ];
        needed.into_iter().chain(app.status()).collect()
    };
    for (line, row) in lines.iter().zip(paint::rows(area)) {
        paint.text(row, line, Role::Warn);
    }
}

fn whole(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let top = Rect { height: 1, ..area };
    let bottom = Rect { y: area.bottom() - 1, height: 1, ..area };
    let notice = app.notices.shown().map(|notice| (notice, notice_lines(area, notice)));
    let below = notice.as_ref().map_or(0, |(_, lines)| lines.len() as u16);
    let body = Rect { y: area.y + 1, height: area.height - 2 - below, ..area };
    paint.bare = app.room() == Room::Compact;
    tabs(paint, top, app);
    let context = app.context();
    paint.way = app.way();
    app.screens.paint(app.screen, paint, body, &context);
    if app.is_zoomed() {
        zoomed(paint, body, app.screens.is_typed_into(app.screen));
    }
    if let Some((notice, lines)) = notice {
        draw_notice(paint, Rect { y: body.bottom(), height: below, ..area }, notice, &lines);
    }
    hints(paint, bottom, app);
    if let Some(open) = &app.open {
        paint.hits.clear();
        paint.bare = false;
        // A filter line shows its own keys in place of the hints.
        let place = if matches!(open.overlay, Overlay::Filter(_)) { area } else { body };
        overlay::paint::draw(paint, place, &open.overlay);
    }
}

/// Shows how to return to all panes, on a free stretch of a border.
fn zoomed(paint: &mut Paint<'_>, body: Rect, is_typed_into: bool) {
    let words = match is_typed_into {
        true => [" zoomed: Esc shows all panes ", " Esc: all panes "],
        false => [" zoomed: z or Esc shows all panes ", " z or Esc: all panes "],
    };
    let rows = [body.bottom() - 1, body.y];
    let places = words.into_iter().flat_map(|text| rows.map(|y| (text, y)));
    let mut places = places.map(|(text, y)| {
        let columns = width(text) as u16;
        (text, Rect { x: body.right() - 1 - columns, y, width: columns, height: 1 })
    });
    let is_free = |place: Rect| place.positions().all(|at| paint.buffer[at].symbol() == "─");
    if let Some((text, place)) = places.find(|(_, place)| is_free(*place)) {
        paint.text(place, text, Role::Key);
    }
}

/// Columns of a notice's sign and the space after it.
const SIGN: usize = 2;

/// Returns the lines of a notice. A success takes one line, because the screen is more important. A refusal or failure takes up to a fifth
/// of the rows. A key shows the full text of a cut notice.
fn notice_lines(area: Rect, notice: &Notice) -> Vec<String> {
    const MORE: &str = "… M shows all";
    let columns = usize::from(area.width).saturating_sub(SIGN);
    let mut lines = paint::wrap(&units::plain(&notice.text), columns);
    let most = if notice.kind == NoticeKind::Done { 1 } else { usize::from(area.height / 5).max(1) };
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = format!("{} {MORE}", paint::fit_start(last, columns.saturating_sub(width(MORE) + 1)));
        }
    }
    lines
}

fn draw_notice(paint: &mut Paint<'_>, place: Rect, notice: &Notice, lines: &[String]) {
    let (sign, role) = notice.kind.sign();
    for (at, (line, row)) in lines.iter().zip(paint::rows(place)).enumerate() {
        paint.line(row, &[piece(if at == 0 { sign } else { " " }, role), piece(" ", role), piece(line.as_str(), role)]);
    }
}

/// Columns from which the tabs have the program's name before them, and room between them.
const ROOMY: u16 = 100;

/// Paints the tabs, and the state of machine and session.
fn tabs(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let mut x = area.x;
    let at = |x: u16, width: usize| Rect { x, width: (width as u16).min(area.right().saturating_sub(x)), ..area };
    let roomy = area.width >= ROOMY;
    let compact = app.room() == Room::Compact;
    if roomy {
        x += paint.text(at(x, 8), "dbdyno ", Role::Title);
    }
    for screen in ScreenId::tabs() {
        let before = if roomy { " " } else { "" };
        let text = match compact && screen != app.tab() {
            true => format!("{} ", screen.number()),
            false => format!("{before}{} {} ", screen.number(), screen.name()),
        };
        let place = at(x, text.len());
        paint.text(place, &text, if screen == app.tab() { Role::Tab } else { Role::Dim });
        paint.hit(place, Target::Screen(screen));
        x += text.len() as u16;
    }
    // If there is little room, the most important part stays longest.
    let room = usize::from(area.right().saturating_sub(x + 1));
    let session = app.status();
    let warnings = app.screens.warnings().0;
    let noise = app.world.noise;
    let noisy = matches!(noise, Noise::Busy(_) | Noise::Stolen(_));
    let counted = units::counted(warnings, "warning");
    let parts = [
        (app.world.host.clone(), Role::Dim),
        (app.world.work_folder.file_system().to_owned(), Role::Dim),
        (noise.word(), if noisy { Role::Warn } else { Role::Dim }),
        (
            if warnings == 0 && app.busy() { String::new() } else { counted },
            if warnings > 0 { Role::Warn } else { Role::Dim },
        ),
        (session.unwrap_or_default(), Role::Accent),
    ];
    let mut shown: Vec<&(String, Role)> = Vec::new();
    let mut taken = 0;
    for part in parts.iter().rev().filter(|(text, _)| !text.is_empty()) {
        let more = width(&part.0) + if shown.is_empty() { 0 } else { 3 };
        if taken + more > room {
            break;
        }
        taken += more;
        shown.insert(0, part);
    }
    let mut pieces = Vec::new();
    for (at, (text, role)) in shown.iter().enumerate() {
        if at > 0 {
            pieces.push(piece(" · ", Role::Dim));
        }
        pieces.push(piece(text.as_str(), *role));
    }
    paint.line(at(area.right() - taken as u16, taken), &pieces);
}

/// Paints hints for the keys that do something now, as many as fit; keys of the screen come first. The palette, help and leaving are
/// always shown.
fn hints(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let context = app.context();
    let is_typed_into = app.screens.is_typed_into(app.screen);
    let hint = |binding: &Binding| {
        // Characters are typed into this screen.
        let mut keys = binding.keys.iter().filter(|key| !is_typed_into || !matches!(key, KeyPress::Char(_)));
        let words = app.screens.hint(app.screen, binding.action, &context).unwrap_or(binding.hint);
        keys.next().filter(|_| !words.is_empty()).map(|key| KeyHint { key: *key, word: key.word(), words })
    };
    let fills_anyway = |binding: &Binding| binding.action == Action::Zoom && app.room() == Room::Compact;
    let offered =
        |binding: &&Binding| !fills_anyway(binding) && app.screens.offers(app.screen, binding.action, &context);
    let everywhere: Vec<KeyHint> = app.world.keys.everywhere().iter().filter_map(hint).collect();
    let taken = everywhere.iter().map(|hint| hint.width() + GAP).sum();
    let mut room = usize::from(area.width).saturating_sub(taken);
    let own = app.world.keys.of_screen(app.screen).iter().filter(offered).filter_map(hint).map_while(|hint| {
        room = room.checked_sub(hint.width() + GAP)?;
        Some(hint)
    });
    let mut x = area.x;
    for hint in own.collect::<Vec<_>>().into_iter().chain(everywhere) {
        let place = Rect { x, width: (hint.width() as u16).min(area.right() - x), ..area };
        paint.line(place, &[piece(hint.word.as_str(), Role::Key), piece(" ", Role::Dim), piece(hint.words, Role::Dim)]);
        paint.hit(place, Target::Press(hint.key));
        x = (x + (hint.width() + GAP) as u16).min(area.right());
    }
}

/// Spaces between two hints.
const GAP: usize = 2;

/// A key and what it does now.
struct KeyHint {
    key: KeyPress,
    /// The name of the key.
    word: String,
    words: &'static str,
}

impl KeyHint {
    fn width(&self) -> usize {
        width(&self.word) + 1 + width(self.words)
    }
}
