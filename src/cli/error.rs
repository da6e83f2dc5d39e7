//! What the user is told when a command cannot be done, and the exit code that says which kind it was.

use crate::{catalog::CatalogError, plan::PlanError, runner::SessionError, store::StoreError};
use std::process::ExitCode;

/// Why a command ended.
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
    /// The session could not begin: exit code 1.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl CliError {
    /// The exit code.
    pub(super) fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Catalog(_) | Self::Plan(_) | Self::Store(StoreError::Query { .. }) => {
                ExitCode::from(2)
            }
            Self::Failed(_) | Self::Store(_) | Self::Session(_) => ExitCode::FAILURE,
        }
    }
}

/// Interrupted by the user or a signal; what finished is kept.
pub(super) const INTERRUPTED: u8 = 130;
