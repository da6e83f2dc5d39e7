//! The ledger as text, Markdown, CSV and JSON.

use super::{
    trial::title,
    words::{change, shown_interval, shown_ratio, state, verdict, verdict_word},
};
use crate::{
    base::{
        csv::{self, Cells},
        grid::Grid,
        units::{bytes, plain},
    },
    metric::Metric,
    report::{
        comparison::escaped,
        format::{Format, WriteError},
    },
    tune::{Entry, Ledger, TestEffect, Trial, TrialState},
};
use console::Alignment;
use dbdyno_engine::durability::Tier;

/// How a ledger can be written: Csv with a row a trial and test, Json with all that is known of each trial.
pub const LEDGER_FORMATS: &[Format] = &[Format::Table, Format::Markdown, Format::Csv, Format::Json];

const HEAD: [&str; 8] = ["", "tried from its parent", "test", "ratio", "interval", "verdict", "tier", "peak memory"];

/// The ledger as text. `cells`: what those of CSV are written as; `command`: what asked for it, which every format but
/// JSON's data and the table carries.
///
/// # Errors
/// Why it could not be written.
pub fn ledger_text(ledger: &Ledger, format: Format, cells: Cells, command: &str) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => table(ledger),
        Format::Markdown => markdown(ledger, command),
        Format::Csv => csv(ledger, cells),
        Format::Json => {
            let value = serde_json::json!({ "command": command, "name": ledger.name, "entries": ledger.entries });
            serde_json::to_string_pretty(&value)? + "\n"
        }
        _ => return Err(WriteError::Unsupported { asked: format, supported: LEDGER_FORMATS }),
    })
}

/// The lines of an entry: one a test, and one for a trial without any.
fn lines(entry: &Entry) -> Vec<[String; 8]> {
    let Entry { depth, trial } = entry;
    let mark = if trial.accepted { "✓" } else { "" };
    let name = format!("{}{} {}", "  ".repeat(*depth), plain(&short(&trial.trial_id)), plain(&change(trial)));
    let tier = if trial.tier.before == trial.tier.after {
        trial.tier.after.sign()
    } else {
        format!("{} -> {}", trial.tier.before.sign(), trial.tier.after.sign())
    };
    let memory = trial.price.as_ref().and_then(|price| price.get(Metric::EngineMemory));
    let memory = memory.map_or_else(String::new, |pair| format!("{} -> {}", bytes(pair.before), bytes(pair.after)));
    let first = |cells: [String; 4]| {
        let [test, ratio, interval, verdict] = cells;
        [mark.to_owned(), name.clone(), test, ratio, interval, verdict, tier.clone(), memory.clone()]
    };
    let cells =
        |effect: &TestEffect| [title(effect), shown_ratio(effect), shown_interval(effect), plain(&verdict(effect))];
    let mut effects = shown(trial);
    match effects.next() {
        Some(effect) => std::iter::once(first(cells(effect)))
            .chain(effects.map(|effect| {
                let [test, ratio, interval, verdict] = cells(effect);
                let none = String::new;
                [none(), none(), test, ratio, interval, verdict, none(), none()]
            }))
            .collect(),
        None => {
            let none = String::new;
            vec![first([none(), none(), none(), plain(&state(trial))])]
        }
    }
}

/// The effects that are shown: the one figure of a search, where there is one, then those of the tests. None of a trial that
/// was not run to its end.
fn shown(trial: &Trial) -> impl Iterator<Item = &TestEffect> {
    let tried = trial.state == TrialState::Tried;
    trial.overall.iter().chain(&trial.effects).filter(move |_| tried)
}

/// Enough of an identifier to name it: the part that says when it was made, and some of the rest.
fn short(id: &str) -> String {
    id.chars().take(13).collect()
}

fn table(ledger: &Ledger) -> String {
    let mut columns = vec![Alignment::Left; 8];
    columns[3] = Alignment::Right;
    columns[4] = Alignment::Right;
    let mut grid = Grid::new(columns);
    grid.title(format!("ledger {}", plain(&ledger.name)));
    grid.row(HEAD.map(str::to_owned));
    for line in ledger.entries.iter().flat_map(lines) {
        grid.row(line);
    }
    grid.render() + "✓ accepted: the base of what is indented below it\n"
}

fn markdown(ledger: &Ledger, command: &str) -> String {
    let cell = |text: &String| escaped(text).replace("  ", "&emsp;");
    let row = |cells: &[String]| format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "));
    let mut text = format!("# Ledger {}\n\n", escaped(&ledger.name));
    text += &row(&HEAD.map(str::to_owned));
    text += &format!("|{}\n", "---|".repeat(HEAD.len()));
    for line in ledger.entries.iter().flat_map(lines) {
        text += &row(&line);
    }
    text + &format!("\nMade by {}.\n", escaped(command))
}

fn csv(ledger: &Ledger, cells: Cells) -> String {
    let head = [
        "trial_id",
        "parent_id",
        "depth",
        "accepted",
        "kind",
        "engine",
        "suite",
        "size",
        "change",
        "state",
        "test",
        "test_name",
        "pairs",
        "base_ns",
        "changed_ns",
        "ratio",
        "low",
        "high",
        "confidence",
        "p_adjusted",
        "verdict",
        "tier_before",
        "tier_after",
        "engine_memory_before",
        "engine_memory_after",
    ];
    let mut text = csv::line(head, cells);
    for entry in &ledger.entries {
        let mut effects: Vec<Option<&TestEffect>> = shown(&entry.trial).map(Some).collect();
        if effects.is_empty() {
            effects.push(None);
        }
        for effect in effects {
            text += &csv::line(csv_cells(entry, effect).iter().map(String::as_str), cells);
        }
    }
    text
}

fn csv_cells(Entry { depth, trial }: &Entry, effect: Option<&TestEffect>) -> Vec<String> {
    let tier = |tier: Tier| tier.number().map_or_else(String::new, |number| number.to_string());
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let found = effect.and_then(|effect| effect.found.as_ref());
    let interval = found.and_then(|found| found.interval);
    let memory = trial.price.as_ref().and_then(|price| price.get(Metric::EngineMemory));
    vec![
        trial.trial_id.clone(),
        trial.parent_id.clone().unwrap_or_default(),
        depth.to_string(),
        trial.accepted.to_string(),
        trial.kind.word().to_owned(),
        trial.engine.clone(),
        trial.suite.clone(),
        trial.size.clone(),
        trial.change.to_string(),
        state(trial),
        effect.map_or_else(String::new, |effect| effect.test.to_string()),
        effect.map_or_else(String::new, |effect| effect.name.clone()),
        effect.map_or_else(String::new, |effect| effect.pairs.to_string()),
        number(effect.and_then(|effect| effect.base_ns)),
        number(effect.and_then(|effect| effect.changed_ns)),
        number(found.map(|found| found.ratio)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(interval.map(|interval| interval.confidence)),
        number(found.and_then(|found| found.p_adjusted)),
        effect.map_or_else(String::new, |effect| verdict_word(effect).to_owned()),
        tier(trial.tier.before),
        tier(trial.tier.after),
        memory.map_or_else(String::new, |pair| pair.before.to_string()),
        memory.map_or_else(String::new, |pair| pair.after.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_names_and_commands_as_text() {
        let ledger = Ledger { name: "<b>|\u{1b}](x)".to_owned(), entries: Vec::new() };
        let text = ledger_text(&ledger, Format::Markdown, Cells::Escaped, "dbdyno '`<i>'").unwrap();
        assert!(text.starts_with("# Ledger &lt;b&gt;\\|\\\\u{1b}\\](x)\n"), "{text}");
        assert!(text.ends_with("\nMade by dbdyno '\\`&lt;i&gt;'.\n"), "{text}");
    }
}
