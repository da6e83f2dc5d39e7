//! `dbdyno --preset` and `dbdyno run`: a bench without a terminal UI.

use super::{
    args::{BenchArgs, Places, RunArgs},
    colour,
    error::{CliError, INTERRUPTED},
    print,
    progress::{self, Style},
    query::notices,
};
use crate::{
    base::units,
    bench::{Estimate, Plan, Preset, Spec},
    catalog::Catalog,
    claims::ClaimsTable,
    engines::Registry,
    report::{claims::claims_table, command::shell, session_table::SessionTable, text, tune::effects as effects_text},
    runner::{Control, Handle, Report, RunnerEvent, SessionError, SessionLaunch},
    session::{Prepared, SelectedEffects},
    store::{Status, Store},
};
use dbdyno_engine::say;
use std::process::ExitCode;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::{self, UnboundedSender},
};

/// `dbdyno --preset NAME`.
pub(super) fn preset(places: &Places, name: &str, args: BenchArgs) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let spec = Preset::find(&catalog, name)?.spec;
    bench(places, &catalog, spec, &args, Some(name))
}

/// `dbdyno run`.
pub(super) fn run(places: &Places, args: RunArgs) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let RunArgs { suite, engines, bench: args } = args;
    let spec = Spec { suite, engines, rounds: Spec::DEFAULT_ROUNDS, ..Spec::default() };
    bench(places, &catalog, spec, &args, None)
}

/// What the command line says on top of a bench.
pub(super) fn adjusted(mut spec: Spec, args: &BenchArgs) -> Result<Spec, CliError> {
    for set in &args.set {
        spec.set_text(set).map_err(|error| CliError::Usage(format!("--set {error}")))?;
    }
    if !args.size.is_empty() {
        spec.sizes.clone_from(&args.size);
    }
    if !args.tests.is_empty() {
        spec.tests = Spec::tests_of(&args.tests);
    }
    spec.rounds = args.repeat.unwrap_or(spec.rounds);
    spec.twins |= args.aa;
    spec.stars = args.stars.or(spec.stars);
    spec.effects |= args.effects;
    spec.claims = args.claims.clone().or(spec.claims);
    spec.seed = args.seed.or(spec.seed);
    Ok(spec)
}

fn bench(
    places: &Places,
    catalog: &Catalog,
    spec: Spec,
    args: &BenchArgs,
    preset: Option<&str>,
) -> Result<ExitCode, CliError> {
    let spec = adjusted(spec, args)?;
    if let Some(cpu) = args.cpu {
        check_cpu(cpu)?;
    }
    let store = places.store().map_err(CliError::Usage)?;
    let mut launch = SessionLaunch {
        cpu: args.cpu,
        keep_databases: args.keep_databases,
        allow_differing_options: args.allow_differing_options,
        concurrent: args.concurrent,
        budget: args.budget,
        silence: args.silence,
        deadline: args.deadline,
        preset: preset.map(str::to_owned),
        ..SessionLaunch::new(args.work.folder().map_err(CliError::Usage)?, command_line(std::env::args()))
    };
    let prepared = Prepared::of(spec, catalog, &Registry::discover(), &launch, &store)?;
    let Prepared { plan, estimate, .. } = &prepared;
    if args.dry_run {
        return print(&describe(plan, estimate));
    }
    if let (Some(seed), None) = (prepared.needed_seed(), args.seed) {
        launch.command_line.push_str(&format!(" --seed {seed}"));
    }
    notices(&store.prepare()?);
    let style = Style::choose(args.json, args.quiet);
    if !args.quiet {
        say!("{}", headline(plan, estimate));
        plan.not_run().iter().for_each(|line| say!("{line}"));
    }
    let report = watched(plan, style, async |events, control| prepared.run(&launch, &store, events, control).await)?;
    let follow_up = prepared.follow_up(&report, &store)?;
    show_effects(&follow_up.effects, style)?;
    let code = conclude(&report, &store, style, !follow_up.effects.is_empty())?;
    if let Some(claims) = follow_up.claims {
        show_claims(&claims?, style)?;
    }
    Ok(code)
}

/// What a session that has just ended says about each option: a part for each engine, size and test.
fn show_effects(effects: &[SelectedEffects], style: Style) -> Result<(), CliError> {
    for SelectedEffects { selected, found } in effects {
        match found {
            Ok(found) if style == Style::Json => {
                print(&format!("{}\n", serde_json::json!({ "event": "effects", "effects": found })))?;
            }
            Ok(found) => {
                print(&effects_text(found))?;
                print(&format!("charts: dbdyno tune --effects '{selected}' --as html --out effects.html\n\n"))?;
            }
            Err(error) => say!("warning: {selected}: {error}"),
        }
    }
    Ok(())
}

/// Runs a session with progress on stderr, or events on stdout, and has signals end it in order.
pub(super) fn watched(
    plan: &Plan,
    style: Style,
    run: impl AsyncFnOnce(UnboundedSender<RunnerEvent>, Control) -> Result<Report, SessionError>,
) -> Result<Report, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    let report = runtime.block_on(async {
        let (events, received) = mpsc::unbounded_channel();
        let (handle, control) = Handle::new();
        let watching = tokio::spawn(Signals::watch()?.end(handle));
        let shown = tokio::spawn(progress::show(received, style, plan.clone()));
        let report = run(events, control).await;
        watching.abort();
        // The sender is gone with the session, so this ends once everything is shown.
        let _ = shown.await;
        Ok::<_, CliError>(report?)
    });
    // A thread may still wait for another session's turn after this one was told to stop.
    runtime.shutdown_background();
    report
}

/// Shows what was published beside what is now stored.
fn show_claims(table: &ClaimsTable, style: Style) -> Result<(), CliError> {
    if style == Style::Json {
        print(&format!("{}\n", serde_json::json!({ "event": "claims", "claims": table })))?;
    } else {
        print(&format!("\n{}", claims_table(table)))?;
    }
    Ok(())
}

pub(super) fn check_cpu(cpu: u32) -> Result<(), CliError> {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u32;
    if cpu < cpus {
        return Ok(());
    }
    Err(CliError::Usage(format!("--cpu {cpu}: expected a CPU from 0 to {}", cpus - 1)))
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

/// Signals that end a session in order: the first asks it to stop, from the second on its worker is not waited for.
pub(super) struct Signals([Signal; 3]);

impl Signals {
    /// Watches for them from now on.
    pub(super) fn watch() -> Result<Self, CliError> {
        let failed = |error| CliError::Failed(format!("watching for signals: {error}"));
        let watch = |kind| signal(kind).map_err(failed);
        Ok(Self([watch(SignalKind::interrupt())?, watch(SignalKind::terminate())?, watch(SignalKind::hangup())?]))
    }

    /// Passes them on to a session, for as long as it runs.
    pub(super) async fn end(mut self, handle: Handle) {
        self.next().await;
        handle.stop();
        loop {
            self.next().await;
            handle.hurry();
        }
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Prints the table and chooses the exit code. With `effects` the table was a ranking already: only its warnings are left.
pub(super) fn conclude(report: &Report, store: &Store, style: Style, effects: bool) -> Result<ExitCode, CliError> {
    let table =
        SessionTable::new(&report.session.suite, &report.runs, &report.results, &report.harness, &report.warnings);
    if style == Style::Json {
        let line = serde_json::json!({ "event": "table", "session_id": report.session.session_id, "table": table });
        print(&format!("{line}\n"))?;
    } else {
        print(&if effects { text::session_notes(&table) } else { text::session_table(&table, colour()) })?;
    }
    if let Some(reason) = &report.unmerged {
        let journal = store.journal_folder();
        say!("warning: {reason}");
        say!("warning: results are kept in {} and are taken in by the next command", journal.display());
    }
    if let Some(reason) = &report.unkept {
        return Err(CliError::Failed(format!("some results could not be kept: {reason}")));
    }
    Ok(match report.session.status {
        Status::Done | Status::Running => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Cancelled | Status::Interrupted | Status::Superseded => ExitCode::from(INTERRUPTED),
    })
}

/// The command as it could be typed again.
pub(super) fn command_line(arguments: impl Iterator<Item = String>) -> String {
    // The program's own path is of no interest and of one machine only.
    shell(std::iter::once("dbdyno".to_owned()).chain(arguments.skip(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_typed_again() {
        let arguments = ["/usr/bin/dbdyno", "--set", "sqlite.synchronous=off|normal", "it's", ""];
        let line = command_line(arguments.into_iter().map(str::to_owned));
        assert_eq!(line, r"dbdyno --set 'sqlite.synchronous=off|normal' 'it'\''s' ''");
    }
}
