//! The screens. A new one is a folder, a line of the list below, and its keys in [`keys`](super::keys).

mod awaited;
pub mod bench;
pub mod choose;
pub mod claims;
pub mod compare;
mod copying;
mod further;
pub mod intent;
pub mod jobs;
pub mod live;
mod own_files;
pub mod results;
mod screen;
pub mod sql;
pub mod torture;
pub mod trend;
pub mod tune;

pub use further::PlannedRounds;
pub use own_files::ReadOwn;
pub(crate) use screen::Context;

use super::{
    filter::View,
    keys::{Action, KeyPress, ScreenId},
    launch::Opening,
    overlay::{Overlay, Reply},
    setup::TuiSetup,
    subject::{HasSubject, Subject},
    widgets::paint::Paint,
    world::World,
};
use dbdyno_running::{runner::SessionOutline, watching::JobEvent};
use intent::Intent;
use ratatui::layout::Rect;
use screen::Screen;
use std::time::Duration;

/// The effects that any screen requests.
pub(crate) type Intents = Vec<Intent<ScreenRequest, ScreenDialog>>;

/// Joins the screens: their requests, responses and dialogs, and the dispatch to each of them.
macro_rules! screens {
    ($($id:ident: $folder:ident::$screen:ident,)*) => {
        /// A request of a screen to the store and the system.
        #[derive(Debug)]
        pub enum ScreenRequest {
            $(
                #[doc = concat!("By the ", stringify!($id), " screen.")]
                $id($folder::Request),
            )*
        }

        /// A response to a screen.
        #[derive(Debug)]
        pub enum ScreenResponse {
            $(
                #[doc = concat!("To the ", stringify!($id), " screen.")]
                $id($folder::Response),
            )*
        }

        /// A question that a screen asks the user.
        #[derive(Debug, Clone)]
        pub(crate) enum ScreenDialog {
            $(
                #[doc = concat!("By the ", stringify!($id), " screen.")]
                $id($folder::Dialog),
            )*
        }

        #[derive(Debug)]
        pub struct Screens {
            $(
                #[doc = concat!("The ", stringify!($id), " screen.")]
                pub $folder: $folder::$screen,
            )*
        }

        $(
            impl From<$folder::Request> for ScreenRequest {
                fn from(request: $folder::Request) -> Self {
                    Self::$id(request)
                }
            }

            impl From<$folder::Dialog> for ScreenDialog {
                fn from(dialog: $folder::Dialog) -> Self {
                    Self::$id(dialog)
                }
            }
        )*

        impl Screens {
            /// Returns the screens at the start of the program.
            pub(crate) fn new(world: &World) -> Self {
                Self { $($folder: Screen::new(world),)* }
            }

            /// Handles a key on a screen.
            pub(crate) fn act(&mut self, on: ScreenId, action: Action, context: &Context<'_>) -> Intents {
                match (self.asks(on, action, context), on) {
                    (Some(asked), _) => asked,
                    $((None, ScreenId::$id) => joined(self.$folder.act(action, context)),)*
                }
            }

            /// Returns the question that a key asks the user on a screen; none if the key asks nothing.
            pub(crate) fn asks(&self, on: ScreenId, action: Action, context: &Context<'_>) -> Option<Intents> {
                match on {
                    $(ScreenId::$id => self.$folder.asks(action, context).map(joined),)*
                }
            }

            /// Whether an action has an effect on a screen at present.
            pub(crate) fn offers(&self, on: ScreenId, action: Action, context: &Context<'_>) -> bool {
                match on {
                    $(ScreenId::$id => self.$folder.offers(action, context),)*
                }
            }

            /// Returns the words of a key's hint on a screen, if they differ from the usual ones at present.
            pub(crate) fn hint(&self, on: ScreenId, action: Action, context: &Context<'_>) -> Option<&'static str> {
                match on {
                    $(ScreenId::$id => self.$folder.hint(action, context),)*
                }
            }

            /// Whether a screen currently receives typed characters.
            pub(crate) fn is_typed_into(&self, which: ScreenId) -> bool {
                match which {
                    $(ScreenId::$id => self.$folder.is_typed_into(),)*
                }
            }

            /// Types a key into a screen. Returns whether the screen accepted it.
            pub(crate) fn typed(&mut self, on: ScreenId, key: KeyPress) -> bool {
                match on {
                    $(ScreenId::$id => self.$folder.typed(key),)*
                }
            }

            /// Inserts pasted text into a screen.
            pub(crate) fn pasted(&mut self, on: ScreenId, text: &str) {
                match on {
                    $(ScreenId::$id => self.$folder.pasted(text),)*
                }
            }

            /// Handles a click on a row of a pane of a screen.
            pub(crate) fn click(&mut self, on: ScreenId, pane: usize, row: usize, context: &Context<'_>) -> Intents {
                match on {
                    $(ScreenId::$id => joined(self.$folder.click(pane, row, context)),)*
                }
            }

            /// Handles the user's reply; the error is the reason why the reply is invalid.
            pub(crate) fn replied(&mut self, to: &ScreenDialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
                match to {
                    $(ScreenDialog::$id(dialog) => self.$folder.replied(dialog, reply, context).map(joined),)*
                }
            }

            /// Handles the response to a request.
            pub(crate) fn responded(&mut self, response: ScreenResponse, context: &Context<'_>) -> Intents {
                match response {
                    $(ScreenResponse::$id(response) => joined(self.$folder.responded(response, context)),)*
                }
            }

            /// Handles a screen's coming into view.
            pub(crate) fn shown(&mut self, which: ScreenId, context: &Context<'_>) -> Intents {
                match which {
                    $(ScreenId::$id => joined(self.$folder.shown(context)),)*
                }
            }

            /// Shows something in the screen responsible for it; the error is the reason why it cannot be shown.
            pub(crate) fn show(&mut self, what: Opening, context: &Context<'_>) -> Option<(ScreenId, Result<Intents, String>)> {
                $(
                    let what = match self.$folder.show(what, context) {
                        Ok(shown) => return Some((ScreenId::$id, shown.map(joined))),
                        Err(what) => what,
                    };
                )*
                drop(what);
                None
            }

            /// Advances the screens to the current time.
            pub(crate) fn time(&mut self, now: Duration, in_view: ScreenId) -> Intents {
                [$(joined(self.$folder.time(now, in_view == ScreenId::$id)),)*].into_iter().flatten().collect()
            }

            /// Returns the interval at which screens need the time although nothing else happens.
            pub(crate) fn wakes(&self, in_view: ScreenId) -> Option<Duration> {
                [$(self.$folder.wakes(in_view == ScreenId::$id),)*].into_iter().flatten().min()
            }

            /// Returns the number of findings about the measured results, and their list.
            pub(crate) fn warnings(&self) -> (usize, Overlay) {
                let found = [$(self.$folder.warnings(),)*];
                let nothing = || (0, Overlay::page("Warnings", vec!["Nothing that was measured has warnings.".to_owned()]));
                found.into_iter().flatten().next().unwrap_or_else(nothing)
            }

            /// Returns the path to the content of a screen.
            pub(crate) fn way(&self, to: ScreenId) -> Vec<String> {
                let within = match to {
                    $(ScreenId::$id => self.$folder.way(),)*
                };
                std::iter::once(to.name().to_owned()).chain(within).collect()
            }

            /// Returns the settings of a screen's list as a view; none if the screen shows no list.
            pub(crate) fn view(&self, of: ScreenId) -> Option<View> {
                match of {
                    $(ScreenId::$id => self.$folder.view(),)*
                }
            }

            /// Shows a view on a screen; the error is the reason why it cannot be shown.
            pub(crate) fn show_view(&mut self, on: ScreenId, view: &View) -> Result<Intents, String> {
                match on {
                    $(ScreenId::$id => self.$folder.show_view(view).map(joined),)*
                }
            }

            /// Handles the start of a job that a screen shows.
            pub(crate) fn begun(&mut self, on: ScreenId, outline: Option<Box<SessionOutline>>, now: Duration) {
                match on {
                    $(ScreenId::$id => self.$folder.begun(outline, now),)*
                }
            }

            /// Handles an event of the job that a screen shows.
            pub(crate) fn told(&mut self, on: ScreenId, event: JobEvent, context: &Context<'_>) -> Intents {
                match on {
                    $(ScreenId::$id => joined(self.$folder.told(event, context)),)*
                }
            }

            /// Handles the end of the job that a screen shows, or the error that prevented it. Also returns a short description of what
            /// ended.
            pub(crate) fn over(&mut self, on: ScreenId, outcome: Result<(), String>, context: &Context<'_>) -> (Intents, String) {
                match on {
                    $(ScreenId::$id => {
                        let (intents, what) = self.$folder.over(outcome, context);
                        (joined(intents), what)
                    })*
                }
            }

            /// Returns a description of the job in progress that a screen shows.
            pub(crate) fn under_way(&self, on: ScreenId) -> &'static str {
                match on {
                    $(ScreenId::$id => self.$folder.under_way(),)*
                }
            }

            /// Returns a description of what is kept if the job that a screen shows is stopped.
            pub(crate) fn kept(&self, on: ScreenId) -> &'static str {
                match on {
                    $(ScreenId::$id => self.$folder.kept(),)*
                }
            }

            /// Returns the status bar's text about the job that a screen shows.
            pub(crate) fn status(&self, on: ScreenId) -> Option<String> {
                match on {
                    $(ScreenId::$id => self.$folder.status(),)*
                }
            }

            /// Returns the progress of the job that a screen shows, percent, and whether it is paused.
            pub(crate) fn progress(&self, on: ScreenId) -> (Option<u8>, bool) {
                match on {
                    $(ScreenId::$id => self.$folder.progress(),)*
                }
            }

            /// Updates the screens after a change of the known environment.
            pub(crate) fn world_changed(&mut self, world: &World) {
                $(self.$folder.world_changed(world);)*
            }

            /// Marks the screens' data as outdated after a change of the store.
            pub(crate) fn stale(&mut self) {
                $(self.$folder.stale();)*
            }

            pub(crate) fn paint(&self, which: ScreenId, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
                match which {
                    $(ScreenId::$id => self.$folder.paint(paint, area, context),)*
                }
            }
        }

        /// Responds to a request. It can take long, so it is called on a thread of its own.
        pub(crate) fn respond(request: ScreenRequest, setup: &TuiSetup) -> ScreenResponse {
            match request {
                $(ScreenRequest::$id(request) => ScreenResponse::$id($folder::$screen::respond(request, setup)),)*
            }
        }

        /// Returns the screen that made a request, and the request's subject.
        pub(crate) fn subject(request: &ScreenRequest) -> (ScreenId, Subject) {
            match request {
                $(ScreenRequest::$id(request) => (ScreenId::$id, request.subject()),)*
            }
        }

        /// Whether responding to a request could disturb a running test, so that it must wait for the test's end.
        pub(crate) fn disturbs(request: &ScreenRequest) -> bool {
            match request {
                $(ScreenRequest::$id(request) => $folder::$screen::disturbs(request),)*
            }
        }
    };
}

screens! {
    Bench: bench::BenchScreen,
    Live: live::LiveScreen,
    Results: results::ResultsScreen,
    Compare: compare::CompareScreen,
    Tune: tune::TuneScreen,
    Claims: claims::ClaimsScreen,
    Torture: torture::TortureScreen,
    Sql: sql::SqlScreen,
    Choose: choose::ChooseScreen,
    Trend: trend::TrendScreen,
    Jobs: jobs::JobsScreen,
}

/// Converts intents of one screen to those of all screens.
pub(crate) fn joined<R: Into<ScreenRequest>, D: Into<ScreenDialog>>(intents: Vec<Intent<R, D>>) -> Intents {
    intents.into_iter().map(|intent| intent.map(R::into, D::into)).collect()
}
