//! Sessions and trials, run beside the screens.

use crate::tui::{
    app::Message,
    launch::{Question, SessionStart, TortureStart, TrialStart},
    setup::TuiSetup,
};
use dbdyno_catalog::engines::Registry;
use dbdyno_foundation::base::identifier::clock_seed;
use dbdyno_reports::{claims::closing_text, tune::effects_text};
use dbdyno_running::{
    runner::{Control, Owed, Quiet, Report, RunnerEvent, SessionHandle, SessionLaunch, Tell},
    session::{FollowUp, FurtherRounds, PreparedSession, SelectedEffects},
    torture::{PATIENCE, Place, Series, SeriesEvent, Terms},
    tune::{
        self, Lab, TrialState, TuneError, TuneEvent, WhatIf, Workload,
        search::{SearchSpec, search},
    },
};
use dbdyno_store::Store;
use dbdyno_workload::rng::SplitMix64;
use tokio::sync::mpsc::{self, UnboundedSender};

/// What is measured beside the screens: a session or a trial.
#[derive(Debug)]
pub(super) struct Task {
    handle: SessionHandle,
}

impl Task {
    /// Starts a bench.
    pub(super) fn start(
        start: SessionStart,
        setup: &TuiSetup,
        registry: Registry,
        messages: UnboundedSender<Message>,
    ) -> Self {
        let setup = setup.clone();
        let to_follow = messages.clone();
        let run = move |events, control| async move {
            let (report, follow_up) = run(start, &setup, &registry, events, control).await?;
            // Told first, so that it is read on the screen that shows how the session ended.
            follow_up.into_iter().for_each(|page| drop(to_follow.send(Message::FollowUp(Box::new(page)))));
            Ok(report)
        };
        Self::spawn(messages, run, runner_says, session_over)
    }

    /// Runs what an interrupted session still owes.
    pub(super) fn resume(
        session: String,
        setup: &TuiSetup,
        registry: Registry,
        messages: UnboundedSender<Message>,
    ) -> Self {
        let store = setup.store.clone();
        let run = move |events, control| async move {
            let owed = Owed::find(&store, &registry, Some(&session), false).map_err(|error| error.to_string())?;
            owed.run(&registry, &store, events, control).await.map_err(|error| error.to_string())
        };
        Self::spawn(messages, run, runner_says, session_over)
    }

    /// Runs rounds that are added to a session.
    pub(super) fn further(further: FurtherRounds, setup: &TuiSetup, messages: UnboundedSender<Message>) -> Self {
        let store = setup.store.clone();
        let run = move |events, control| async move {
            let of = store.clone();
            let prepared =
                tokio::task::spawn_blocking(move || of.prepare()).await.map_err(|error| error.to_string())?;
            prepared.map_err(|error| error.to_string())?;
            further.run(&store, events, control).await.map_err(|error| error.to_string())
        };
        Self::spawn(messages, run, runner_says, session_over)
    }

    pub(super) fn try_change(
        trial: TrialStart,
        setup: &TuiSetup,
        registry: Registry,
        messages: UnboundedSender<Message>,
    ) -> Self {
        let setup = setup.clone();
        let run = move |events, control| async move { run_trial(trial, &setup, &registry, events, control).await };
        Self::spawn(messages, run, |event| Message::Tune(Box::new(event)), Message::TuneOver)
    }

    pub(super) fn torture(start: TortureStart, setup: &TuiSetup, messages: UnboundedSender<Message>) -> Self {
        let setup = setup.clone();
        let run = move |events, control| async move {
            let tortured = tokio::task::spawn_blocking(move || run_series(&start, &setup, &events, &control)).await;
            tortured.map_err(|error| error.to_string()).flatten()
        };
        Self::spawn(messages, run, |event| Message::Torture(Box::new(event)), Message::TortureOver)
    }

    /// Runs it beside the screens: each event `E` that it has to tell, and its outcome `O`, becomes a message.
    fn spawn<E, O, F>(
        messages: UnboundedSender<Message>,
        run: impl FnOnce(UnboundedSender<E>, Control) -> F + Send + 'static,
        says: fn(E) -> Message,
        over: fn(O) -> Message,
    ) -> Self
    where
        E: Send + 'static,
        O: Send + 'static,
        F: Future<Output = O> + Send + 'static,
    {
        let (handle, control) = SessionHandle::new();
        tokio::spawn(async move {
            let (sender, mut events) = mpsc::unbounded_channel();
            let forward = messages.clone();
            // A screen that is gone does not end what is measured: that is told to stop before.
            let forwarding = tokio::spawn(async move {
                while let Some(event) = events.recv().await {
                    let _ = forward.send(says(event));
                }
            });
            let outcome = run(sender, control).await;
            // The sender is gone with the run, so this ends once everything is passed on.
            let _ = forwarding.await;
            let _ = messages.send(over(outcome));
        });
        Self { handle }
    }

    pub(super) fn tell(&self, tell: Tell) {
        self.handle.tell(tell);
    }

    /// When nothing is measured.
    pub(super) fn quiet(&self) -> Quiet {
        self.handle.quiet().clone()
    }
}

fn runner_says(event: RunnerEvent) -> Message {
    Message::Runner(Box::new(event))
}

fn session_over(outcome: Result<Report, String>) -> Message {
    Message::SessionOver(Box::new(outcome))
}

/// How sessions are started from the screens.
fn launch(setup: &TuiSetup, command_line: String) -> SessionLaunch {
    SessionLaunch { cpu: setup.cpu, ..SessionLaunch::new(setup.work_dir.clone(), command_line) }
}

async fn run(
    start: SessionStart,
    setup: &TuiSetup,
    registry: &Registry,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<(Report, Option<FollowUpPage>), String> {
    let SessionStart { spec, preset, command_line } = start;
    let launch = SessionLaunch { preset, ..launch(setup, command_line) };
    let (catalog, store, registry, of) = (setup.catalog.clone(), setup.store.clone(), registry.clone(), launch.clone());
    let prepare = move || {
        let prepared =
            PreparedSession::new(spec, &catalog, &registry, &of, &store).map_err(|error| error.to_string())?;
        store.prepare().map_err(|error| error.to_string())?;
        Ok::<_, String>(prepared)
    };
    let prepared = tokio::task::spawn_blocking(prepare).await.map_err(|error| error.to_string())??;
    let report = prepared.run(&launch, &setup.store, events, control).await.map_err(|error| error.to_string())?;
    let store = setup.store.clone();
    let follow_up = move || (follow_up(&prepared, &report, &store), report);
    let (page, report) = tokio::task::spawn_blocking(follow_up).await.map_err(|error| error.to_string())?;
    Ok((report, page))
}

/// A title and lines to read.
type FollowUpPage = (String, Vec<String>);

/// What follows a session, as the command line prints it; none where its bench asks for nothing.
fn follow_up(prepared: &PreparedSession, report: &Report, store: &Store) -> Option<FollowUpPage> {
    let mut text = String::new();
    match prepared.follow_up(report, store) {
        Ok(FollowUp { effects, claims }) => {
            for SelectedEffects { selected, found } in effects {
                text += &match found {
                    Ok(found) => effects_text(&found),
                    Err(error) => format!("{selected}: {error}\n"),
                };
                text.push('\n');
            }
            text += &match claims {
                Some(Ok(table)) => closing_text(&table),
                Some(Err(error)) => format!("{error}\n"),
                None => String::new(),
            };
        }
        Err(error) => text = format!("what follows the session cannot be read: {error}"),
    }
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    (!lines.is_empty()).then(|| ("What the session says".to_owned(), lines))
}

/// Runs trials or a search to their end.
async fn run_trial(
    trial: TrialStart,
    setup: &TuiSetup,
    registry: &Registry,
    events: UnboundedSender<TuneEvent>,
    control: Control,
) -> Result<(), String> {
    let store = setup.store.clone();
    let prepared = tokio::task::spawn_blocking(move || store.prepare()).await.map_err(|error| error.to_string())?;
    prepared.map_err(|error| error.to_string())?;
    // The copy of the user's database is there for as long as it is held.
    let TrialStart { workload, held: _held, question, seed, command_line } = trial;
    let seed = seed.unwrap_or_else(clock_seed);
    let command_line = match &question {
        Question::More(_) => command_line,
        Question::Try(_) | Question::Search(_) => format!("{command_line} --seed {seed}"),
    };
    let lab = Lab { registry, store: &setup.store, launch: launch(setup, command_line), events, control };
    let tuned = match question {
        Question::Try(questions) => try_each(&lab, &workload, questions, seed).await,
        Question::More(trial) => tune::more(&lab, &workload, *trial).await.map(drop),
        Question::Search(spec) => search(&lab, &workload, SearchSpec { seed, ..*spec }).await.map(drop),
    };
    tuned.map_err(|error| error.to_string())
}

/// Tries changes one after the other, with the seeds that the command line gives them; one that is stopped is the last.
async fn try_each(lab: &Lab<'_>, workload: &Workload, questions: Vec<WhatIf>, seed: u64) -> Result<(), TuneError> {
    for (at, question) in (0..).zip(questions) {
        let seed = SplitMix64::stream(seed, at).next_u64();
        let trial = tune::what_if(lab, workload, WhatIf { seed, ..question }).await?;
        if trial.state == TrialState::Stopped {
            break;
        }
    }
    Ok(())
}

/// Tortures configurations one after the other.
fn run_series(
    start: &TortureStart,
    setup: &TuiSetup,
    events: &UnboundedSender<SeriesEvent>,
    control: &Control,
) -> Result<(), String> {
    let terms = Terms { seed: clock_seed(), ..start.terms.clone() };
    let command_line = format!("{} --seed {}", start.command_line, terms.seed);
    let place = Place { work_dir: setup.work_dir.clone(), keep: setup.work_dir.clone(), patience: PATIENCE };
    let series = Series {
        subjects: &start.subjects,
        terms: &terms,
        place: &place,
        store: &setup.store,
        command_line: &command_line,
    };
    // Nobody listens where the screens are gone.
    let tell = |event| drop(events.send(event));
    series.run(&|| control.is_stopped(), &tell).map(drop).map_err(|error| error.to_string())
}
