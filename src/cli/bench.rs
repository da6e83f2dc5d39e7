//! A bench without a terminal UI: the common part of `run` and `--preset`.

use super::{
    args::{MeasureArgs, Places, ProgressArgs, SizeList, duration, notices, whole},
    completions::{claims, engines, settings, tests},
    error::CliError,
    output::print,
    progress::Style,
    session::{conclude, session_text, watched},
};
use clap::Args;
use dbdyno_catalog::{
    Difference, Suite,
    bench::{BenchEstimate, BenchPlan, Configuration, DataRatio, MemoryLimit, Slicing, Spec},
    engines::Registry,
};
use dbdyno_comparing::claims::ClaimsTable;
use dbdyno_engine::{protocol::CacheStart, say};
use dbdyno_foundation::base::units;
use dbdyno_reports::{
    claims::closing_text,
    command::shell,
    text::{self, session_notes},
    tune::effects_text,
};
use dbdyno_running::{
    runner::SessionLaunch,
    session::{FollowError, PrepareError, PreparedSession, SelectedEffects, follow_up},
};
use std::{process::ExitCode, time::Duration};

/// How a bench is run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct BenchArgs {
    /// Set an option of an engine or of the suite. Several values separated by | are all measured.
    #[arg(long = "set", value_name = "OWNER.OPTION=VALUE[|VALUE]", add = settings())]
    set: Vec<String>,
    /// Sizes to run at, as in 1000,10k [default: those of the preset or the suite].
    #[arg(long, value_name = "SIZE[,SIZE]")]
    size: Vec<SizeList>,
    /// Tests to measure, by number or name [default: all].
    ///
    /// Tests that these depend on run first and are not measured.
    #[arg(short, long = "test", value_name = "TEST[,TEST]", add = tests())]
    tests: Vec<String>,
    /// Number of rounds; a round runs every configuration once [default: that of the preset, else 6].
    #[arg(short, long, value_name = "N", value_parser = whole(1..=10_000_u32))]
    repeat: Option<u32>,
    /// After the rounds, add rounds of the tests that are undecided, until all is decided.
    ///
    /// The session takes at most the time of N rounds of everything [default: 100]. What more rounds would not decide in that time gets
    /// none. Each look at the results costs part of the allowed error, so the verdicts hold as without it.
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000_u32), num_args = 0..=1, require_equals = true,
        default_missing_value = "100")]
    until_decided: Option<u32>,
    /// Time limit: start no round that would run past it (90s, 5m, 1h).
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// Show the plan and the estimated time, and run nothing.
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Compare with this configuration at the end [default: that of the preset, else the first of each tier].
    ///
    /// An engine of this bench, with options if it runs several times.
    #[arg(long, value_name = "ENGINE[:OPTION=VALUE,...]", add = engines())]
    reference: Option<String>,
    /// Compare at the end despite these differences: tiers, hosts, sizes, suites, suite-options, memory, caches.
    #[arg(long, value_name = "DIFFERENCE[,DIFFERENCE]", value_delimiter = ',', value_parser = Difference::named)]
    allow: Vec<Difference>,
    /// Run the first configuration twice in each round, to measure how far chance alone moves a ratio from 1.
    #[arg(long)]
    aa: bool,
    /// Limit the memory of each worker, including the page cache of its database: 64MiB, 1GiB.
    ///
    /// The default is that of the preset, or 256MiB with --data-ratio.
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<MemoryLimit>,
    /// Choose sizes so that there is this much data for each byte of the memory limit.
    ///
    /// Several values separated by | are all measured.
    #[arg(long, value_name = "RATIO[|RATIO]", value_delimiter = '|', conflicts_with = "size")]
    data_ratio: Vec<DataRatio>,
    /// Begin tests with the cache as it is (warm) or empty (cold) [default: that of the preset, else warm].
    ///
    /// Before a cold test, the database is closed, dropped from the page cache and opened again.
    #[arg(long, value_name = "warm|cold")]
    cache: Option<CacheStart>,
    /// Let the runs of a round take turns in slices of milliseconds [default: that of the preset, else off].
    ///
    /// What disturbs the machine then meets them alike. auto: not in tests in which an engine goes on working in the turns of others.
    #[arg(long, value_name = "on|off|auto")]
    slices: Option<Slicing>,
    /// Sample the sweep: measure N random combinations and, for each, every combination that differs in one option.
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000_u32))]
    stars: Option<u32>,
    /// At the end, show how much each option of the sweep matters.
    #[arg(long)]
    effects: bool,
    /// At the end, repeat N rounds to find out what the time goes to [default: 3].
    ///
    /// The repetitions are slower, and no result uses their times. `compare --why` shows what they found.
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000_u32), num_args = 0..=1, require_equals = true,
        default_missing_value = "3")]
    why: Option<u32>,
    /// At the end, show these published figures next to the measured ones: `dbdyno claims` lists them.
    #[arg(long, value_name = "NAME", add = claims())]
    claims: Option<String>,
    /// Seed of all random keys and values [default: from the clock].
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Keep the databases of all runs.
    #[arg(long)]
    keep_databases: bool,
    /// Continue if an engine runs with an option value other than the one requested.
    #[arg(long)]
    allow_differing_options: bool,
    #[command(flatten)]
    pub(super) measure: MeasureArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

impl BenchArgs {
    /// Checks that these arguments apply to several benches of different suites.
    ///
    /// # Errors
    /// A flag that means one suite, or an option that none of them has.
    pub(super) fn check_sequence(&self, specs: &[&Spec]) -> Result<(), CliError> {
        let of_one = [
            ("--size", !self.size.is_empty()),
            ("--data-ratio", !self.data_ratio.is_empty()),
            ("--test", !self.tests.is_empty()),
            ("--stars", self.stars.is_some()),
            ("--claims", self.claims.is_some()),
            ("--reference", self.reference.is_some()),
        ];
        if let Some((flag, _)) = of_one.iter().find(|(_, given)| *given) {
            return Err(CliError::Usage(format!(
                "{flag} applies to one bench, and this preset is a sequence of several: run the preset of that bench"
            )));
        }
        let nobody = |set: &&String| specs.iter().all(|spec| Spec::clone(spec).set_text(set).is_err());
        match self.set.iter().find(nobody) {
            Some(set) => Err(CliError::Usage(format!("--set {set}: no bench has this engine or suite"))),
            None => Ok(()),
        }
    }

    /// The same for one bench of a sequence: without the options that it does not have.
    pub(super) fn of_part(&self, spec: &Spec) -> Self {
        let has = |set: &&String| spec.clone().set_text(set).is_ok();
        Self { set: self.set.iter().filter(has).cloned().collect(), ..self.clone() }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.progress.quiet
    }

    pub(super) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    pub(super) fn style(&self) -> Style {
        self.progress.style()
    }

    /// Returns a note if an argument applies to sweeps, and no option of an engine has several values.
    fn without_sweep(&self, spec: &Spec) -> Option<String> {
        let mut values = spec.engines.iter().flat_map(|engine| engine.options.values());
        let flags = [("--stars", self.stars.is_some()), ("--effects", self.effects)];
        let given: Vec<&str> = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect();
        (!given.is_empty() && !values.any(|values| values.len() > 1)).then(|| {
            format!(
                "{} needs a sweep, but no option has several values, as in --engine 'sqlite:cache_size=1000|4000'",
                given.join(" or ")
            )
        })
    }

    /// A bench with what the command line says on top of it.
    pub(super) fn adjusted(&self, mut spec: Spec) -> Result<Spec, CliError> {
        for set in &self.set {
            spec.set_text(set).map_err(|error| CliError::Usage(format!("--set {error}")))?;
        }
        if !self.size.is_empty() {
            spec.sizes = SizeList::joined(&self.size);
            spec.data_ratios.clear();
        }
        if !self.data_ratio.is_empty() {
            spec.data_ratios.clone_from(&self.data_ratio);
            spec.sizes.clear();
        }
        spec.memory_limit = self.memory_limit.or(spec.memory_limit);
        spec.cache = self.cache.unwrap_or(spec.cache);
        spec.slices = self.slices.unwrap_or(spec.slices);
        if !self.tests.is_empty() {
            spec.tests = Spec::tests_of(&self.tests);
        }
        // Rounds that are asked for by number are that many.
        spec.until_decided = self.until_decided.or(spec.until_decided.filter(|_| self.repeat.is_none()));
        let least = spec.until_decided.map_or(0, |_| Spec::ROUNDS_BEFORE_LOOK);
        spec.rounds = self.repeat.unwrap_or(spec.rounds.max(least));
        spec.twins |= self.aa;
        spec.stars = self.stars.or(spec.stars);
        spec.effects |= self.effects;
        spec.why = self.why.unwrap_or(spec.why);
        spec.claims = self.claims.clone().or(spec.claims);
        spec.seed = self.seed.or(spec.seed);
        if let Some(reference) = &self.reference {
            let set = spec.set_reference(reference);
            set.map_err(|error| CliError::Usage(format!("--reference {error}")))?;
        }
        spec.allow.extend(&self.allow);
        Ok(spec)
    }
}

/// Runs a bench of the catalog and shows what follows it. `preset`: the name of the one that it is run by.
pub(super) fn bench(places: &Places, spec: Spec, args: &BenchArgs, preset: Option<&str>) -> Result<ExitCode, CliError> {
    let suite = places.catalog()?.suite(&spec.suite)?;
    bench_of(places, spec, (suite, &Registry::discover()), args, preset)
}

/// Runs a bench of this suite with these engines, as [`bench`] does.
pub(super) fn bench_of(
    places: &Places,
    spec: Spec,
    (suite, registry): (Suite, &Registry),
    args: &BenchArgs,
    preset: Option<&str>,
) -> Result<ExitCode, CliError> {
    let mut spec = args.adjusted(spec)?;
    let catalog = places.catalog()?;
    if !args.size.is_empty() && spec.sizes.iter().any(|size| size.second.is_some()) {
        spec.sizes = spec.sizes.iter().flat_map(|size| suite.sizes_of(*size)).collect();
    }
    let mut launch = SessionLaunch {
        keep_databases: args.keep_databases,
        allow_differing_options: args.allow_differing_options,
        budget: args.budget,
        preset: preset.map(str::to_owned),
        ..args.measure.launch()?
    };
    let store = places.store()?;
    let prepared = PreparedSession::new(spec, suite, &catalog, registry, &launch, &store)?;
    let PreparedSession { plan, estimate, .. } = &prepared;
    args.without_sweep(&prepared.spec).into_iter().for_each(|note| say!("note: {note}"));
    if args.dry_run {
        return print(&describe(plan, estimate, prepared.spec.why));
    }
    if let Some(preset) = preset {
        plan.check_compares(preset)?;
    }
    if let (Some(seed), None) = (prepared.needed_seed(), args.seed) {
        launch.command_line.push_str(&format!(" --seed {seed}"));
    }
    notices(&store.prepare()?);
    if !args.progress.quiet {
        say!("{}", headline(plan, estimate));
        estimate.more_rounds(plan).into_iter().for_each(|line| say!("{line}"));
        estimate.repeated(plan, prepared.spec.why).into_iter().for_each(|line| say!("{line}"));
        plan.not_run().iter().for_each(|line| say!("{line}"));
        // A preset has its tiers on purpose.
        plan.alone_in_tier().filter(|_| preset.is_none()).into_iter().for_each(|note| say!("note: {note}"));
    }
    let style = args.progress.style();
    let report = watched(places, style, async |events, control| prepared.run(&launch, &store, events, control).await)?;
    if places.detached() {
        return conclude(&report, (&store, places), style, session_text);
    }
    let outline = prepared.outline(&launch);
    let follow_up = follow_up(&report.session.session_id, &outline, &catalog, &store)?;
    show_effects(&follow_up.effects, style)?;
    // The effects already have a ranking, so only the warnings of the table are left.
    let ranked = !follow_up.effects.is_empty();
    let code = conclude(&report, (&store, places), style, if ranked { session_notes } else { session_text })?;
    if let Some(claims) = follow_up.claims {
        show_claims(&claims?, style)?;
    }
    Ok(code)
}

impl From<PrepareError> for CliError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Catalog(error) => Self::Catalog(error),
            PrepareError::Plan(error) => Self::Plan(error),
            PrepareError::NoRoom(message) => Self::Usage(format!("{message} (--size, --work-dir)")),
        }
    }
}

impl From<FollowError> for CliError {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Catalog(error) => Self::Catalog(error),
            FollowError::Store(error) => Self::Store(error),
        }
    }
}

/// Shows how much each option mattered in a session that has just ended: a part for each engine, size and test.
fn show_effects(effects: &[SelectedEffects], style: Style) -> Result<(), CliError> {
    for SelectedEffects { selected, found } in effects {
        match found {
            Ok(found) if style == Style::Json => {
                print(&format!("{}\n", serde_json::json!({ "event": "effects", "effects": found })))?;
            }
            Ok(found) => {
                print(&effects_text(found))?;
                let command = ["dbdyno", "tune", "effects", selected, "--format", "html", "--out", "effects.html"];
                print(&format!("charts: {}\n\n", shell(command)))?;
            }
            Err(error) => say!("warning: {selected}: {error}"),
        }
    }
    Ok(())
}

/// Shows published figures next to the stored ones.
pub(super) fn show_claims(table: &ClaimsTable, style: Style) -> Result<ExitCode, CliError> {
    if style == Style::Json {
        print(&format!("{}\n", serde_json::json!({ "event": "claims", "claims": table })))
    } else {
        print(&format!("\n{}", closing_text(table)))
    }
}

fn headline(plan: &BenchPlan, estimate: &BenchEstimate) -> String {
    let guessed = if estimate.from_history { "" } else { " (a guess, because there are no earlier runs)" };
    let held = plan.conditions.to_string();
    format!(
        "{}: {} x {} = {}, about {}{guessed}, up to {} on disk{}{held}",
        units::plain(&plan.suite.name),
        units::counted(plan.configurations.len(), "configuration"),
        units::counted(plan.rounds, "round"),
        units::counted(estimate.runs, "run"),
        units::clock(estimate.time),
        units::bytes(estimate.space_bytes),
        if held.is_empty() { "" } else { ", " },
    )
}

fn describe(plan: &BenchPlan, estimate: &BenchEstimate, why: u32) -> String {
    let mut text = headline(plan, estimate) + "\n";
    estimate.more_rounds(plan).into_iter().for_each(|line| text.push_str(&(line + "\n")));
    estimate.repeated(plan, why).into_iter().for_each(|line| text.push_str(&(line + "\n")));
    let ratio = |configuration: &Configuration| {
        let (data, limit) = (plan.payload_bytes(configuration)?, plan.conditions.memory_limit?);
        Some(format!(" ({} of data, {:.2}x the memory)", units::bytes(data), data as f64 / limit as f64))
    };
    plan.not_run().iter().for_each(|line| text.push_str(&format!("{}\n", units::plain(line))));
    let entries: Vec<(String, String)> = plan
        .configurations
        .iter()
        .map(|configuration| {
            let about = format!(
                "size {}{} · tier {}: {}",
                configuration.size,
                ratio(configuration).unwrap_or_default(),
                configuration.tier,
                configuration.tier_reason
            );
            (configuration.label.clone(), about)
        })
        .collect();
    text + &text::list(entries)
}

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, CliCommand, args::EngineList, run};
    use clap::Parser;
    use dbdyno_catalog::{
        CatalogText, Difference,
        bench::{DataRatio, EngineChoice, MemoryLimit, Preset, Slicing, Spec, Values},
    };
    use dbdyno_engine::{protocol::CacheStart, size::Size};
    use proptest::{collection, option, prelude::*};

    /// Anything that a value may hold, and often what parts values.
    fn value() -> impl Strategy<Value = String> {
        r#"[a-z0-9|,:=\\ "'é-]{1,8}"#
    }

    fn name() -> impl Strategy<Value = String> {
        "[a-z][a-z0-9_-]{0,6}"
    }

    fn values() -> impl Strategy<Value = Values> {
        collection::btree_map(name(), collection::vec(value(), 1..3), 0..3)
    }

    fn spec() -> impl Strategy<Value = Spec> {
        let engine = (name(), values(), any::<bool>()).prop_map(|(name, options, optional)| EngineChoice {
            name,
            options,
            optional,
        });
        let size = (1_u64..1000, option::of(1_u64..1000)).prop_map(|(first, second)| Size { first, second });
        let what = (name(), values(), collection::vec(engine, 1..4), collection::vec(size, 0..3));
        let how = (1_u32..10_000, collection::vec(value(), 0..3), any::<bool>(), option::of(1_u32..10_000));
        let allow = collection::btree_set(prop::sample::select(Difference::ALL.to_vec()), 0..3);
        let end = ((any::<bool>(), 0_u32..10_000), option::of(name()), option::of(any::<u64>()), any::<bool>(), allow);
        let ratio = (1_u32..100_000).prop_map(|ratio| DataRatio::new(f64::from(ratio) / 16.0).unwrap());
        let limit = option::of((12_u32..40).prop_map(|shift| MemoryLimit(3 << shift)));
        let cache = prop_oneof![Just(CacheStart::Warm), Just(CacheStart::Cold)];
        let slices = prop_oneof![Just(Slicing::Off), Just(Slicing::On), Just(Slicing::Auto)];
        let held = (collection::vec(ratio, 0..3), limit, cache, slices, option::of(1_u32..10_000));
        (what, how, end, held).prop_map(|(what, how, end, held)| {
            let (data_ratios, memory_limit, cache, slices, until_decided) = held;
            let (suite, suite_options, engines, sizes) = what;
            let (rounds, tests, twins, stars) = how;
            let ((effects, why), claims, seed, has_reference, allow) = end;
            // An engine named like the suite would take the suite's options, because `--set` addresses both by name.
            let engines =
                engines.into_iter().map(|engine| EngineChoice { name: format!("e-{}", engine.name), ..engine });
            let engines: Vec<EngineChoice> = engines.collect();
            let one = |(name, values): (&String, &Vec<String>)| (name.clone(), values[..1].to_vec());
            let reference = engines.first().filter(|_| has_reference).map(|engine| EngineChoice {
                name: engine.name.clone(),
                options: engine.options.iter().map(one).collect(),
                optional: false,
            });
            let sizes = if data_ratios.is_empty() { sizes } else { Vec::new() };
            Spec {
                suite,
                suite_options,
                engines,
                sizes,
                data_ratios,
                memory_limit,
                cache,
                slices,
                rounds,
                until_decided,
                tests,
                twins,
                stars,
                effects,
                why,
                claims,
                seed,
                reference,
                allow,
            }
        })
    }

    proptest! {
        #[test]
        fn a_bench_reads_back_from_its_command_line(spec in spec()) {
            let words = std::iter::once("dbdyno".to_owned()).chain(spec.arguments());
            let cli = Cli::try_parse_from(words).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let Some(CliCommand::Run(args)) = cli.command else { return Err(TestCaseError::fail("not `run`")) };
            let asked = run::spec(args.suite.unwrap_or_default(), EngineList::joined(args.engines));
            let read = args.bench.adjusted(asked).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(read, spec);
        }

        #[test]
        fn a_bench_reads_back_from_its_file(spec in spec(), title in value()) {
            let preset = Preset { name: "mine".to_owned(), title, spec };
            let source = CatalogText { place: "mine.toml".to_owned(), text: preset.to_toml() };
            let read = Preset::parse("mine", &source).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(read, preset);
        }
    }
}
