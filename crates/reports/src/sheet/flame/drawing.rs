//! The positions of a flame graph's frames in its drawings.
//!
//! The root is the first row and calls go down (an icicle), because a page is read from its top: the wide frames that give orientation are
//! next to the caption, and the height of the deepest stack does not push them out of a small screen.

use super::{Flame, FlameFrame, heaviest::percent, names::short};
use crate::sheet::{chart::rounded, forest::shortened};
use console::measure_text_width;
use dbdyno_foundation::base::units::{counted, duration, plain};
use serde::Serialize;

/// Widths of the drawings on a page and on the page of a phone. Each is about as wide as it is shown, so that its text is readable and is
/// shortened to what fits.
const WIDE: f64 = 960.0;
const NARROW: f64 = 380.0;
/// The narrowest frame: 0.1 % of a wide drawing.
const LEAST: f64 = 1.0;
/// Height of a level, and the gaps between frames.
const LEVEL: f64 = 18.0;
const GAP: f64 = 1.0;
/// Room before and after a text in its frame, widths of a character on average and of an ellipsis in a wide font, and the fewest characters
/// that a text is shortened to.
const ROOM: f64 = 4.0;
const LETTER: f64 = 6.8;
const ELLIPSIS: f64 = 12.0;
const FEWEST: usize = 3;
/// Characters of a name under the pointer.
const WHOLE_NAME: usize = 300;
/// A frame with more than this factor of the other side's time, or less than its inverse, has the deeper colour.
const MUCH: f64 = 2.0;

/// The drawings of a flame graph on a page. The style sheet shows the one that fits the screen.
#[derive(Debug, Serialize)]
pub(in crate::sheet) struct PageFlame<'f> {
    name: &'f str,
    wide: FlameDrawing<'f>,
    narrow: FlameDrawing<'f>,
    legend: Vec<(&'static str, &'static str)>,
    notes: &'f [String],
}

/// A flame graph in the units of its drawing, y from the top.
#[derive(Debug, Serialize)]
pub(in crate::sheet) struct FlameDrawing<'f> {
    about: &'f str,
    pub(super) width: f64,
    pub(in crate::sheet) height: f64,
    frame_height: f64,
    pub(super) frames: Vec<DrawnFrame>,
}

#[derive(Debug, Serialize)]
pub(super) struct DrawnFrame {
    /// Its class in the style sheet.
    pub(super) class: &'static str,
    /// The text shown when the pointer is over the frame.
    pub(super) about: String,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    /// Empty if nothing fits.
    pub(super) text: String,
}

/// Returns a flame graph with its drawings for large and for small screens.
pub(in crate::sheet) fn page(flame: &Flame) -> PageFlame<'_> {
    PageFlame {
        name: &flame.name,
        wide: drawing(flame, WIDE),
        narrow: drawing(flame, NARROW),
        legend: legend(flame),
        notes: &flame.notes,
    }
}

/// Returns a drawing of a flame graph.
pub(in crate::sheet) fn drawing(flame: &Flame, width: f64) -> FlameDrawing<'_> {
    let mut frames = Vec::new();
    let unit = width / flame.root.time.ns();
    Drawer { flame, unit, frames: &mut frames }.place(&flame.root, 0.0, 0);
    let height = frames.iter().map(|frame| frame.y).fold(0.0, f64::max) + LEVEL;
    FlameDrawing { about: &flame.about, width, height, frame_height: LEVEL - GAP, frames }
}

struct Drawer<'f> {
    flame: &'f Flame,
    /// Width of a ns.
    unit: f64,
    frames: &'f mut Vec<DrawnFrame>,
}

impl Drawer<'_> {
    /// Places a frame, and the frames of its calls below it. Calls that are too narrow become one frame after the others, if that one is
    /// wide enough.
    fn place(&mut self, frame: &FlameFrame, x: f64, level: usize) {
        let width = frame.time.ns() * self.unit;
        let label = if level == 0 { root_label(self.flame) } else { short(&frame.name) };
        self.frames.push(DrawnFrame {
            class: if level == 0 && frame.other.is_none() { PLAIN } else { class(frame) },
            about: self.about(frame, level),
            x: rounded(x),
            y: rounded(LEVEL * level as f64),
            width: rounded((width - GAP).max(LEAST / 2.0)),
            text: fitted(&label, width),
        });
        let mut x = x;
        let is_drawn = |call: &&FlameFrame| call.time.ns() * self.unit >= LEAST;
        let (drawn, narrow): (Vec<&FlameFrame>, Vec<&FlameFrame>) = frame.calls.iter().partition(is_drawn);
        let merged = merged(&narrow).filter(|merged| is_drawn(&merged));
        for call in drawn.into_iter().chain(&merged) {
            self.place(call, x, level + 1);
            x += call.time.ns() * self.unit;
        }
    }

    /// `sqlite3_step: 3.10 ms (26 %), 2.10 ms more than lmdb`.
    fn about(&self, frame: &FlameFrame, level: usize) -> String {
        let root = &self.flame.root;
        let (ns, share) = (frame.time.ns(), percent(frame.time.ns() / root.time.ns()));
        let name = shortened(&plain(&frame.name), WHOLE_NAME);
        let about = match (frame.other, &self.flame.other) {
            (Some(other), Some(name_of_other)) => {
                let more_ns = ns - other.ns();
                let difference = match () {
                    () if !frame.time.differs_from(other) => format!("the same as {name_of_other} within noise"),
                    () if other.samples == 0 => format!("{name_of_other} has no such call"),
                    () if more_ns > 0.0 => format!("{} more than {name_of_other}", duration(more_ns)),
                    () => format!("{} less than {name_of_other}", duration(-more_ns)),
                };
                format!("{name}: {} ({share}), {difference}", duration(ns))
            }
            _ => format!("{name}: {} ({share})", duration(ns)),
        };
        match (level, self.flame.common.as_slice()) {
            (0, [_, ..]) => {
                let common = shortened(&plain(&self.flame.common.join(" › ")), WHOLE_NAME);
                format!("{about}. All of it is below {common}")
            }
            _ => about,
        }
    }
}

/// Names the sides with their times, then the functions that all stacks begin with: `sqlite 12.1 ms, lmdb 4.20 ms: main › run`.
fn root_label(flame: &Flame) -> String {
    let time = |name: &str, ns| format!("{} {}", plain(name), duration(ns));
    let other = flame.other.as_deref().zip(flame.root.other);
    let other = other.map_or_else(String::new, |(name, of)| format!(", {}", time(name, of.ns())));
    let common: Vec<String> = flame.common.iter().map(|name| short(name)).collect();
    let common = if common.is_empty() { String::new() } else { format!(": {}", common.join(" › ")) };
    time(&flame.root.name, flame.root.time.ns()) + &other + &common
}

/// Returns calls as one frame; none if there is nothing.
fn merged(calls: &[&FlameFrame]) -> Option<FlameFrame> {
    let (first, rest) = calls.split_first()?;
    let mut merged =
        FlameFrame { name: counted(calls.len() as u64, "function"), calls: Vec::new(), ..(*first).clone() };
    for call in rest {
        merged.time.samples += call.time.samples;
        if let (Some(sum), Some(other)) = (&mut merged.other, call.other) {
            sum.samples += other.samples;
        }
    }
    Some(merged)
}

/// Returns a text as far as it fits a frame, or nothing.
fn fitted(text: &str, width: f64) -> String {
    let room = width - 2.0 * ROOM;
    let columns = measure_text_width(text);
    if columns as f64 * LETTER <= room {
        return text.to_owned();
    }
    let most = ((room - ELLIPSIS) / LETTER).max(0.0) as usize + 1;
    // Characters of some scripts are as wide as two.
    let most = most * text.chars().count() / columns.max(1);
    if most < FEWEST { String::new() } else { shortened(text, most) }
}

/// Shades of one side's frames. Functions whose names begin alike, which often are of one library, have the same.
const SHADES: [&str; 4] = ["flame-0", "flame-1", "flame-2", "flame-3"];
/// A frame that is no function, and one of the same time on both sides.
const PLAIN: &str = "flame-plain";
const ONLY: &str = "flame-only";
const MUCH_MORE: &str = "flame-much-more";
const MORE: &str = "flame-more";
const LESS: &str = "flame-less";
const MUCH_LESS: &str = "flame-much-less";

fn class(frame: &FlameFrame) -> &'static str {
    let Some(other) = frame.other else { return shade(&frame.name) };
    let ratio = frame.time.ns() / other.ns();
    match () {
        () if !frame.time.differs_from(other) => PLAIN,
        () if other.samples == 0 => ONLY,
        () if ratio > MUCH => MUCH_MORE,
        () if ratio > 1.0 => MORE,
        () if ratio * MUCH < 1.0 => MUCH_LESS,
        () => LESS,
    }
}

fn shade(name: &str) -> &'static str {
    let begin = name.trim_start_matches(['<', '_']);
    let begin = begin.split(|c: char| !c.is_lowercase()).next().unwrap_or_default();
    let hash = begin.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    if begin.is_empty() { PLAIN } else { SHADES[hash % SHADES.len()] }
}

/// Returns the meanings of the colours that a drawing has, each with its class; nothing for one side, whose colours mean nothing.
pub(in crate::sheet) fn legend(flame: &Flame) -> Vec<(&'static str, &'static str)> {
    if flame.other.is_none() {
        return Vec::new();
    }
    let drawn = drawing(flame, WIDE).frames;
    let words = [
        (ONLY, "only here"),
        (MUCH_MORE, "more than twice the time"),
        (MORE, "more time"),
        (PLAIN, "the same within noise"),
        (LESS, "less time"),
        (MUCH_LESS, "less than half the time"),
    ];
    words.into_iter().filter(|(class, _)| drawn.iter().any(|frame| frame.class == *class)).collect()
}
