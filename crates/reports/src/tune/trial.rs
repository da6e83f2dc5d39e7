//! One trial, and a round of it, as text.

use super::words::{change, confidence, durability, price, shown_interval, shown_ratio, spending, state, verdict};
use console::Alignment;
use dbdyno_foundation::base::{
    grid::Grid,
    units::{duration, plain},
};
use dbdyno_running::tune::{TestEffect, Trial, TrialState};
use std::fmt::Write as _;

/// What a trial found, what it costs, and what can be done next.
pub fn trial_text(trial: &Trial) -> String {
    // Writing to a string cannot fail.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} {} on {} at {} · {}\n",
        plain(&trial.engine),
        plain(&trial.engine_version),
        plain(&trial.suite),
        plain(&trial.size),
        plain(&change(trial))
    );
    if trial.state != TrialState::Tried {
        let _ = writeln!(text, "{}", plain(&state(trial)));
    }
    if trial.effects.iter().any(|effect| effect.pairs > 0) {
        text.push_str(&figures(trial));
        let _ = writeln!(text, "ratio: time with the change / time of the base · {}", spending(trial));
    }
    text.push('\n');
    let mut grid = Grid::new([Alignment::Left, Alignment::Left]);
    if !matches!(trial.state, TrialState::CannotDiffer(_)) {
        grid.row(["durability".to_owned(), plain(&durability(trial))]);
        for (name, value) in trial.price.iter().flat_map(price) {
            grid.row([name.to_owned(), value]);
        }
    }
    for risk in &trial.risks {
        grid.row(["risk".to_owned(), plain(risk)]);
    }
    let accepted = if trial.accepted { ", accepted" } else { "" };
    grid.row(["trial".to_owned(), format!("{} in ledger {}{accepted}", plain(&trial.trial_id), plain(&trial.ledger))]);
    text + &grid.render()
}

fn figures(trial: &Trial) -> String {
    let mut columns = vec![Alignment::Right; 6];
    columns[0] = Alignment::Left;
    columns[5] = Alignment::Left;
    let mut grid = Grid::new(columns);
    let confidence = confidence(trial).unwrap_or_else(|| "interval".to_owned());
    grid.row(["", "base", "changed", "ratio", &confidence, "verdict"].map(str::to_owned));
    for effect in trial.effects.iter().chain(&trial.overall) {
        let time = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), duration);
        grid.row([
            title(effect),
            time(effect.base_ns),
            time(effect.changed_ns),
            shown_ratio(effect),
            shown_interval(effect),
            plain(&verdict(effect)),
        ]);
    }
    grid.render()
}

/// `2 Random reads`, or the name of several tests together.
pub(super) fn title(effect: &TestEffect) -> String {
    if effect.test == 0 { plain(&effect.name) } else { format!("{} {}", effect.test, plain(&effect.name)) }
}

/// What a round says so far, in one line: `Random reads 0.91 (0.85-0.97)`.
pub fn round_text(effects: &[TestEffect]) -> String {
    const SHOWN: usize = 3;
    let one = |effect: &TestEffect| match &effect.found {
        Some(found) if found.interval.is_some() => {
            format!("{} {} ({})", plain(&effect.name), shown_ratio(effect), shown_interval(effect))
        }
        Some(_) => format!("{} {}", plain(&effect.name), shown_ratio(effect)),
        None => format!("{} -", plain(&effect.name)),
    };
    let mut shown: Vec<String> = effects.iter().take(SHOWN).map(one).collect();
    if effects.len() > SHOWN {
        shown.push(format!("{} more", effects.len() - SHOWN));
    }
    shown.join(" · ")
}
