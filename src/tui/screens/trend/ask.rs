//! The requests of the Trend pane: a configuration over all of its sessions.

use crate::tui::{
    launch::TrendOf,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_comparing::compare::{Side, Trend, as_rates, load, trend};
use dbdyno_foundation::metric::Metric;
use dbdyno_reports::command::shell;
use dbdyno_store::{Latencies, ReadWatch, RunTests, Selection, Store, StoreError, literal};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

#[derive(Debug)]
pub enum Request {
    /// The trends of configurations.
    Follow {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
        of: TrendOf,
        /// Reports the progress of reading, and whether it was cancelled.
        watch: ReadWatch,
    },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Follow { watch, .. } => Subject::watched("trend", watch),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// The trends, or the reason why there are none.
    Followed { ticket: u64, found: Result<Box<TrendReading>, String> },
}

/// Configurations over their sessions.
#[derive(Debug)]
pub struct TrendReading {
    pub(super) trend: Trend,
    /// The metrics that they have.
    pub(super) metrics: Vec<Metric>,
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Follow { ticket, of, watch } = request;
    let found = followed(&of, &setup.store.watched(&watch), &setup.arguments);
    Response::Followed { ticket, found: found.map(Box::new) }
}

/// A configuration's identity over all sessions: its suite, its engine, and its options as requested.
type Followable = (String, String, Arc<BTreeMap<String, String>>);

fn followable(run: &RunTests) -> Followable {
    (run.configuration.suite.clone(), run.configuration.engine.clone(), Arc::clone(&run.asked))
}

fn followed(of: &TrendOf, store: &Store, arguments: &[String]) -> Result<TrendReading, String> {
    let said = |error: StoreError| error.to_string();
    let mut wanted: BTreeSet<Followable> = BTreeSet::new();
    for line in &of.selections {
        let side = load(store, line, &Selection::parse_line(line)?, of.metric, Latencies::Left).map_err(said)?;
        wanted.extend(side.runs.iter().map(followable));
    }
    if wanted.is_empty() {
        return Err(format!("nothing stored matches {} any more: Ctrl-r reads again", of.selections.join(" and ")));
    }
    let words = terms(&wanted);
    let selection = Selection::parse(&words)?;
    let line = words.join(" ");
    let mut side: Side = load(store, &line, &selection, of.metric, Latencies::Left).map_err(said)?;
    // Options in force may have other names than the requested ones, so no selection can match exactly these configurations.
    side.runs.retain(|run| wanted.contains(&followable(run)));
    as_rates([&mut side]);
    let metrics = store.metrics(&selection).map_err(said)?;
    Ok(TrendReading { trend: trend(&side, &command(words, of.metric, arguments)), metrics })
}

/// Returns terms that select all runs of these suites on these engines.
fn terms(wanted: &BTreeSet<Followable>) -> Vec<String> {
    let values = |value: fn(&Followable) -> &String| {
        let values: BTreeSet<String> = wanted.iter().map(|one| literal(value(one))).collect();
        values.into_iter().collect::<Vec<_>>().join("|")
    };
    vec![format!("suite={}", values(|one| &one.0)), format!("engine={}", values(|one| &one.1))]
}

/// Returns the command that shows these configurations, among others of their engines.
fn command(terms: Vec<String>, metric: Metric, arguments: &[String]) -> String {
    let mut words = vec!["dbdyno".to_owned(), "trend".to_owned()];
    words.extend(terms);
    if metric != Metric::Wall {
        words.extend(["--metric".to_owned(), metric.name().to_owned()]);
    }
    words.extend(arguments.iter().cloned());
    shell(words)
}
