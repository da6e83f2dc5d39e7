//! The requests of the Bench screen about the user's presets and the user's own files.

use super::files::OwnKind;
use crate::tui::{
    screens::ReadOwn,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::{
    Workload,
    bench::{BenchPlan, Preset, Spec},
};
use dbdyno_engine::describe::Description;
use dbdyno_running::{own::OwnFiles, runner::expected_until_decided};
use std::{sync::Arc, time::Duration};

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
    /// Makes a suite of the user's files, which any of these engines may run.
    Read { kind: OwnKind, ticket: u64, files: OwnFiles, engines: Vec<Arc<Description>> },
    /// Computes when all of this bench is expected to be decided.
    Forecast { spec: Box<Spec>, plan: Box<BenchPlan> },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::SavePreset { .. } => Subject::Change,
            Self::Read { kind: OwnKind::Sql, .. } => Subject::read("statements"),
            Self::Read { kind: OwnKind::Recorded, .. } => Subject::read("recording"),
            Self::Forecast { .. } => Subject::read("forecast"),
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
    /// The suite of the user's files, or the error in them.
    Read { kind: OwnKind, ticket: u64, read: Result<Box<ReadOwn>, String> },
    /// When all of this bench is expected to be decided; none without an earlier session to know it from.
    Forecast { spec: Box<Spec>, time: Option<Duration> },
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::SavePreset { preset, workload, replace } => save(preset, workload.as_deref(), replace, setup),
        Request::Read { kind, ticket, files, engines } => {
            let engines: Vec<&Description> = engines.iter().map(AsRef::as_ref).collect();
            Response::Read { kind, ticket, read: ReadOwn::read(files, &engines, &setup.work_dir).map(Box::new) }
        }
        Request::Forecast { spec, plan } => {
            Response::Forecast { spec, time: expected_until_decided(&setup.store, &plan) }
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
