//! More rounds for tests that the race left undecided, chosen from a list, because this screen has no cursor.

use super::{Dialog, Intents, LiveScreen, Request, WatchedSession};
use crate::tui::{
    overlay::ListItem,
    screens::{further, intent::Intent},
    setup::TuiSetup,
};
use dbdyno_comparing::compare::AnotherLook;
use dbdyno_running::session::verdicts;

/// A test that the race left undecided.
#[derive(Debug, Clone)]
pub struct UndecidedTest {
    look: AnotherLook,
    /// The command that runs the rounds.
    command: Vec<String>,
}

/// Returns the undecided tests of a session.
pub(super) fn undecided(session: &str, setup: &TuiSetup) -> Result<Vec<UndecidedTest>, String> {
    let sides = verdicts(session, "", &setup.store).map_err(|error| error.to_string())?.compared.sides;
    let of_side = sides.iter().flat_map(|side| {
        let test =
            |look: AnotherLook| UndecidedTest { command: further::command(side, &look, [], &setup.arguments), look };
        side.other_looks().into_iter().map(test)
    });
    Ok(of_side.collect())
}

/// Requests the tests that more rounds would decide, once the session has ended.
pub(super) fn ask_undecided(session: &WatchedSession) -> Intents {
    match session.compared_session() {
        Some(id) if !session.running() => vec![Intent::Request(Request::Undecided { session: id.to_owned() })],
        _ => vec![Intent::refused("rounds can be added when the session is over")],
    }
}

impl LiveScreen {
    /// Lets the user choose the test to decide; a single test needs no choice.
    pub(super) fn choose_further(&mut self, found: Result<Vec<UndecidedTest>, String>) -> Intents {
        self.undecided = match found {
            Ok(found) => found,
            Err(reason) => return vec![Intent::failed(reason)],
        };
        let item = |test: &UndecidedTest| {
            let AnotherLook { labels: [a, b], size, test, name, rounds, look, .. } = &test.look;
            ListItem::new(
                format!("{test} {name} · {a} against {b}"),
                format!("size {size}, +{rounds} rounds, look {look}"),
            )
        };
        match self.undecided.as_slice() {
            [] => vec![Intent::refused("more rounds would not decide any undecided test")],
            [_] => self.plan_further(0),
            several => {
                let items = several.iter().map(item).collect();
                vec![Intent::choose_one(Dialog::Undecided, "Run more rounds of", items)]
            }
        }
    }

    /// Plans the rounds that would decide one of the undecided tests.
    pub(super) fn plan_further(&self, at: usize) -> Intents {
        let Some(UndecidedTest { look, command }) = self.undecided.get(at).cloned() else { return Intents::new() };
        vec![Intent::Request(Request::Further { look: Box::new(look), command })]
    }
}
