//! The screen before two sides are chosen, and the one shown when a side matches nothing.

use crate::tui::{
    keys::KeyPress,
    screens::compare::{CompareScreen, Compared},
    widgets::{
        Target,
        paint::{Paint, TextPiece, piece, width},
        table::{ColumnWidth, ListTable, TableColumn},
    },
    world::World,
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::identifier::shortened;
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_store::Offer;
use ratatui::layout::Rect;

/// Paints the sides chosen so far and the pairs on offer.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, world: &World) {
    let mut row = Rect { height: 1, ..area };
    for (name, text, role, key) in [("A", &screen.looked.a, Role::A, 'a'), ("B", &screen.looked.b, Role::B, 'b')] {
        let chosen = if text.is_empty() { format!("not chosen: {key} types a selection") } else { text.clone() };
        let of_text = if text.is_empty() { Role::Dim } else { role };
        paint.line(row, &[piece(format!("{name}  "), role), piece(chosen, of_text)]);
        paint.hit(row, Target::Press(KeyPress::Char(key)));
        row.y += 1;
    }
    let rest = Rect { y: row.y + 1, height: area.height.saturating_sub(3), ..area };
    let (text, role) = match &screen.offers {
        None => (format!("reading {} …", world.store), Role::Dim),
        Some(Err(reason)) => (format!("✗ {reason}"), Role::Bad),
        Some(Ok(offers)) if offers.is_empty() => {
            ("Nothing is measured yet: press 1 for the Bench screen, where Enter runs a bench".to_owned(), Role::Dim)
        }
        Some(Ok(offers)) if offers.len() == 1 => (
            format!("Only {} is measured: a and b type selections, as size=1000 and size=10000", offers[0].label),
            Role::Dim,
        ),
        Some(Ok(offers)) => {
            let of = if offers[0].session.is_some() { "the last session" } else { "all sessions" };
            (format!("Configurations of {of} · Enter compares a pair, C all of them"), Role::Title)
        }
    };
    let taken = paint.wrapped(rest, &text, role);
    let list = Rect { y: rest.y + taken, height: rest.height.saturating_sub(taken), ..rest };
    ListTable::new(columns(list.width), screen.pairs(), screen.offered, 0).paint(paint, list);
}

type PairColumn<'t> = TableColumn<'t, (&'t Offer, &'t Offer)>;

/// Returns the columns of the pairs on offer, in an area of this width.
fn columns<'t>(width: u16) -> Vec<PairColumn<'t>> {
    const AGAINST: &str = "against";
    let third = usize::from(width) / 3;
    let against = ColumnWidth::Filled(AGAINST.len(), AGAINST.len());
    let rest = ColumnWidth::Filled(third.saturating_sub(AGAINST.len() + 6), usize::MAX);
    vec![
        PairColumn::text("", 0, |(a, _)| a.label.as_str()).at_most(third).coloured(|_| Role::A),
        PairColumn::drawn("", 0, against, |_, _| vec![piece(AGAINST, Role::Dim)]),
        PairColumn::text("", 0, |(_, b)| b.label.as_str()).at_most(third).coloured(|_| Role::B),
        PairColumn::drawn("", 0, rest, |(a, b), room| facts(a, b, room)),
    ]
}

/// Returns the facts that show whether a pair is worth comparing, most important first, as many as fit.
fn facts<'t>(a: &Offer, b: &Offer, mut room: usize) -> Vec<TextPiece<'t>> {
    let counted = |offer: &Offer| units::counted(offer.runs, "run");
    let runs = if a.runs == b.runs { format!("{} each", counted(a)) } else { format!("{} and {}", a.runs, counted(b)) };
    let tiers = if a.tiers == b.tiers {
        (format!("tier {}", a.tiers), Role::Dim)
    } else {
        (format!("! tiers {} and {}", a.tiers, b.tiers), Role::Warn)
    };
    let all = [(runs, Role::Dim), tiers, (a.suite.clone(), Role::Dim), (format!("size {}", a.sizes), Role::Dim)];
    let mut gap = "";
    let fits = |(text, role): (String, Role)| {
        let text = format!("{gap}{text}");
        (room, gap) = (room.checked_sub(width(&plain(&text)))?, "  ");
        Some(piece(text, role))
    };
    all.into_iter().map_while(fits).collect()
}

/// Paints which side matches nothing, and what to do.
pub(super) fn nothing_found(paint: &mut Paint<'_>, area: Rect, compared: &Compared, is_measuring: bool) {
    let mut left = area;
    let mut say = |text: &str, role: Role| {
        let taken = paint.wrapped(left, text, role);
        left = Rect { y: left.y + taken, height: left.height.saturating_sub(taken), ..left };
    };
    for (name, side) in [("A", &compared.plain.a), ("B", &compared.plain.b)] {
        if side.runs == 0 {
            say(&format!("✗ {name} `{}` matches no stored result", shortened(&side.selection)), Role::Bad);
        }
    }
    for word in &compared.unknown {
        say(&format!("no stored run has an option or key `{word}`"), Role::Bad);
    }
    if is_measuring {
        say(
            "The results of what runs now are stored when it pauses or ends; they are compared here then.",
            Role::Accent,
        );
    }
    say("a and b type other selections; Esc offers measured pairs; 3 lists all results", Role::Dim);
}
