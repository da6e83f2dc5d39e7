//! `dbdyno doctor`: checks whether this machine, the engines and the store are ready for benchmarks.

mod clock;
mod engines;
mod finding;
mod machine;
mod mount;
mod sqlite;
mod storage;
mod store;
mod terminal;

use super::{
    args::{Places, ReportArgs, WorkArgs},
    error::CliError,
    output::command_line,
};
use clap::Args;
use dbdyno_catalog::engines::Registry;
use dbdyno_foundation::host::{HostFacts, Load, NoiseSample};
use dbdyno_reports::sheet::TableObjects;
use finding::{DoctorFinding, sheet};
use std::{process::ExitCode, thread, time::Duration};

/// `dbdyno doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    written: ReportArgs,
}

/// How long others are watched.
const WATCH: Duration = Duration::from_secs(1);

/// Prints the findings. Exit code 1 when something should be changed before measuring.
pub(super) fn doctor(places: &Places, args: &DoctorArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let findings = examine(places, &args.work)?;
    let (sheet, records) = sheet(&findings, &command_line());
    report.write(&sheet, &TableObjects(&records))?;
    let is_unfit = findings.iter().flat_map(|(_, findings)| findings).any(DoctorFinding::is_unfit);
    Ok(if is_unfit { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The findings, by what they are about.
fn examine(places: &Places, work: &WorkArgs) -> Result<Vec<(&'static str, Vec<DoctorFinding>)>, CliError> {
    let folder = work.folder()?;
    std::fs::create_dir_all(&folder).map_err(|error| CliError::Failed(format!("{}: {error}", folder.display())))?;
    // Sampled before any other work, which would count as noise.
    let before = NoiseSample::now();
    thread::sleep(WATCH);
    let noise = NoiseSample::now().since(&before);
    let (host, load) = (HostFacts::read(), Load::read());
    let registry = Registry::discover();
    Ok(vec![
        ("machine", machine::findings(&machine::Patient::read(&host, &load, noise))),
        ("storage", storage::findings(&storage::WorkStorage::read(&folder))),
        ("clock", clock::findings(load.clock_source.as_deref(), &clock::MeasuredClock::read())),
        ("engines", engines::findings(&registry, std::env::var_os("DBDYNO_ENGINE_PATH").as_deref())),
        ("sqlite", sqlite::findings(&sqlite::builds(&registry, &places.catalog()?))),
        ("store", store::findings(&places.store()?, &host.ids())),
        ("terminal", terminal::findings(&terminal::Terminal::read())),
    ])
}
