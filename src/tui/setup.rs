//! What the terminal UI is started with.

use super::widgets::Look;
use dbdyno_catalog::{Announcements, Catalog};
use dbdyno_store::Store;
use std::path::PathBuf;

/// What the terminal UI is started with.
#[derive(Debug, Clone)]
pub struct TuiSetup {
    /// Suites, presets, claims, themes.
    pub catalog: Catalog,
    /// Where results are kept.
    pub store: Store,
    /// Where databases are put.
    pub work_dir: PathBuf,
    /// CPU to pin workers to.
    pub cpu: Option<u32>,
    /// Colours and characters.
    pub look: Look,
    /// What the terminal is told besides the screens.
    pub announcements: Announcements,
    /// Arguments that command lines shown need to mean the same (`--store FILE`).
    pub arguments: Vec<String>,
}
