//! The user's own SQL statements instead of a suite, for the screens that measure them: read, and tried once, in the background.

use dbdyno_catalog::Suite;
use dbdyno_engine::describe::Description;
use dbdyno_foundation::base::typed::written_duration;
use dbdyno_running::script::{self, DatabaseSnapshot, ScriptTerms};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Default time limit of each statement when it is tried once.
pub(super) const STATEMENT_LIMIT: Duration = Duration::from_secs(60);

/// The requested files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlFiles {
    /// The file with the statements.
    pub(crate) sql: PathBuf,
    /// The SQLite database from which the statements start, which is only read; none: an empty one.
    pub(crate) database: Option<PathBuf>,
    /// Time limit of each statement when it is tried once.
    pub(crate) limit: Duration,
}

impl SqlFiles {
    /// Returns the same files with absolute paths, so that a command with them works in any folder.
    fn absolute(self) -> Self {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Self { sql: absolute(self.sql), database: self.database.map(absolute), limit: self.limit }
    }
}

/// A workload of the user's SQL statements.
#[derive(Debug, Clone)]
pub struct OwnSql {
    pub(crate) suite: Suite,
    pub(crate) files: SqlFiles,
    /// The copy of the database, which exists while this value does.
    pub(crate) start: Option<Arc<DatabaseSnapshot>>,
}

impl OwnSql {
    /// Copies the database, reads the statements, and tries each statement once. `engines`: those that may be measured.
    ///
    /// # Errors
    /// The reason why a file cannot be read or measured, with its position.
    pub(super) fn read(files: SqlFiles, engines: &[&Description], work_dir: &Path) -> Result<Self, String> {
        let take = |database: &PathBuf| DatabaseSnapshot::take(database, work_dir).map_err(|error| error.to_string());
        let start = files.database.as_ref().map(take).transpose()?;
        let terms = ScriptTerms { start: start.as_ref(), engines, limit: files.limit };
        let suite = script::suite(&files.sql, terms).map_err(|error| error.to_string())?;
        Ok(Self { suite, files: files.absolute(), start: start.map(Arc::new) })
    }

    /// Returns the options that the database itself has.
    pub(super) fn options(&self) -> BTreeMap<String, String> {
        self.start.as_ref().map(|start| start.options().clone()).unwrap_or_default()
    }

    /// Returns the arguments that name these files.
    pub(super) fn words(&self) -> Vec<String> {
        let SqlFiles { sql, database, limit } = &self.files;
        let mut words = vec!["--sql".to_owned(), sql.display().to_string()];
        words.extend(database.iter().flat_map(|file| ["--database".to_owned(), file.display().to_string()]));
        if *limit != STATEMENT_LIMIT {
            words.extend(["--statement-limit".to_owned(), written_duration(*limit)]);
        }
        words
    }
}
