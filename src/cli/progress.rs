//! Progress of a session: bars on a terminal, one line per run elsewhere, JSON Lines for programs.

use super::{args::ProgressArgs, output::print};
use dbdyno_engine::{protocol::Event, say};
use dbdyno_foundation::base::units;
use dbdyno_running::runner::{RunnerEvent, waiting_for_lock};
use dbdyno_store::Status;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::{
    collections::HashMap,
    io::IsTerminal,
    time::{Duration, Instant},
};
use tokio::sync::mpsc::UnboundedReceiver;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Bars on stderr.
    Bars,
    /// One line a run on stderr.
    Lines,
    /// One line a run and one line a test on stderr.
    TestLines,
    /// Every event as one line of JSON on stdout.
    Json,
    Quiet,
}

impl Style {
    /// The style for these arguments and this terminal.
    pub(super) fn choose(args: &ProgressArgs) -> Self {
        if args.json {
            Self::Json
        } else if args.quiet {
            Self::Quiet
        } else if args.verbose {
            Self::TestLines
        } else if std::io::stderr().is_terminal() {
            Self::Bars
        } else {
            Self::Lines
        }
    }
}

/// Shows events until the session has ended.
pub(super) async fn show(mut events: UnboundedReceiver<RunnerEvent>, style: Style) {
    match style {
        Style::Json => {
            while let Some(event) = events.recv().await {
                write_json(&event);
            }
        }
        Style::Quiet => while events.recv().await.is_some() {},
        Style::Lines | Style::TestLines => {
            let mut lines = Lines { shows_tests: style == Style::TestLines, ..Lines::default() };
            while let Some(event) = events.recv().await {
                lines.show(&event);
            }
        }
        Style::Bars => {
            let mut bars = Bars::new();
            while let Some(event) = events.recv().await {
                bars.show(&event);
            }
            bars.clear();
        }
    }
}

fn write_json(event: &RunnerEvent) {
    let Ok(line) = serde_json::to_string(event) else { return };
    // If the reader is gone, the session continues: its results are stored.
    let _ = print(&format!("{line}\n"));
}

/// What is said about a run that ended.
fn ending(status: Status, failure: Option<&str>) -> String {
    match failure {
        Some(failure) => format!("✗ {}: {}", status.word(), units::plain(failure)),
        None => status.word().to_owned(),
    }
}

#[derive(Default)]
struct Lines {
    runs: usize,
    labels: HashMap<u32, (String, Instant)>,
    shows_tests: bool,
    /// The name of the current test.
    test: String,
}

impl Lines {
    fn show(&mut self, event: &RunnerEvent) {
        match event {
            RunnerEvent::Note { text } => say!("{}", units::plain(text)),
            RunnerEvent::SessionStarted { runs, .. } => self.runs = *runs,
            RunnerEvent::RoundsAdded { runs, .. } => self.runs += runs.len(),
            RunnerEvent::WaitingForLock { holder } => say!("{}", waiting_for_lock(holder.as_deref())),
            RunnerEvent::RunStarted { ordinal, label, size, round, .. } => {
                let label = format!("round {} {} {size}", round + 1, units::plain(label));
                self.labels.insert(*ordinal, (label, Instant::now()));
            }
            RunnerEvent::RunEnded { ordinal, status, failure } => {
                if let Some((label, begun)) = self.labels.remove(ordinal) {
                    let (took, ending) = (begun.elapsed().as_secs_f64(), ending(*status, failure.as_deref()));
                    say!("run {}/{} {label}: {ending} ({took:.1} s)", ordinal + 1, self.runs);
                }
            }
            RunnerEvent::Explaining { run, of, label, size } => {
                say!("explaining {run}/{of} {} {size}", units::plain(label));
            }
            RunnerEvent::Worker { says, .. } if self.shows_tests => self.worker(says),
            RunnerEvent::Planned { .. }
            | RunnerEvent::SessionEnded { .. }
            | RunnerEvent::Worker { .. }
            | RunnerEvent::Calibrating
            | RunnerEvent::Paused
            | RunnerEvent::Resumed
            | RunnerEvent::Uses { .. }
            | RunnerEvent::WrongAnswers { .. }
            | RunnerEvent::Warning(_) => {}
        }
    }
}

impl Lines {
    fn worker(&mut self, event: &Event) {
        match event {
            Event::TestStarted { name, measured, .. } => {
                let what = if *measured { "" } else { " (preparing)" };
                self.test = format!("{}{what}", units::plain(name));
            }
            Event::TestDone(done) => {
                let (operations, time) =
                    (units::counted(done.operations, "operation"), units::duration(done.wall_ns as f64));
                say!("  {}: {operations} in {time}", self.test);
            }
            _ => {}
        }
    }
}

struct Bars {
    all: MultiProgress,
    session: ProgressBar,
    test: ProgressBar,
    begun: Instant,
    runs: usize,
    label: String,
}

impl Bars {
    fn new() -> Self {
        let all = MultiProgress::new();
        let style = |template: &str| {
            ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸─")
        };
        let session = all.add(ProgressBar::new(0));
        session.set_style(style("session {pos}/{len} {bar:24} {percent:>3} %  {elapsed} {msg}"));
        session.enable_steady_tick(Duration::from_secs(1));
        let test = all.add(ProgressBar::new(1));
        test.set_style(style("{prefix:.bold} {bar:24} {percent:>3} %  {msg}"));
        Self { all, session, test, begun: Instant::now(), runs: 0, label: String::new() }
    }

    fn show(&mut self, event: &RunnerEvent) {
        match event {
            // Text between bars is printed through them, so that neither garbles the other.
            RunnerEvent::Note { text } => self.line(&units::plain(text)),
            RunnerEvent::SessionStarted { runs, .. } => {
                self.runs = *runs;
                self.session.set_length(*runs as u64);
            }
            RunnerEvent::RoundsAdded { runs, .. } => {
                self.runs += runs.len();
                self.session.set_length(self.runs as u64);
            }
            RunnerEvent::Planned { .. }
            | RunnerEvent::SessionEnded { .. }
            | RunnerEvent::Paused
            | RunnerEvent::Resumed
            | RunnerEvent::Uses { .. }
            | RunnerEvent::WrongAnswers { .. }
            | RunnerEvent::Warning(_) => {}
            RunnerEvent::Calibrating => self.test.set_prefix("measuring the harness"),
            RunnerEvent::WaitingForLock { holder } => self.test.set_prefix(waiting_for_lock(holder.as_deref())),
            RunnerEvent::Explaining { run, of, label, size } => {
                self.test.set_prefix(format!("explaining {} {size}", units::plain(label)));
                self.test.set_length((*of).into());
                self.test.set_position((*run - 1).into());
                self.test.set_message("");
                self.session.set_message("explaining");
            }
            RunnerEvent::RunStarted { round, label, size, .. } => {
                self.label = format!("{} {size}", units::plain(label));
                self.session.set_message(format!("round {}{}", round + 1, self.time_left()));
            }
            RunnerEvent::Worker { says, .. } => self.worker(says),
            RunnerEvent::RunEnded { status, failure, .. } => {
                self.session.inc(1);
                if failure.is_some() {
                    self.line(&format!("{}: {}", self.label, ending(*status, failure.as_deref())));
                }
            }
        }
    }

    fn worker(&self, event: &Event) {
        match event {
            Event::TestStarted { name, measured, operations, .. } => {
                let what = if *measured { "" } else { " (preparing)" };
                self.test.set_prefix(format!("{} · {}{what}", self.label, units::plain(name)));
                self.test.set_length(operations.unwrap_or(0).max(1));
                self.test.set_position(0);
                self.test.set_message("");
            }
            Event::Progress { operations, elapsed_ns, .. } => {
                self.test.set_position(*operations);
                let rate = *operations as f64 * 1e9 / (*elapsed_ns).max(1) as f64;
                self.test.set_message(format!("{} · {}", units::rate(rate), units::duration(*elapsed_ns as f64)));
            }
            Event::TestDone(done) => self.test.set_position(done.operations),
            _ => {}
        }
    }

    /// `, 1m 50s to go`, by the mean of the runs so far.
    fn time_left(&self) -> String {
        let done = self.session.position() as u32;
        if done == 0 {
            return String::new();
        }
        let left = self.begun.elapsed() / done * (self.runs as u32).saturating_sub(done);
        format!(", {} to go", units::clock(left))
    }

    fn line(&self, text: &str) {
        // If the terminal is gone, the session continues.
        let _ = self.all.println(text);
    }

    fn clear(&self) {
        self.test.finish_and_clear();
        self.session.finish_and_clear();
    }
}
