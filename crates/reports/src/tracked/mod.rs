//! Results for programs that track benchmarks from commit to commit, each in the program's own format.
//!
//! A benchmark is a test of a configuration at a size. Its figure in a session is the median over its runs, with the median's interval if
//! there are enough runs. Unknown values are left out, even if a format has a field for them.

mod bmf;
mod codspeed;
mod conbench;
mod error;
mod figure;
mod github;
mod nyrkio;
mod otava;
mod ratio;

pub use error::TrackError;
pub use ratio::{RATIO_TRACKERS, ratios};

use dbdyno_foundation::{
    base::{csv::Cells, units::counted},
    metric::{Better, Metric},
};
use dbdyno_store::{Selection, SessionFigures, SessionOrder, Store, TestFigures};
use std::{collections::HashSet, io::Write, ops::ControlFlow, path::Path};

/// The format of a program that tracks benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracker {
    /// Bencher Metric Format, JSON.
    Bmf,
    /// CodSpeed's wall time results, JSON.
    Codspeed,
    /// Conbench's input, one line of JSON per result.
    Conbench,
    /// github-action-benchmark's own JSON.
    GithubActionBenchmark,
    /// Nyrkiö's JSON.
    Nyrkio,
    /// CSV for Apache Otava, one row per session.
    Otava,
    /// Apache Otava's description of that CSV.
    OtavaConfig,
}

/// All trackers, in the order in which they are listed.
pub const TRACKERS: &[Tracker] = &[
    Tracker::Bmf,
    Tracker::Codspeed,
    Tracker::Conbench,
    Tracker::GithubActionBenchmark,
    Tracker::Nyrkio,
    Tracker::Otava,
    Tracker::OtavaConfig,
];

impl Tracker {
    /// Returns the word for `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bmf => "bmf",
            Self::Codspeed => "codspeed",
            Self::Conbench => "conbench",
            Self::GithubActionBenchmark => "github-action-benchmark",
            Self::Nyrkio => "nyrkio",
            Self::Otava => "otava",
            Self::OtavaConfig => "otava-config",
        }
    }

    /// Returns a short description of the format.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Bmf => "Bencher Metric Format, for `bencher run --adapter json`",
            Self::Codspeed => "CodSpeed's JSON of wall times",
            Self::Conbench => "one line of JSON per result, for `benchconnect`",
            Self::GithubActionBenchmark => "JSON for customSmallerIsBetter or customBiggerIsBetter",
            Self::Nyrkio => "Nyrkiö's JSON, one point per session",
            Self::Otava => "CSV for Apache Otava, one row per session",
            Self::OtavaConfig => "Apache Otava's configuration for that CSV",
        }
    }

    /// Whether a benchmark of several sessions is written only once, from the newest session, instead of once per session.
    fn is_of_newest(self) -> bool {
        matches!(self, Self::Bmf | Self::Codspeed | Self::GithubActionBenchmark)
    }

    /// Whether the tracker treats all its data as from one machine.
    fn has_one_host(self) -> bool {
        matches!(self, Self::Nyrkio | Self::Otava | Self::OtavaConfig)
    }
}

/// The data to write, and its format.
#[derive(Debug, Clone)]
pub struct Tracked<'t> {
    pub tracker: Tracker,
    /// The metrics to write for each test.
    pub metrics: &'t [Metric],
    /// The form of CSV cells.
    pub cells: Cells,
    /// The file as the user named it, if it goes to one: Otava's configuration names the CSV in the same folder.
    pub named: Option<&'t Path>,
}

/// A summary of the written data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackedSummary {
    /// The number of benchmark figures; for Otava, of columns.
    pub figures: u64,
    pub sessions: u64,
    /// Sentences that the user should know.
    pub notes: Vec<String>,
}

/// Writes the results of a selection.
///
/// # Errors
/// The tracker cannot represent the data, the store cannot be read, or the output cannot be written.
pub fn write(
    store: &Store,
    selection: &Selection,
    tracked: &Tracked<'_>,
    out: &mut impl Write,
) -> Result<TrackedSummary, TrackError> {
    let better = direction(tracked)?;
    let mut summary = match tracked.tracker {
        Tracker::Otava => otava::csv(store, selection, tracked, out)?,
        Tracker::OtavaConfig => otava::config(store, selection, tracked, out)?,
        _ => listed(store, selection, tracked, out)?,
    };
    if tracked.tracker == Tracker::GithubActionBenchmark {
        summary.notes.push(format!("the action's `tool` is {}", github::tool(better)));
    }
    Ok(summary)
}

/// Returns the better direction of values, which all metrics must share.
fn direction(tracked: &Tracked<'_>) -> Result<Better, TrackError> {
    let tracker = tracked.tracker;
    for metric in tracked.metrics {
        let has_place = match tracker {
            Tracker::Codspeed => *metric == Metric::Wall,
            Tracker::Conbench => conbench::unit(*metric).is_some(),
            _ => true,
        };
        if !has_place {
            return Err(TrackError::NoPlace { tracker, metric: *metric });
        }
        if metric.better() == Better::Neither {
            return Err(TrackError::NoDirection { tracker, metric: *metric });
        }
    }
    let (less, more): (Vec<Metric>, Vec<Metric>) =
        tracked.metrics.iter().partition(|metric| metric.better() == Better::Less);
    match (less.first(), more.first()) {
        (Some(less), Some(more)) if tracker == Tracker::GithubActionBenchmark => {
            Err(TrackError::BothDirections { less: *less, more: *more })
        }
        (None, Some(_)) => Ok(Better::More),
        _ => Ok(Better::Less),
    }
}

/// Returns the metrics, with the metrics that are needed to calculate their figures.
fn read_with(metrics: &[Metric]) -> Vec<Metric> {
    let mut all = metrics.to_vec();
    all.extend([Metric::Operations, Metric::OpenAndTest]);
    all.sort_unstable();
    all.dedup();
    all
}

/// Writes files that are one list, part by part.
fn listed(
    store: &Store,
    selection: &Selection,
    tracked: &Tracked<'_>,
    out: &mut impl Write,
) -> Result<TrackedSummary, TrackError> {
    let (tracker, metrics) = (tracked.tracker, tracked.metrics);
    let frame = match tracker {
        Tracker::Bmf => bmf::frame(),
        Tracker::Codspeed => codspeed::frame()?,
        Tracker::Conbench => conbench::frame(),
        _ => FileFrame { begin: "[\n".to_owned(), between: ",\n", end: "\n]\n" },
    };
    let order = if tracker.is_of_newest() { SessionOrder::NewestFirst } else { SessionOrder::OldestFirst };
    let mut place = OnePlace::default();
    let mut told: HashSet<String> = HashSet::new();
    let (mut summary, mut older) = (TrackedSummary::default(), 0_u64);
    store.sessions(selection, &read_with(metrics), order, |session| {
        if tracker.has_one_host() {
            place.see(tracker, session)?;
        }
        let mut session = session.clone();
        if tracker.is_of_newest() {
            let before = session.tests.len();
            session.tests.retain(|test| told.insert(figure::benchmark(test)));
            older += (before - session.tests.len()) as u64;
        }
        let items = match tracker {
            Tracker::Bmf => each_test(&session, |test| bmf::items(test, metrics))?,
            Tracker::Codspeed => each_test(&session, codspeed::items)?,
            Tracker::Conbench => each_test(&session, |test| conbench::items(&session.origin, test, metrics))?,
            Tracker::Nyrkio => nyrkio::item(&session, metrics)?.into_iter().collect(),
            _ => each_test(&session, |test| github::items(&session.origin, test, metrics))?,
        };
        summary.sessions += u64::from(!items.is_empty());
        for item in items {
            let before = if summary.figures == 0 { frame.begin.as_str() } else { frame.between };
            write!(out, "{before}{item}")?;
            summary.figures += 1;
        }
        Ok::<_, TrackError>(ControlFlow::Continue(()))
    })?;
    if summary.figures == 0 {
        return Err(TrackError::Empty);
    }
    out.write_all(frame.end.as_bytes())?;
    if older > 0 {
        summary.notes.push(format!(
            "{} of older sessions left out: {} has each once, from the newest session",
            counted(older, "benchmark"),
            tracker.name()
        ));
    }
    Ok(summary)
}

fn each_test<I: IntoIterator<Item = String>>(
    session: &SessionFigures,
    items: impl Fn(&TestFigures) -> Result<I, TrackError>,
) -> Result<Vec<String>, TrackError> {
    let mut all = Vec::new();
    for test in &session.tests {
        all.extend(items(test)?);
    }
    Ok(all)
}

/// The text around and between the parts of a file.
struct FileFrame {
    begin: String,
    between: &'static str,
    end: &'static str,
}

/// The check that all sessions are of one host: times of two machines do not form a series.
#[derive(Debug, Default)]
struct OnePlace(Option<(String, String)>);

impl OnePlace {
    fn see(&mut self, tracker: Tracker, session: &SessionFigures) -> Result<(), TrackError> {
        let origin = &session.origin;
        let (first_id, first) = self.0.get_or_insert_with(|| (origin.host_id.clone(), origin.host.clone()));
        if *first_id == origin.host_id {
            return Ok(());
        }
        let hosts = [(first.clone(), first_id.clone()), (origin.host.clone(), origin.host_id.clone())];
        Err(TrackError::SeveralHosts { tracker, hosts })
    }
}
