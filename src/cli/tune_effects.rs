//! `dbdyno tune --effects`: which option matters how much, from runs that are stored.

use super::{
    args::Places,
    bench::command_line,
    error::CliError,
    query::opened,
    tune::{target, written},
    tune_args::TuneArgs,
};
use crate::{
    compare::load,
    report::tune::{EffectsFormat, effects as text, effects_page},
    store::{Latencies, Selection},
    tune::effects::effects,
};
use std::process::ExitCode;

pub(super) fn show_effects(places: &Places, selected: &str, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let wrong = |message: String| CliError::Usage(format!("--effects '{selected}': {message}"));
    if selected.trim().is_empty() {
        return Err(wrong("expected terms, as in 'preset=pragma-grid test=1'".to_owned()));
    }
    let selection = Selection::parse_line(selected).map_err(wrong)?;
    let target = target(places, args)?;
    let side = load(&opened(places)?, selected, &selection, Latencies::Left)?;
    let found = effects(&side).map_err(|error| wrong(error.to_string()))?;
    let failed = |what: &str, error: String| CliError::Failed(format!("writing {what}: {error}"));
    let shown = match args.form {
        EffectsFormat::Table => text(&found),
        EffectsFormat::Json => {
            serde_json::to_string_pretty(&found).map_err(|error| failed("JSON", error.to_string()))? + "\n"
        }
        EffectsFormat::Html => effects_page(&found, &command_line(std::env::args()))
            .map_err(|error| failed("the HTML report", format!("{error:#}")))?,
    };
    written(&shown, target.as_ref())
}
