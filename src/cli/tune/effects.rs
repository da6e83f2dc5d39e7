//! `dbdyno tune effects`: which option matters how much, from runs that are stored.

use crate::{
    cli::{
        args::{OutArgs, Places, format_of},
        error::CliError,
        output::{command_line, print, written},
        progress::Style,
    },
    compare::load,
    plan::Plan,
    report::{
        command::shell,
        format::Format,
        tune::{EFFECTS_FORMATS, effects_text},
    },
    store::{Selection, Store},
    tune::effects::effects,
};
use clap::Args;
use dbdyno_engine::say;
use std::{collections::BTreeSet, process::ExitCode};

/// `dbdyno tune effects`.
#[derive(Debug, Args)]
pub(in crate::cli) struct EffectsArgs {
    /// Runs of one test of one suite at one size, in which options differ: terms as for `compare`, as in
    /// 'preset=pragma-grid test=1'.
    selection: String,
    /// How to write the effects.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(EFFECTS_FORMATS))]
    format: Format,
    #[command(flatten)]
    out: OutArgs,
}

pub(super) fn show(places: &Places, args: &EffectsArgs) -> Result<ExitCode, CliError> {
    let selected = args.selection.trim();
    let wrong = |message: String| CliError::Usage(format!("'{selected}': {message}"));
    if selected.is_empty() {
        return Err(wrong("expected terms, as in 'preset=pragma-grid test=1'".to_owned()));
    }
    let selection = Selection::parse_line(selected).map_err(wrong)?;
    let output = args.out.checked(places)?;
    let side = load(&places.opened()?, selected, &selection)?;
    let found = effects(&side).map_err(|error| wrong(error.to_string()))?;
    written(&effects_text(&found, args.format, &command_line())?, output.as_ref())
}

/// What a session that has just ended says about each option: a part for each engine, size and test.
pub(in crate::cli) fn effects_of_session(
    plan: &Plan,
    session_id: &str,
    store: &Store,
    style: Style,
) -> Result<(), CliError> {
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
                print(&effects_text(&found, Format::Table, &command_line())?)?;
                let command = ["dbdyno", "tune", "effects", &selected, "--format", "html", "--out", "effects.html"];
                print(&format!("charts: {}\n\n", shell(command)))?;
            }
            Err(error) => say!("warning: {selected}: {error}"),
        }
    }
    Ok(())
}
