//! Journeys through the terminal UI: keys go in, a painted screen comes out. Requests are answered as in the real program, from a real
//! store. Only the terminal is replaced by a buffer.

mod attach;
mod bench;
mod choose;
mod claims;
mod compare;
mod configurations;
mod copying;
mod cursor_row;
mod filter;
mod held_keys;
mod jobs;
mod live;
mod messages;
mod opening;
mod own_sql;
mod own_workload;
mod palette;
mod panes;
mod recorded;
mod results;
mod sql;
pub(crate) mod terminal;
mod torture;
mod trend;
mod tune;

use crate::support::Place;
use dbdyno::{
    catalog::{Announcements, Catalog, UserFolders},
    store::Store,
    tui::{
        self, App, Command, Message, Request, TuiSetup, draw,
        keys::{KeyPress, KeyTable},
        widgets::Look,
        world,
    },
};
use dbdyno_reports::command::shell;
use dbdyno_running::watching::JobEvent;
use ratatui::{buffer::Buffer, layout::Rect};
use std::time::Duration;

/// The application with a painted screen, and its own place.
pub(crate) struct Journey {
    pub(crate) app: App,
    pub(crate) setup: TuiSetup,
    /// The commands that the application would have measured.
    pub(crate) started: Vec<String>,
    /// Whether the application asked to quit.
    pub(crate) left: bool,
    /// Commands that are neither requests nor starts, as text.
    pub(crate) others: Vec<String>,
    place: Place,
    /// Milliseconds that typing and clicking took.
    typing: u64,
    /// Milliseconds that passed otherwise.
    passed: u64,
}

/// Milliseconds between two keys of a user who watches the screen.
const BETWEEN_KEYS: u64 = 250;

impl Journey {
    /// Begins at the first screen, with an empty store.
    pub(crate) fn begin(columns: u16, rows: u16) -> Self {
        Self::begin_in(Place::new(), columns, rows)
    }

    /// Begins in a place that may already have stored results. The preset at the first screen has ten rounds of everything: how many the
    /// delivered one has depends on what is undecided.
    pub(crate) fn begin_in(place: Place, columns: u16, rows: u16) -> Self {
        let delivered = include_str!("../../presets/quick.toml");
        let fixed = delivered.replace("repeats = 8\n", "repeats = 10\n").replace("until_decided = 10\n", "");
        assert_eq!(fixed.len() + "until_decided = 10\n".len(), delivered.len() + 1);
        std::fs::write(place.path("config").join("presets/quick.toml"), fixed).unwrap();
        Self::delivered_in(place, columns, rows)
    }

    /// Begins in a place as it is.
    pub(crate) fn delivered_in(place: Place, columns: u16, rows: u16) -> Self {
        let catalog = Catalog::new(UserFolders { root: place.path("config") });
        let setup = TuiSetup {
            is_remote: false,
            look: Look { theme: catalog.theme("dark").unwrap(), ascii: false, colour: true },
            announcements: Announcements::default(),
            keys: KeyTable::default(),
            catalog,
            store: Store::new(place.store()),
            work_dir: place.path("work"),
            cpu: None,
            arguments: Vec::new(),
        };
        let (app, commands) = App::new(tui::read(&setup), (columns, rows));
        let (started, others) = (Vec::new(), Vec::new());
        let mut journey = Self { app, setup, started, left: false, others, place, typing: 0, passed: 0 };
        journey.perform(commands);
        journey
    }

    /// The place, to inspect its files.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Sends a message to the application.
    pub(crate) fn message(&mut self, message: Message) {
        let commands = self.app.update(message);
        self.perform(commands);
    }

    /// Sends an event of the running job to the application.
    pub(crate) fn told(&mut self, event: JobEvent) {
        self.message(Message::Job(Box::new(event)));
    }

    /// Performs the commands that the application returned.
    pub(crate) fn perform(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                // Journeys ignore the noise of the machine.
                Command::Request(Request::World(world::Request::Noise)) => {}
                Command::Request(request) => {
                    let response = tui::respond(request, &self.setup);
                    self.message(Message::Response(Box::new(response)));
                }
                Command::Measure(command) => self.started.push(shell(command)),
                Command::Leave => self.left = true,
                other => self.others.push(format!("{other:?}")),
            }
        }
    }

    /// Presses a key, after enough time to see the effect of the previous one.
    pub(crate) fn key(&mut self, key: KeyPress) -> &mut Self {
        self.look();
        self.message(Message::Key(key));
        self
    }

    /// Presses keys in immediate succession, without time to look at the screen.
    pub(crate) fn at_once(&mut self, keys: &[KeyPress]) -> &mut Self {
        for key in keys {
            self.message(Message::Key(*key));
        }
        self
    }

    /// Lets the time pass that a user needs to look at the screen.
    fn look(&mut self) {
        self.typing += BETWEEN_KEYS;
        self.tell_time();
    }

    fn tell_time(&mut self) {
        self.message(Message::Time(Duration::from_millis(self.typing + self.passed)));
    }

    /// Types characters, each after a look at the screen.
    pub(crate) fn keys(&mut self, characters: &str) -> &mut Self {
        for c in characters.chars() {
            self.key(KeyPress::Char(c));
        }
        self
    }

    /// Lets time pass until this long after the start, not counting what typing took.
    pub(crate) fn time(&mut self, milliseconds: u64) -> &mut Self {
        self.passed = milliseconds;
        self.tell_time();
        self
    }

    /// Returns the painted characters, one line per row.
    pub(crate) fn screen(&self) -> String {
        let buffer = self.painted();
        let lines = buffer.content.chunks(usize::from(buffer.area.width));
        lines
            .map(|line| line.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned() + "\n")
            .collect()
    }

    /// Returns the painted cells.
    pub(crate) fn painted(&self) -> Buffer {
        let (columns, rows) = self.app.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        draw(&self.app, &self.setup.look, &mut buffer);
        buffer
    }

    /// Clicks on the first place where this text is painted.
    pub(crate) fn click(&mut self, text: &str) -> &mut Self {
        let (columns, rows) = self.app.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let (hits, _) = draw(&self.app, &self.setup.look, &mut buffer);
        let screen = self.screen();
        let (row, line) =
            screen.lines().enumerate().find(|(_, line)| line.contains(text)).expect("the text is painted");
        let before = &line[..line.find(text).expect("the line has the text")];
        let at = ratatui::layout::Position { x: before.chars().count() as u16, y: row as u16 };
        let hit = hits
            .iter()
            .rev()
            .find(|hit| hit.area.contains(at))
            .unwrap_or_else(|| panic!("the place of `{text}` can be clicked ({at}):\n{screen}"));
        self.look();
        self.message(Message::Click(hit.target));
        self
    }

    /// Asserts that the screen shows a text.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        let screen = self.screen();
        assert!(screen.contains(text), "the screen should show `{text}`:\n{screen}");
        self
    }

    /// Asserts that the screen does not show a text.
    #[track_caller]
    pub(crate) fn hides(&mut self, text: &str) -> &mut Self {
        let screen = self.screen();
        assert!(!screen.contains(text), "the screen should not show `{text}`:\n{screen}");
        self
    }
}
