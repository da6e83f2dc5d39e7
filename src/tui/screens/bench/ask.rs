//! The requests of the Bench screen about the user's presets.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::{Workload, bench::Preset};

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
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::SavePreset { .. } => Subject::Change,
        }
    }
}

/// The result of saving a preset.
#[derive(Debug)]
pub enum Response {
    /// The preset was saved in the user's folder.
    Saved(Box<Preset>),
    /// A preset with this name already exists.
    Exists(String),
    /// The reason why it cannot be saved.
    Unsaved(String),
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::SavePreset { preset, workload, replace } = request;
    if let Some(Err(reason)) = workload.map(|workload| setup.catalog.described(&workload, &workload.engines())) {
        return Response::Unsaved(reason);
    }
    match preset.save(&setup.catalog, replace, &[setup.store.guarded()]) {
        Ok(Some(_)) => Response::Saved(preset),
        Ok(None) => Response::Exists(preset.name),
        Err(reason) => Response::Unsaved(reason),
    }
}
