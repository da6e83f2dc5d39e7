//! Trials run from the Tune screen, and what it wants to know of the store.

use super::{
    super::{
        app::tune::{Answer, Question},
        event::Trying,
    },
    Setup,
    session::launch,
};
use crate::{
    base::{csv::Cells, identifier::clock_seed},
    engines::Registry,
    report::{
        format::Format,
        tune::{LEDGER_FORMATS, ledger_text},
    },
    runner::Control,
    tune::{Lab, Ledger, TuneEvent, accept, ledger, more, what_if},
};
use std::path::Path;
use tokio::sync::mpsc::UnboundedSender;

/// Runs a trial to its end.
pub(super) async fn run(
    trying: Trying,
    setup: &Setup,
    registry: &Registry,
    events: UnboundedSender<TuneEvent>,
    control: Control,
) -> Result<(), String> {
    let store = setup.store.clone();
    let prepared = tokio::task::spawn_blocking(move || store.prepare()).await.map_err(|error| error.to_string())?;
    prepared.map_err(|error| error.to_string())?;
    let (Trying::New { command_line, .. } | Trying::More { command_line, .. }) = &trying;
    let launch = launch(setup, command_line.clone());
    let lab = Lab { registry, store: &setup.store, launch, events, control };
    let tried = match trying {
        Trying::New { workload, mut question, .. } => {
            question.seed = clock_seed();
            what_if(&lab, &workload, question).await
        }
        Trying::More { workload, trial, .. } => more(&lab, &workload, *trial).await,
    };
    tried.map(drop).map_err(|error| error.to_string())
}

/// Answers a question of the Tune screen.
pub(super) fn answer(question: Question, setup: &Setup) -> Answer {
    match question {
        Question::Ledger(name) if !setup.store.exists() => Answer::Ledger(Ok(Ledger::new(&name, Vec::new()))),
        Question::Ledger(name) => Answer::Ledger(ledger(&setup.store, &name).map_err(|error| error.to_string())),
        Question::Accept(mut trial) => {
            let accepted = accept(&setup.store, &mut trial).map_err(|error| error.to_string());
            Answer::Accepted(accepted.map(|()| trial))
        }
    }
}

/// A ledger in the format of a file's ending.
pub(super) fn exported(ledger: &Ledger, command: &str, path: &Path) -> Result<String, String> {
    let format = Format::of_file(path, LEDGER_FORMATS).map_err(|error| error.to_string())?;
    ledger_text(ledger, format, Cells::Escaped, command).map_err(|error| error.to_string())
}
