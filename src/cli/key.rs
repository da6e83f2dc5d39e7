//! `dbdyno key`.

use super::{
    args::{AffectedRuns, Places, filled},
    error::CliError,
};
use crate::store::{Annotation, SelectionKey};
use clap::{ArgGroup, Args};
use std::process::ExitCode;

/// `dbdyno key`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(["set", "remove"]).multiple(true).required(true))]
pub(super) struct KeyArgs {
    #[command(flatten)]
    runs: AffectedRuns,
    /// Set this key of the runs to this value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Remove this key from the runs.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    remove: Vec<String>,
}

pub(super) fn key(places: &Places, args: &KeyArgs) -> Result<ExitCode, CliError> {
    let removed = args.remove.iter().cloned().map(Annotation::RemoveKey);
    let set = args.set.iter().cloned().map(|(key, value)| Annotation::SetKey { key, value });
    args.runs.annotate(places, removed.chain(set))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("`{text}`: expected NAME=VALUE, NAME {NAME}"))?;
    Ok((selectable(key.trim())?, value.trim().to_owned()))
}

/// What a key's name may be.
const NAME: &str = "of letters, digits and _ - . : / +, as in owner or room.2";

/// A name by which runs can be selected: one that means something else, or that no selection can have, would be kept for nothing.
fn selectable(name: &str) -> Result<String, String> {
    match SelectionKey::parse(name) {
        Ok(SelectionKey::Option(name)) => Ok(name),
        Ok(_) => Err(format!(
            "`{name}` means something else in a selection, so that runs could not be found by this key: expected another name {NAME}"
        )),
        Err(_) => Err(format!("runs could not be selected by a key `{name}`: expected a name {NAME}")),
    }
}
