//! `dbdyno --preset` and `dbdyno run`: a bench without a terminal UI.

use super::{
    args::{BenchArgs, Places, RunArgs},
    colour,
    error::{CliError, INTERRUPTED},
    print,
    progress::{self, Style},
    query::notices,
    tune_effects::effects_of_session,
};
use crate::{
    base::{identifier::clock_seed, units},
    catalog::{Catalog, Claims, EngineChoice},
    claims::judged,
    engines::Registry,
    plan::{Estimate, Plan, Request},
    report::{claims::claims_table, command::shell, session_table::SessionTable, text},
    runner::{Control, Handle, Report, RunnerEvent, SessionError, SessionLaunch, fit, run_session},
    store::{Status, Store, StoreHistory},
};
use dbdyno_engine::say;
use std::{collections::BTreeMap, process::ExitCode};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::{self, UnboundedSender},
};

/// `dbdyno --preset NAME`.
pub(super) fn preset(places: &Places, name: &str, args: BenchArgs) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let preset = catalog.preset(name)?;
    let suite = catalog.suite(&preset.suite)?;
    let claims = preset.claims.as_deref().map(|claims| catalog.claims(claims)).transpose()?;
    let request = Request::from_preset(&preset, suite, seed(&args))?;
    bench(places, request, &args, Some(Named { name, claims, effects: preset.effects }))
}

/// The preset that a bench is run by.
struct Named<'p> {
    name: &'p str,
    /// Published figures that are shown beside the measured ones.
    claims: Option<Claims>,
    /// Whether the session ends in how much each option matters.
    effects: bool,
}

/// `dbdyno run`.
pub(super) fn run(places: &Places, args: RunArgs) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let suite = catalog.suite(&args.suite)?;
    let engines = args.engines.iter().map(|engine| parse_engine(engine)).collect::<Result<_, _>>()?;
    let request = Request {
        suite,
        suite_options: BTreeMap::new(),
        engines,
        sizes: Vec::new(),
        repeats: DEFAULT_ROUNDS,
        pick: Default::default(),
        seed: seed(&args.bench),
        stars: None,
    };
    bench(places, request, &args.bench, None)
}

/// Rounds when none are asked for: the least that gives an interval.
const DEFAULT_ROUNDS: u32 = 6;

/// A seed that differs from session to session, and is recorded.
fn seed(args: &BenchArgs) -> u64 {
    args.seed.unwrap_or_else(clock_seed)
}

/// `ENGINE`, or `ENGINE:OPTION=VALUE[|VALUE],...`
pub(super) fn parse_engine(text: &str) -> Result<EngineChoice, CliError> {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let mut choice = EngineChoice { name: name.trim().to_owned(), options: BTreeMap::new() };
    for option in options.split(',').filter(|option| !option.trim().is_empty()) {
        let (name, values) = option.split_once('=').ok_or_else(|| {
            CliError::Usage(format!("--engine {text}: `{option}`: expected OPTION=VALUE, several with commas between"))
        })?;
        choice.options.insert(name.trim().to_owned(), values_of(values));
    }
    Ok(choice)
}

fn values_of(text: &str) -> Vec<String> {
    text.split('|').map(|value| value.trim().to_owned()).collect()
}

/// Applies what the command line says on top of the request.
fn adjust(request: &mut Request, args: &BenchArgs) -> Result<(), CliError> {
    for set in &args.set {
        let parts = set.split_once('=').and_then(|(path, values)| Some((path.split_once('.')?, values)));
        let ((owner, option), values) = parts.ok_or_else(|| {
            CliError::Usage(format!("--set {set}: expected OWNER.OPTION=VALUE, as in sqlite.synchronous=off|normal"))
        })?;
        request.set(owner.trim(), option.trim(), values_of(values))?;
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

fn bench(
    places: &Places,
    mut request: Request,
    args: &BenchArgs,
    preset: Option<Named<'_>>,
) -> Result<ExitCode, CliError> {
    adjust(&mut request, args)?;
    let registry = Registry::discover();
    let plan = Plan::new(request, &registry)?;
    plan.probe()?;
    let plan = if args.aa { plan.with_twins() } else { plan };
    if let Some(cpu) = args.cpu {
        check_cpu(cpu)?;
    }
    let store = places.store().map_err(CliError::Usage)?;
    let work_dir = args.work.folder().map_err(CliError::Usage)?;
    let estimate = fit(&plan, &work_dir, &StoreHistory::read(&store)).map_err(CliError::Usage)?;
    if args.dry_run {
        return print(&describe(&plan, &estimate));
    }
    notices(&store.prepare()?);
    let style = Style::choose(args.json, args.quiet);
    if !args.quiet {
        say!("{}", headline(&plan, &estimate));
        plan.not_run().iter().for_each(|line| say!("{line}"));
    }
    let launch = SessionLaunch {
        work_dir,
        cpu: args.cpu,
        keep_databases: args.keep_databases,
        allow_differing_options: args.allow_differing_options,
        concurrent: args.concurrent,
        budget: args.budget,
        silence: args.silence,
        deadline: args.deadline,
        command_line: command_line(std::env::args()),
        preset: preset.as_ref().map(|preset| preset.name.to_owned()),
        keys: BTreeMap::new(),
    };
    let expected_run = estimate.time / plan.runs.len().max(1) as u32;
    let null = plan.harness(&registry)?;
    let report = watched(&plan, style, async |events, control| {
        run_session(&plan, &null, &launch, &store, expected_run, events, control).await
    })?;
    let effects = preset.as_ref().is_some_and(|preset| preset.effects);
    if effects {
        effects_of_session(&plan, &report.session.session_id, &store, style)?;
    }
    let code = conclude(&report, &store, style, effects)?;
    if let Some(claims) = preset.and_then(|preset| preset.claims) {
        show_claims(&claims, &store, style)?;
    }
    Ok(code)
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
fn show_claims(claims: &Claims, store: &Store, style: Style) -> Result<(), CliError> {
    let table = judged(claims, store)?;
    if style == Style::Json {
        print(&format!("{}\n", serde_json::json!({ "event": "claims", "claims": table })))?;
    } else {
        print(&format!("\n{}", claims_table(&table)))?;
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
    fn an_engine_is_read_with_its_options() {
        let choice = parse_engine("sqlite:journal_mode=wal,synchronous=off|full").unwrap();
        assert_eq!(choice.name, "sqlite");
        assert_eq!(choice.options["journal_mode"], ["wal"]);
        assert_eq!(choice.options["synchronous"], ["off", "full"]);
        assert_eq!(parse_engine("lmdb").unwrap().options, BTreeMap::new());
        assert!(parse_engine("sqlite:wal").is_err());
    }

    #[test]
    fn the_command_can_be_typed_again() {
        let arguments = ["/usr/bin/dbdyno", "--set", "sqlite.synchronous=off|normal", "it's", ""];
        let line = command_line(arguments.into_iter().map(str::to_owned));
        assert_eq!(line, r"dbdyno --set 'sqlite.synchronous=off|normal' 'it'\''s' ''");
    }
}
