//! The application's state machine: [`App::update`] takes a message and returns the commands to carry out. It has no terminal, no files and
//! no clock. Tests drive it with keys and inspect what is painted.

/// Returns what screens may know in addition to their own state. It borrows only those fields, so that the screens can change meanwhile.
macro_rules! context {
    ($app:expr) => {
        $crate::tui::screens::Context {
            world: &$app.world,
            now: $app.now,
            size: $app.size,
            zoomed: $app.zoomed || $crate::tui::app::Room::of($app.size) != $crate::tui::app::Room::Whole,
            is_measuring: $app.job.is_some(),
            screen: $app.screen,
            is_opened: !$app.behind.is_empty(),
        }
    };
}

mod command;
mod filter;
mod intents;
mod job;
mod message;
mod notices;
mod open;
mod opening;
mod paint;
mod palette;
mod zoom;

pub use command::{Command, Request};
pub use message::{Message, Response};
pub(crate) use notices::Notices;
pub use open::OpenOverlay;
pub use paint::draw;
pub(crate) use zoom::Room;

use crate::tui::{
    filter::StoredNames,
    keys::{Action, Binding, KeyPress, ScreenId},
    overlay::{Overlay, page_columns},
    screens::{Screens, intent::Notice, live::LastSession},
    widgets::Target,
    world::{self, World},
};
use dbdyno_catalog::Theme;
use dbdyno_running::runner::SessionRequest;
use std::time::Duration;

/// How long after an overlay closes a key is still treated as typed for it.
const SETTLING: Duration = Duration::from_millis(200);

/// The progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Progress {
    /// In words.
    pub(crate) words: String,
    /// None if it is unknown.
    pub(crate) percent: Option<u8>,
    pub(crate) paused: bool,
}

/// A job that runs alongside the screens and is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WatchedJob {
    /// The screen that shows it.
    screen: ScreenId,
    /// Whether screens have started it, so that nothing else would end it.
    is_own: bool,
}

/// The whole application.
#[derive(Debug)]
pub struct App {
    /// The known state of the outside world.
    pub(crate) world: World,
    /// All screens, whether in view or not.
    pub screens: Screens,
    /// The screen in view.
    pub screen: ScreenId,
    /// Whether the pane with the focus fills the screen.
    zoomed: bool,
    /// The screens from which one without a tab was opened. Back leads to the last of them first.
    behind: Vec<ScreenId>,
    /// The overlay that covers the screen.
    pub(crate) open: Option<OpenOverlay>,
    /// Names and values from the store, for completions while a filter is typed.
    known: StoredNames,
    /// The latest messages to the user.
    pub(crate) notices: Notices,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The theme that was chosen since the program began; none: the initial theme.
    pub(crate) theme: Option<Theme>,
    /// Time since the program began.
    pub(crate) now: Duration,
    /// When an overlay was last closed, or a key was last dropped because of that.
    closed: Option<Duration>,
    /// Title and lines of the page that follows a session. It waits until no overlay is open, because it would replace that one.
    follow_up: Option<(String, Vec<String>)>,
    /// The dialog that asked for the file being written. It opens again if the file cannot be written.
    asked_for_file: Option<OpenOverlay>,
    /// The job that runs alongside the screens and is watched.
    job: Option<WatchedJob>,
    /// Whether the program ends as soon as the job has ended.
    leaving: bool,
}

impl App {
    /// Returns the application at its start, with its first commands.
    pub fn new(world: World, size: (u16, u16)) -> (Self, Vec<Command>) {
        let app = Self {
            screens: Screens::new(&world),
            screen: ScreenId::Bench,
            zoomed: false,
            behind: Vec::new(),
            open: None,
            known: StoredNames::default(),
            notices: Notices::default(),
            size,
            theme: None,
            now: Duration::ZERO,
            closed: None,
            follow_up: None,
            asked_for_file: None,
            job: None,
            leaving: false,
            world,
        };
        use world::Request::{Engines, History, Noise, WorkFolder};
        (app, [Engines, WorkFolder, History, Noise].map(ask_world).into())
    }

    /// Handles a message, and returns the commands to carry out.
    pub fn update(&mut self, message: Message) -> Vec<Command> {
        let commands = self.take(message);
        if self.open.is_none()
            && let Some((title, lines)) = self.follow_up.take()
        {
            self.open = Some(OpenOverlay::page(Overlay::page(title, lines)));
        }
        commands
    }

    fn take(&mut self, message: Message) -> Vec<Command> {
        if message.is_by_user() {
            self.notices.seen(self.now);
            if self.room() == Room::TooSmall {
                return self.unseen(&message);
            }
        }
        match message {
            Message::Time(now) => {
                self.now = now;
                let intents = self.screens.time(now, self.screen);
                self.perform(intents)
            }
            Message::Key(key) => self.key(key),
            Message::Paste(text) => {
                let outcome = self.open.as_mut().map(|open| open.overlay.paste(&text, self.size));
                if outcome.is_none() {
                    self.screens.pasted(self.screen, &text);
                }
                outcome.map_or_else(Vec::new, |outcome| self.outcome(outcome))
            }
            Message::Click(target) => self.click(target),
            // The wheel acts as the arrow keys, and in a filter line these recall earlier filters.
            Message::Wheel(_) if self.open.as_mut().and_then(OpenOverlay::filter).is_some() => Vec::new(),
            Message::Wheel(lines) => {
                let key = if lines < 0 { KeyPress::Up } else { KeyPress::Down };
                (0..lines.unsigned_abs()).flat_map(|_| self.key(key)).collect()
            }
            Message::Resized(columns, rows) => {
                self.size = (columns, rows);
                Vec::new()
            }
            Message::JobBegan { is_own, kind } => self.job_began(is_own, kind),
            Message::Job(event) => {
                let Some(job) = &self.job else { return Vec::new() };
                let context = context!(self);
                let intents = self.screens.told(job.screen, *event, &context);
                self.perform(intents)
            }
            Message::JobOver(outcome) => self.job_over(outcome),
            Message::Response(response) => self.responded(*response),
            // A second signal ends the job in the same order, only sooner.
            Message::Terminate if self.leaving => vec![Command::Tell(SessionRequest::Hurry)],
            Message::Terminate => self.leave_now(),
        }
    }

    /// Returns the screen of the watched job, and a description of the job.
    pub(crate) fn under_way(&self) -> Option<(ScreenId, &'static str)> {
        let job = self.job.as_ref()?;
        Some((job.screen, self.screens.under_way(job.screen)))
    }

    /// Whether a job is watched.
    pub(crate) fn busy(&self) -> bool {
        self.job.is_some()
    }

    /// Whether the watched job was started by screens, so that nothing else would end it.
    pub fn owns_job(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.is_own)
    }

    /// Whether the screen in view is the one that shows the watched job.
    pub fn shows_job(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.screen == self.screen)
    }

    /// Returns the last session that was seen to end.
    pub fn last_session(&self) -> Option<LastSession> {
        self.screens.live.last()
    }

    /// Returns the text of the status bar about the watched job.
    pub(crate) fn status(&self) -> Option<String> {
        self.screens.status(self.job.as_ref()?.screen)
    }

    /// Returns the progress of the watched job; none without a job.
    pub(crate) fn progress(&self) -> Option<Progress> {
        let (screen, what) = self.under_way()?;
        let words = self.status().unwrap_or_else(|| what.to_owned());
        let (percent, paused) = self.screens.progress(screen);
        Some(Progress { words, percent, paused })
    }

    /// Returns how soon the next time message is needed if nothing else happens; none when nothing on screen moves by itself.
    pub(crate) fn wakes(&self) -> Option<Duration> {
        self.screens.wakes(self.screen)
    }

    /// Returns the key bindings in view, those of the screen first.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.world.keys.bindings(self.screen)
    }

    /// Handles what the user does while the terminal is too small to see its effect: only leaving is possible.
    fn unseen(&mut self, message: &Message) -> Vec<Command> {
        let Message::Key(key) = *message else { return Vec::new() };
        match self.world.keys.action(self.screen, key) {
            _ if self.asks_to_leave() => self.key(key),
            Some(Action::Quit) => self.act(Action::Quit),
            _ => Vec::new(),
        }
    }

    fn key(&mut self, key: KeyPress) -> Vec<Command> {
        if self.asks_to_leave() {
            match key {
                KeyPress::Char('Z') => return self.detach(),
                // Who presses it again is sure.
                KeyPress::Ctrl('c') => {
                    self.open = None;
                    return self.leave_now();
                }
                _ => {}
            }
        }
        if let Some(open) = &mut self.open {
            let outcome = open.overlay.key(key, self.size);
            return self.outcome(outcome);
        }
        if self.screens.typed(self.screen, key) {
            return Vec::new();
        }
        let Some(action) = self.world.keys.action(self.screen, key) else { return Vec::new() };
        if action.begins() && self.is_settling() {
            // A key that is held down repeats: its last repetition belongs to the dialog too.
            self.closed = Some(self.now);
            return Vec::new();
        }
        self.act(action)
    }

    fn act(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Show(screen) => return self.go(screen),
            Action::NextScreen => return self.go(self.tab().next()),
            Action::PreviousScreen => return self.go(self.tab().previous()),
            Action::Help => self.open = Some(OpenOverlay::help(self.screen, &self.world.keys)),
            Action::Palette => return self.open_palette(),
            Action::Warnings => self.open = Some(OpenOverlay::page(self.screens.warnings().1)),
            Action::Messages => {
                let columns = usize::from(page_columns(self.size.0));
                self.open = Some(OpenOverlay::page(self.notices.page(self.now, columns)));
            }
            Action::Quit => match self.under_way().filter(|_| self.owns_job()) {
                Some((screen, what)) => self.open = Some(OpenOverlay::leave(what, self.screens.kept(screen))),
                None => return vec![Command::Leave],
            },
            Action::Suspend => return vec![Command::Suspend],
            Action::Detach if self.busy() => return self.detach(),
            Action::Detach => self.say(Notice::refused("nothing is running to detach from: q leaves")),
            Action::Redraw => return vec![Command::Repaint],
            Action::Zoom => self.zoom(),
            Action::Back if self.is_zoomed() => self.zoomed = false,
            action => {
                let context = context!(self);
                let intents = self.screens.act(self.screen, action, &context);
                return self.perform(intents);
            }
        }
        Vec::new()
    }

    /// Whether an overlay was closed just now.
    fn is_settling(&self) -> bool {
        self.closed.is_some_and(|closed| self.now.saturating_sub(closed) < SETTLING)
    }

    fn click(&mut self, target: Target) -> Vec<Command> {
        let settling = self.is_settling();
        match (target, &mut self.open) {
            (Target::Overlay(row), Some(open)) => {
                let outcome = open.overlay.click(row);
                self.outcome(outcome)
            }
            (_, Some(_)) | (Target::Overlay(_), None) => Vec::new(),
            // The second click of a double click on a row of the dialog.
            (Target::Spot { .. }, None) if settling => Vec::new(),
            (Target::Screen(screen), None) => self.go(screen),
            (Target::Press(key), None) => self.key(key),
            (Target::Spot { pane, row }, None) => {
                let context = context!(self);
                let intents = self.screens.click(self.screen, pane, row, &context);
                self.perform(intents)
            }
        }
    }

    fn responded(&mut self, response: Response) -> Vec<Command> {
        match response {
            Response::World(response) => {
                if let world::Response::History(Err(reason)) = &response {
                    self.say(Notice::failed(reason));
                }
                self.world.take(response);
                self.screens.world_changed(&self.world);
                Vec::new()
            }
            Response::Written(written) => {
                self.written(written);
                Vec::new()
            }
            Response::FreeName { asked, free } => {
                self.offer(&asked, free);
                Vec::new()
            }
            Response::Palette(response) => self.palette_told(response),
            Response::Filter(response) => self.filter_told(response),
            Response::Screen(response) => {
                let context = context!(self);
                let intents = self.screens.responded(response, &context);
                self.perform(intents)
            }
        }
    }

    /// Shows a screen.
    fn go(&mut self, screen: ScreenId) -> Vec<Command> {
        if screen == ScreenId::Tune {
            self.screens.tune.suggest(self.screens.bench.what_if());
        }
        if screen == ScreenId::Choose {
            self.screens.choose.suggest(self.screens.bench.choice_subject(&self.world));
        }
        self.turn_to(screen);
        self.shown()
    }

    /// Puts a screen into view. One without a tab leads back to where it was opened.
    fn turn_to(&mut self, screen: ScreenId) {
        self.behind.retain(|behind| *behind != screen && !screen.has_tab());
        if !screen.has_tab() && screen != self.screen {
            self.behind.push(self.screen);
        }
        self.zoomed &= screen == self.screen;
        self.screen = screen;
    }

    /// Returns to the screen that the one in view was opened from.
    fn close_screen(&mut self) -> Vec<Command> {
        self.zoomed = false;
        self.screen = self.behind.pop().unwrap_or(ScreenId::Bench);
        self.shown()
    }

    /// Returns the screen in view, or the nearest one behind it that has a tab.
    pub(crate) fn tab(&self) -> ScreenId {
        let opened_from = self.behind.iter().rev().copied();
        std::iter::once(self.screen).chain(opened_from).find(|screen| screen.has_tab()).unwrap_or(ScreenId::Bench)
    }

    /// Returns the steps that led to the screen in view, from the screen with a tab; none if that one is in view.
    pub(crate) fn way(&self) -> Vec<String> {
        self.behind.iter().flat_map(|behind| self.screens.way(*behind)).collect()
    }

    /// Notifies the screen that it came into view, or that stored data may have changed.
    fn shown(&mut self) -> Vec<Command> {
        let context = context!(self);
        let intents = self.screens.shown(self.screen, &context);
        self.perform(intents)
    }

    /// Leaves while the job keeps running.
    fn detach(&mut self) -> Vec<Command> {
        self.open = None;
        vec![Command::Detach]
    }

    /// Leaves: at once, or as soon as the session under way has stopped.
    fn leave_now(&mut self) -> Vec<Command> {
        if !self.owns_job() {
            return vec![Command::Leave];
        }
        self.leaving = true;
        self.say(Notice::done("leaving as soon as the job has stopped"));
        vec![Command::Tell(SessionRequest::Stop)]
    }

    fn say(&mut self, notice: Notice) {
        self.notices.say(notice, self.now);
    }
}

fn ask_world(request: world::Request) -> Command {
    Command::Request(Request::World(request))
}
