//! The user's own workload, from files: statements of SQL, or a recording.

use crate::{
    replay::{RecordedError, RecordedKeys, RecordedTerms, RecordedWorkload},
    script::{self, DatabaseSnapshot, ScriptError, ScriptTerms},
};
use dbdyno_catalog::{
    Suite,
    bench::{EngineChoice, Values},
    engines::REFERENCE_ENGINE,
};
use dbdyno_engine::describe::Description;
use dbdyno_foundation::base::typed::written_duration;
use dbdyno_recorded::records_keys;
use dbdyno_stats::rounds_needed;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// Default time limit of each statement of a file when it is tried once.
pub const STATEMENT_LIMIT: Duration = Duration::from_secs(60);

/// The files of the user's own workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFiles {
    pub subject: OwnSubject,
    /// The SQLite database that it starts from, which is only read. None: an empty one, or the one that a recording has.
    pub database: Option<PathBuf>,
}

/// The workload: statements or a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnSubject {
    /// The statements of a file.
    Statements {
        sql: PathBuf,
        /// Time limit of each statement when it is tried once.
        limit: Duration,
    },
    /// What a program did.
    Recording {
        folder: PathBuf,
        /// The database that is replayed, as the recording names it. None: the one that took the most time.
        of: Option<String>,
    },
}

impl OwnFiles {
    /// Returns the path of the statements or of the recording.
    pub fn path(&self) -> &Path {
        match &self.subject {
            OwnSubject::Statements { sql, .. } => sql,
            OwnSubject::Recording { folder, .. } => folder,
        }
    }

    /// Returns the same files with absolute paths, so that a command with them works in any folder.
    #[must_use]
    pub fn absolute(self) -> Self {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let subject = match self.subject {
            OwnSubject::Statements { sql, limit } => OwnSubject::Statements { sql: absolute(sql), limit },
            OwnSubject::Recording { folder, of } => OwnSubject::Recording { folder: absolute(folder), of },
        };
        Self { subject, database: self.database.map(absolute) }
    }

    /// Returns the arguments that name these files.
    pub fn words(&self) -> Vec<String> {
        let mut words = match &self.subject {
            OwnSubject::Statements { sql, limit } => {
                let mut words = vec!["--sql".to_owned(), sql.display().to_string()];
                if *limit != STATEMENT_LIMIT {
                    words.extend(["--statement-limit".to_owned(), written_duration(*limit)]);
                }
                words
            }
            OwnSubject::Recording { folder, of } => {
                let mut words = vec!["--recording".to_owned(), folder.display().to_string()];
                words.extend(of.iter().flat_map(|of| ["--recorded-database".to_owned(), of.clone()]));
                words
            }
        };
        words.extend(self.database.iter().flat_map(|file| ["--database".to_owned(), file.display().to_string()]));
        words
    }
}

/// Why there is no workload.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    #[error(transparent)]
    Statements(#[from] ScriptError),
    #[error(transparent)]
    Recording(#[from] Box<RecordedError>),
}

/// What a workload is read with.
#[derive(Debug, Clone, Copy)]
pub struct OwnTerms<'t> {
    /// The engines that may be measured. Statements may not set their options.
    pub engines: &'t [&'t Description],
    pub work_dir: &'t Path,
}

/// A workload that is ready to run. It owns copies of its files, and removes them when it is dropped.
#[derive(Debug)]
pub enum FileWorkload {
    /// Statements, with the copy of the database from which they start.
    Statements { suite: Box<Suite>, start: Option<Box<DatabaseSnapshot>> },
    /// What a program asked of SQLite.
    Recorded(Box<RecordedWorkload>),
    /// What was asked of a store of keys and values.
    RecordedKeys(Box<RecordedKeys>),
}

impl FileWorkload {
    /// Reads the files: each statement of a file runs once, and a recording is replayed for its answers.
    ///
    /// # Errors
    /// The reason why a file cannot be read or measured, with its position.
    pub fn read(files: &OwnFiles, terms: OwnTerms<'_>) -> Result<Self, OwnError> {
        let OwnTerms { engines, work_dir } = terms;
        let database = files.database.as_deref();
        match &files.subject {
            OwnSubject::Statements { sql, limit } => {
                let start = database.map(|database| DatabaseSnapshot::take(database, work_dir)).transpose()?;
                let terms = ScriptTerms { start: start.as_ref(), engines, limit: *limit };
                let suite = Box::new(script::suite(sql, terms)?);
                Ok(Self::Statements { suite, start: start.map(Box::new) })
            }
            OwnSubject::Recording { folder, of } => {
                let terms = RecordedTerms { of: of.as_deref(), start: database, engines, work_dir };
                let error = |error: RecordedError| OwnError::Recording(Box::new(error));
                if records_keys(folder).map_err(|why| error(RecordedError::Recording(why.into())))? {
                    return Ok(Self::RecordedKeys(Box::new(RecordedKeys::read(folder, terms).map_err(error)?)));
                }
                Ok(Self::Recorded(Box::new(RecordedWorkload::read(folder, terms).map_err(error)?)))
            }
        }
    }

    /// Returns its suite.
    pub fn suite(&self) -> &Suite {
        match self {
            Self::Statements { suite, .. } => suite,
            Self::Recorded(recorded) => &recorded.suite,
            Self::RecordedKeys(recorded) => &recorded.suite,
        }
    }

    /// Returns the number of rounds with which one of its statements can be decided alone.
    pub fn rounds_needed(&self) -> u32 {
        match self {
            Self::Statements { .. } => 0,
            // The whole is judged too.
            Self::Recorded(recorded) => rounds_needed(recorded.plan.spec.statements.len() + 1) as u32,
            Self::RecordedKeys(recorded) => rounds_needed(recorded.plan.operations.len() + 1) as u32,
        }
    }

    /// Returns the engines that are measured if the user names none.
    pub fn usual_engines(&self) -> Vec<EngineChoice> {
        match self {
            Self::Statements { .. } | Self::Recorded(_) => {
                vec![EngineChoice { name: REFERENCE_ENGINE.to_owned(), options: Values::new(), optional: false }]
            }
            Self::RecordedKeys(recorded) => recorded.suite.usual_engines.clone(),
        }
    }

    /// Whether its operations have times of their own, at which they can be due.
    pub fn has_times(&self) -> bool {
        match self {
            Self::Statements { .. } => false,
            Self::Recorded(recorded) => recorded.plan.has_times(),
            Self::RecordedKeys(recorded) => recorded.plan.has_times(),
        }
    }

    /// Returns sentences on the content of the workload. It is empty for statements, which the user wrote.
    pub fn facts(&self) -> Vec<String> {
        match self {
            Self::Statements { .. } => Vec::new(),
            Self::Recorded(recorded) => recorded.facts(),
            Self::RecordedKeys(recorded) => recorded.facts(),
        }
    }

    /// Returns these [options](Self::options) without those that were chosen, by their own name or as the option `memory`, and without an
    /// engine's defaults.
    pub fn options_beside<V>(
        &self,
        description: &Description,
        chosen: &BTreeMap<String, V>,
    ) -> BTreeMap<String, String> {
        let is_chosen = |name: &str| {
            let by_memory = description.options.iter().filter(|option| chosen.contains_key(&option.name));
            let mut by_memory = by_memory.filter_map(|option| option.memory.as_ref()?.option());
            chosen.contains_key(name) || by_memory.any(|set| set == name)
        };
        let is_default = |name: &str, value: &str| description.option(name).is_some_and(|of| of.default == value);
        let mut all = self.options(description);
        all.retain(|name, value| !is_chosen(name) && !is_default(name, value));
        all
    }

    /// Returns the options that the database itself has, or with which the recorded program used it, as far as an engine has them.
    pub fn options(&self, description: &Description) -> BTreeMap<String, String> {
        match self {
            Self::Statements { start, .. } => {
                let all = start.iter().flat_map(|start| start.options());
                let known = all.filter(|(name, _)| description.option(name).is_some());
                known.map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Self::Recorded(recorded) => recorded.options(description),
            // A trace says nothing of settings.
            Self::RecordedKeys(_) => BTreeMap::new(),
        }
    }
}
