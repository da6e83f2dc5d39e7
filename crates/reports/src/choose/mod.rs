//! A choice of an engine: its progress as text, and its answer as a sheet.

mod answer;
mod board;
mod given_up;
mod sentences;

pub use answer::choice_sheet;
pub use board::{BoardLine, answer_lines, engine_lines, race_lines};
pub use sentences::sentences;

use crate::{
    command::shell,
    tune::{taken_out, words::shown_ratio},
};
use dbdyno_foundation::base::units::{bytes, plain};
use dbdyno_running::{
    choose::{ChoiceAnswer, ChooseEvent, ChoosePhase, Constraints, EngineAnswer, EngineState, LeaderLine},
    tune::{Setting, race::CandidateFate},
};

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
        ChooseEvent::TakenOut { engine, what } => format!("{engine} {}", taken_out(what)),
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

/// Returns how many times as long an engine took as the first one in the race.
fn ratio_to(choice: &ChoiceAnswer, one: &EngineAnswer) -> Option<f64> {
    let in_race = |one: &EngineAnswer| one.race.as_ref()?.ratio;
    Some(in_race(one)? / in_race(choice.first()?)?)
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

/// The most settings that an engine starts with: its defaults, and the fewest options that reach the tier.
const STARTS: usize = 2;
/// The longest reason in a listing, characters. Messages of engines may have many lines; the run has all of them.
const REASON: usize = 160;

/// Returns a message in one line, without the middle of a long one: the reason often stands at its end.
fn brief(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters = line.chars().count();
    if letters <= REASON {
        return line;
    }
    let [begin, end] = [REASON / 3, letters - (REASON - REASON / 3)];
    let part = |from: usize, until: usize| line.chars().skip(from).take(until - from).collect::<String>();
    format!("{} … {}", part(0, begin), part(end, letters))
}

fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| format!("  {}", plain(&line))).collect()
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

/// Returns the command that shows a choice again.
pub fn choice_command(choice: &ChoiceAnswer) -> String {
    shell(["dbdyno", "choose", "--show", &choice.choice_id])
}
