//! The requests of the Bench screen about the user's presets and the user's own SQL.

use crate::tui::{
    screens::{OwnSql, SqlFiles},
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::{Workload, bench::Preset};
use dbdyno_engine::describe::Description;
use std::sync::Arc;

#[derive(Debug)]
pub enum Request {
    /// Writes a preset into the user's folder.
    SavePreset {
        preset: Box<Preset>,
        /// The workload of its suite, whose file is written too.
        workload: Option<Box<Workload>>,
        /// Whether an existing preset with this name is replaced.
        replace: bool,
    },
    /// Makes a suite of the user's SQL statements, which any of these engines may run.
    OwnSql { ticket: u64, files: SqlFiles, engines: Vec<Arc<Description>> },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::SavePreset { .. } => Subject::Change,
            Self::OwnSql { .. } => Subject::read("statements"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// The preset was saved in the user's folder.
    Saved(Box<Preset>),
    /// A preset with this name already exists.
    Exists(String),
    /// The reason why it cannot be saved.
    Unsaved(String),
    /// The suite of the user's SQL statements, or the error in the files.
    OwnSql { ticket: u64, read: Result<Box<OwnSql>, String> },
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::SavePreset { preset, workload, replace } => save(preset, workload.as_deref(), replace, setup),
        Request::OwnSql { ticket, files, engines } => {
            let engines: Vec<&Description> = engines.iter().map(AsRef::as_ref).collect();
            Response::OwnSql { ticket, read: OwnSql::read(files, &engines, &setup.work_dir).map(Box::new) }
        }
    }
}

fn save(preset: Box<Preset>, workload: Option<&Workload>, replace: bool, setup: &TuiSetup) -> Response {
    if let Some(Err(reason)) = workload.map(|workload| setup.catalog.described(workload, &workload.engines())) {
        return Response::Unsaved(reason);
    }
    match preset.save(&setup.catalog, replace, &[setup.store.guarded()]) {
        Ok(Some(_)) => Response::Saved(preset),
        Ok(None) => Response::Exists(preset.name),
        Err(reason) => Response::Unsaved(reason),
    }
}
