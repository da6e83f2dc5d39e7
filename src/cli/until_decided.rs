//! `dbdyno compare --until-decided`: more rounds of what is undecided, look after look.

use super::{error::CliError, output::command_line, progress::Style, session::watched};
use crate::{
    base::units::{clock, plain},
    compare::{AnotherLook, Comparison, Options, compare, load_both},
    engines::Registry,
    metric::Metric,
    session::{FurtherError, FurtherRounds},
    store::{Latencies, Selection, Status, Store},
};
use dbdyno_engine::say;
use std::collections::BTreeMap;

/// How many rounds were added to a test, by its number, name and size.
type Added = BTreeMap<(u32, String, String), u32>;

/// What rounds are added to.
#[derive(Debug)]
pub(super) struct Further<'a> {
    /// How it is compared.
    pub(super) options: &'a Options,
    pub(super) metric: Metric,
    /// The only test, by number or name; none: each that is undecided.
    pub(super) test: Option<&'a str>,
    /// The most rounds of a test.
    pub(super) most: u32,
}

/// Adds rounds to each undecided test, until it is decided or would have too many of them. False: it was interrupted.
pub(super) fn until_decided(
    store: &Store,
    selected: [(&str, &Selection); 2],
    asked: &Further<'_>,
) -> Result<bool, CliError> {
    let registry = Registry::discover();
    let mut added = Added::new();
    loop {
        let [a, b] = load_both(store, selected, asked.metric, Latencies::Left)?;
        let Some(look) = next(&compare(&a, &b, asked.options), &added, asked) else { return Ok(true) };
        *added.entry(key(&look)).or_default() += look.rounds;
        let further = FurtherRounds::find(look, &command_line(), &registry, store)?;
        say!("{}, about {}", plain(&further.look.words()), clock(further.estimate.time));
        say!("{}", further.look.price());
        let style = Style::choose(false, false);
        let report = watched(&further.plan, style, async |events, control| further.run(store, events, control).await)?;
        if let Some(reason) = report.unkept {
            return Err(CliError::Failed(format!("some results could not be kept: {reason}")));
        }
        if matches!(report.session.status, Status::Cancelled | Status::Interrupted) {
            return Ok(false);
        }
    }
}

/// The first test that is undecided and may have as many rounds as would decide it.
fn next(comparison: &Comparison, added: &Added, asked: &Further<'_>) -> Option<AnotherLook> {
    let is_meant = |look: &AnotherLook| {
        asked.test.is_none_or(|test| test == look.test.to_string() || test.eq_ignore_ascii_case(&look.name))
    };
    let fits = |look: &AnotherLook| added.get(&key(look)).copied().unwrap_or(0) + look.rounds <= asked.most;
    comparison.other_looks().into_iter().find(|look| is_meant(look) && fits(look))
}

fn key(look: &AnotherLook) -> (u32, String, String) {
    (look.test, look.name.clone(), look.size.clone())
}

impl From<FurtherError> for CliError {
    fn from(error: FurtherError) -> Self {
        match error {
            FurtherError::Store(error) => Self::Store(error),
            FurtherError::Plan(error) => Self::Plan(error),
            other => Self::Usage(format!("--until-decided: {other}")),
        }
    }
}
