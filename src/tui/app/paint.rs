//! The frame around the screens: tabs above, hints or a notice below, and overlays on top.

use crate::tui::{
    app::{App, LEAST},
    keys::{Binding, KeyPress, ScreenId},
    overlay::{self, Overlay},
    screens::intent::Notice,
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
    if area.width < LEAST.0 || area.height < LEAST.1 {
        too_small(&mut paint, area);
    } else {
        whole(&mut paint, area, app);
    }
    let Paint { hits, cursor, .. } = paint;
    look.finish(buffer);
    (hits, cursor)
}

fn too_small(paint: &mut Paint<'_>, area: Rect) {
    let lines = [
        format!("dbdyno needs {} x {}", LEAST.0, LEAST.1),
        format!("this is {} x {}", area.width, area.height),
        "make the terminal larger".to_owned(),
        "or leave with q".to_owned(),
    ];
    for (line, row) in lines.iter().zip(paint::rows(area)) {
        paint.text(row, line, Role::Warn);
    }
}

fn whole(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let top = Rect { height: 1, ..area };
    let bottom = Rect { y: area.bottom() - 1, height: 1, ..area };
    let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
    tabs(paint, top, app);
    let context = app.context();
    paint.way = app.way();
    app.screens.paint(app.screen, paint, body, &context);
    if app.is_zoomed() {
        zoomed(paint, body, app.screens.is_typed_into(app.screen));
    }
    match app.notices.shown() {
        Some(said) => notice(paint, area, said),
        None => hints(paint, bottom, app),
    }
    if let Some(open) = &app.open {
        paint.hits.clear();
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

/// Paints the newest notice over as many of the last rows as it needs. If it needs more than a third of them, it is cut, and a key shows
/// all of it.
fn notice(paint: &mut Paint<'_>, area: Rect, notice: &Notice) {
    const MORE: &str = "… M shows all of it";
    let (sign, role) = if notice.bad { ("✗ ", Role::Bad) } else { ("✓ ", Role::Good) };
    let columns = usize::from(area.width).saturating_sub(width(sign));
    let mut lines = paint::wrap(&units::plain(&notice.text), columns);
    let most = usize::from(area.height / 3).max(1);
    if lines.len() > most {
        lines.truncate(most - 1);
        lines.push(MORE.to_owned());
    }
    let height = lines.len() as u16;
    let place = Rect { y: area.bottom() - height, height, ..area };
    paint.clear(place);
    for (at, (line, row)) in lines.iter().zip(paint::rows(place)).enumerate() {
        paint.line(row, &[piece(if at == 0 { sign } else { "  " }, role), piece(line.as_str(), role)]);
    }
}

/// Columns from which the tabs have the program's name before them, and room between them.
const ROOMY: u16 = 100;

/// Paints the tabs, and the state of machine and session.
fn tabs(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let mut x = area.x;
    let at = |x: u16, width: usize| Rect { x, width: (width as u16).min(area.right().saturating_sub(x)), ..area };
    let roomy = area.width >= ROOMY;
    if roomy {
        x += paint.text(at(x, 8), "dbdyno ", Role::Title);
    }
    for screen in ScreenId::tabs() {
        let before = if roomy { " " } else { "" };
        let text = format!("{before}{} {} ", screen.number(), screen.name());
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

/// Paints hints for the keys that do something now, as many as fit, those of the screen first. The palette, help and leaving are always
/// shown.
fn hints(paint: &mut Paint<'_>, area: Rect, app: &App) {
    let context = app.context();
    let is_typed_into = app.screens.is_typed_into(app.screen);
    // A key that applies everywhere is typed into this screen if it is a character.
    let is_typed = |binding: &Binding| is_typed_into && binding.keys.iter().any(|key| matches!(key, KeyPress::Char(_)));
    let offered = |binding: &&Binding| !is_typed(binding) && app.screens.offers(app.screen, binding.action, &context);
    let all: Vec<&Binding> = app.bindings().filter(|binding| !binding.hint.is_empty()).filter(offered).collect();
    let width_of =
        |binding: &Binding| binding.keys.first().map_or(0, |key| width(&key.word())) + 1 + width(binding.hint);
    let everywhere = all.iter().rev().take(3).rev().copied();
    let mut room =
        usize::from(area.width).saturating_sub(everywhere.clone().map(|binding| width_of(binding) + 2).sum());
    let mut shown: Vec<&Binding> = Vec::new();
    for binding in all.iter().take(all.len().saturating_sub(3)) {
        let Some(left) = room.checked_sub(width_of(binding) + 2) else { break };
        room = left;
        shown.push(binding);
    }
    shown.extend(everywhere);
    let mut x = area.x;
    for binding in shown {
        let Some(&key) = binding.keys.first() else { continue };
        let word = key.word();
        let place = Rect { x, width: (width_of(binding) as u16).min(area.right() - x), ..area };
        paint.line(place, &[piece(word, Role::Key), piece(" ", Role::Dim), piece(binding.hint, Role::Dim)]);
        paint.hit(place, Target::Press(key));
        x = (x + width_of(binding) as u16 + 2).min(area.right());
    }
}
