//! The user's own workload in place of a suite: `--sql FILE` or `--recording FOLDER`, with `--database FILE`.

use super::{
    args::{WorkArgs, duration},
    error::CliError,
};
use clap::Args;
use dbdyno_catalog::{
    bench::EngineChoice,
    engines::{Engine, Registry},
};
use dbdyno_engine::describe::Description;
use dbdyno_running::own::{FileWorkload, OwnFiles, OwnSubject, OwnTerms};
use std::{path::PathBuf, time::Duration};

/// The files of the user's own workload.
#[derive(Debug, Clone, Args)]
pub(super) struct FileArgs {
    /// Measure the statements of this file instead of a suite. Statements before a line `-- measure` prepare the database and are not measured.
    #[arg(long, value_name = "FILE", group = "own")]
    pub(super) sql: Option<PathBuf>,
    /// Time limit of each statement of the file when dbdyno runs it once, before the measurements.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, requires = "sql")]
    pub(super) statement_limit: Duration,
    /// Measure what a program did, as `dbdyno record` has recorded it, instead of a suite.
    #[arg(long, value_name = "FOLDER", group = "own")]
    pub(super) recording: Option<PathBuf>,
    /// The database of the recording to replay [default: the one that took the most time].
    #[arg(long, value_name = "PATH", requires = "recording")]
    pub(super) recorded_database: Option<String>,
    /// The SQLite database to start from. It is only read: dbdyno works on copies [default: an empty one, or the one in the recording].
    #[arg(long, value_name = "FILE", requires = "own")]
    pub(super) database: Option<PathBuf>,
}

impl FileArgs {
    /// Returns the files, if there are any.
    pub(super) fn files(&self) -> Option<OwnFiles> {
        let statements = |sql: &PathBuf| OwnSubject::Statements { sql: sql.clone(), limit: self.statement_limit };
        let recording =
            |folder: &PathBuf| OwnSubject::Recording { folder: folder.clone(), of: self.recorded_database.clone() };
        let subject = self.sql.as_ref().map(statements).or_else(|| self.recording.as_ref().map(recording))?;
        Some(OwnFiles { subject, database: self.database.clone() })
    }

    /// Reads the workload of the files for these engines, if there are any.
    pub(super) fn workload(&self, engines: &[&Description], work: &WorkArgs) -> Result<Option<FileWorkload>, CliError> {
        let Some(files) = self.files() else { return Ok(None) };
        let work_dir = work.folder()?;
        let terms = OwnTerms { engines, work_dir: &work_dir };
        FileWorkload::read(&files, terms).map(Some).map_err(|error| CliError::Usage(error.to_string()))
    }
}

/// Gives engines the options that the database of a workload has, unless others were asked for.
pub(super) fn with_options_of(workload: &FileWorkload, engines: &mut [EngineChoice], registry: &Registry) {
    for engine in engines {
        let Ok(Engine { description, .. }) = registry.get(&engine.name) else { continue };
        for (name, value) in workload.options_beside(description, &engine.options) {
            engine.options.insert(name, vec![value]);
        }
    }
}
