//! The user's own files: statements or a recording, and the suite that they make.

use super::{BenchScreen, Dialog, Intents, Request};
use crate::tui::{
    screens::{ReadOwn, intent::Intent},
    world::World,
};
use dbdyno_catalog::{
    bench::EngineChoice,
    engines::{Engine, REFERENCE_ENGINE, Registry},
};
use dbdyno_engine::suite::SuiteKind;
use dbdyno_running::own::{OwnFiles, OwnSubject, STATEMENT_LIMIT};
use std::{path::PathBuf, sync::Arc};

/// What the user measures from files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnKind {
    /// The statements of a file.
    Sql,
    /// What a program did.
    Recorded,
}

impl OwnKind {
    pub(super) const ALL: [Self; 2] = [Self::Sql, Self::Recorded];

    /// Returns what users call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sql => "My SQL",
            Self::Recorded => "Recorded",
        }
    }

    /// Returns what it measures.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Sql => "SQL statements of your own, from a file, each measured on the engines that have SQL",
            Self::Recorded => "What a program asked of its SQLite database, recorded by `dbdyno record` and replayed",
        }
    }

    /// Returns the files that the user chooses.
    pub(super) fn files(self) -> [OwnFile; 2] {
        match self {
            Self::Sql => [OwnFile::Statements, OwnFile::Database],
            Self::Recorded => [OwnFile::Recording, OwnFile::DatabaseBefore],
        }
    }

    fn missing(self) -> &'static str {
        match self {
            Self::Sql => "no SQL file is chosen: Space on its row asks for the path",
            Self::Recorded => {
                "no recording is chosen: Space on its row asks for the path of one that `dbdyno record` wrote"
            }
        }
    }

    fn reading(self, path: &str) -> String {
        match self {
            Self::Sql => format!("reading {path}: each statement runs once"),
            Self::Recorded => format!("reading {path}: it is replayed for its answers"),
        }
    }
}

/// A file that the user chooses, as a row of the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnFile {
    /// What is measured, and what prepares it.
    Statements,
    /// The database from which they start.
    Database,
    /// The folder of a recording.
    Recording,
    /// The database in place of the one in the recording.
    DatabaseBefore,
}

impl OwnFile {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Statements => "SQL file",
            Self::Database | Self::DatabaseBefore => "database",
            Self::Recording => "recording",
        }
    }

    /// Returns its meaning.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Statements => {
                "your statements: those after a line `-- measure` are measured, those before it prepare the database"
            }
            Self::Database => {
                "the SQLite database that they start from: only read, because they run on copies · none: an empty one"
            }
            Self::Recording => "the folder that `dbdyno record` wrote: what a program asked of its database",
            Self::DatabaseBefore => {
                "the SQLite database to start from: only read, because replays run on copies · none: the one in the recording"
            }
        }
    }

    fn is_subject(self) -> bool {
        matches!(self, Self::Statements | Self::Recording)
    }
}

/// The user's choice of files.
#[derive(Debug)]
pub(super) struct FileChoice {
    kind: OwnKind,
    /// Paths, as typed; empty for none.
    subject: String,
    database: String,
    /// What was read, or the error in the files; none until they are read.
    read: Option<Result<ReadFiles, String>>,
    /// Number of the last choice; a response about an earlier one is dropped.
    ticket: u64,
}

/// Files that can be measured.
#[derive(Debug)]
pub(super) struct ReadFiles {
    pub(super) own: ReadOwn,
    /// The engines, with the options of the database as defaults.
    pub(super) suited: Registry,
}

impl ReadFiles {
    fn new(own: ReadOwn, registry: &Registry) -> Self {
        let mut suited = registry.clone();
        for engine in &mut suited.engines {
            let options = own.options(&engine.description);
            for option in &mut Arc::make_mut(&mut engine.description).options {
                if let Some(value) = options.get(&option.name) {
                    option.default.clone_from(value);
                }
            }
        }
        Self { own, suited }
    }

    /// Gives engines the options that the database itself has, unless the user chose others.
    pub(super) fn add_options(&self, engines: &mut [EngineChoice], registry: &Registry) {
        for engine in engines {
            let Ok(Engine { description, .. }) = registry.get(&engine.name) else { continue };
            for (name, value) in self.own.options_beside(description, &engine.options) {
                engine.options.insert(name, vec![value]);
            }
        }
    }
}

impl FileChoice {
    pub(super) fn none(kind: OwnKind) -> Self {
        Self { kind, subject: String::new(), database: String::new(), read: None, ticket: 0 }
    }

    /// Returns the path of a file, if it was chosen.
    pub(super) fn path(&self, file: OwnFile) -> Option<&str> {
        let path = if file.is_subject() { &self.subject } else { &self.database };
        Some(path.as_str()).filter(|path| !path.is_empty())
    }

    /// Chooses a file by its path; an empty path chooses none.
    fn choose(&mut self, file: OwnFile, path: &str) {
        let chosen = if file.is_subject() { &mut self.subject } else { &mut self.database };
        path.clone_into(chosen);
        self.read = None;
        self.ticket += 1;
    }

    /// Returns the request that reads the files, if there is something to measure.
    fn request(&self, registry: &Registry) -> Option<Request> {
        let path = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
        let (subject, database) = (path(&self.subject)?, path(&self.database));
        let subject = match self.kind {
            OwnKind::Sql => OwnSubject::Statements { sql: subject, limit: STATEMENT_LIMIT },
            OwnKind::Recorded => OwnSubject::Recording { folder: subject, of: None },
        };
        let engines = registry.engines.iter().map(|engine| &engine.description);
        let engines = engines.filter(|engine| engine.suites.contains(&SuiteKind::Sql)).cloned().collect();
        let files = OwnFiles { subject, database };
        Some(Request::Read { kind: self.kind, ticket: self.ticket, files, engines })
    }

    /// Takes the response to a request. Returns false if other files were chosen since.
    pub(super) fn take(&mut self, ticket: u64, read: Result<Box<ReadOwn>, String>, registry: &Registry) -> bool {
        if ticket != self.ticket {
            return false;
        }
        self.read = Some(read.map(|own| ReadFiles::new(*own, registry)));
        true
    }

    /// Updates the engines after they have changed.
    pub(super) fn suit(&mut self, registry: &Registry) {
        self.read = self.read.take().map(|read| read.map(|read| ReadFiles::new(read.own, registry)));
    }

    /// Returns what was read, or why there is nothing.
    pub(super) fn read(&self) -> Result<&ReadFiles, String> {
        match &self.read {
            Some(read) => read.as_ref().map_err(Clone::clone),
            None if self.subject.is_empty() => Err(self.kind.missing().to_owned()),
            None => Err(self.kind.reading(&self.subject)),
        }
    }

    fn is_reading(&self) -> bool {
        self.read.is_none() && !self.subject.is_empty()
    }
}

impl BenchScreen {
    /// Returns the chosen files of a kind.
    pub(super) fn files(&self, kind: OwnKind) -> &FileChoice {
        match kind {
            OwnKind::Sql => &self.sql,
            OwnKind::Recorded => &self.recorded,
        }
    }

    pub(super) fn files_mut(&mut self, kind: OwnKind) -> &mut FileChoice {
        match kind {
            OwnKind::Sql => &mut self.sql,
            OwnKind::Recorded => &mut self.recorded,
        }
    }

    /// Whether the plan has to wait until the user's own files are read.
    pub(super) fn awaits_files(&self) -> bool {
        self.form.measured.own().is_some_and(|kind| self.files(kind).is_reading())
    }

    /// Selects the user's own files, as far as they are read.
    pub(super) fn take_files(&mut self, kind: OwnKind, world: &World) {
        let read = match kind {
            OwnKind::Sql => &self.sql,
            OwnKind::Recorded => &self.recorded,
        };
        self.form.take_files(kind, read.read().ok().map(|read| read.own.suite()));
        self.plan(world);
    }

    /// Deselects the engines that cannot run what was read, and selects SQLite if none is left: a key from here, it runs. The engines begin
    /// with the options that the program had, and not with those that Bench proposes.
    pub(super) fn leave_out_refused(&mut self, world: &World) {
        let Self { form, refused, .. } = self;
        for entry in &mut form.entries {
            entry.on &= !refused.contains_key(&entry.engine);
            entry.options.clear();
        }
        if !form.entries.iter().any(|entry| entry.on)
            && let Some(sqlite) = form.entries.iter_mut().find(|entry| entry.engine == REFERENCE_ENGINE)
        {
            sqlite.on = true;
        }
        self.plan(world);
    }

    /// Shows what the files have in them, if they need a page for it.
    pub(super) fn about_files(&self, kind: OwnKind) -> Intents {
        let Ok(read) = self.files(kind).read() else { return Intents::new() };
        let lines = read.own.about();
        let title = format!("The recording {}", read.own.files.path().display());
        if lines.is_empty() { Intents::new() } else { vec![Intent::page(title, lines)] }
    }

    /// Asks for the path of a file.
    pub(super) fn ask_file(&self, kind: OwnKind, file: OwnFile) -> Intents {
        let now = self.files(kind).path(file).unwrap_or_default();
        let help = format!("{}; empty: none", file.help());
        vec![Intent::prompt(Dialog::File(kind, file), file.name(), help, now)]
    }

    /// Chooses a file, and has all read again: the user may have corrected a mistake in them.
    pub(super) fn choose_file(&mut self, kind: OwnKind, file: OwnFile, path: &str, world: &World) -> Intents {
        self.files_mut(kind).choose(file, path);
        self.take_files(kind, world);
        self.files(kind).request(&world.registry).map(Intent::Request).into_iter().collect()
    }
}
