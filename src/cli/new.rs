//! `dbdyno new`: a suite or a preset to start from, in the user's own folder.

use super::{
    args::{Places, one_of},
    error::CliError,
    output::print,
    run::{workload, workload_help},
};
use clap::{Subcommand, builder::TypedValueParser};
use dbdyno_catalog::{CatalogFolder, Workload};
use dbdyno_engine::suite::SuiteKind;
use dbdyno_reports::command::shell;
use std::{path::Path, process::ExitCode};

const KV: &str = include_str!("../../assets/new/kv.toml");
const SQL: &str = include_str!("../../assets/new/sql.toml");
const PRESET: &str = include_str!("../../assets/new/preset.toml");

/// The placeholders in these files for the name, and for a preset's suite.
const NAME: &str = "@NAME@";
const SUITE: &str = "@SUITE@";

/// What `new suite` does with a workload.
const WORKLOAD_WRITTEN: &str =
    "Write the suite of this workload, as in read=90,update=10,value=200,rows=1M,threads=4,commit=100.";

/// What `new` writes.
#[derive(Debug, Subcommand)]
pub(super) enum NewCommand {
    /// Create a suite: the tests to run.
    Suite {
        /// Its name: letters, digits, - and _.
        name: String,
        /// The kind of operations that its tests run.
        #[arg(long, value_name = "KIND", default_value = "kv", value_parser = kinds())]
        kind: SuiteKind,
        /// Write the suite of this workload, as in read=90,update=10,value=200,rows=1M,threads=4,commit=100.
        #[arg(short, long, value_name = "FIELD=VALUE[,FIELD=VALUE]", conflicts_with = "kind", value_parser = workload, long_help = workload_help(WORKLOAD_WRITTEN))]
        workload: Option<Box<Workload>>,
    },
    /// Create a preset: a ready-made bench of a suite.
    Preset {
        /// Its name: letters, digits, - and _.
        name: String,
        /// The suite that it runs.
        #[arg(long, value_name = "SUITE", default_value = "kv")]
        suite: String,
    },
}

fn kinds() -> impl TypedValueParser<Value = SuiteKind> {
    one_of([(SuiteKind::Kv, "kv", "keys and values"), (SuiteKind::Sql, "sql", "SQL")].into_iter())
}

pub(super) fn new(places: &Places, command: &NewCommand) -> Result<ExitCode, CliError> {
    let catalog = places.catalog()?;
    let create = |folder, name: &str, text: String| catalog.create(folder, name, &text).map_err(CliError::Usage);
    match command {
        NewCommand::Suite { name, kind, workload } => {
            let text = match (workload, kind) {
                (Some(workload), _) => workload.suite(name, &workload.engines()),
                (None, SuiteKind::Kv) => KV.replace(NAME, name),
                (None, SuiteKind::Sql) => SQL.replace(NAME, name),
            };
            let path = create(CatalogFolder::Suites, name, text)?;
            match workload {
                Some(workload) => {
                    let run = ["dbdyno", "run", "--suite", name].map(str::to_owned).into_iter().chain(workload.flags());
                    written(&path, &run.collect::<Vec<_>>())
                }
                None => written(&path, &["dbdyno", "check-suite", &path.display().to_string()].map(str::to_owned)),
            }
        }
        NewCommand::Preset { name, suite } => {
            // A missing suite would make the preset invalid from its beginning.
            catalog.suite(suite)?;
            let path = create(CatalogFolder::Presets, name, PRESET.replace(NAME, name).replace(SUITE, suite))?;
            written(&path, &["dbdyno", "--preset", name, "--dry-run"].map(str::to_owned))
        }
    }
}

/// Says where it is, and what to do next.
fn written(path: &Path, next: &[String]) -> Result<ExitCode, CliError> {
    print(&format!("{}\nnext: {}\n", path.display(), shell(next)))
}
