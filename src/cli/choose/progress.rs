//! Progress of a choice: a bar on a terminal, a line for each change elsewhere, JSON Lines for programs.

use crate::cli::{
    progress::Style,
    tune::{follow, worth_a_line},
};
use dbdyno_foundation::base::units::{counted, duration, plain};
use dbdyno_reports::choose::{leaderboard, news, phase};
use dbdyno_running::choose::ChooseEvent;
use indicatif::ProgressBar;
use tokio::sync::mpsc::UnboundedReceiver;

/// Shows events until the choice is made.
pub(in crate::cli) async fn show(events: UnboundedReceiver<ChooseEvent>, style: Style) {
    let mut budget_ms = 0;
    let on_bar = |bar: &ProgressBar, event: &ChooseEvent| {
        if let ChooseEvent::ChoiceStarted { question, .. } = event {
            budget_ms = question.budget_ms;
        }
        on_bar(bar, event, budget_ms);
    };
    follow(events, style, "{prefix} {bar:20} {elapsed}  {wide_msg}", on_bar, line).await;
}

fn on_bar(bar: &ProgressBar, event: &ChooseEvent, budget_ms: u64) {
    match event {
        ChooseEvent::Phase { phase: entered } => bar.set_prefix(phase(*entered)),
        ChooseEvent::Leaderboard { left_ms, .. } => {
            bar.set_length(budget_ms.max(1));
            bar.set_position(budget_ms.saturating_sub(*left_ms));
            bar.set_message(leaderboard(event));
        }
        _ => {
            if let Some(line) = line(event) {
                bar.println(line);
            }
        }
    }
}

fn line(event: &ChooseEvent) -> Option<String> {
    match event {
        ChooseEvent::ChoiceStarted { engines, not_considered, question, .. } => Some(format!(
            "{}: {} ({} not considered), {} to choose",
            counted(engines.len(), "engine"),
            plain(&engines.join(", ")),
            not_considered.len(),
            duration(question.budget_ms as f64 * 1e6)
        )),
        ChooseEvent::Phase { phase: entered } => Some(phase(*entered).to_owned()),
        ChooseEvent::Session { says } => worth_a_line(says),
        ChooseEvent::Leaderboard { left_ms, .. } => {
            Some(format!("{}; {} left", leaderboard(event), duration(*left_ms as f64 * 1e6)))
        }
        ChooseEvent::Excluded { .. } | ChooseEvent::TakenOut { .. } => news(event),
        ChooseEvent::ChoiceEnded { .. } => None,
    }
}
