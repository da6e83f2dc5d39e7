//! `dbdyno --preset NAME`: a ready-made bench.

use super::{
    args::Places,
    bench::{BenchArgs, bench},
    error::CliError,
};
use crate::bench::Preset;
use std::process::ExitCode;

pub(super) fn preset(places: &Places, name: &str, args: &BenchArgs) -> Result<ExitCode, CliError> {
    let preset = Preset::find(&places.catalog()?, name)?;
    bench(places, preset.spec, args, Some(name))
}
