//! `dbdyno capacity`: the highest rate that meets a latency target.

mod progress;

use super::{
    args::{EngineList, MeasureArgs, Places, ProgressArgs, SheetArgs, notices, percent, whole},
    completions,
    error::{CliError, INTERRUPTED},
    output::{command_line, print},
    session::shown,
};
use clap::Args;
use dbdyno_catalog::{MOST_RATE, MOST_SECONDS, bench::Spec, engines::Registry};
use dbdyno_engine::{size::Size, suite::Gaps};
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_reports::capacity::sheet;
use dbdyno_running::capacity::{
    CapacityAnswer, CapacityError, CapacityLab, CapacityReport, CapacityTerms, Promise, Promises, RateTarget, measure,
};
use dbdyno_stats::{MIN_RUNS, rounds_needed};
use std::process::ExitCode;

/// `dbdyno capacity`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct CapacityArgs {
    /// The suite, of kind kv: `dbdyno list suites` lists them.
    #[arg(short, long, value_name = "NAME", add = completions::suites())]
    suite: String,
    /// The test (number or name).
    #[arg(short, long, value_name = "TEST", add = completions::tests())]
    test: String,
    /// Engines, separated by commas, with options after a colon. The others are compared with the first.
    #[arg(short, long = "engine", required = true, value_name = "ENGINE[:OPTION=VALUE,...]", add = completions::engines())]
    engines: Vec<EngineList>,
    /// A target: a quantile of the response times, p50 to p99.9, or the share of operations that may fail.
    ///
    /// Give it several times for several targets: all must be met. Without a failures target, no operation may fail.
    #[arg(long = "slo", required = true, value_name = "p99=5ms|failures=0.1%")]
    promises: Vec<Promise>,
    /// The actor whose rate to find, if the test has several.
    #[arg(long)]
    actor: Option<String>,
    /// How operations arrive: at equal intervals, or independently of each other (Poisson).
    #[arg(long, value_name = "even|poisson", default_value = "poisson", value_parser = gaps)]
    arrival: Gaps,
    /// Measured time of a probe, s. A probe whose quantiles need more operations takes longer, up to a minute.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole(1..=MOST_SECONDS))]
    seconds: u64,
    /// Warm-up time of a probe before it is measured, s.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=MOST_SECONDS))]
    warm_up: u64,
    /// The lowest rate to try, operations a second [default: the lowest that gives a one-minute probe enough operations].
    #[arg(long, value_name = "RATE", value_parser = whole(1..=MOST_RATE))]
    from: Option<u64>,
    /// The highest rate to try [default: the highest that the load generator can offer].
    #[arg(long, value_name = "RATE", value_parser = whole(1..=MOST_RATE))]
    to: Option<u64>,
    /// Precision of each round: stop when the highest passing and the lowest failing rate differ by at most this.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = precision)]
    precision: f64,
    /// Rounds, each a search with a fresh seed [default: the fewest that give an interval and can decide the comparison].
    #[arg(long, value_name = "N", value_parser = whole(1..=1_000_u32))]
    confirm: Option<u32>,
    /// The size [default: the suite's].
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,
    /// Set an option of an engine or of the suite.
    #[arg(long = "set", value_name = "OWNER.OPTION=VALUE[|VALUE]", add = completions::settings())]
    set: Vec<String>,
    /// Seed of all random keys, values and arrivals [default: from the clock].
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Show what would be measured, and run nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    written: SheetArgs,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

fn gaps(text: &str) -> Result<Gaps, String> {
    let known = [Gaps::Even, Gaps::Poisson].into_iter().find(|gaps| gaps.word() == text);
    known.ok_or_else(|| format!("`{text}`: expected even or poisson"))
}

/// A share of 0.1 % to 50 %.
fn precision(text: &str) -> Result<f64, String> {
    let share = percent(text)?;
    if (0.001..=0.5).contains(&share) { Ok(share) } else { Err(format!("`{text}`: expected 0.1% to 50%")) }
}

impl From<CapacityError> for CliError {
    fn from(error: CapacityError) -> Self {
        match error {
            CapacityError::Plan(error) => Self::Plan(error),
            CapacityError::Session(error) => Self::Session(error),
            CapacityError::NoRoom(message) => Self::Usage(format!("{message} (--size, --work-dir)")),
            CapacityError::Lost(_) => Self::Failed(error.to_string()),
        }
    }
}

pub(super) fn capacity(places: &Places, args: &CapacityArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let registry = Registry::discover();
    let target = args.target(places, &registry)?;
    if args.dry_run {
        return print(&described(&target));
    }
    let store = places.store()?;
    notices(&store.prepare()?);
    let (launch, style) = (args.measure.launch()?, args.progress.style());
    let outcome = shown(
        places,
        move |events| progress::show(events, style),
        async |events, control| measure(CapacityLab { store: &store, launch, events, control }, &target).await,
    );
    let found = outcome??;
    if !args.progress.json || report.has_file() {
        let command = command_line();
        let typed = serde_json::json!({ "command": command, "capacity": found });
        report.write(&sheet(&found, &command), &typed)?;
    }
    Ok(code(&found))
}

impl CapacityArgs {
    fn target(&self, places: &Places, registry: &Registry) -> Result<RateTarget, CliError> {
        let promises = Promises::new(self.promises.clone()).map_err(CliError::Usage)?;
        let mut spec = Spec {
            suite: self.suite.clone(),
            engines: EngineList::joined(self.engines.clone()),
            sizes: self.size.into_iter().collect(),
            rounds: 1,
            tests: vec![self.test.clone()],
            seed: self.seed,
            ..Spec::default()
        };
        for set in &self.set {
            spec.set_text(set).map_err(|error| CliError::Usage(format!("--set {error}")))?;
        }
        let terms = CapacityTerms {
            promises,
            gaps: self.arrival,
            seconds: self.seconds,
            warm_up: self.warm_up,
            from: self.from,
            to: self.to,
            precision: self.precision,
            rounds: 1,
        };
        let mut target =
            RateTarget::new(places.catalog()?.suite(&self.suite)?, self.actor.as_deref(), spec, terms, registry)?;
        let compared = target.plan.configurations.len().saturating_sub(1).max(1);
        // With an even number of rounds, each engine leads equally often.
        let needed = rounds_needed(compared).max(MIN_RUNS).next_multiple_of(2) as u32;
        target.terms.rounds = self.confirm.unwrap_or(needed);
        Ok(target)
    }
}

/// Probes of a first search, and of a round, as they mostly are.
const FIRST: u64 = 10;
const A_ROUND: u64 = 4;

fn described(target: &RateTarget) -> String {
    let CapacityTerms { promises, gaps, seconds, warm_up, rounds, precision, .. } = &target.terms;
    let engines = target.plan.configurations.len() as u64;
    let probes = 1 + engines * (FIRST + A_ROUND * u64::from(*rounds));
    let mut text = format!(
        "{} test {} · {} · {promises} · {} arrivals · {}, precision {:.1} %\n",
        plain(&target.plan.suite.name),
        target.pace.test,
        plain(&target.pace.actor),
        gaps.word(),
        counted(u64::from(*rounds), "round"),
        precision * 100.0,
    );
    text.push_str(&format!(
        "about {} of {} s each: at least {}\n",
        counted(probes, "probe"),
        seconds + warm_up,
        dbdyno_foundation::base::units::clock(std::time::Duration::from_secs(probes * (seconds + warm_up))),
    ));
    for one in &target.plan.configurations {
        text.push_str(&format!(
            "{}  size {} · tier {}: {}\n",
            plain(&one.label),
            one.size,
            one.tier,
            plain(&one.tier_reason)
        ));
    }
    text
}

/// 0 where every engine has an answer: that there is no rate is one too.
fn code(report: &CapacityReport) -> ExitCode {
    let any = |is: fn(&CapacityAnswer) -> bool| report.capacities.iter().any(|one| is(&one.answer));
    if report.stopped || any(|answer| *answer == CapacityAnswer::Stopped) {
        ExitCode::from(INTERRUPTED)
    } else if any(|answer| matches!(answer, CapacityAnswer::Failed { .. })) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
