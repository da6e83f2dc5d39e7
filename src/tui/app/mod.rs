//! The application's state machine: [`App::update`] takes what happened and returns what is to be done. No terminal, no
//! files, no clock: tests drive it with keys and look at what is painted.

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

use crate::tui::{
    filter::Known,
    keys::{self, Action, Binding, EVERYWHERE, KeyPress, ScreenId},
    overlay::{Overlay, paint::page_columns},
    screens::{Context, Screens, intent::Notice, live::LastSession},
    widgets::Target,
    world::{self, World},
};
use dbdyno_catalog::Theme;
use dbdyno_running::runner::Tell;
use std::time::Duration;

/// The least terminal that shows each screen whole: columns and rows. Of the usual 24 rows tmux takes one.
pub const LEAST: (u16, u16) = (80, 23);
/// How long after something that lay over the screens was closed a key is still taken to be typed for it.
const SETTLING: Duration = Duration::from_millis(200);

/// How far something is that is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Progress {
    /// In words.
    pub(crate) words: String,
    /// None where nobody can say.
    pub(crate) percent: Option<u8>,
    pub(crate) paused: bool,
}

/// What is measured beside the screens, and watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WatchedJob {
    /// The screen that shows it.
    screen: ScreenId,
    /// Whether screens have started it: nobody else would end it.
    is_own: bool,
}

/// The whole application.
#[derive(Debug)]
pub struct App {
    /// What is known of the world outside.
    pub(crate) world: World,
    /// All screens, whether in view or not.
    pub screens: Screens,
    /// The screen in view.
    pub screen: ScreenId,
    /// Whether the pane with the focus fills the screen.
    zoomed: bool,
    /// The screens that it was opened from, where it has no tab: the last leads back first.
    behind: Vec<ScreenId>,
    /// What lies over it.
    pub(crate) open: Option<OpenOverlay>,
    /// What is known of the store while a filter is typed.
    known: Known,
    /// What was said last.
    pub(crate) notices: Notices,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The theme that was chosen since the program began; none: the one that it began with.
    pub(crate) theme: Option<Theme>,
    /// Time since the program began.
    pub(crate) now: Duration,
    /// When what lay over the screens was closed, or a key was last dropped because of it.
    closed: Option<Duration>,
    /// Title and lines of what follows from a session, until nothing lies over the screens that it would take the place of.
    follow_up: Option<(String, Vec<String>)>,
    /// What asked for the file that is being written: asked again where it cannot be.
    asked_for_file: Option<OpenOverlay>,
    /// What is measured beside the screens, and watched.
    job: Option<WatchedJob>,
    /// Whether the program ends as soon as that has ended.
    leaving: bool,
}

impl App {
    /// The application at its start, with what it wants done first.
    pub fn new(world: World, size: (u16, u16)) -> (Self, Vec<Command>) {
        let app = Self {
            screens: Screens::new(&world),
            screen: ScreenId::Bench,
            zoomed: false,
            behind: Vec::new(),
            open: None,
            known: Known::default(),
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

    /// Takes what happened and says what is to be done.
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
        match message {
            Message::Time(now) => {
                self.now = now;
                self.notices.time(now);
                let intents = self.screens.time(now, self.screen);
                self.perform(intents)
            }
            Message::Key(key) => self.key(key),
            Message::Paste(text) => {
                let outcome = self.open.as_mut().map(|open| open.overlay.paste(&text));
                if outcome.is_none() {
                    self.screens.pasted(self.screen, &text);
                }
                outcome.map_or_else(Vec::new, |outcome| self.outcome(outcome))
            }
            Message::Click(target) => self.click(target),
            // The arrows, which it stands for, mean filters of before there.
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
                let context = context(&self.world, &self.job, self.now, self.size, self.zoomed);
                let intents = self.screens.told(job.screen, *event, &context);
                self.perform(intents)
            }
            Message::JobOver(outcome) => self.job_over(outcome),
            Message::Response(response) => self.responded(*response),
            // Told again, it ends in the same order, only sooner.
            Message::Terminate if self.leaving => vec![Command::Tell(Tell::Hurry)],
            Message::Terminate => self.leave_now(),
        }
    }

    /// What is measured and watched, and the screen that shows it.
    pub(crate) fn under_way(&self) -> Option<(ScreenId, &'static str)> {
        let job = self.job.as_ref()?;
        Some((job.screen, self.screens.under_way(job.screen)))
    }

    /// Whether something is watched.
    pub(crate) fn busy(&self) -> bool {
        self.job.is_some()
    }

    /// Whether something is measured that nobody else would end.
    pub fn owns_job(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.is_own)
    }

    /// Whether the screen in view is the one that shows what is measured.
    pub fn shows_job(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.screen == self.screen)
    }

    /// The last session that was seen to end.
    pub fn last_session(&self) -> Option<LastSession> {
        self.screens.live.last()
    }

    /// What the status bar says of what is measured.
    pub(crate) fn status(&self) -> Option<String> {
        self.screens.status(self.job.as_ref()?.screen)
    }

    /// How far what is measured is; none where nothing is.
    pub(crate) fn progress(&self) -> Option<Progress> {
        let (screen, what) = self.under_way()?;
        let words = self.status().unwrap_or_else(|| what.to_owned());
        let (percent, paused) = self.screens.progress(screen);
        Some(Progress { words, percent, paused })
    }

    /// How often time has to be told, with nothing else happening; none when nothing on screen moves by itself.
    pub(crate) fn wakes(&self) -> Option<Duration> {
        let notice = self.notices.wakes(self.now);
        [notice, self.screens.wakes(self.screen)].into_iter().flatten().min()
    }

    /// What keys mean in view, those of the screen first.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = &'static Binding> {
        keys::bindings(self.screen).iter().chain(EVERYWHERE)
    }

    fn key(&mut self, key: KeyPress) -> Vec<Command> {
        if let Some(open) = &mut self.open {
            let outcome = open.overlay.key(key);
            return self.outcome(outcome);
        }
        if self.screens.typed(self.screen, key) {
            return Vec::new();
        }
        let Some(action) = keys::action(self.screen, key) else { return Vec::new() };
        if action.begins() && self.is_settling() {
            // A key that is held down comes again and again: the last of them is typed for the dialog too.
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
            Action::Help => self.open = Some(OpenOverlay::help(self.screen)),
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
            Action::Detach if self.busy() => return vec![Command::Detach],
            Action::Detach => self.say(Notice::good("nothing is measured that would go on: q leaves")),
            Action::Redraw => return vec![Command::Repaint],
            Action::Zoom => self.zoom(),
            Action::Back if self.is_zoomed() => self.zoomed = false,
            action => {
                let context = context(&self.world, &self.job, self.now, self.size, self.zoomed);
                let intents = self.screens.act(self.screen, action, &context);
                return self.perform(intents);
            }
        }
        Vec::new()
    }

    /// Whether something that lay over the screens was closed just now.
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
            // The second click of two on a row of the dialog.
            (Target::Spot { .. }, None) if settling => Vec::new(),
            (Target::Screen(screen), None) => self.go(screen),
            (Target::Press(key), None) => self.key(key),
            (Target::Spot { pane, row }, None) => {
                let context = context(&self.world, &self.job, self.now, self.size, self.zoomed);
                let intents = self.screens.click(self.screen, pane, row, &context);
                self.perform(intents)
            }
        }
    }

    fn responded(&mut self, response: Response) -> Vec<Command> {
        match response {
            Response::World(response) => {
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
                let context = context(&self.world, &self.job, self.now, self.size, self.zoomed);
                let intents = self.screens.responded(response, &context);
                self.perform(intents)
            }
        }
    }

    /// Shows a screen.
    fn go(&mut self, screen: ScreenId) -> Vec<Command> {
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

    /// Shows the screen again that the one in view was opened from.
    fn close_screen(&mut self) -> Vec<Command> {
        self.zoomed = false;
        self.screen = self.behind.pop().unwrap_or(ScreenId::Bench);
        self.shown()
    }

    /// The screen in view, or the one behind it that has a tab.
    pub(crate) fn tab(&self) -> ScreenId {
        let opened_from = self.behind.iter().rev().copied();
        std::iter::once(self.screen).chain(opened_from).find(|screen| screen.has_tab()).unwrap_or(ScreenId::Bench)
    }

    /// The steps that led to the screen in view, from the screen with a tab; none where that is in view.
    pub(crate) fn way(&self) -> Vec<String> {
        self.behind.iter().flat_map(|behind| self.screens.way(*behind)).collect()
    }

    /// The screen came into view, or may want to be told again what is stored.
    fn shown(&mut self) -> Vec<Command> {
        let context = context(&self.world, &self.job, self.now, self.size, self.zoomed);
        let intents = self.screens.shown(self.screen, &context);
        self.perform(intents)
    }

    /// Leaves: at once, or as soon as the session under way has stopped.
    fn leave_now(&mut self) -> Vec<Command> {
        if !self.owns_job() {
            return vec![Command::Leave];
        }
        self.leaving = true;
        self.say(Notice::good("leaving as soon as it has stopped"));
        vec![Command::Tell(Tell::Stop)]
    }

    fn say(&mut self, notice: Notice) {
        self.notices.say(notice, self.now);
    }
}

/// What screens may know besides their own state.
fn context<'a>(
    world: &'a World,
    job: &Option<WatchedJob>,
    now: Duration,
    size: (u16, u16),
    zoomed: bool,
) -> Context<'a> {
    Context { world, now, size, zoomed, is_measuring: job.is_some() }
}

fn ask_world(request: world::Request) -> Command {
    Command::Request(Request::World(request))
}
