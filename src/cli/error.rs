//! The error that the user gets if a command fails, and the exit code of each kind of error.

use dbdyno_catalog::{
    CatalogError,
    bench::{PlanError, SpecError},
};
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::{command::shell, format::WriteError, tracked::TrackError};
use dbdyno_running::runner::SessionError;
use dbdyno_store::{ExportError, ImportError, StoreError};
use std::{path::Path, process::ExitCode};

#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    /// Bad usage or input: exit code 2, nothing was run.
    #[error("{0}")]
    Usage(String),
    /// It was tried and failed: exit code 1.
    #[error("{0}")]
    Failed(String),
    /// A suite or preset is wrong: exit code 2.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The request cannot be planned: exit code 2.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The store cannot be used: exit code 1, or 2 for a wrong query.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be taken in: exit code 2, or 1 for a store that is in use or cannot be written.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Runs cannot be copied: exit code 2 for a target that cannot be one, else 1.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The session could not begin: exit code 1.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl From<SpecError> for CliError {
    fn from(error: SpecError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<WriteError> for CliError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Unsupported { .. } | WriteError::NothingPrinted => Self::Usage(error.to_string()),
            WriteError::Store(error) => Self::Store(error),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<TrackError> for CliError {
    fn from(error: TrackError) -> Self {
        match error {
            TrackError::Store(error) => Self::Store(error),
            TrackError::Json(_) | TrackError::File(_) => Self::Failed(error.to_string()),
            error => Self::Usage(error.to_string()),
        }
    }
}

/// Returns the error for a file that cannot be written.
pub(super) fn unwritten(path: &Path) -> impl Fn(WriteError) -> CliError {
    move |error| match error {
        WriteError::File(error) => unwritten_file(path, &error),
        error => error.into(),
    }
}

/// Does the same for an error of the system.
pub(super) fn unwritten_file(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Failed(format!("{} cannot be written: {error}: choose another file with --out", path.display()))
}

impl CliError {
    pub(super) fn code(&self) -> ExitCode {
        let own_store = |error: &StoreError| match error {
            StoreError::Query { .. } => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        };
        match self {
            Self::Usage(_) | Self::Catalog(_) | Self::Plan(_) => ExitCode::from(2),
            Self::Store(error) | Self::Import(ImportError::Store(error)) | Self::Export(ExportError::Store(error)) => {
                own_store(error)
            }
            Self::Import(ImportError::Source(StoreError::Locked { .. })) => ExitCode::FAILURE,
            Self::Import(_) | Self::Export(ExportError::NotEmpty { .. } | ExportError::Same { .. }) => {
                ExitCode::from(2)
            }
            Self::Export(ExportError::Unwritable { .. }) | Self::Failed(_) | Self::Session(_) => ExitCode::FAILURE,
        }
    }

    /// The message with the arguments that would help, and nothing in it that a terminal would obey.
    pub(super) fn shown(&self) -> String {
        let arguments = self.arguments().map_or_else(String::new, |arguments| format!(" ({arguments})"));
        format!("{self}{arguments}").lines().map(plain).collect::<Vec<_>>().join("\n")
    }

    /// What does on the command line what the message asks for.
    fn arguments(&self) -> Option<String> {
        match self {
            Self::Store(error)
            | Self::Import(ImportError::Store(error))
            | Self::Export(ExportError::Store(error))
            | Self::Session(SessionError::Store(error))
            | Self::Import(ImportError::Source(error @ StoreError::Damaged { .. })) => of_store(error),
            Self::Import(ImportError::Same { .. }) => Some("--store or DBDYNO_STORE".to_owned()),
            Self::Session(SessionError::WorkFolder { .. }) => Some("--work-dir or DBDYNO_WORK_DIR".to_owned()),
            _ => None,
        }
    }
}

/// The arguments that name another store or another place for its journal, or the command that repairs it.
fn of_store(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Unwritable { .. }
        | StoreError::Newer { .. }
        | StoreError::Foreign { .. }
        | StoreError::NotDuckDb { .. } => Some("--store or DBDYNO_STORE".to_owned()),
        StoreError::Journal { .. } => Some("--journal or DBDYNO_JOURNAL".to_owned()),
        StoreError::Damaged { path, .. } => {
            Some(shell(["dbdyno", "--store", &path.to_string_lossy(), "store", "repair"]))
        }
        _ => None,
    }
}

/// Interrupted by the user or a signal; what finished is kept.
pub(super) const INTERRUPTED: u8 = 130;
