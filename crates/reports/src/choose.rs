//! A choice of an engine: its progress as text, and its answer as a sheet.

use crate::{
    command::shell,
    comparison::words::{ratio, times},
    sheet::{Column, ColumnRole, Row, Section, Sheet, Table, Tone},
    tune::{
        as_code, taken_out,
        words::{shown_interval, shown_ratio, verdict},
    },
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::{
    base::units::{bytes, clock, counted, duration, plain},
    metric::Metric,
};
use dbdyno_running::{
    choose::{
        ChoiceAnswer, ChoiceVerdict, ChooseEvent, ChoosePhase, Constraints, EngineAnswer, EngineState, LeaderLine,
        NotConsidered,
    },
    tune::{Setting, TestEffect, race::CandidateFate},
};
use dbdyno_stats::Verdict;
use std::time::Duration;

/// Describes a part of a choice, for its progress.
pub fn phase(phase: ChoosePhase) -> &'static str {
    match phase {
        ChoosePhase::Starts => "every engine with the settings that it starts with",
        ChoosePhase::Settings => "settings of the engines that are left",
        ChoosePhase::Halving => "the better half, in twice the rounds",
        ChoosePhase::Promises => "the promised response times of the leaders",
        ChoosePhase::TakingOut => "each setting of the leaders taken out",
        ChoosePhase::Confirmation => "the leaders on fresh seeds",
    }
}

/// Describes that settings were excluded, or that one was taken out of the best; none for other events.
pub fn news(event: &ChooseEvent) -> Option<String> {
    let text = match event {
        ChooseEvent::Excluded { engine, settings, reason } => {
            format!("✗ {}: {}", with_change(engine, settings), brief(reason))
        }
        ChooseEvent::TakenOut { engine, what } => format!("{engine}: {}", taken_out(what)),
        _ => return None,
    };
    Some(plain(&text).to_string())
}

/// Describes the state of a choice in one line; empty for other events.
pub fn leaderboard(event: &ChooseEvent) -> String {
    let ChooseEvent::Leaderboard { lines, .. } = event else { return String::new() };
    let alive = lines.iter().filter(|line| line.result.fate == CandidateFate::Alive);
    let texts: Vec<String> = alive.take(3).map(leader).collect();
    plain(&texts.join(", ")).to_string()
}

fn leader(line: &LeaderLine) -> String {
    let behind = line.behind.as_ref().map_or_else(String::new, |behind| format!(" {}x", shown_ratio(behind)));
    format!("{}{behind}", with_change(&line.engine, &line.result.change.to_string()))
}

/// `sqlite with journal_mode=wal`, or the engine alone.
fn with_change(engine: &str, change: &str) -> String {
    if change.is_empty() { engine.to_owned() } else { format!("{engine} with {change}") }
}

/// Returns the engine with its settings that are not at their default.
fn configured(one: &EngineAnswer) -> String {
    with_change(&format!("{} {}", one.engine, one.version), &settings(&one.settings))
}

fn settings(settings: &[Setting]) -> String {
    let texts: Vec<String> = settings.iter().map(|one| format!("{}={}", one.option, one.value)).collect();
    texts.join(",")
}

/// Returns the answer in sentences, the most important first.
pub fn sentences(choice: &ChoiceAnswer) -> Vec<String> {
    let Some(first) = choice.first() else { return vec![without_first(choice)] };
    let level: Vec<&EngineAnswer> = choice.level().collect();
    let mut lines = match (choice.verdict, level.as_slice()) {
        (ChoiceVerdict::Level, level) => vec![level_line(first, level)],
        (ChoiceVerdict::Alone, _) => {
            vec![format!(
                "Take {}: no other engine here meets the constraints, so nothing was compared.",
                configured(first)
            )]
        }
        _ => vec![format!("Take {}{}.", configured(first), lead(choice))],
    };
    lines.extend(gain(first));
    lines.extend(absolute(choice));
    let (sign, best) = (first.tier.sign(), Tier::PowerSafe.sign());
    let name = first.tier.name();
    lines.push(format!("Tier {sign} of {best}, {name}: {} ({}).", first.tier.promise(), first.tier_reason));
    lines
}

/// `Median time of a run: Random reads 527 µs.` None: no other engine was confirmed.
fn absolute(choice: &ChoiceAnswer) -> Option<String> {
    let tests = choice.engines.iter().find(|one| !one.tests.is_empty())?.tests.iter();
    let time = |effect: &TestEffect| Some(format!("{} {}", effect.name, duration(effect.base_ns?)));
    let times: Vec<String> = tests.filter_map(time).take(TIMES).collect();
    (!times.is_empty()).then(|| format!("Median time of a run: {}.", times.join(", ")))
}

/// The most tests whose time is in the answer's sentences.
const TIMES: usize = 4;

fn without_first(choice: &ChoiceAnswer) -> String {
    match choice.verdict {
        ChoiceVerdict::Stopped => {
            "No answer: the choice was stopped before its confirmation. `dbdyno choose --resume` goes on.".to_owned()
        }
        _ => "No engine here meets the constraints: the reasons are below.".to_owned(),
    }
}

/// `: 1.34x faster than sqlite, which is second (1.21-1.48x)`
fn lead(choice: &ChoiceAnswer) -> String {
    let second = choice.engines.iter().find(|one| one.state == EngineState::Behind);
    let confirmed = second.and_then(|one| Some((one, one.behind.as_ref()?)));
    if let Some((one, behind)) = confirmed {
        let found = shown_interval(behind);
        let ratio = behind.found.as_ref().map_or(1.0, |found| found.ratio);
        return format!(": {} faster than {}, which is second ({found}x)", times(ratio), one.engine);
    }
    let others = choice.engines.iter().filter(|one| one.state == EngineState::Outrun);
    let nearest = others.filter_map(|one| Some((one, ratio_to(choice, one)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or_else(String::new, |(one, ratio)| {
        format!(": {} is second, about {} slower (in the search, not confirmed)", one.engine, times(ratio))
    })
}

/// Returns how many times as long an engine took as the first one in the race.
fn ratio_to(choice: &ChoiceAnswer, one: &EngineAnswer) -> Option<f64> {
    let in_race = |one: &EngineAnswer| one.race.as_ref()?.ratio;
    Some(in_race(one)? / in_race(choice.first()?)?)
}

/// `lmdb and redb are level, choose by taste: ...`
fn level_line(first: &EngineAnswer, level: &[&EngineAnswer]) -> String {
    let names: Vec<String> =
        std::iter::once(configured(first)).chain(level.iter().map(|one| configured(one))).collect();
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    let figures: Vec<String> = level
        .iter()
        .filter_map(|one| {
            let behind = one.behind.as_ref()?;
            let (ratio, interval) = (shown_ratio(behind), shown_interval(behind));
            Some(format!("{} takes {ratio} times as long ({interval})", one.engine))
        })
        .collect();
    let simplest =
        simplest(first, level).map_or_else(String::new, |engine| format!(" {engine} needs the fewest settings."));
    format!(
        "{} and {last} are level, choose by taste: {}, so no difference is shown.{simplest}",
        others.join(", "),
        figures.join(", ")
    )
}

/// Returns the engine with the fewest settings; none if another needs as few.
fn simplest<'a>(first: &'a EngineAnswer, level: &[&'a EngineAnswer]) -> Option<&'a str> {
    let all = || std::iter::once(first).chain(level.iter().copied());
    let least = all().min_by_key(|one| one.settings.len())?;
    let is_only = all().filter(|one| one.settings.len() == least.settings.len()).count() == 1;
    is_only.then_some(&*least.engine)
}

/// `wal_autocheckpoint=250 makes sqlite 1.07x faster (1.04-1.10x) than journal_mode=wal alone.`
fn gain(first: &EngineAnswer) -> Option<String> {
    let gain = first.gain.as_ref()?;
    let found = gain.found.as_ref()?;
    let (change, start): (Vec<Setting>, Vec<Setting>) =
        first.settings.iter().cloned().partition(|one| first.change.0.contains_key(&one.option));
    let (changed, engine) = (settings(&change), &first.engine);
    let start = match start.as_slice() {
        [] => "its defaults".to_owned(),
        some => format!("{} alone (its defaults survive less than you ask for)", settings(some)),
    };
    let (makes, does) = if change.len() == 1 { ("makes", "does") } else { ("make", "do") };
    Some(match (found.verdict, found.interval) {
        (Verdict::Faster, Some(range)) => {
            let (low, high) = (ratio(1.0 / range.high), ratio(1.0 / range.low));
            format!("{changed} {makes} {engine} {} ({low}-{high}x) than {start}.", verdict(gain))
        }
        _ => {
            let interval = shown_interval(gain);
            format!(
                "{changed} {does} not make {engine} faster than {start}, as far as shown ({interval} times the time)."
            )
        }
    })
}

/// Returns what the first engine gives up: what another is better in, and the cautions about its settings.
fn given_up(choice: &ChoiceAnswer) -> Vec<String> {
    let Some(first) = choice.first() else { return Vec::new() };
    let confirmed = || choice.engines.iter().filter(|one| one.behind.is_some());
    let mut lines: Vec<String> = confirmed().flat_map(better_tests).collect();
    lines.extend(confirmed().flat_map(|one| better_figures(first, one)));
    let safer = confirmed().filter(|one| one.tier > first.tier);
    lines.extend(safer.map(|one| format!("{}: {} (tier {})", one.engine, one.tier.promise(), one.tier)));
    lines.extend(risks(first));
    lines.extend(choice.level().flat_map(|one| risks(one).map(move |risk| format!("{}: {risk}", one.engine))));
    lines
}

/// Returns the cautions about an engine's settings.
fn risks(one: &EngineAnswer) -> impl Iterator<Item = String> + '_ {
    one.settings.iter().filter_map(|one| Some(format!("{}={}: {}", one.option, one.value, one.risk.as_ref()?)))
}

/// Returns the tests in which an engine was found faster than the first.
fn better_tests(one: &EngineAnswer) -> Vec<String> {
    let faster = |effect: &&TestEffect| effect.found.as_ref().is_some_and(|found| found.verdict == Verdict::Faster);
    let line = |effect: &TestEffect| format!("{} is {} in {}", one.engine, verdict(effect), effect.name);
    one.tests.iter().filter(faster).map(line).collect()
}

/// Returns the figures beside time in which an engine is better than the first by a tenth at least.
fn better_figures(first: &EngineAnswer, one: &EngineAnswer) -> Vec<String> {
    let Some(price) = &one.price else { return Vec::new() };
    let better = price
        .each()
        .filter(|(metric, pair)| *metric != Metric::OutsideSyncs && (pair.after as f64) < 0.9 * pair.before as f64);
    better
        .map(|(metric, pair)| {
            let (own, its) = (metric.shown(pair.before as f64), metric.shown(pair.after as f64));
            format!("{}: {} {its}, {} {own}", metric.title(), one.engine, first.engine)
        })
        .collect()
}

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
    let confirmed = choice.engines.iter().filter(|one| one.behind.is_some() || one.state == EngineState::First);
    let about =
        |one: &EngineAnswer| (!one.about.is_empty()).then(|| format!("{} {}: {}", one.engine, one.version, one.about));
    sections.extend(Section::toned(Tone::Plain, "the engines:", indented(confirmed.filter_map(about).collect())));
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

/// Returns the command that shows a choice again.
pub fn choice_command(choice: &ChoiceAnswer) -> String {
    shell(["dbdyno", "choose", "--show", &choice.choice_id])
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

fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| format!("  {}", plain(&line))).collect()
}

fn board(choice: &ChoiceAnswer) -> Section {
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
    let rough = if is_rough { "; with ~ it is a figure of the search, and rough" } else { "" };
    Section {
        heading: Some(format!("time is relative to the first{rough}:")),
        ..Section::table(Table {
            columns: Column::all(columns),
            rows: ran.map(|one| board_row(choice, one)).collect(),
            is_headed: true,
            ..Table::default()
        })
    }
}

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

    fn of_race(place: usize, line: &LeaderLine) -> Self {
        let (state, reason) = match &line.result.fate {
            CandidateFate::Alive if place == 0 => ("leads", None),
            CandidateFate::Alive => ("racing", None),
            CandidateFate::Outrun => ("outrun", None),
            CandidateFate::Dropped(reason) => ("out", Some(brief(reason))),
        };
        let time = match (&line.behind, line.result.ratio) {
            (Some(behind), _) => format!("~{}", shown_ratio(behind)),
            (None, Some(_)) if place == 0 => "1".to_owned(),
            _ => "-".to_owned(),
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

/// The share of the budget from which on more time would have been used.
const BUDGET_USED: f64 = 0.8;
/// Settings that are all at their default.
const DEFAULTS: &str = "defaults";

fn shown_settings(all: &[Setting]) -> String {
    if all.is_empty() { DEFAULTS.to_owned() } else { settings(all) }
}

/// Returns all engines of an answer: those that took part, the best first, and those that did not.
pub fn answer_lines(choice: &ChoiceAnswer) -> Vec<BoardLine> {
    let ran = choice.engines.iter().map(|one| BoardLine::of_answer(choice, one));
    ran.chain(choice.not_considered.iter().map(BoardLine::left_out)).collect()
}

/// Returns all engines while they compete: the standing, those that have not run yet, and those that do not take part.
pub fn race_lines(standing: &[LeaderLine], engines: &[String], left_out: &[NotConsidered]) -> Vec<BoardLine> {
    let ran = standing.iter().enumerate().map(|(place, line)| BoardLine::of_race(place, line));
    let waits = engines.iter().filter(|engine| !standing.iter().any(|line| line.engine == **engine));
    let waits = waits.map(|engine| BoardLine::new(engine, "not run yet"));
    ran.chain(waits).chain(left_out.iter().map(BoardLine::left_out)).collect()
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

/// Returns why an engine that took part is out of the race.
fn out(one: &EngineAnswer) -> Option<String> {
    match &one.state {
        EngineState::Dropped(reason) => Some(brief(reason)),
        EngineState::NotRun => Some("the budget ended before it ran".to_owned()),
        EngineState::Outrun if one.tried <= STARTS => {
            Some("so slow with the settings that it starts with that no others were tried".to_owned())
        }
        _ => None,
    }
}

/// The most settings that an engine starts with: its defaults, and the fewest options that survive what is asked for.
const STARTS: usize = 2;
/// The longest reason in a listing, characters. Messages of engines may have many lines; the run has all of them.
const REASON: usize = 160;

/// Returns the beginning of a message, in one line.
fn brief(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(REASON) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns how far an engine came, in a word or two.
pub fn state(one: &EngineAnswer) -> &'static str {
    match one.state {
        EngineState::First => "first",
        EngineState::Level => "level",
        EngineState::Behind => "slower",
        EngineState::Outrun => "outrun",
        EngineState::Dropped(_) => "out",
        EngineState::NotRun => "not run",
    }
}

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
        "{} of {} were tried in {}{}.",
        counted(tried, "setting"),
        counted(engines, "engine"),
        clock(Duration::from_millis(choice.took_ms)),
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
        size => format!(" at {size}"),
    };
    lines.push(format!(
        "Asked for {}{size}{tests}, {asked}. On another machine or workload another may be first.",
        choice.question.suite
    ));
    lines
}

/// Returns the constraints in words.
pub fn constraints(asked: &Constraints) -> String {
    let mut texts = vec![format!("tier {} or more", asked.tier)];
    texts.extend(asked.memory_limit.map(|limit| format!("memory up to {}", bytes(limit))));
    texts.extend(asked.disk_limit.map(|limit| format!("disk up to {}", bytes(limit))));
    texts.extend(asked.promise.as_ref().map(|promise| format!("{} at {}/s", promise.promises, promise.rate)));
    texts.extend((asked.writers > 1).then(|| format!("{} writers at once", asked.writers)));
    texts.extend((!asked.languages.is_empty()).then(|| format!("for {}", asked.languages.join(" or "))));
    texts.extend((!asked.licences.is_empty()).then(|| format!("licences {}", asked.licences.join(", "))));
    texts.join(", ")
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
