//! The engines of a choice as lines: while they compete, and of the answer.

use super::{
    brief,
    given_up::{better_figures, better_tests},
    indented, out, ratio_to, settings, state,
};
use crate::{
    comparison::words::ratio,
    sheet::{Column, ColumnRole, Row, Section, Table},
    tune::{
        as_code, taken_out,
        words::{shown_interval, shown_ratio},
    },
};
use dbdyno_foundation::metric::Metric;
use dbdyno_running::{
    choose::{ChoiceAnswer, EngineAnswer, EngineState, LeaderLine, NotConsidered},
    tune::{Setting, race::CandidateFate},
};
use std::collections::BTreeMap;

/// An engine in a leaderboard, with the best of its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardLine {
    pub engine: String,
    /// Its time relative to the first's; rough figures have a `~`.
    pub time: String,
    /// The interval of that, if there is one.
    pub interval: String,
    /// How far it came, in a word or two.
    pub state: &'static str,
    /// What its commits survive: `3`; empty before it is known.
    pub tier: String,
    pub memory: String,
    pub disk: String,
    /// How many of its settings were tried: `12/40`.
    pub tried: String,
    /// The settings that are not at their default.
    pub settings: String,
    /// Why it is out of the race, or not considered.
    pub reason: Option<String>,
}

impl BoardLine {
    fn new(engine: &str, state: &'static str) -> Self {
        let empty = String::new;
        Self {
            engine: engine.to_owned(),
            time: "-".to_owned(),
            interval: empty(),
            state,
            tier: empty(),
            memory: empty(),
            disk: empty(),
            tried: empty(),
            settings: empty(),
            reason: None,
        }
    }

    fn of_answer(choice: &ChoiceAnswer, one: &EngineAnswer) -> Self {
        let (time, interval) = match (&one.behind, &one.state) {
            (Some(behind), _) => (shown_ratio(behind), shown_interval(behind)),
            (None, EngineState::First) => ("1".to_owned(), String::new()),
            (None, _) => {
                let rough = ratio_to(choice, one).map_or_else(|| "-".to_owned(), |found| format!("~{}", ratio(found)));
                (rough, String::new())
            }
        };
        let figure = |metric: Metric| {
            let value = one.price.as_ref().and_then(|price| price.get(metric));
            value.map_or_else(|| "-".to_owned(), |pair| metric.shown(pair.after as f64))
        };
        Self {
            time,
            interval,
            tier: one.tier.sign(),
            memory: figure(Metric::EngineMemory),
            disk: figure(Metric::Database),
            tried: format!("{}/{}", one.tried, one.candidates.max(one.tried)),
            settings: shown_settings(&one.settings),
            reason: out(one),
            ..Self::new(&one.engine, state(one))
        }
    }

    /// `first`: the median ratio of the engine that leads.
    fn of_race(place: usize, line: &LeaderLine, first: Option<f64>) -> Self {
        let (state, reason) = match &line.result.fate {
            CandidateFate::Alive if place == 0 => ("leads", None),
            CandidateFate::Alive => ("racing", None),
            CandidateFate::Outrun => ("outrun", None),
            CandidateFate::Dropped(reason) => ("out", Some(brief(reason))),
        };
        let time = match (&line.behind, line.result.ratio.zip(first)) {
            (Some(behind), _) => format!("~{}", shown_ratio(behind)),
            (None, Some(_)) if place == 0 => "1".to_owned(),
            (None, Some((own, first))) => format!("~{}", ratio(own / first)),
            (None, None) => "-".to_owned(),
        };
        Self {
            time,
            interval: line.behind.as_ref().map_or_else(String::new, shown_interval),
            tier: line.result.tier.sign(),
            tried: line.tried.to_string(),
            settings: shown_settings(&line.settings),
            reason,
            ..Self::new(&line.engine, state)
        }
    }

    fn left_out(one: &NotConsidered) -> Self {
        let state = if one.is_missing { "not here" } else { "not considered" };
        Self { reason: Some(one.reason.clone()), ..Self::new(&one.engine, state) }
    }
}

/// Returns all engines of an answer: those that took part, the best first, and those that did not.
pub fn answer_lines(choice: &ChoiceAnswer) -> Vec<BoardLine> {
    let ran = choice.engines.iter().map(|one| BoardLine::of_answer(choice, one));
    ran.chain(choice.not_considered.iter().map(BoardLine::left_out)).collect()
}

/// Returns all engines while they compete: the standing, those that have not run yet, and those that do not take part.
pub fn race_lines(standing: &[LeaderLine], engines: &[String], left_out: &[NotConsidered]) -> Vec<BoardLine> {
    let first = standing.first().and_then(|line| line.result.ratio);
    let ran = standing.iter().enumerate().map(|(place, line)| BoardLine::of_race(place, line, first));
    let waits = engines.iter().filter(|engine| !standing.iter().any(|line| line.engine == **engine));
    let waits = waits.map(|engine| BoardLine::new(engine, "not run yet"));
    ran.chain(waits).chain(left_out.iter().map(BoardLine::left_out)).collect()
}

pub(super) fn board(choice: &ChoiceAnswer) -> Section {
    let columns = [
        ("engine", "engine", ColumnRole::Name),
        ("time", "time", ColumnRole::Figure),
        ("interval", "interval", ColumnRole::Interval),
        ("verdict", "verdict", ColumnRole::Verdict),
        ("tier", "tier", ColumnRole::Figure),
        ("memory", "memory", ColumnRole::Figure),
        ("disk", "disk", ColumnRole::Figure),
        ("tried", "tried", ColumnRole::Figure),
        ("settings", "settings", ColumnRole::Name),
    ];
    let ran = choice.engines.iter().filter(|one| one.race.is_some());
    let is_rough = ran.clone().any(|one| BoardLine::of_answer(choice, one).time.starts_with('~'));
    let is_outrun = ran.clone().any(|one| one.state == EngineState::Outrun);
    let signs = [
        is_rough.then_some("~ in the search, and rough"),
        is_outrun.then_some("outrun: too slow in the search to be measured again"),
    ];
    let columns_mean = "tried: settings, of those that there are · memory: the most, above the program's own";
    let signs: Vec<&str> = signs.into_iter().flatten().collect();
    let legend = [signs.join(" · "), columns_mean.to_owned(), tiers_mean(choice)];
    let legend = legend.into_iter().filter(|line| !line.is_empty());
    Section {
        heading: Some("time: all tests together, relative to the first:".to_owned()),
        after: legend.collect(),
        ..Section::table(Table {
            columns: Column::all(columns),
            rows: ran.map(|one| board_row(choice, one)).collect(),
            is_headed: true,
            ..Table::default()
        })
    }
}

/// Says what each tier promises; nothing if all engines have the same, which the answer's sentences explain.
fn tiers_mean(choice: &ChoiceAnswer) -> String {
    let ran = choice.engines.iter().filter(|one| one.race.is_some());
    let tiers: BTreeMap<String, String> =
        ran.map(|one| (one.tier.sign(), format!("{} {}", one.tier.sign(), one.tier.promise()))).collect();
    let promises: Vec<String> = tiers.into_values().rev().collect();
    if promises.len() < 2 { String::new() } else { format!("tier: {}", promises.join(" · ")) }
}

fn board_row(choice: &ChoiceAnswer, one: &EngineAnswer) -> Row {
    let line = BoardLine::of_answer(choice, one);
    Row::texts([
        line.engine,
        line.time,
        line.interval,
        line.state.to_owned(),
        line.tier,
        line.memory,
        line.disk,
        line.tried,
        line.settings,
    ])
}

/// Returns all that is known of an engine in a leaderboard: of the answer, if there is one already.
pub fn engine_lines(line: &BoardLine, answer: Option<&ChoiceAnswer>) -> Vec<String> {
    let mut lines: Vec<String> = line.reason.iter().cloned().collect();
    if line.settings.is_empty() {
        return lines;
    }
    let of_time = match (line.time.as_str(), line.interval.as_str()) {
        ("-" | "1", _) => String::new(),
        (time, "") => format!(": {time} times as long as the first"),
        (time, interval) => format!(": {time} times as long as the first (between {interval})"),
    };
    lines.push(format!("{}{of_time}", line.state));
    lines.push(format!("{} settings tried; the best: {}", line.tried, line.settings));
    let Some((choice, one)) = answer.and_then(|choice| {
        let one = choice.engines.iter().find(|one| one.engine == line.engine)?;
        Some((choice, one))
    }) else {
        return lines;
    };
    lines.push(format!("tier {}: {} ({})", one.tier, one.tier.promise(), one.tier_reason));
    if !one.settings.is_empty() {
        lines.extend([String::new(), "its settings:".to_owned()]);
        lines.extend(indented(one.settings.iter().map(as_code).collect()));
    }
    if !one.taken_out.is_empty() {
        lines.extend([String::new(), "each setting taken out:".to_owned()]);
        lines.extend(one.taken_out.iter().map(|what| format!("  {}", taken_out(what))));
    }
    let better = choice.first().map_or_else(Vec::new, |first| {
        let tests = better_tests(one);
        tests.into_iter().chain(better_figures(first, one)).collect()
    });
    if !better.is_empty() {
        lines.extend([String::new(), "better than the first in:".to_owned()]);
        lines.extend(indented(better));
    }
    lines
}

/// Settings that are all at their default.
const DEFAULTS: &str = "defaults";

pub(super) fn shown_settings(all: &[Setting]) -> String {
    if all.is_empty() { DEFAULTS.to_owned() } else { settings(all) }
}
