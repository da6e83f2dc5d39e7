//! Progress of tuning: a bar on a terminal, one line per round elsewhere, JSON Lines for programs.

use crate::cli::{output::print, progress::Style};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_reports::tune::{round_text, standing, taken_out};
use dbdyno_running::{
    runner::{RunnerEvent, waiting_for_lock},
    tune::TuneEvent,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// Shows events until tuning has ended.
pub(in crate::cli) async fn show(events: UnboundedReceiver<TuneEvent>, style: Style) {
    follow(events, style, "{prefix} {bar:20} {pos}/{len}  {elapsed}  {wide_msg}", on_bar, line).await;
}

/// Shows events until the last one: as JSON Lines, on a bar of this template, or in lines.
pub(in crate::cli) async fn follow<E: Serialize>(
    mut events: UnboundedReceiver<E>,
    style: Style,
    template: &str,
    mut on_bar: impl FnMut(&ProgressBar, &E),
    line: impl Fn(&E) -> Option<String>,
) {
    let bar = (style == Style::Bars).then(|| bar(template));
    while let Some(event) = events.recv().await {
        match (style, &bar) {
            (Style::Json, _) => write_json(&event),
            (Style::Bars, Some(bar)) => on_bar(bar, &event),
            (Style::Lines | Style::TestLines, _) => {
                if let Some(line) = line(&event) {
                    say!("{line}");
                }
            }
            _ => {}
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn write_json(event: &impl Serialize) {
    let Ok(line) = serde_json::to_string(event) else { return };
    // If the reader is gone, the measurement continues: its results are stored.
    let _ = print(&format!("{line}\n"));
}

fn bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(1);
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

fn on_bar(bar: &ProgressBar, event: &TuneEvent) {
    match event {
        TuneEvent::TrialStarted { trial, before, .. } => {
            bar.set_prefix(plain(&trial.change.to_string()));
            bar.set_length(u64::from(trial.rounds));
            bar.set_position(u64::from(*before));
            bar.set_message("");
        }
        TuneEvent::Round { round, effects, .. } => {
            bar.set_position(u64::from(*round));
            bar.set_message(round_text(effects));
        }
        TuneEvent::Session { says } => {
            if let Some(text) = worth_a_line(says) {
                bar.println(text);
            }
        }
        TuneEvent::SearchStarted { .. } => bar.set_prefix("search"),
        TuneEvent::Standing { tried, alive, left_ms, .. } => {
            bar.set_prefix(format!("search, {} left", time(*left_ms)));
            bar.set_length(*tried as u64);
            bar.set_position((tried - alive) as u64);
            bar.set_message(standing(event));
        }
        TuneEvent::Dropped { .. } | TuneEvent::TakenOut { .. } => {
            if let Some(line) = line(event) {
                bar.println(line);
            }
        }
        TuneEvent::TrialEnded { .. } | TuneEvent::SearchEnded { .. } => {}
    }
}

fn line(event: &TuneEvent) -> Option<String> {
    match event {
        TuneEvent::TrialStarted { trial, rounds, .. } => {
            Some(format!("{}: {}", plain(&trial.change.to_string()), units::counted(*rounds, "round")))
        }
        TuneEvent::Round { round, of, effects, .. } => Some(format!("round {round}/{of}: {}", round_text(effects))),
        TuneEvent::Session { says } => worth_a_line(says),
        TuneEvent::SearchStarted { candidates, budget_ms, .. } => {
            Some(format!("{candidates} candidate settings, {} to try them", time(*budget_ms)))
        }
        TuneEvent::Dropped { change, reason } => Some(format!("✗ {}: {}", plain(&change.to_string()), plain(reason))),
        TuneEvent::TakenOut { what } => Some(taken_out(what)),
        TuneEvent::Standing { left_ms, .. } => Some(format!("{}, {} left", standing(event), time(*left_ms))),
        TuneEvent::TrialEnded { .. } | TuneEvent::SearchEnded { .. } => None,
    }
}

fn time(ms: u64) -> String {
    units::duration(ms as f64 * 1e6)
}

/// What of a session is said even while its figures are shown.
pub(in crate::cli) fn worth_a_line(event: &RunnerEvent) -> Option<String> {
    match event {
        RunnerEvent::Note { text } => Some(plain(text)),
        RunnerEvent::WaitingForLock { holder } => Some(waiting_for_lock(holder.as_deref())),
        RunnerEvent::RunEnded { failure: Some(failure), .. } => Some(format!("✗ a run failed: {}", plain(failure))),
        _ => None,
    }
}
