//! The user's own statements in place of a suite: `--sql FILE --database FILE`.

use super::{
    args::{WorkArgs, duration},
    error::CliError,
};
use clap::Args;
use dbdyno_catalog::{Suite, bench::EngineChoice, engines::Registry};
use dbdyno_engine::describe::Description;
use dbdyno_running::script::{self, DatabaseSnapshot, ScriptTerms};
use std::{path::PathBuf, time::Duration};

/// The files of the user's own statements.
#[derive(Debug, Clone, Args)]
pub(super) struct FileArgs {
    /// Measure the statements of this file instead of a suite. Statements before a line `-- measure` prepare the database and are not measured.
    #[arg(long, value_name = "FILE")]
    pub(super) sql: Option<PathBuf>,
    /// Time limit of each statement of the file when dbdyno runs it once, before the measurements.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, requires = "sql")]
    pub(super) statement_limit: Duration,
    /// The SQLite database that the statements start from. It is only read: they run on copies.
    #[arg(long, value_name = "FILE", requires = "sql")]
    database: Option<PathBuf>,
}

impl FileArgs {
    /// The copy of the database of `--database`.
    pub(super) fn snapshot(&self, work: &WorkArgs) -> Result<Option<DatabaseSnapshot>, CliError> {
        let Some(database) = &self.database else { return Ok(None) };
        DatabaseSnapshot::take(database, &work.folder()?).map(Some).map_err(|error| CliError::Usage(error.to_string()))
    }

    /// The suite of the statements for these engines, if there are any.
    pub(super) fn suite(
        &self,
        start: Option<&DatabaseSnapshot>,
        engines: &[EngineChoice],
        registry: &Registry,
    ) -> Result<Option<Suite>, CliError> {
        let Some(file) = &self.sql else { return Ok(None) };
        let found = engines.iter().filter_map(|engine| registry.get(&engine.name).ok());
        let engines: Vec<&Description> = found.map(|engine| &*engine.description).collect();
        let suite = script::suite(file, ScriptTerms { start, engines: &engines, limit: self.statement_limit });
        suite.map(Some).map_err(|error| CliError::Usage(error.to_string()))
    }
}

/// Gives engines the options that the database itself has, unless others were asked for.
pub(super) fn with_options_of(start: &DatabaseSnapshot, engines: &mut [EngineChoice], registry: &Registry) {
    for engine in engines {
        let Ok(found) = registry.get(&engine.name) else { continue };
        for (name, value) in start.options() {
            if found.description.option(name).is_some() && !engine.options.contains_key(name) {
                engine.options.insert(name.clone(), vec![value.clone()]);
            }
        }
    }
}
