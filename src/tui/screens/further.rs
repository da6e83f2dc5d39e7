//! More rounds of what is undecided, for the screens that show it: planned, asked about where they take long, begun.

use super::intent::Intent;
use crate::tui::{
    launch::{JobStart, expected, is_long},
    setup::TuiSetup,
    world::World,
};
use dbdyno_catalog::{Difference, bench::Estimate, engines::Registry};
use dbdyno_comparing::compare::{AnotherLook, Comparison};
use dbdyno_foundation::base::units::clock;
use dbdyno_reports::command::shell;
use dbdyno_running::{jobs::JobKind, session::FurtherRounds};

/// Rounds that were planned: what they decide and cost, and what runs them.
#[derive(Debug)]
pub struct PlannedRounds {
    look: AnotherLook,
    estimate: Estimate,
    start: Box<JobStart>,
}

/// What was planned, or why no rounds can be added.
pub(super) type Planned = Result<Box<PlannedRounds>, String>;

/// The command that runs the rounds; `arguments` is what every command needs to mean the same.
pub(super) fn command<'d>(
    side: &Comparison,
    look: &AnotherLook,
    allowed: impl IntoIterator<Item = &'d Difference>,
    arguments: &[String],
) -> Vec<String> {
    let (a, b) = (side.a.selection.as_str(), side.b.selection.as_str());
    // The test alone would be a smaller family than the table that it was chosen from.
    let (test, most) = (format!("--until-decided={}", look.test), look.rounds.to_string());
    let mut words = ["dbdyno", "compare", "--a", a, "--b", b, &test, "--most", &most].map(str::to_owned).to_vec();
    words.extend(allowed.into_iter().map(|difference| format!("--allow-{}", difference.name())));
    words.extend(arguments.iter().cloned());
    words
}

/// Plans them: probes engines, so it takes its time.
pub(super) fn plan(look: AnotherLook, command: Vec<String>, setup: &TuiSetup) -> Planned {
    let planned = FurtherRounds::find(look, &shell(&command), &Registry::discover(), &setup.store);
    planned.map(|further| Box::new(PlannedRounds::new(further, command))).map_err(|error| error.to_string())
}

impl PlannedRounds {
    /// Rounds that this command runs.
    pub fn new(further: FurtherRounds, command: Vec<String>) -> Self {
        let outline = Some(Box::new(further.outline()));
        let FurtherRounds { look, estimate, .. } = further;
        Self { look, estimate, start: Box::new(JobStart { kind: JobKind::Session, command, outline }) }
    }
}

/// Begins what was planned; where it takes long, it is kept in `asked` and `dialog` asks first.
pub(super) fn begin_or_ask<R, D>(
    planned: Planned,
    asked: &mut Option<Box<PlannedRounds>>,
    dialog: D,
    world: &World,
) -> Vec<Intent<R, D>> {
    match planned {
        Err(reason) => vec![Intent::failed(reason)],
        Ok(further) if is_long(further.estimate.time) => {
            let mut lines = vec![further.look.words(), further.look.price(), String::new()];
            lines.extend(expected(&further.estimate, world));
            let title = format!("Run for {}?", clock(further.estimate.time));
            *asked = Some(further);
            vec![Intent::confirm(dialog, title, lines)]
        }
        Ok(further) => begin(*further),
    }
}

/// Begins them.
pub(super) fn begin<R, D>(further: PlannedRounds) -> Vec<Intent<R, D>> {
    let said = format!("{}; {}", further.look.words(), further.look.price());
    vec![Intent::said(said), Intent::Measure(further.start)]
}
