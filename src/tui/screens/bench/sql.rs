//! The user's own SQL: the chosen files, and the suite of their statements.

use super::{BenchScreen, Dialog, Intents, Request, form::BenchSubject};
use crate::tui::{
    screens::{
        OwnSql,
        intent::Intent,
        own_sql::{STATEMENT_LIMIT, SqlFiles},
    },
    world::World,
};
use dbdyno_catalog::{
    bench::EngineChoice,
    engines::{Engine, Registry},
};
use dbdyno_engine::suite::SuiteKind;
use std::sync::Arc;

/// A file that the user chooses, as a row of the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SqlFile {
    /// What is measured, and what prepares it.
    Statements,
    /// The database from which they start.
    Database,
}

impl SqlFile {
    pub(super) const ALL: [Self; 2] = [Self::Statements, Self::Database];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Statements => "SQL file",
            Self::Database => "database",
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
        }
    }
}

/// The user's choice of files.
#[derive(Debug, Default)]
pub(super) struct SqlChoice {
    /// Paths, as typed; empty for none.
    statements: String,
    database: String,
    /// The statements, or the error in the files; none until they are read.
    read: Option<Result<ReadSql, String>>,
    /// Number of the last choice; a response about an earlier one is dropped.
    ticket: u64,
}

/// Statements that can be measured.
#[derive(Debug)]
pub(super) struct ReadSql {
    pub(super) own: OwnSql,
    /// The engines, with the options of the database as defaults.
    pub(super) suited: Registry,
}

impl ReadSql {
    fn new(own: OwnSql, registry: &Registry) -> Self {
        let (options, mut suited) = (own.options(), registry.clone());
        for engine in &mut suited.engines {
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
            for (name, value) in self.own.options() {
                let differs = description.option(&name).is_some_and(|option| option.default != value);
                if differs && !engine.options.contains_key(&name) {
                    engine.options.insert(name, vec![value]);
                }
            }
        }
    }
}

impl SqlChoice {
    /// Returns the path of a file, if it was chosen.
    pub(super) fn path(&self, file: SqlFile) -> Option<&str> {
        let path = match file {
            SqlFile::Statements => &self.statements,
            SqlFile::Database => &self.database,
        };
        Some(path.as_str()).filter(|path| !path.is_empty())
    }

    /// Chooses a file by its path; an empty path chooses none.
    fn choose(&mut self, file: SqlFile, path: &str) {
        let chosen = match file {
            SqlFile::Statements => &mut self.statements,
            SqlFile::Database => &mut self.database,
        };
        path.clone_into(chosen);
        self.read = None;
        self.ticket += 1;
    }

    /// Returns the request that reads the files, if there are statements.
    fn request(&self, registry: &Registry) -> Option<Request> {
        let sql = self.path(SqlFile::Statements)?.into();
        let database = self.path(SqlFile::Database).map(Into::into);
        let engines = registry.engines.iter().map(|engine| &engine.description);
        let engines = engines.filter(|engine| engine.suites.contains(&SuiteKind::Sql)).cloned().collect();
        let files = SqlFiles { sql, database, limit: STATEMENT_LIMIT };
        Some(Request::OwnSql { ticket: self.ticket, files, engines })
    }

    /// Takes the response to a request. Returns false if other files were chosen since.
    pub(super) fn take(&mut self, ticket: u64, read: Result<Box<OwnSql>, String>, registry: &Registry) -> bool {
        if ticket != self.ticket {
            return false;
        }
        self.read = Some(read.map(|own| ReadSql::new(*own, registry)));
        true
    }

    /// Updates the engines after they have changed.
    pub(super) fn suit(&mut self, registry: &Registry) {
        self.read = self.read.take().map(|read| read.map(|read| ReadSql::new(read.own, registry)));
    }

    /// Returns the statements, or why there are none.
    pub(super) fn read(&self) -> Result<&ReadSql, String> {
        match (&self.read, self.path(SqlFile::Statements)) {
            (Some(read), _) => read.as_ref().map_err(Clone::clone),
            (None, Some(path)) => Err(format!("reading {path}: each statement runs once")),
            (None, None) => Err("no SQL file is chosen: Space on its row asks for the path".to_owned()),
        }
    }

    fn is_reading(&self) -> bool {
        self.read.is_none() && !self.statements.is_empty()
    }
}

impl BenchScreen {
    /// Whether the plan has to wait until the user's own SQL is read.
    pub(super) fn awaits_sql(&self) -> bool {
        self.form.measured == BenchSubject::Sql && self.sql.is_reading()
    }

    /// Selects the user's own SQL, as far as it is read.
    pub(super) fn take_sql(&mut self, world: &World) {
        self.form.take_sql(self.sql.read().ok().map(|read| &read.own.suite));
        self.plan(world);
    }

    /// Asks for the path of a file.
    pub(super) fn ask_file(&self, file: SqlFile) -> Intents {
        let now = self.sql.path(file).unwrap_or_default();
        vec![Intent::prompt(Dialog::File(file), file.name(), format!("{}; empty: none", file.help()), now)]
    }

    /// Chooses a file, and has both read again: the user may have corrected a mistake in them.
    pub(super) fn choose_file(&mut self, file: SqlFile, path: &str, world: &World) -> Intents {
        self.sql.choose(file, path);
        self.take_sql(world);
        self.sql.request(&world.registry).map(Intent::Request).into_iter().collect()
    }
}
