//! What the Bench screen asks of the world outside: presets of the user's.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::bench::Preset;

#[derive(Debug)]
pub enum Request {
    /// Write a preset into the user's folder.
    SavePreset {
        preset: Box<Preset>,
        /// Whether one of that name is replaced.
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

/// What became of it.
#[derive(Debug)]
pub enum Response {
    /// The preset is in the user's folder.
    Saved(Box<Preset>),
    /// There is one of that name.
    Exists(String),
    /// Why it cannot be saved.
    Unsaved(String),
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::SavePreset { preset, replace } = request;
    match preset.save(&setup.catalog, replace, &[setup.store.guarded()]) {
        Ok(Some(_)) => Response::Saved(preset),
        Ok(None) => Response::Exists(preset.name),
        Err(reason) => Response::Unsaved(reason),
    }
}
