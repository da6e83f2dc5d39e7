//! A search: its progress as text, and its result as a sheet.

use super::{
    trial::trial_sections,
    words::{shown_interval, shown_ratio, verdict},
};
use crate::{
    comparison::words::ratio,
    sheet::{Column, ColumnRole, Row, Section, Sheet, Table},
};
use dbdyno_foundation::base::units::{clock, counted, plain};
use dbdyno_running::tune::{
    TuneEvent,
    race::{CandidateFate, CandidateResult, TakenOut},
    search::SearchOutcome,
};
use std::time::Duration;

/// The number of candidates that the text of a search shows.
const SHOWN: usize = 8;
/// A race over less than one candidate in this many cannot have found much.
const FEW: usize = 20;

/// Describes the progress of a search in one line; empty for other events.
pub fn standing(event: &TuneEvent) -> String {
    let TuneEvent::Standing { tried, alive, best, .. } = event else { return String::new() };
    let best = best.as_ref().map_or_else(String::new, |(change, effect)| {
        format!(" · best so far {} {} ({})", plain(&change.to_string()), shown_ratio(effect), shown_interval(effect))
    });
    format!("{tried} tried, {alive} in the race{best}")
}

/// Describes the result of removing a change from the winner, in one line: `kept page_size=8192: with 4096, 1.05x slower (1.02-1.07)`.
pub fn taken_out(what: &TakenOut) -> String {
    let TakenOut { option, value, instead, tier, effect, dropped, reason } = what;
    let word = if *dropped { "dropped" } else { "kept" };
    let figures =
        effect.as_ref().map(|effect| format!("with {instead}, {} ({})", verdict(effect), shown_interval(effect)));
    let survives =
        (tier.before != tier.after).then(|| format!("tier {} with {instead}, not {}", tier.after, tier.before.sign()));
    let found: Vec<String> = [figures, survives, reason.clone()].into_iter().flatten().collect();
    plain(&format!("{word} {option}={value}: {}", found.join("; "))).to_string()
}

/// Builds the result of a search as a sheet: the confirmation, the changes that were removed from the winner before it, and the race before
/// that; a record for each setting that was tried. `command`: the command that requested it.
pub fn search_sheet(found: &SearchOutcome, command: &str) -> Sheet {
    let nothing =
        || vec![Section::lines(vec!["no setting was found that is faster than the base: keep the base".to_owned()])];
    let mut sections = found.confirmed.as_ref().map_or_else(nothing, trial_sections);
    if !found.taken_out.is_empty() {
        sections.push(Section {
            heading: Some(
                "removed from the winner, on fresh seeds (times without a change, relative to the whole winner):"
                    .to_owned(),
            ),
            before: found.taken_out.iter().map(|what| format!("  {}", taken_out(what))).collect(),
            ..Section::default()
        });
    }
    sections.push(race(found));
    // A short race cannot have tried what matters.
    let is_short = found.tried.len() * FEW < found.candidates;
    let short = is_short.then(|| {
        let few = counted(found.tried.len(), "setting");
        format!("! the budget allowed only {few}: with more time (--budget), a search may find better ones")
    });
    sections.extend(short.map(|short| Section::lines(vec![short])));
    Sheet { title: "Search".to_owned(), sections, records: Some(records(found)), command: command.to_owned() }
}

fn race(found: &SearchOutcome) -> Section {
    let columns = [
        ("rung", "rung", ColumnRole::Figure),
        ("rounds", "rounds", ColumnRole::Figure),
        ("ratio", "ratio", ColumnRole::Figure),
        ("setting", "setting", ColumnRole::Name),
    ];
    let row = |one: &CandidateResult| {
        let ratio = one.ratio.map_or_else(|| "-".to_owned(), ratio);
        let setting = format!("{} (tier {})", one.change, one.tier.sign());
        Row::texts([one.rung.to_string(), one.pairs.to_string(), ratio, setting])
    };
    let more = found.tried.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| Row::Title(format!("and {more} more")));
    let dropped = found.tried.iter().filter_map(|one| match &one.fate {
        CandidateFate::Dropped(reason) => Some(Row::Title(format!("✗ {}: {reason}", one.change))),
        _ => None,
    });
    Section {
        heading: Some(format!(
            "{} of {} settings with tier {} or more were tried in {}. How the race went (its figures flatter the winners: the gain is \
             the figure above):",
            found.tried.len(),
            found.candidates,
            found.tier,
            clock(Duration::from_millis(found.took_ms))
        )),
        ..Section::table(Table {
            columns: Column::all(columns),
            rows: found.tried.iter().take(SHOWN).map(row).chain(more).chain(dropped).collect(),
            is_headed: true,
            ..Table::default()
        })
    }
}

fn records(found: &SearchOutcome) -> Table {
    let record = |one: &CandidateResult| {
        let dropped = match &one.fate {
            CandidateFate::Dropped(reason) => reason.as_str(),
            _ => "",
        };
        let tier = one.tier.number().map_or_else(String::new, |number| number.to_string());
        let ratio = one.ratio.map_or_else(String::new, |ratio| ratio.to_string());
        Row::texts([
            one.change.to_string(),
            one.rung.to_string(),
            one.pairs.to_string(),
            ratio,
            tier,
            dropped.to_owned(),
        ])
    };
    Table::records(["change", "rung", "rounds", "ratio", "tier", "dropped"], found.tried.iter().map(record))
}
