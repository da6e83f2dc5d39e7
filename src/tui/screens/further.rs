//! More rounds of what is undecided, for the screens that show it: planned, asked about where they take long, begun.

use super::intent::Intent;
use crate::tui::{
    launch::{expected, is_long},
    setup::TuiSetup,
    world::World,
};
use dbdyno_catalog::{Difference, engines::Registry};
use dbdyno_comparing::compare::{AnotherLook, Comparison};
use dbdyno_foundation::base::units::clock;
use dbdyno_reports::command::shell;
use dbdyno_running::session::FurtherRounds;

/// What was planned, or why no rounds can be added.
pub(super) type Planned = Result<Box<FurtherRounds>, String>;

/// The command that runs the same rounds; `arguments` is what every command needs to mean the same.
pub(super) fn command<'d>(
    side: &Comparison,
    look: &AnotherLook,
    allowed: impl IntoIterator<Item = &'d Difference>,
    arguments: &[String],
) -> String {
    let (a, b) = (side.a.selection.as_str(), side.b.selection.as_str());
    // The test alone would be a smaller family than the table that it was chosen from.
    let (test, most) = (format!("--until-decided={}", look.test), look.rounds.to_string());
    let mut words = ["dbdyno", "compare", "--a", a, "--b", b, &test, "--most", &most].map(str::to_owned).to_vec();
    words.extend(allowed.into_iter().map(|difference| format!("--allow-{}", difference.name())));
    words.extend(arguments.iter().cloned());
    shell(words)
}

/// Plans them: probes engines, so it takes its time.
pub(super) fn plan(look: AnotherLook, command_line: &str, setup: &TuiSetup) -> Planned {
    let planned = FurtherRounds::find(look, command_line, &Registry::discover(), &setup.store);
    planned.map(Box::new).map_err(|error| error.to_string())
}

/// Begins what was planned; where it takes long, it is kept in `asked` and `dialog` asks first.
pub(super) fn begin_or_ask<R, D>(
    planned: Planned,
    asked: &mut Option<Box<FurtherRounds>>,
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
        Ok(further) => begin(further),
    }
}

/// Begins them.
pub(super) fn begin<R, D>(further: Box<FurtherRounds>) -> Vec<Intent<R, D>> {
    let said = format!("{}; {}", further.look.words(), further.look.price());
    vec![Intent::said(said), Intent::Further(further)]
}
