//! The interface between a screen and the application.

use super::intent::Intent;
use crate::tui::{
    filter::View,
    keys::{Action, KeyPress, ScreenId},
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

/// The effects that a screen `S` requests; empty for none.
pub(crate) type Intents<S> = Vec<Intent<<S as Screen>::Request, <S as Screen>::Dialog>>;

/// The information that a screen gets in addition to its own state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The known environment: engines, suites, disk and so on.
    pub(crate) world: &'a World,
    /// Time since the program began.
    pub(crate) now: Duration,
    /// Columns and rows of the terminal.
    pub(crate) size: (u16, u16),
    /// Whether the focused pane fills the screen, if there are several panes.
    pub(crate) zoomed: bool,
    /// The screen in view.
    pub(crate) screen: ScreenId,
    /// Whether a job is measuring; requests then get their response between two of its tests.
    pub(crate) is_measuring: bool,
    /// Whether another screen opened the one in view, and waits behind it.
    pub(crate) is_opened: bool,
}

/// A screen: a pure state machine that can be painted, with its requests and its questions to the user.
pub(crate) trait Screen: Sized {
    /// A request to the store and the system.
    type Request: HasSubject;
    /// A response to a request.
    type Response;
    /// A question to the user, with the data that the reply needs.
    type Dialog;

    /// Returns the screen at the start of the program.
    fn new(world: &World) -> Self;

    /// Returns the question that a key asks the user, or the reason why it cannot ask now. Nothing changes before the reply. None: the key
    /// asks nothing.
    fn asks(&self, _action: Action, _context: &Context<'_>) -> Option<Intents<Self>> {
        None
    }

    /// Handles a key that asks nothing.
    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents<Self>;

    /// Whether an action has an effect at present. The line of hints shows no other actions.
    fn offers(&self, _action: Action, _context: &Context<'_>) -> bool {
        true
    }

    /// Returns the words of a key's hint, if they differ from the usual ones at present.
    fn hint(&self, _action: Action, _context: &Context<'_>) -> Option<&'static str> {
        None
    }

    /// Whether the screen currently receives typed characters, instead of their usual actions.
    fn is_typed_into(&self) -> bool {
        false
    }

    /// Handles a typed key. Returns whether the screen accepted it.
    fn typed(&mut self, _key: KeyPress) -> bool {
        false
    }

    /// Handles pasted text, if the screen receives typed characters.
    fn pasted(&mut self, _text: &str) {}

    /// Handles a click on a row of a pane.
    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents<Self>;

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form; the user is asked again.
    fn replied(&mut self, dialog: &Self::Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents<Self>, String>;

    /// Handles the response to a request. A screen drops it if it has made another request since.
    fn responded(&mut self, response: Self::Response, context: &Context<'_>) -> Intents<Self>;

    /// Handles the screen's coming into view, which may require reading its data.
    fn shown(&mut self, _context: &Context<'_>) -> Intents<Self> {
        Vec::new()
    }

    /// Shows something, if this screen is responsible for it.
    ///
    /// # Errors
    /// Inner error: the reason why it cannot be shown. Outer error: the argument, if another screen is responsible for it.
    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents<Self>, String>, Opening> {
        Err(what)
    }

    /// Advances to the current time: animations continue, and data that others change may be read again.
    fn time(&mut self, _now: Duration, _in_view: bool) -> Intents<Self> {
        Vec::new()
    }

    /// Returns the interval at which the screen needs the time although nothing else happens; none while nothing on it moves by itself.
    fn wakes(&self, _in_view: bool) -> Option<Duration> {
        None
    }

    /// Returns the number of findings about the screen's content, and their list; none if the screen has no findings.
    fn warnings(&self) -> Option<(usize, Overlay)> {
        None
    }

    /// Returns the path within the screen to its content.
    fn way(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the settings of the list as a view, without its name and screen, which the caller fills in; none if there is no list.
    fn view(&self) -> Option<View> {
        None
    }

    /// Shows a saved view of this screen.
    ///
    /// # Errors
    /// The reason why the view cannot be shown, with the expected form.
    fn show_view(&mut self, _view: &View) -> Result<Intents<Self>, String> {
        Err("this screen has no views: expected `results`".to_owned())
    }

    /// Handles the start of a job that this screen shows, with the outline of its session, if known.
    fn begun(&mut self, _outline: Option<Box<SessionOutline>>, _now: Duration) {}

    /// Handles an event of the job that this screen shows.
    fn told(&mut self, _event: JobEvent, _context: &Context<'_>) -> Intents<Self> {
        Vec::new()
    }

    /// Handles the end of the job that this screen shows, or the error that prevented it. Returns its effects and a short description of
    /// what ended.
    fn over(&mut self, _outcome: Result<(), String>, _context: &Context<'_>) -> (Intents<Self>, String) {
        (Vec::new(), String::new())
    }

    /// Returns a description of the job in progress.
    fn under_way(&self) -> &'static str {
        "something is measured"
    }

    /// Returns a description of what is kept if the job that this screen shows is stopped.
    fn kept(&self) -> &'static str {
        "The run under way is cancelled; finished tests are kept."
    }

    /// Returns the status bar's text about the job that this screen shows; none before the job's first report.
    fn status(&self) -> Option<String> {
        None
    }

    /// Returns the job's progress, percent, if it is known, and whether it is paused.
    fn progress(&self) -> (Option<u8>, bool) {
        (None, false)
    }

    /// Marks the data as outdated after a change of the store.
    fn stale(&mut self) {}

    /// Updates the screen after a change of the known environment: other engines, history, room on the disk.
    fn world_changed(&mut self, _world: &World) {}

    /// Paints the screen; everything visible follows from its state.
    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>);

    /// Responds to a request on another thread, so it may read and write and take long.
    fn respond(request: Self::Request, setup: &TuiSetup) -> Self::Response;

    /// Whether responding to the request could disturb a running test, so that it must wait for the test's end.
    fn disturbs(_request: &Self::Request) -> bool {
        true
    }
}
