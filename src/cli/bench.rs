//! A bench without a terminal UI: what `run` and `--preset` have in common.

use super::{
    args::{MeasureArgs, Places, ProgressArgs, duration, notices, owner_option, values_of},
    error::CliError,
    output::print,
    progress::Style,
    session::watched,
};
use crate::{
    base::{identifier::clock_seed, units},
    engines::Registry,
    plan::{Estimate, Plan, Request},
    report::text,
    runner::{Report, SessionLaunch, fit, run_session},
    store::{Store, StoreHistory},
};
use clap::Args;
use dbdyno_engine::{say, size::Size};
use std::{process::ExitCode, time::Duration};

/// How a bench is run.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Set an option of an engine or of the suite. Several values with | between are all measured (a sweep).
    #[arg(long = "set", value_name = "OWNER.OPTION=VALUE[|VALUE]")]
    set: Vec<String>,
    /// A size to run at [default: what the preset or the suite says].
    #[arg(long, value_name = "SIZE")]
    size: Vec<Size>,
    /// Rounds. Each round runs every configuration once [default: what the preset says, 6 without one].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: Option<u32>,
    /// Run the first configuration twice in each round, to measure how far chance alone takes a ratio from 1.
    #[arg(long)]
    aa: bool,
    /// Seed of all random keys and values [default: from the clock].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Begin no further round that would end after this time: 90s, 5m, 1h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// Measure only these tests (number or name). Tests that they depend on run first and are not measured.
    #[arg(long = "test", value_name = "TEST", value_delimiter = ',')]
    tests: Vec<String>,
    #[command(flatten)]
    pub(super) measure: MeasureArgs,
    #[command(flatten)]
    progress: ProgressArgs,
    /// Show what would be run and how long it would take, and run nothing.
    #[arg(long)]
    dry_run: bool,
    /// Keep the databases of all runs.
    #[arg(long)]
    keep_databases: bool,
    /// Go on when the engine runs with another value of an option than the one asked for.
    #[arg(long)]
    allow_differing_options: bool,
}

impl BenchArgs {
    /// The seed that was given, or one that differs from session to session; it is recorded.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(clock_seed)
    }
}

/// Runs a bench, and has `conclude` show what came of it. `preset`: the name of the one that it is run by.
pub(super) fn bench(
    places: &Places,
    mut request: Request,
    args: &BenchArgs,
    preset: Option<&str>,
    conclude: impl FnOnce(&Plan, &Report, &Store, Style) -> Result<ExitCode, CliError>,
) -> Result<ExitCode, CliError> {
    adjust(&mut request, args)?;
    let registry = Registry::discover();
    let plan = Plan::new(request, &registry)?;
    plan.probe()?;
    let plan = if args.aa { plan.with_twins() } else { plan };
    let launch = SessionLaunch {
        keep_databases: args.keep_databases,
        allow_differing_options: args.allow_differing_options,
        budget: args.budget,
        preset: preset.map(str::to_owned),
        ..args.measure.launch()?
    };
    let store = places.store()?;
    let estimate = fit(&plan, &launch.work_dir, &StoreHistory::read(&store));
    let estimate = estimate.map_err(|message| CliError::Usage(format!("{message} (--size, --work-dir)")))?;
    if args.dry_run {
        return print(&describe(&plan, &estimate));
    }
    notices(&store.prepare()?);
    if !args.progress.quiet {
        say!("{}", headline(&plan, &estimate));
        plan.not_run().iter().for_each(|line| say!("{line}"));
    }
    let expected_run = estimate.time / plan.runs.len().max(1) as u32;
    let null = plan.harness(&registry)?;
    let style = args.progress.style();
    let report = watched(&plan, style, async |events, control| {
        run_session(&plan, &null, &launch, &store, expected_run, events, control).await
    })?;
    conclude(&plan, &report, &store, style)
}

/// Applies what the command line says on top of the request.
fn adjust(request: &mut Request, args: &BenchArgs) -> Result<(), CliError> {
    for set in &args.set {
        let (owner, option, values) = owner_option(set, "sqlite.synchronous=off|normal")?;
        request.set(owner, option, values_of(values))?;
    }
    if !args.size.is_empty() {
        request.sizes.clone_from(&args.size);
    }
    if let Some(repeat) = args.repeat {
        request.repeats = repeat;
    }
    if !args.tests.is_empty() {
        request.pick = request.suite.pick(&args.tests).map_err(CliError::Usage)?;
    }
    Ok(())
}

fn headline(plan: &Plan, estimate: &Estimate) -> String {
    let guessed = if estimate.from_history { "" } else { " (a guess: there are no earlier runs to go by)" };
    format!(
        "{}: {} configurations x {} rounds = {} runs, about {}{guessed}, up to {} on disk",
        units::plain(&plan.suite.name),
        plan.configurations.len(),
        plan.rounds,
        estimate.runs,
        units::clock(estimate.time),
        units::bytes(estimate.space_bytes),
    )
}

fn describe(plan: &Plan, estimate: &Estimate) -> String {
    let mut text = headline(plan, estimate) + "\n";
    plan.not_run().iter().for_each(|line| text.push_str(&format!("{}\n", units::plain(line))));
    let entries: Vec<(String, String)> = plan
        .configurations
        .iter()
        .map(|configuration| {
            let about =
                format!("size {} · tier {}: {}", configuration.size, configuration.tier, configuration.tier_reason);
            (configuration.label.clone(), about)
        })
        .collect();
    text.push_str(&text::list(&entries));
    text
}
