//! More rounds for an undecided verdict, for the screens that show one: planned, confirmed, started.

use super::intent::Intent;
use crate::tui::{
    launch::{JobStart, expected},
    setup::TuiSetup,
    world::World,
};
use dbdyno_catalog::{Difference, bench::BenchEstimate, engines::Registry};
use dbdyno_comparing::compare::{AnotherLook, Comparison};
use dbdyno_foundation::base::units::clock;
use dbdyno_reports::command::shell;
use dbdyno_running::{jobs::JobKind, session::FurtherRounds};

/// Planned rounds: their purpose, cost, and job.
#[derive(Debug)]
pub struct PlannedRounds {
    look: AnotherLook,
    estimate: BenchEstimate,
    start: Box<JobStart>,
}

/// The planned rounds, or the reason why none can be added.
pub(super) type RoundsPlan = Result<Box<PlannedRounds>, String>;

/// Returns the command that runs the rounds; `arguments` are those that every command needs to have the same effect.
pub(super) fn command<'d>(
    side: &Comparison,
    look: &AnotherLook,
    allowed: impl IntoIterator<Item = &'d Difference>,
    arguments: &[String],
) -> Vec<String> {
    let (a, b) = (side.a.selection.as_str(), side.b.selection.as_str());
    // The test alone would be a smaller family than the table from which it was chosen.
    let (test, most) = (format!("--until-decided={}", look.test), look.rounds.to_string());
    let mut words = ["dbdyno", "compare", "--a", a, "--b", b, &test, "--most", &most].map(str::to_owned).to_vec();
    words.extend(allowed.into_iter().map(|difference| format!("--allow-{}", difference.name())));
    words.extend(arguments.iter().cloned());
    words
}

/// Plans the rounds. This probes engines, so it takes time.
pub(super) fn plan(look: AnotherLook, command: Vec<String>, setup: &TuiSetup) -> RoundsPlan {
    let planned = FurtherRounds::find(look, &shell(&command), &Registry::discover(), &setup.store);
    planned.map(|further| Box::new(PlannedRounds::new(further, command))).map_err(|error| error.to_string())
}

impl PlannedRounds {
    /// Returns planned rounds that this command runs.
    pub fn new(further: FurtherRounds, command: Vec<String>) -> Self {
        let outline = Some(Box::new(further.outline()));
        let FurtherRounds { look, estimate, .. } = further;
        Self { look, estimate, start: Box::new(JobStart { kind: JobKind::Session, command, outline }) }
    }
}

/// Asks with `dialog` whether to run the planned rounds, and keeps them in `asked`. Also short ones have a price: another look.
pub(super) fn ask_to_begin<R, D>(
    planned: RoundsPlan,
    asked: &mut Option<Box<PlannedRounds>>,
    dialog: D,
    world: &World,
) -> Vec<Intent<R, D>> {
    match planned {
        Err(reason) => vec![Intent::failed(reason)],
        Ok(further) => {
            let mut lines = vec![further.look.words(), further.look.price(), String::new()];
            lines.extend(expected(&further.estimate, world));
            let title = format!("Run for {}?", clock(further.estimate.time));
            *asked = Some(further);
            vec![Intent::confirm_start(dialog, title, lines)]
        }
    }
}

/// Starts the rounds.
pub(super) fn begin<R, D>(further: PlannedRounds) -> Vec<Intent<R, D>> {
    vec![Intent::Measure(further.start)]
}
