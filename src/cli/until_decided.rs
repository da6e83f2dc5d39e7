//! `dbdyno compare --until-decided`: more rounds of undecided tests, one look after the other.

use super::{
    args::{Places, ProgressArgs},
    error::CliError,
    output::command_line,
    session::watched,
};
use dbdyno_catalog::engines::Registry;
use dbdyno_comparing::compare::{AnotherLook, Comparison, JudgedRatio, Line, Options, compare, load_both};
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::units::{clock, plain},
    metric::Metric,
};
use dbdyno_running::session::{FurtherError, FurtherRounds};
use dbdyno_store::{Latencies, Selection, Status, Store};
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

/// How adding rounds ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RoundsOutcome {
    /// Every test that was meant is decided.
    Decided,
    /// These stay undecided, each with the reason why no more rounds are added.
    Open(Vec<String>),
    Interrupted,
}

/// Adds rounds to each undecided test, until it is decided or would have too many of them.
pub(super) fn until_decided(
    places: &Places,
    store: &Store,
    selected: [(&str, &Selection); 2],
    asked: &Further<'_>,
) -> Result<RoundsOutcome, CliError> {
    let registry = Registry::discover();
    let mut added = Added::new();
    loop {
        let [a, b] = load_both(store, selected, asked.metric, Latencies::Left)?;
        let comparison = compare(&a, &b, asked.options);
        let meant: Vec<&Line> = comparison.lines.iter().filter(|line| asked.means(line)).collect();
        if let (Some(test), true) = (asked.test, meant.is_empty()) {
            return Err(CliError::Usage(format!(
                "--until-decided={test}: no test of A and B has this number or name: `dbdyno compare` without it lists them"
            )));
        }
        let open = |line: &&&Line| line.found.as_ref().is_some_and(JudgedRatio::is_open);
        let looks = meant.iter().filter(open).map(|line| (*line, asked.look(&comparison, line, &added)));
        let (next, refused): (Vec<_>, Vec<_>) = looks.partition(|(_, look)| look.is_ok());
        let Some(look) = next.into_iter().find_map(|(_, look)| look.ok()) else {
            let reason = |(line, look): (&Line, Result<AnotherLook, String>)| {
                Some(format!("{} {}, size {}: {}", line.test, line.name, line.size, look.err()?))
            };
            let reasons: Vec<String> = refused.into_iter().filter_map(reason).collect();
            return Ok(if reasons.is_empty() { RoundsOutcome::Decided } else { RoundsOutcome::Open(reasons) });
        };
        *added.entry(key(&look)).or_default() += look.rounds;
        let further = FurtherRounds::find(look, &command_line(), &registry, store)?;
        say!("{}, about {}", plain(&further.look.words()), clock(further.estimate.time));
        say!("{}", further.look.price());
        let style = ProgressArgs::default().style();
        let report = watched(places, style, async |events, control| further.run(store, events, control).await)?;
        if let Some(reason) = report.unkept {
            return Err(CliError::Failed(format!("some results could not be saved: {reason}")));
        }
        if matches!(report.session.status, Status::Cancelled | Status::Interrupted) {
            return Ok(RoundsOutcome::Interrupted);
        }
    }
}

impl Further<'_> {
    /// Whether rounds are to be added to a line; what its actors did is decided with a test.
    fn means(&self, line: &Line) -> bool {
        let is_test = |test: &str| test == line.test.to_string() || test.eq_ignore_ascii_case(&line.name);
        line.actor.is_none() && self.test.is_none_or(is_test)
    }

    /// As many rounds as decide a line, or why it may not have them.
    fn look(&self, comparison: &Comparison, line: &Line, added: &Added) -> Result<AnotherLook, String> {
        let look = comparison.another_look(line)?;
        let before = added.get(&key(&look)).copied().unwrap_or(0);
        if before + look.rounds <= self.most {
            return Ok(look);
        }
        let already = if before > 0 { format!(" after the {before} already added") } else { String::new() };
        Err(format!(
            "{} more rounds{already} would decide it in 9 of 10 cases, but --most allows {} in total",
            look.rounds, self.most
        ))
    }
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
