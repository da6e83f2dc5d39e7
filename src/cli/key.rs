//! `dbdyno key`.

use super::{
    args::{AffectedRuns, Places, filled, machine_name},
    error::CliError,
};
use clap::{ArgGroup, Args};
use dbdyno_store::{Annotation, SelectionKey};
use std::process::ExitCode;

/// `dbdyno key`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(["set", "remove"]).multiple(true).required(true))]
pub(super) struct KeyArgs {
    #[command(flatten)]
    runs: AffectedRuns,
    /// Set this key of the runs to this value. The key `host` names the machine of these runs, and of all other runs of
    /// their sessions.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Remove this key from the runs.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    remove: Vec<String>,
}

pub(super) fn key(places: &Places, args: &KeyArgs) -> Result<ExitCode, CliError> {
    let removed = args.remove.iter().cloned().map(Annotation::RemoveKey);
    let set = args.set.iter().cloned().map(|(key, value)| match key.as_str() {
        HOST => Annotation::NameHost(value),
        _ => Annotation::SetKey { key, value },
    });
    args.runs.annotate(places, removed.chain(set))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("`{text}`: expected NAME=VALUE, as in owner=ann"))?;
    match key.trim() {
        HOST => Ok((HOST.to_owned(), machine_name(value)?)),
        key => Ok((selectable(key)?, value.trim().to_owned())),
    }
}

/// The key that names a machine, and not single runs.
const HOST: &str = "host";

/// What a key's name may be.
const NAME: &str = "of letters, digits and _ - . : / +, as in owner or room.2";

/// A name by which runs can be selected: one that means something else, or that no selection can have, would be kept for nothing.
fn selectable(name: &str) -> Result<String, String> {
    match SelectionKey::parse(name) {
        Ok(SelectionKey::Option(name)) => Ok(name),
        Ok(_) => Err(format!(
            "`{name}` has another meaning in selections, so a key of this name would find no runs: expected another name {NAME}"
        )),
        Err(_) => Err(format!("a selection cannot contain a key `{name}`: expected a name {NAME}")),
    }
}
