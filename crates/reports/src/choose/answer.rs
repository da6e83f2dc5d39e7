//! The answer of a choice as a sheet.

use super::{board::board, constraints, given_up::given_up, indented, out, sentences, settings, state};
use crate::{
    sheet::{Row, Section, Sheet, Table, Tone},
    tune::as_code,
};
use dbdyno_foundation::base::units::{clock, counted, duration};
use dbdyno_running::choose::{ChoiceAnswer, EngineAnswer, EngineState};
use std::time::Duration;

/// Builds the answer as a sheet; a record for each engine. `command`: the command that asked.
pub fn choice_sheet(choice: &ChoiceAnswer, command: &str) -> Sheet {
    let mut sections = vec![Section { tone: Tone::Answer, ..Section::lines(sentences(choice)) }];
    sections.extend(choice.first().into_iter().chain(choice.level()).filter_map(deployed));
    if !choice.engines.is_empty() {
        sections.push(board(choice));
    }
    sections.extend(Section::toned(Tone::Plain, "what you give up:", indented(given_up(choice))));
    let out = |one: &EngineAnswer| Some(format!("{}: {}", one.engine, out(one)?));
    sections.extend(Section::toned(
        Tone::Plain,
        "fell out:",
        indented(choice.engines.iter().filter_map(out).collect()),
    ));
    let ran = choice.engines.iter().filter(|one| one.race.is_some() || one.state == EngineState::First);
    let about =
        |one: &EngineAnswer| (!one.about.is_empty()).then(|| format!("{} {}: {}", one.engine, one.version, one.about));
    sections.extend(Section::toned(Tone::Plain, "the engines:", indented(ran.filter_map(about).collect())));
    sections.extend(Section::toned(Tone::Plain, "not considered:", indented(not_considered(choice))));
    sections.extend(Section::toned(Tone::Plain, "how sure:", indented(how_sure(choice))));
    Sheet { title: "Choice".to_owned(), sections, records: Some(records(choice)), command: command.to_owned() }
}

/// Returns what a program does to have an engine's settings, and which of its defaults it must not change; none if there is nothing to do.
fn deployed(one: &EngineAnswer) -> Option<Section> {
    let kept = one.tier_settings.iter().map(|kept| {
        let statement = kept.statement.clone().unwrap_or_else(|| format!("{}={}", kept.option, kept.value));
        format!("{statement} -- the default, which tier {} needs", one.tier)
    });
    let lines: Vec<String> = one.settings.iter().map(as_code).chain(kept).collect();
    let each = if one.settings.iter().any(|one| one.statement.is_some()) { ", for each connection" } else { "" };
    let heading = Some(format!("settings of {}{each}:", one.engine));
    (!lines.is_empty()).then(|| Section { heading, ..Section::lines(indented(lines)) })
}

/// Returns the engines that did not take part: those with the same reason in one line, and those that are not installed in the last.
fn not_considered(choice: &ChoiceAnswer) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in choice.not_considered.iter().filter(|one| !one.is_missing) {
        match reasons.iter_mut().find(|(reason, _)| *reason == one.reason) {
            Some((_, engines)) => engines.push(&one.engine),
            None => reasons.push((&one.reason, vec![&one.engine])),
        }
    }
    let missing: Vec<&str> =
        choice.not_considered.iter().filter(|one| one.is_missing).map(|one| one.engine.as_str()).collect();
    let missing = (!missing.is_empty())
        .then(|| format!("{}: not installed (`dbdyno list engines` says what to do)", missing.join(", ")));
    let named = reasons.into_iter().map(|(reason, engines)| format!("{}: {reason}", engines.join(", ")));
    named.chain(missing).collect()
}

/// The share of the budget from which on more time would have been used.
const BUDGET_USED: f64 = 0.8;

fn how_sure(choice: &ChoiceAnswer) -> Vec<String> {
    let mut lines = Vec::new();
    if choice.confirmed_rounds > 0 {
        lines.push(format!(
            "{} decide, on inputs that the search had not used; all intervals together hold with 95 %.",
            counted(choice.confirmed_rounds, "round")
        ));
    }
    let tried: usize = choice.engines.iter().map(|one| one.tried).sum();
    let engines = choice.engines.iter().filter(|one| one.race.is_some()).count();
    let was_short = choice.took_ms as f64 > BUDGET_USED * choice.question.budget_ms as f64;
    lines.push(format!(
        "{} of {} were tried in {} of {}{}.",
        counted(tried, "setting"),
        counted(engines, "engine"),
        clock(Duration::from_millis(choice.took_ms)),
        clock(Duration::from_millis(choice.question.budget_ms)),
        if was_short { "; a longer budget tries more" } else { "" }
    ));
    let promise = choice.first().and_then(|first| first.promise.as_ref());
    if let (Some(found), Some(asked)) = (promise, &choice.question.constraints.promise) {
        let first = found.found_ns.map_or_else(|| "beyond all operations".to_owned(), |ns| duration(ns as f64));
        lines.push(format!(
            "{} at {}/s: kept in {} of {} ({first}).",
            asked.promises,
            asked.rate,
            found.kept,
            counted(found.of, "round")
        ));
    }
    let asked = constraints(&choice.question.constraints);
    let judged = choice.engines.iter().find(|one| !one.tests.is_empty()).map_or(&[][..], |one| &one.tests);
    let names: Vec<&str> = judged.iter().map(|test| test.name.as_str()).collect();
    let tests = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let size = match choice.question.size.as_str() {
        // The user's own statements and recordings have one size.
        "1" => String::new(),
        size => format!(" at size {size}"),
    };
    lines.push(format!(
        "Asked for {}{size}{tests}, {asked}. On another machine or workload another may be first.",
        choice.question.suite
    ));
    lines
}

fn records(choice: &ChoiceAnswer) -> Table {
    let record = |one: &EngineAnswer| {
        let found = one.behind.as_ref().and_then(|behind| behind.found.as_ref());
        let range = found.and_then(|found| found.interval);
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let reason = match &one.state {
            EngineState::Dropped(reason) => reason.as_str(),
            _ => "",
        };
        Row::texts([
            one.engine.clone(),
            one.version.clone(),
            state(one).to_owned(),
            number(found.map(|found| found.ratio)),
            number(range.map(|range| range.low)),
            number(range.map(|range| range.high)),
            one.tier.number().map_or_else(String::new, |tier| tier.to_string()),
            settings(&one.settings),
            one.tried.to_string(),
            reason.to_owned(),
        ])
    };
    let not = choice.not_considered.iter().map(|one| {
        let empty = String::new;
        let state = "not considered".to_owned();
        let texts = [one.engine.clone(), empty(), state, empty(), empty(), empty(), empty(), empty(), "0".to_owned()];
        Row::texts(texts.into_iter().chain([one.reason.clone()]).collect::<Vec<_>>())
    });
    Table::records(
        ["engine", "version", "state", "ratio", "low", "high", "tier", "settings", "tried", "reason"],
        choice.engines.iter().map(record).chain(not),
    )
}
