//! Results for programs that follow benchmarks from commit to commit, each in the program's own format.
//!
//! A benchmark is a test of a configuration at a size, and its figure in a session the median over its runs, with the median's interval
//! where there are runs enough. What a format has a place for and is not known is left out.

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
use std::{
    collections::HashSet,
    fs::File,
    io::{BufWriter, Write},
    ops::ControlFlow,
    path::Path,
};

/// A format of a program that follows benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracker {
    /// Bencher Metric Format, JSON.
    Bmf,
    /// CodSpeed's results of wall time, JSON.
    Codspeed,
    /// What Conbench takes, a line of JSON a result.
    Conbench,
    /// github-action-benchmark's own JSON.
    GithubActionBenchmark,
    /// Nyrkiö's JSON.
    Nyrkio,
    /// CSV for Apache Otava, a row a session.
    Otava,
    /// Apache Otava's description of that CSV.
    OtavaConfig,
}

/// All of them.
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
    /// The word for `--format`.
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

    /// What it is, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Bmf => "Bencher Metric Format, for `bencher run --adapter json`",
            Self::Codspeed => "CodSpeed's JSON of wall times",
            Self::Conbench => "a line of JSON a result, for `benchconnect`",
            Self::GithubActionBenchmark => "JSON for customSmallerIsBetter or customBiggerIsBetter",
            Self::Nyrkio => "Nyrkiö's JSON, a point a session",
            Self::Otava => "CSV for Apache Otava, a row a session",
            Self::OtavaConfig => "Apache Otava's configuration for that CSV",
        }
    }

    /// What such a file has of a benchmark that several sessions have: that of the newest, or each.
    fn is_of_newest(self) -> bool {
        matches!(self, Self::Bmf | Self::Codspeed | Self::GithubActionBenchmark)
    }

    /// Whether it takes all that it is given for one machine's.
    fn has_one_host(self) -> bool {
        matches!(self, Self::Nyrkio | Self::Otava | Self::OtavaConfig)
    }
}

/// What is to be written.
#[derive(Debug, Clone)]
pub struct Tracked<'t> {
    pub tracker: Tracker,
    /// What is told of each test.
    pub metrics: &'t [Metric],
    /// What those of CSV are written as.
    pub cells: Cells,
    /// The file as it was named: Otava's configuration names the CSV beside it.
    pub named: &'t Path,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Figures of benchmarks; of Otava's, columns.
    pub figures: u64,
    pub sessions: u64,
    /// What whoever asked should know, in sentences.
    pub notes: Vec<String>,
}

/// Writes the results of a selection to a file of ours, which is replaced.
///
/// # Errors
/// What the tracker cannot be told, a store that cannot be read, or a file that cannot be written.
pub fn write(store: &Store, selection: &Selection, tracked: &Tracked<'_>, file: &Path) -> Result<Written, TrackError> {
    let better = direction(tracked)?;
    let mut out = BufWriter::new(File::create(file)?);
    let mut written = match tracked.tracker {
        Tracker::Otava => otava::csv(store, selection, tracked, &mut out)?,
        Tracker::OtavaConfig => otava::config(store, selection, tracked, &mut out)?,
        _ => listed(store, selection, tracked, &mut out)?,
    };
    out.flush()?;
    if tracked.tracker == Tracker::GithubActionBenchmark {
        written.notes.push(format!("the action's `tool` is {}", github::tool(better)));
    }
    Ok(written)
}

/// Which values are the better ones, where all metrics agree in it.
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

/// The metrics with those that their figures are made with.
fn read_with(metrics: &[Metric]) -> Vec<Metric> {
    let mut all = metrics.to_vec();
    all.extend([Metric::Operations, Metric::OpenAndTest]);
    all.sort_unstable();
    all.dedup();
    all
}

/// Files that are one list, whose parts are written as they come.
fn listed(
    store: &Store,
    selection: &Selection,
    tracked: &Tracked<'_>,
    out: &mut impl Write,
) -> Result<Written, TrackError> {
    let (tracker, metrics) = (tracked.tracker, tracked.metrics);
    let frame = match tracker {
        Tracker::Bmf => bmf::frame(),
        Tracker::Codspeed => codspeed::frame()?,
        Tracker::Conbench => conbench::frame(),
        _ => Frame { begin: "[\n".to_owned(), between: ",\n", end: "\n]\n" },
    };
    let order = if tracker.is_of_newest() { SessionOrder::NewestFirst } else { SessionOrder::OldestFirst };
    let mut place = OnePlace::default();
    let mut told: HashSet<String> = HashSet::new();
    let (mut written, mut older) = (Written::default(), 0_u64);
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
        written.sessions += u64::from(!items.is_empty());
        for item in items {
            let before = if written.figures == 0 { frame.begin.as_str() } else { frame.between };
            write!(out, "{before}{item}")?;
            written.figures += 1;
        }
        Ok::<_, TrackError>(ControlFlow::Continue(()))
    })?;
    if written.figures == 0 {
        return Err(TrackError::Empty);
    }
    out.write_all(frame.end.as_bytes())?;
    if older > 0 {
        written.notes.push(format!(
            "{} of older sessions left out: {} has each once, as the newest session has it",
            counted(older, "benchmark"),
            tracker.name()
        ));
    }
    Ok(written)
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

/// What stands around and between the parts of a file.
struct Frame {
    begin: String,
    between: &'static str,
    end: &'static str,
}

/// That all sessions are of one host: times of two machines are no series.
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
