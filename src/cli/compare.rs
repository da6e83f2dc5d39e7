//! `dbdyno compare`.

use super::{
    args::{
        OutArgs, OutputFormat, Places, StyleArgs, chosen_format, format_or_tracker, metric, one_of, percent,
        say_unmatched,
    },
    completions::{engines, terms},
    error::{CliError, INTERRUPTED, unwritten},
    output::{command_line, print, print_coloured, written},
    until_decided::{Further, RoundsOutcome, until_decided},
};
use clap::Args;
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{
    Axis, ComparedGroups, Comparison, Gate, Obstacle, ObstacleKind, OpenReason, OpenTest, Options, RatioForm,
    ReferenceGroup, SecondaryMetric, Several, Side, Since, SinceError, as_rates, by_configuration, compare, gate, load,
    load_all, load_both, others_of, with_repeats,
};
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::{output::Output, units::plain},
    metric::{Better, Metric},
};
use dbdyno_reports::{
    comparison::{
        COMMAND_FORMATS, SCALING_FORMATS, SEVERAL_COMMAND_FORMATS, export, export_several, grown_text, several, text,
    },
    format::Format,
    tracked::{RATIO_TRACKERS, ratios},
};
use dbdyno_running::session::{SessionComparisons, closing, verdicts_of};
use dbdyno_store::{Latencies, Selection, Store};
use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    process::ExitCode,
};

/// `--fail-if-slower` could not be decided, or `--until-decided` left a test undecided.
const UNDECIDED: u8 = 3;
/// A is slower than `--fail-if-slower` allows.
const SLOWER: u8 = 4;

/// `dbdyno compare`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub(super) struct CompareArgs {
    /// Sides A and B: the names of engines, or terms as in --a and --b.
    #[arg(num_args = 1..=2, value_names = ["A", "B"], conflicts_with_all = ["a", "b", "reference"], add = engines())]
    sides: Vec<String>,
    /// Compare the runs of A since then with those before: a day, or the first run with a tag or a version.
    ///
    /// As in `dbdyno compare --before 2026-10-25 'suite=kv engine=sqlite'`.
    #[arg(long, value_name = "DAY|TAG|VERSION", conflicts_with_all = ["a", "b", "reference", "until_decided"], requires = "sides")]
    before: Option<String>,
    /// Side A: terms that must all hold, as in 'engine=lmdb size=10000', or the name of an engine.
    #[arg(long, value_name = "SELECTION", required_unless_present_any = ["reference", "sides"], requires = "b", add = terms())]
    a: Option<String>,
    /// Side B, written like side A.
    #[arg(long, value_name = "SELECTION", requires = "a", add = terms())]
    b: Option<String>,
    /// Compare several sides with this one, written like side A. If it is a session, each tier has its own reference.
    #[arg(long, value_name = "SELECTION", conflicts_with_all = ["a", "b", "by", "pivot", "scaling", "fail_if_slower"], add = terms())]
    reference: Option<String>,
    /// A side to compare with the reference, written like side A [default: all other configurations of the reference's sessions].
    ///
    /// A selection of several configurations adds each of them.
    #[arg(long, value_name = "SELECTION", requires = "reference", add = terms())]
    with: Vec<String>,
    /// Pool all values of these options: runs that differ in nothing else count as one configuration.
    ///
    /// By default, configurations of A and B are matched by the options that both have.
    #[arg(long, value_name = "OPTION[,OPTION]", value_delimiter = ',')]
    pool: Vec<String>,
    /// The metric to compare [default: the total time, or operations a second where tests end after a time].
    #[arg(short, long, value_name = "METRIC", value_parser = metric(), hide_possible_values = true)]
    metric: Option<Metric>,
    /// Compare despite these differences: tiers, hosts, sizes, suites, suite-options, memory, caches.
    #[arg(long, value_name = "DIFFERENCE[,DIFFERENCE]", value_delimiter = ',', value_parser = Difference::named, help_heading = "Compare anyway")]
    allow: Vec<Difference>,
    /// Compare although commits are not equally durable on both sides.
    #[arg(long, help_heading = "Compare anyway")]
    allow_tiers: bool,
    /// Compare although A and B ran on different hosts or disks, or with different limits, mounts or builds.
    #[arg(long, help_heading = "Compare anyway")]
    allow_hosts: bool,
    /// Compare tests although A and B ran at different sizes.
    #[arg(long, help_heading = "Compare anyway")]
    allow_sizes: bool,
    /// Compare tests of different suites, or with different numbers of operations.
    #[arg(long, help_heading = "Compare anyway")]
    allow_suites: bool,
    /// Compare although the suite ran with different options.
    #[arg(long, help_heading = "Compare anyway")]
    allow_suite_options: bool,
    /// Compare runs with different memory limits.
    #[arg(long, help_heading = "Compare anyway")]
    allow_memory: bool,
    /// Compare tests that began cold with tests that began warm.
    #[arg(long, help_heading = "Compare anyway")]
    allow_caches: bool,
    /// Exit with 4 if A is slower than B by more than this in any test, and with 3 if that cannot be decided.
    ///
    /// With another metric than a time, "slower" means worse.
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "Decision")]
    fail_if_slower: Option<f64>,
    /// Run more rounds of the undecided tests, or of this test (number or name), until they are decided.
    ///
    /// Only the two configurations run, as in their session. The p-value threshold is stricter at each further look, so repeated
    /// looks do not add false differences. The exit code is 3 if a test stays undecided because it would need more rounds than --most.
    #[arg(long, value_name = "TEST", num_args = 0..=1, require_equals = true, conflicts_with = "reference", help_heading = "Decision")]
    until_decided: Option<Option<String>>,
    /// The most rounds that --until-decided adds to a test.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=1000), help_heading = "Decision")]
    most: u32,
    /// Summarise each test over its sizes: the ratio and verdict at each size, then their median, smallest and largest.
    #[arg(long, value_name = "KEY", value_parser = one_of([(SummaryKey::Size, "size", "sizes")].into_iter()), help_heading = "Output")]
    by: Option<SummaryKey>,
    /// Show the ratios as a table over two keys.
    ///
    /// Engine, version, label, tier and options split A; other keys split both sides.
    #[arg(long, value_name = "ROW,COL", conflicts_with = "by", help_heading = "Output")]
    pivot: Option<String>,
    /// Show what the time went to in every test that differs, not only in the one that differs most.
    #[arg(long, conflicts_with_all = ["pivot", "by", "scaling"], help_heading = "Output")]
    why: bool,
    /// Order of the tests of one size.
    #[arg(long, value_name = "ORDER", default_value = "test", value_parser = one_of(LINE_ORDERS.into_iter()), help_heading = "Output")]
    sort: LineOrder,
    /// Show the ratio of A's value to B's instead of a factor in words. Formats for programs always have ratios.
    #[arg(long, help_heading = "Output", group = "form")]
    ratio: bool,
    /// Show the difference in percent.
    #[arg(long, help_heading = "Output", group = "form")]
    percent: bool,
    /// Show A's speed as a multiple of B's.
    #[arg(long, help_heading = "Output", group = "form")]
    speedup: bool,
    /// Show the ratio, and next to it the ratio of the two medians. Formats for programs always have both.
    #[arg(long, help_heading = "Output")]
    median_ratio: bool,
    /// Show how the figures of each side grow: time with the size, operations a second with each numeric option that varies.
    #[arg(long, help_heading = "Output")]
    scaling: bool,
    /// Format of the comparison [default: by the ending of --out, else table].
    ///
    /// CSV and Parquet have a row for each test and size. Formats of benchmark trackers contain the ratios.
    #[arg(long, value_name = "FORMAT", value_parser = format_or_tracker(COMMAND_FORMATS, RATIO_TRACKERS), help_heading = "Output")]
    format: Option<OutputFormat>,
    /// Same as --format json.
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    style: StyleArgs,
}

/// What a comparison can be summarised over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SummaryKey {
    Size,
}

/// In which order the tests of a size are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineOrder {
    Test,
    Effect,
}

const LINE_ORDERS: [(LineOrder, &str, &str); 2] =
    [(LineOrder::Test, "test", "in the suite's order"), (LineOrder::Effect, "effect", "largest difference first")];

impl CompareArgs {
    /// What sides are read for.
    fn metric(&self) -> Metric {
        self.metric.unwrap_or_default()
    }

    /// The format of a comparison that supports these.
    fn format(&self, supported: &'static [Format]) -> Result<OutputFormat, CliError> {
        let requested = if self.json { Some(OutputFormat::Own(Format::Json)) } else { self.format };
        let format = chosen_format(requested, self.out.file(), supported, Format::Table)?;
        self.style.check(format)?;
        Ok(format)
    }

    /// Puts sides into operations a second where that suits their tests, unless another figure was asked for.
    fn as_asked<'s>(&self, sides: impl IntoIterator<Item = &'s mut Side>) {
        if self.metric.is_none() {
            as_rates(sides);
        }
    }
}

pub(super) fn compare_sides(places: &Places, args: &CompareArgs) -> Result<ExitCode, CliError> {
    if let Some(when) = &args.before {
        let [all] = args.sides.as_slice() else {
            return Err(CliError::Usage("--before: expected one selection, whose runs it separates".to_owned()));
        };
        selection("A", all)?;
        let store = places.opened()?;
        let _open_once = store.read_together();
        let Since { words, sides: [since, before] } = Since::find(&store, all, when)?;
        return two_sides(places, args, &since, &before, Some((words, store.clone())));
    }
    match (&args.reference, &args.a, &args.b, args.sides.as_slice()) {
        (Some(reference), ..) => several_sides(places, args, reference),
        (None, Some(a), Some(b), _) | (None, None, None, [a, b]) => two_sides(places, args, a, b, None),
        (None, ..) => Err(CliError::Usage(
            "expected sides A and B, as in `dbdyno compare lmdb redb`, or --before or --reference".to_owned(),
        )),
    }
}

/// Compares several sides with one reference.
fn several_sides(places: &Places, args: &CompareArgs, reference: &str) -> Result<ExitCode, CliError> {
    let wanted = selection("--reference", reference)?;
    let others: Vec<(&String, Selection)> =
        args.with.iter().map(|text| Ok((text, selection("--with", text)?))).collect::<Result<_, CliError>>()?;
    let output = args.out.checked(places)?;
    let format = args.format(SEVERAL_COMMAND_FORMATS)?.own(SEVERAL_COMMAND_FORMATS);
    let format = format.map_err(|error| CliError::Usage(format!("--reference: --format {error}")))?;
    let mut options = options(args)?;
    let store = places.opened()?;
    let _open_once = store.read_together();
    let first = load(&store, reference, &wanted, args.metric(), Latencies::Left)?;
    let mut first = found(&store, "--reference", &wanted, first)?;
    let mut candidates = match others.is_empty() {
        true if by_configuration(&first).len() > 1 => {
            let closing = closing(&store, &first)?;
            options.allowed.extend(&closing.allow);
            args.as_asked([&mut first]);
            let SessionComparisons { mut compared, alone, grown } = verdicts_of(&first, &closing, &options);
            compared.explain(&store, args.why)?;
            shown_beside(compared, args, (format, output.as_ref()))?;
            if let (Some(grown), Format::Table, None) = (&grown, format, &output) {
                print(&format!("\n{}", grown_text(grown)))?;
            }
            alone.iter().for_each(|line| say!("note: {}", plain(line)));
            return Ok(ExitCode::SUCCESS);
        }
        true => others_of(&store, &first, Latencies::Left)?,
        false => {
            let selections: Vec<(&str, &Selection)> =
                others.iter().map(|(text, wanted)| (text.as_str(), wanted)).collect();
            let sides = load_all(&store, &selections, args.metric(), Latencies::Left)?.into_iter().zip(&selections);
            let sides = sides.map(|(side, (_, wanted))| found(&store, "--with", wanted, side));
            let sides: Vec<Side> = sides.collect::<Result<_, _>>()?;
            sides.into_iter().flat_map(with_configurations).collect()
        }
    };
    if candidates.is_empty() {
        return Err(CliError::Usage(format!(
            "--reference '{reference}': its sessions have no other configuration: give the sides to compare with it (--with SELECTION)"
        )));
    }
    args.as_asked(candidates.iter_mut().chain([&mut first]));
    let group = ReferenceGroup { reference: first, candidates };
    let mut compared = ComparedGroups::new(&[group], &options);
    compared.explain(&store, args.why)?;
    shown_beside(compared, args, (format, output.as_ref()))?;
    Ok(ExitCode::SUCCESS)
}

/// Shows sides, each compared with its reference.
fn shown_beside(
    mut compared: ComparedGroups,
    args: &CompareArgs,
    (format, output): (Format, Option<&Output>),
) -> Result<(), CliError> {
    if args.sort == LineOrder::Effect {
        compared.sides.iter_mut().for_each(Comparison::sort_by_effect);
    }
    match output {
        Some(output) => {
            let style = args.style.style(true);
            export_several(&compared, format, style, output).map_err(unwritten(output.target()))?;
        }
        None => {
            print_as(format, &several(&compared, format, args.style.style(false))?)?;
        }
    }
    say_allowances(&compared.sides);
    Ok(())
}

/// Prints a comparison; only a table has colours.
fn print_as(format: Format, text: &str) -> Result<ExitCode, CliError> {
    if format == Format::Table { print_coloured(text) } else { print(text) }
}

/// A side as it was asked for, or each of its configurations.
fn with_configurations(side: Side) -> Vec<Side> {
    let parts = by_configuration(&side);
    if parts.len() > 1 { parts } else { vec![side] }
}

/// Compares two selections. `since`: the moment that separates them, if nothing else does, with the store in which it was found.
fn two_sides(
    places: &Places,
    args: &CompareArgs,
    text_a: &str,
    text_b: &str,
    since: Option<(String, Store)>,
) -> Result<ExitCode, CliError> {
    let (a, b) = (selection("--a", text_a)?, selection("--b", text_b)?);
    let (since, opened) = since.unzip();
    let options = Options { since, ..options(args)? };
    let output = args.out.checked(places)?;
    let format = args.format(COMMAND_FORMATS)?;
    if args.scaling {
        format.own(SCALING_FORMATS).map_err(|error| CliError::Usage(format!("--scaling: --format {error}")))?;
    }
    let store = opened.map_or_else(|| places.opened(), Ok)?;
    let latencies = match format {
        OutputFormat::Own(Format::Table | Format::Markdown | Format::Benchfmt | Format::Summary | Format::Comment)
        | OutputFormat::Tracker(_) => Latencies::Left,
        OutputFormat::Own(
            Format::Csv | Format::Json | Format::Html | Format::Svg | Format::Png | Format::Parquet | Format::Lines,
        ) => Latencies::Read,
    };
    let selected = [(text_a, &a), (text_b, &b)];
    // More rounds are written between two readings.
    let _open_once = args.until_decided.is_none().then(|| store.read_together());
    let [side_a, side_b] = load_both(&store, selected, args.metric(), latencies)?;
    let (mut side_a, mut side_b) = (found(&store, "--a", &a, side_a)?, found(&store, "--b", &b, side_b)?);
    let mut left_open = Vec::new();
    if let Some(test) = &args.until_decided {
        let further = Further { options: &options, metric: args.metric(), test: test.as_deref(), most: args.most };
        match until_decided(places, &store, selected, &further)? {
            RoundsOutcome::Decided => {}
            RoundsOutcome::Open(reasons) => left_open = reasons,
            RoundsOutcome::Interrupted => return Ok(ExitCode::from(INTERRUPTED)),
        }
        [side_a, side_b] = load_both(&store, selected, args.metric(), latencies)?;
    }
    args.as_asked([&mut side_a, &mut side_b]);
    let [a, b] = with_repeats(&store, [&side_a, &side_b])?;
    let mut comparison = compare(&a, &b, &options);
    comparison.explain(&store, args.why)?;
    if matches!(format, OutputFormat::Own(Format::Html | Format::Json)) {
        comparison.beside = SecondaryMetric::of_selections(&store, selected, args.metric(), &options)?;
    }
    if args.sort == LineOrder::Effect {
        comparison.sort_by_effect();
    }
    match (format, &output) {
        (OutputFormat::Tracker(tracker), output) => {
            written(&ratios(&comparison, tracker)?, output.as_ref())?;
        }
        (OutputFormat::Own(format), Some(output)) => {
            let style = args.style.style(true);
            export(&comparison, format, style, output).map_err(unwritten(output.target()))?;
        }
        (OutputFormat::Own(format), None) => {
            print_as(format, &text(&comparison, format, args.style.style(false))?)?;
        }
    }
    say_allowances(std::slice::from_ref(&comparison));
    left_open.iter().for_each(|reason| say!("still undecided: {}", plain(reason)));
    let code = match args.fail_if_slower.map(|limit| (limit, gate(&comparison, limit))) {
        None | Some((_, Gate::Passed)) if left_open.is_empty() => ExitCode::SUCCESS,
        None | Some((_, Gate::Passed)) => ExitCode::from(UNDECIDED),
        Some((limit, Gate::Undecided(tests))) => {
            say!("undecided whether A is slower by more than {} %: {}", limit * 100.0, plain(&open(&tests)));
            ExitCode::from(UNDECIDED)
        }
        Some((limit, Gate::Slower(tests))) => {
            say!("A is slower by more than {} %: {}", limit * 100.0, plain(&tests.join("; ")));
            ExitCode::from(SLOWER)
        }
    };
    // The program ends here: freeing each of very many results would only take time.
    mem::forget((side_a, side_b, comparison));
    Ok(code)
}

/// Returns the undecided tests, grouped by reason.
fn open(tests: &[OpenTest]) -> String {
    let mut reasons: BTreeMap<OpenReason, Vec<&str>> = BTreeMap::new();
    for OpenTest { name, reason } in tests {
        reasons.entry(*reason).or_default().push(name);
    }
    let each = |(reason, names): (OpenReason, Vec<&str>)| format!("{} ({reason})", names.join(", "));
    if reasons.is_empty() {
        return "no test was compared".to_owned();
    }
    reasons.into_iter().map(each).collect::<Vec<_>>().join("; ")
}

fn selection(flag: &str, text: &str) -> Result<Selection, CliError> {
    if text.trim().is_empty() {
        return Err(CliError::Usage(format!("{flag}: expected terms, as in {flag} 'engine=lmdb size=10000'")));
    }
    Selection::parse_side(text).map_err(|error| CliError::Usage(format!("{flag}: {error}")))
}

/// A side that has results. One without is a mistyped selection far more often than a question.
fn found(store: &Store, flag: &str, selection: &Selection, side: Side) -> Result<Side, CliError> {
    if side.runs.is_empty() {
        say_unmatched(store, selection, &[])?;
        return Err(CliError::Usage(format!(
            "{flag} '{}' matches no result in {}: `dbdyno results --group-by KEY` lists the values that a key has",
            side.selection,
            store.path().display()
        )));
    }
    Ok(side)
}

/// Names the flags that would allow the comparisons that were refused.
fn say_allowances(comparisons: &[Comparison]) {
    for difference in refused(comparisons) {
        let (name, word) = (difference.name(), difference.word());
        say!("note: tests were not compared because {word} differ: --allow {name} compares them anyway");
    }
}

/// The differences that kept tests from being compared, and that can be allowed.
fn refused(comparisons: &[Comparison]) -> BTreeSet<Difference> {
    let obstacles = comparisons
        .iter()
        .flat_map(|comparison| &comparison.lines)
        .flat_map(|line| &line.obstacles)
        .filter(|obstacle| !obstacle.allowed);
    let difference = |obstacle: &Obstacle| match obstacle.kind {
        ObstacleKind::Differ(difference) => Some(difference),
        _ => None,
    };
    obstacles.filter_map(difference).collect()
}

fn options(args: &CompareArgs) -> Result<Options, CliError> {
    let flags = [
        (args.allow_tiers, Difference::Tiers),
        (args.allow_hosts, Difference::Hosts),
        (args.allow_sizes, Difference::Sizes),
        (args.allow_suites, Difference::Suites),
        (args.allow_suite_options, Difference::SuiteOptions),
        (args.allow_memory, Difference::Memory),
        (args.allow_caches, Difference::Caches),
    ];
    let pivot = args.pivot.as_deref().map(Axis::parse_pair).transpose();
    if args.metric().better() == Better::Neither && args.fail_if_slower.is_some() {
        let title = args.metric().title();
        return Err(CliError::Usage(format!("--fail-if-slower: for {title}, neither less nor more is better")));
    }
    if args.scaling && args.metric() != Metric::Wall {
        return Err(CliError::Usage("--scaling shows times and operations a second: leave --metric out".to_owned()));
    }
    Ok(Options {
        several: if args.reference.is_some() { Several::Withheld } else { Several::Matched },
        pooled: args.pool.iter().map(|name| name.trim().to_owned()).collect(),
        median_ratios: args.median_ratio,
        ratios: match (args.percent, args.speedup, args.ratio || args.median_ratio) {
            (true, ..) => RatioForm::Percent,
            (_, true, _) => RatioForm::Speedup,
            (.., true) => RatioForm::Factor,
            (.., false) => RatioForm::Words,
        },
        allowed: {
            let given = flags.into_iter().filter(|(given, _)| *given).map(|(_, difference)| difference);
            given.chain(args.allow.iter().copied()).collect()
        },
        by_size: args.by == Some(SummaryKey::Size),
        scaling: args.scaling,
        first_look: args.until_decided.as_ref().map(|_| 1),
        pivot: pivot.map_err(|error| CliError::Usage(format!("--pivot {error}")))?,
        command: command_line(),
        since: None,
        without_forecast: false,
    })
}

impl From<SinceError> for CliError {
    fn from(error: SinceError) -> Self {
        match error {
            SinceError::Unknown(message) => Self::Usage(format!("--before: {message}")),
            SinceError::Store(error) => Self::Store(error),
        }
    }
}
