//! A search as text: how it stands, and what it came to.

use super::{
    trial::trial_text,
    words::{measured, shown_interval, shown_ratio},
};
use crate::comparison::words::ratio;
use console::Alignment;
use dbdyno_foundation::base::{
    grid::Grid,
    units::{clock, plain},
};
use dbdyno_running::tune::{
    TuneEvent,
    search::{Fate, SearchOutcome, TakenOut},
};
use std::{fmt::Write as _, time::Duration};

/// Candidates that the text of a search shows.
const SHOWN: usize = 8;

/// How a search stands, in one line; nothing for other events.
pub fn standing(event: &TuneEvent) -> String {
    let TuneEvent::Standing { tried, alive, best, .. } = event else { return String::new() };
    let best = best.as_ref().map_or_else(String::new, |(change, effect)| {
        format!(" · best so far {} {} ({})", plain(&change.to_string()), shown_ratio(effect), shown_interval(effect))
    });
    format!("{tried} tried, {alive} in the race{best}")
}

/// What came of a change that was taken out of the winner, in one line.
pub fn taken_out(what: &TakenOut) -> String {
    let TakenOut { option, value, instead, tier, effect, dropped, reason } = what;
    let word = if *dropped { "dropped" } else { "kept" };
    let figures = effect.as_ref().map_or_else(String::new, |effect| format!(": {}", measured(effect)));
    let survives = match tier.before == tier.after {
        true => String::new(),
        false => format!("; tier {} -> {}", tier.before.sign(), tier.after),
    };
    let reason = reason.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
    plain(&format!("{word} {option}={value} against {instead}{figures}{survives}{reason}")).to_string()
}

/// What a search came to: the confirmation, what was taken out of the winner before it, and the race before that.
pub fn search_text(found: &SearchOutcome) -> String {
    let mut text = match &found.confirmed {
        Some(confirmed) => trial_text(confirmed),
        None => "no setting was found that is faster than the base\n".to_owned(),
    };
    if !found.taken_out.is_empty() {
        text.push_str(
            "\ntaken out of the winner, on fresh seeds (ratio: time without it / time of the whole winner):\n",
        );
        for what in &found.taken_out {
            text.push_str(&format!("  {}\n", taken_out(what)));
        }
    }
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n{} of {} settings with tier {} or more were tried in {}. How the race went (its figures flatter the winners: the gain \
         is the figure above):\n",
        found.tried.len(),
        found.candidates,
        found.tier,
        clock(Duration::from_millis(found.took_ms))
    );
    let mut columns = vec![Alignment::Right; 4];
    columns[3] = Alignment::Left;
    let mut grid = Grid::new(columns);
    grid.row(["rung", "rounds", "ratio", "setting"].map(str::to_owned));
    for one in found.tried.iter().take(SHOWN) {
        grid.row([
            one.rung.to_string(),
            one.pairs.to_string(),
            one.ratio.map_or_else(|| "-".to_owned(), ratio),
            format!("{} (tier {})", plain(&one.change.to_string()), one.tier.sign()),
        ]);
    }
    if found.tried.len() > SHOWN {
        grid.title(format!("and {} more", found.tried.len() - SHOWN));
    }
    for one in &found.tried {
        if let Fate::Dropped(reason) = &one.fate {
            grid.title(format!("✗ {}: {}", plain(&one.change.to_string()), plain(reason)));
        }
    }
    text + &grid.render()
}
