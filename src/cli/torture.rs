//! `dbdyno torture`: whether acknowledged data survives kills and power losses.

use super::{
    args::{EngineList, Places, ReportArgs, WorkArgs, duration, whole},
    completions,
    error::{CliError, INTERRUPTED},
    output::{command_line, print},
    session::shown,
};
use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use dbdyno_catalog::engines::Registry;
use dbdyno_engine::say;
use dbdyno_foundation::base::{identifier::clock_seed, units::plain};
use dbdyno_reports::torture::{TortureReport, sheet, step_text};
use dbdyno_running::torture::{
    MountRole, MountServe, PATIENCE, PowerThrough, SUITE, Series, SeriesEvent, TortureError, TortureProgress,
    TortureSetup, TortureSubject, TortureTerms, examined, play_mount_role, subjects,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};
use tokio::sync::mpsc::UnboundedReceiver;

/// `dbdyno torture`.
#[derive(Debug, Args)]
pub(super) struct TortureArgs {
    /// The engines, with options after a colon. If an option has several values, each is tried.
    #[arg(required = true, value_name = "ENGINE[:OPTION=VALUE,...]", add = completions::engines())]
    engines: Vec<EngineList>,
    /// Number of kills of a committing worker.
    #[arg(long, value_name = "N", default_value_t = TortureTerms::default().kills, value_parser = whole(0..=u32::MAX))]
    kills: u32,
    /// Number of disk images to check: states that a disk may have after a power loss.
    #[arg(long, value_name = "N", default_value_t = TortureTerms::default().images, value_parser = whole(0..=u32::MAX))]
    power: u32,
    /// Self-test: number of disk images for each kind of sync call, with these calls removed; 0: no self-test.
    ///
    /// Torture must detect that they lose data.
    #[arg(long, value_name = "N", default_value_t = TortureTerms::default().mutant_images, value_parser = whole(0..=u32::MAX))]
    mutants: u32,
    /// Number of commits to record.
    #[arg(long, value_name = "N", default_value_t = TortureTerms::default().commits, value_parser = whole(1..=100_000_u32))]
    commits: u32,
    /// How to record the writes of an engine for power losses: from the system calls of its process (writes), from a file system mounted
    /// for it (mount), or from the calls if they show everything and otherwise from a mount (auto).
    #[arg(long, value_name = "ROUTE", default_value = "auto", value_parser = power_through())]
    power_through: PowerThrough,
    /// Seed of all random choices [default: from the clock].
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Time limit for opening a database after a crash; one that takes longer counts as broken [default: 60s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    patience: Option<Duration>,
    /// Report what a disk image contains, and do nothing else.
    ///
    /// If a power loss contradicts a tier, torture keeps the image in the work folder and prints its name.
    #[arg(long, value_name = "FOLDER")]
    image: Option<PathBuf>,
    #[command(flatten)]
    written: ReportArgs,
    #[command(flatten)]
    work: WorkArgs,
}

fn power_through() -> impl TypedValueParser<Value = PowerThrough> {
    PossibleValuesParser::new(PowerThrough::WORDS).try_map(|word| word.parse::<PowerThrough>())
}

/// The processes of a mount.
#[derive(Debug, Subcommand)]
pub(super) enum MountCommand {
    /// Serve the mount until stdin ends.
    Serve { mount: PathBuf, backing: PathBuf, log: PathBuf, commits: u64 },
    /// Open and close the files that stdin names.
    Flush { mount: PathBuf },
}

/// Is one of the processes of a mount. What is wrong goes to stdout, where the one that started it reads.
pub(super) fn mount(command: MountCommand) -> Result<ExitCode, CliError> {
    let role = match command {
        MountCommand::Serve { mount, backing, log, commits } => {
            MountRole::Serve(MountServe { mount, backing, log, commits })
        }
        MountCommand::Flush { mount } => MountRole::Flush(mount),
    };
    match play_mount_role(&role) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(reason) => {
            print(&format!("{reason}\n"))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

impl From<TortureError> for CliError {
    fn from(error: TortureError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(super) fn run(places: &Places, args: &TortureArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let suite = places.catalog()?.suite(SUITE)?;
    let subjects = subjects(EngineList::joined(args.engines.clone()), &suite, &Registry::discover())?;
    let work_dir = args.work.folder()?;
    let setup = TortureSetup { keep: work_dir.clone(), work_dir, patience: args.patience.unwrap_or(PATIENCE) };
    if let Some(image) = &args.image {
        return look(&subjects, image, &setup);
    }
    let store = places.store()?;
    let terms = TortureTerms {
        kills: args.kills,
        images: args.power,
        mutant_images: args.mutants,
        commits: args.commits,
        through: args.power_through,
        seed: args.seed.unwrap_or_else(clock_seed),
    };
    let command_line = command_line();
    let seed = terms.seed;
    let (subjects, of_series, line) = (Arc::<[TortureSubject]>::from(subjects), terms.clone(), command_line.clone());
    let tortured = shown(places, show, async |events, control| {
        let series = move || {
            let series =
                Series { subjects: &subjects, terms: &of_series, setup: &setup, store: &store, command_line: &line };
            // If the terminal is gone, the receiver is gone too.
            let outcome = series.run(&|| control.is_stopped(), &|event| drop(events.send(event)))?;
            Ok::<_, CliError>((outcome, control.is_stopped()))
        };
        tokio::task::spawn_blocking(series).await.map_err(|error| CliError::Failed(error.to_string())).flatten()
    });
    let (outcome, is_stopped) = tortured??;
    let typed = TortureReport::new(&outcome.found, seed, &command_line);
    report.write(&sheet(&outcome.found, &command_line), &typed)?;
    Ok(if is_stopped {
        ExitCode::from(INTERRUPTED)
    } else if outcome.failed > 0 || outcome.is_contradicted() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn look(subjects: &[TortureSubject], image: &std::path::Path, setup: &TortureSetup) -> Result<ExitCode, CliError> {
    let [subject] = subjects else {
        return Err(CliError::Usage("--image: expected one configuration, the one that the image is of".to_owned()));
    };
    match examined(subject, image, setup)? {
        Ok(commits) => {
            print(&format!("{}: {commits} commits are there\n", plain(&subject.choice)))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(message) => {
            print(&format!("{}: {}\n", plain(&subject.choice), plain(&message)))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Shows the progress on stderr until the end.
pub(super) async fn show(mut events: UnboundedReceiver<SeriesEvent>) {
    let (mut choices, mut terms) = (Vec::new(), TortureTerms::default());
    // The bar of the current configuration.
    let mut bar: Option<ProgressBar> = None;
    while let Some(event) = events.recv().await {
        match event {
            SeriesEvent::SeriesStarted { choices: all, terms: of_all } => (choices, terms) = (all, of_all),
            SeriesEvent::Began { at } => bar = choices.get(at).map(|choice| begun(choice)),
            SeriesEvent::Step { step } => {
                let text = step_text(&step, &terms);
                match &bar {
                    // A log has no bar, but must say why nothing happens.
                    Some(bar) if bar.is_hidden() && matches!(step, TortureProgress::Waiting { .. }) => say!("{text}"),
                    Some(bar) => bar.set_message(text),
                    None => {}
                }
            }
            SeriesEvent::Failed { reason } => {
                let label = bar.take().map_or_else(String::new, |bar| {
                    bar.finish_and_clear();
                    bar.prefix()
                });
                say!("{label}: {}", plain(&reason));
            }
            SeriesEvent::Found { .. } => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }
        }
    }
}

fn begun(label: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{prefix}  {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(plain(label));
    bar
}
