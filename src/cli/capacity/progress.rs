//! Progress of a search for capacity: one line per probe, or JSON Lines for programs.

use crate::cli::progress::Style;
use dbdyno_engine::say;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::capacity::{found_text, probe_text};
use dbdyno_running::{
    capacity::{CapacityEvent, CapacityPhase},
    runner::{RunnerEvent, waiting_for_lock},
};
use std::io::Write;
use tokio::sync::mpsc::UnboundedReceiver;

/// Shows events until the search has ended.
pub(super) async fn show(mut events: UnboundedReceiver<CapacityEvent>, style: Style) {
    let mut probes = 0;
    while let Some(event) = events.recv().await {
        match style {
            Style::Json => write_json(&event),
            Style::Bars | Style::Lines | Style::TestLines => {
                probes += u32::from(matches!(event, CapacityEvent::Probed { .. }));
                if let Some(line) = line(&event, probes) {
                    say!("{line}");
                }
            }
            Style::Quiet => {}
        }
    }
}

fn write_json(event: &CapacityEvent) {
    let Ok(line) = serde_json::to_string(event) else { return };
    let mut stdout = std::io::stdout().lock();
    // If the reader is gone, the search continues: its results are stored.
    let _ = writeln!(stdout, "{line}");
}

fn line(event: &CapacityEvent, probes: u32) -> Option<String> {
    match event {
        CapacityEvent::Probed { label, phase, round, rounds, probe } => {
            let part = match phase {
                CapacityPhase::Generator => "generator limit: ".to_owned(),
                CapacityPhase::Closed | CapacityPhase::First => String::new(),
                CapacityPhase::Round => format!("round {round}/{rounds}: "),
            };
            Some(format!("probe {probes}: {part}{}", probe_text(label, probe)))
        }
        CapacityEvent::Searched { label, phase, round, found } => {
            let part =
                if *phase == CapacityPhase::Round { format!("round {round}") } else { "first search".to_owned() };
            Some(format!("{part}: {}: {}", plain(label), found_text(found)))
        }
        CapacityEvent::Session { says: RunnerEvent::Note { text } } => Some(plain(text)),
        CapacityEvent::Session { says: RunnerEvent::WaitingForLock { holder } } => {
            Some(waiting_for_lock(holder.as_deref()))
        }
        CapacityEvent::Session { says: RunnerEvent::RunEnded { failure: Some(failure), .. } } => {
            Some(format!("✗ a run failed: {}", plain(failure)))
        }
        CapacityEvent::Session { .. } | CapacityEvent::CapacityEnded { .. } => None,
    }
}
