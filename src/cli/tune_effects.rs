//! `dbdyno tune --effects`: which option matters how much, from runs that are stored.

use super::{
    args::Places,
    bench::command_line,
    error::CliError,
    print,
    progress::Style,
    query::opened,
    tune::{target, written},
    tune_args::TuneArgs,
};
use crate::{
    compare::load,
    plan::Plan,
    report::{format::Format, tune::effects as text},
    store::{Selection, Store},
    tune::effects::effects,
};
use dbdyno_engine::say;
use std::{collections::BTreeSet, process::ExitCode};

pub(super) fn show_effects(places: &Places, selected: &str, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let wrong = |message: String| CliError::Usage(format!("--effects '{selected}': {message}"));
    if selected.trim().is_empty() {
        return Err(wrong("expected terms, as in 'preset=pragma-grid test=1'".to_owned()));
    }
    let selection = Selection::parse_line(selected).map_err(wrong)?;
    let target = target(places, args)?;
    let side = load(&opened(places)?, selected, &selection)?;
    let found = effects(&side).map_err(|error| wrong(error.to_string()))?;
    let shown = text(&found, args.form, &command_line(std::env::args()))?;
    written(&shown, target.as_ref())
}

/// What a session that has just ended says about each option: a part for each engine, size and test.
pub(super) fn effects_of_session(plan: &Plan, session_id: &str, store: &Store, style: Style) -> Result<(), CliError> {
    let mut parts = BTreeSet::new();
    for configuration in &plan.configurations {
        let measured = plan.suite.tests().filter(|test| plan.pick.has(test.number));
        parts.extend(measured.map(|test| (configuration.engine_name(), configuration.size, test.number)));
    }
    for (engine, size, test) in parts {
        let selected = format!("session={session_id} engine={engine} size={size} test={test}");
        let selection = Selection::parse_line(&selected).map_err(CliError::Failed)?;
        match effects(&load(store, &selected, &selection)?) {
            Ok(found) if style == Style::Json => {
                print(&format!("{}\n", serde_json::json!({ "event": "effects", "effects": found })))?;
            }
            Ok(found) => {
                print(&text(&found, Format::Table, "")?)?;
                print(&format!("charts: dbdyno tune --effects '{selected}' --as html --out effects.html\n\n"))?;
            }
            Err(error) => say!("warning: {selected}: {error}"),
        }
    }
    Ok(())
}
