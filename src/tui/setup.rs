//! The configuration that the terminal UI starts with.

use super::{keys::KeyTable, widgets::Look};
use dbdyno_catalog::{Announcements, Catalog};
use dbdyno_store::Store;
use std::path::PathBuf;

/// The configuration that the terminal UI starts with.
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
    /// The keys of all screens.
    pub keys: KeyTable,
    /// Whether the terminal is reached over SSH. Pictures of a running job then leave most of the line free.
    pub is_remote: bool,
    /// What the terminal is sent in addition to the screens.
    pub announcements: Announcements,
    /// Arguments that displayed command lines need in order to have the same effect (`--store FILE`).
    pub arguments: Vec<String>,
}
