//! A pending request, shown with its elapsed time. It can be watched and cancelled.

use super::Context;
use crate::tui::{
    keys::KeyPress,
    widgets::{
        Target,
        paint::{Paint, piece},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, duration};
use dbdyno_store::ReadWatch;
use ratatui::layout::Rect;
use std::time::Duration;

/// Time for which the sign stays in one place.
pub(crate) const SIGN: Duration = Duration::from_millis(125);
/// Number of places of the sign.
const PLACES: usize = 8;

/// A request in progress.
#[derive(Debug)]
pub(crate) struct Awaited {
    /// Time of the request, from the start of the program.
    since: Duration,
    watch: ReadWatch,
}

impl Awaited {
    /// Returns a request that starts now.
    pub(crate) fn new(now: Duration) -> Self {
        Self { since: now, watch: ReadWatch::endless() }
    }

    /// Returns the watch, for the thread that reads.
    pub(crate) fn watch(&self) -> ReadWatch {
        self.watch.clone()
    }

    /// Cancels the request.
    pub(crate) fn give_up(self) {
        self.watch.give_up();
    }

    /// Paints the current activity, its elapsed time, and the key that ends it.
    pub(crate) fn draw(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        let elapsed = context.now.saturating_sub(self.since);
        let results = match self.watch.results() {
            0 => String::new(),
            results => format!(" · {} results read", count(results as u64)),
        };
        let time = duration(elapsed.as_nanos() as f64);
        let text = match self.watch.held_by() {
            Some(holder) => format!(" {}", waits_for(&holder, &time)),
            None => format!(" {} {} … {time}{results}", word(context), context.world.store),
        };
        let row = Rect { height: 1, ..area };
        paint.line(row, &[piece(sign(elapsed), Role::Accent), piece(text, Role::Text)]);
        let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1).min(1), ..area };
        paint.text(below, "Esc cancels and shows the previous view", Role::Dim);
        paint.hit(below, Target::Press(KeyPress::Esc));
    }
}

/// Returns the words for a wait for the programs that hold the store.
pub(crate) fn waits_for(holder: &str, elapsed: &str) -> String {
    format!("waiting: {holder} has the store open … {elapsed}")
}

/// Returns the current activity.
pub(crate) fn word(context: &Context<'_>) -> &'static str {
    if context.is_measuring { "waiting for the test under way" } else { "reading" }
}

/// `[  =     ]`: moves while the program works.
pub(crate) fn sign(elapsed: Duration) -> String {
    let step = (elapsed.as_millis() / SIGN.as_millis()) as usize % (2 * PLACES - 2);
    let at = if step < PLACES { step } else { 2 * PLACES - 2 - step };
    format!("[{}={}]", " ".repeat(at), " ".repeat(PLACES - 1 - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_goes_there_and_back() {
        let at = |step: u32| sign(SIGN * step);
        assert_eq!([at(0), at(7), at(8), at(14)], ["[=       ]", "[       =]", "[      = ]", "[=       ]"]);
    }
}
