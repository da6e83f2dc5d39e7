//! What a screen is to the application.

use super::intent::Intent;
use crate::tui::{
    filter::View,
    keys::{Action, KeyPress},
    launch::Opening,
    overlay::{Overlay, Reply},
    setup::TuiSetup,
    subject::HasSubject,
    widgets::paint::Paint,
    world::World,
};
use dbdyno_running::{runner::SessionOutline, watching::JobEvent};
use ratatui::layout::Rect;
use std::time::Duration;

/// What a screen `S` wants to happen; empty for nothing.
pub(crate) type Intents<S> = Vec<Intent<<S as Screen>::Request, <S as Screen>::Dialog>>;

/// What a screen may know besides its own state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// What is known of the world outside.
    pub(crate) world: &'a World,
    /// Time since the program began.
    pub(crate) now: Duration,
    /// Columns and rows of the terminal.
    pub(crate) size: (u16, u16),
    /// Whether the pane with the focus fills the screen, where there are several.
    pub(crate) zoomed: bool,
    /// Whether something is measured: requests are responded to between two of its tests.
    pub(crate) is_measuring: bool,
}

/// A screen: a pure state machine that is painted, with what it asks of the user and of the world outside.
pub(crate) trait Screen: Sized {
    /// What it requests of the world outside.
    type Request: HasSubject;
    /// What it is told in response.
    type Response;
    /// What it asks the user, and with it what the reply is for.
    type Dialog;

    /// The screen at the start of the program.
    fn new(world: &World) -> Self;

    /// What a key asks the user, or why it asks nothing now: nothing changes before there is a reply. None: the key does something else.
    fn asks(&self, _action: Action, _context: &Context<'_>) -> Option<Intents<Self>> {
        None
    }

    /// Does what a key means that asks nothing.
    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents<Self>;

    /// Whether an action does something now. The line of hints names no others.
    fn offers(&self, _action: Action, _context: &Context<'_>) -> bool {
        true
    }

    /// Whether characters are typed into it now, in place of what they mean otherwise.
    fn is_typed_into(&self) -> bool {
        false
    }

    /// Takes a key that is typed into it; whether it did.
    fn typed(&mut self, _key: KeyPress) -> bool {
        false
    }

    /// Takes pasted text, where it is typed into.
    fn pasted(&mut self, _text: &str) {}

    /// A row of a pane was clicked.
    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents<Self>;

    /// The user replied.
    ///
    /// # Errors
    /// Why the reply cannot be taken, with what was expected; the user is asked again.
    fn replied(&mut self, dialog: &Self::Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents<Self>, String>;

    /// A request was responded to. A screen that has asked again since drops what came too late.
    fn responded(&mut self, response: Self::Response, context: &Context<'_>) -> Intents<Self>;

    /// The screen came into view: what it shows may have to be read.
    fn shown(&mut self, _context: &Context<'_>) -> Intents<Self> {
        Vec::new()
    }

    /// Shows something, if it is this screen's.
    ///
    /// # Errors
    /// Why it cannot be shown; what is something else's is given back.
    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents<Self>, String>, Opening> {
        Err(what)
    }

    /// Time has passed: what moves by itself goes on, and what others change may be read again.
    fn time(&mut self, _now: Duration, _in_view: bool) -> Intents<Self> {
        Vec::new()
    }

    /// How often time has to be told with nothing else happening; none while nothing on it moves by itself.
    fn wakes(&self, _in_view: bool) -> Option<Duration> {
        None
    }

    /// How many findings there are of what it shows, and what they are; none of a screen that has no findings.
    fn warnings(&self) -> Option<(usize, Overlay)> {
        None
    }

    /// The steps within the screen to what it shows.
    fn way(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it shows, to be kept as a view whose name and screen others fill in; none where that is no list.
    fn view(&self) -> Option<View> {
        None
    }

    /// Shows a view that was kept of it.
    ///
    /// # Errors
    /// What in it cannot be shown, with what was expected.
    fn show_view(&mut self, _view: &View) -> Result<Intents<Self>, String> {
        Err("this screen has no views: expected `results`".to_owned())
    }

    /// A job begins that this screen shows; what its session will be about, where that is known.
    fn begun(&mut self, _outline: Option<Box<SessionOutline>>, _now: Duration) {}

    /// The job that this screen shows tells something.
    fn told(&mut self, _event: JobEvent, _context: &Context<'_>) -> Intents<Self> {
        Vec::new()
    }

    /// The job that this screen shows is over, or could not be run: why. With what it wants to happen, what is over in a few words.
    fn over(&mut self, _outcome: Result<(), String>, _context: &Context<'_>) -> (Intents<Self>, String) {
        (Vec::new(), String::new())
    }

    /// What is under way, in words.
    fn under_way(&self) -> &'static str {
        "something is measured"
    }

    /// What is kept of the job that this screen shows, when it is stopped.
    fn kept(&self) -> &'static str {
        "The run under way is given up; every finished test is kept."
    }

    /// What the status bar says of the job that this screen shows; none where it has not begun to tell.
    fn status(&self) -> Option<String> {
        None
    }

    /// How much of it is done, percent, where anybody can say, and whether it pauses.
    fn progress(&self) -> (Option<u8>, bool) {
        (None, false)
    }

    /// What is stored has changed.
    fn stale(&mut self) {}

    /// What is known of the world has changed: other engines, history, room on the disk.
    fn world_changed(&mut self, _world: &World) {}

    /// Paints the screen; the state says all that is seen.
    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>);

    /// Responds to a request, away from the screen: this may read and write, and take its time.
    fn respond(request: Self::Request, setup: &TuiSetup) -> Self::Response;

    /// Whether responding to it could disturb a test under way, and so has to wait for its end.
    fn disturbs(_request: &Self::Request) -> bool {
        true
    }
}
