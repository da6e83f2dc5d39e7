//! A bench that is run beside the screens.

use crate::{
    base::identifier::clock_seed,
    engines::Registry,
    plan::Plan,
    runner::{Control, Handle, Owed, Quiet, Report, RunnerEvent, SessionLaunch, run_session},
    tui::{
        app::Message,
        launch::{SessionStart, Tell, TrialStart},
        setup::Setup,
    },
    tune::{self, Lab, TuneEvent},
};
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::mpsc::{self, UnboundedSender};

/// How long a worker may say nothing, beyond what a whole run is expected to take.
const SILENCE: Duration = Duration::from_secs(30);

/// The session under way.
#[derive(Debug)]
pub(super) struct Task {
    handle: Handle,
}

impl Task {
    /// Starts a bench; what it says and how it ends comes as events.
    pub(super) fn start(
        start: SessionStart,
        setup: &Setup,
        registry: Registry,
        events: UnboundedSender<Message>,
    ) -> Self {
        let setup = setup.clone();
        Self::bench(events, move |sender, control| async move { run(start, &setup, &registry, sender, control).await })
    }

    /// Runs what an interrupted session still owes; what it says and how it ends comes as events.
    pub(super) fn resume(session: String, setup: &Setup, registry: Registry, events: UnboundedSender<Message>) -> Self {
        let store = setup.store.clone();
        Self::bench(events, move |sender, control| async move {
            let owed = Owed::find(&store, &registry, Some(&session), false).map_err(|error| error.to_string())?;
            owed.plan.probe().map_err(|error| error.to_string())?;
            owed.run(&registry, &store, sender, control).await.map_err(|error| error.to_string())
        })
    }

    fn bench<F>(
        events: UnboundedSender<Message>,
        run: impl FnOnce(UnboundedSender<RunnerEvent>, Control) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Report, String>> + Send + 'static,
    {
        let (handle, control) = Handle::new();
        tokio::spawn(async move {
            let (sender, mut said) = mpsc::unbounded_channel();
            let forward = events.clone();
            // A screen that is gone does not end the session: it is told to stop before.
            let forwarding = tokio::spawn(async move {
                while let Some(event) = said.recv().await {
                    let _ = forward.send(Message::Runner(Box::new(event)));
                }
            });
            let outcome = run(sender, control).await;
            // The sender is gone with the session, so this ends once everything is passed on.
            let _ = forwarding.await;
            let _ = events.send(Message::SessionOver(Box::new(outcome)));
        });
        Self { handle }
    }

    /// Tries a change of options; what it says and how it ends comes as events.
    pub(super) fn try_change(
        trying: TrialStart,
        setup: &Setup,
        registry: Registry,
        events: UnboundedSender<Message>,
    ) -> Self {
        let (handle, control) = Handle::new();
        let setup = setup.clone();
        tokio::spawn(async move {
            let (sender, mut said) = mpsc::unbounded_channel();
            let forward = events.clone();
            let forwarding = tokio::spawn(async move {
                while let Some(event) = said.recv().await {
                    let _ = forward.send(Message::Tune(Box::new(event)));
                }
            });
            let outcome = run_trial(trying, &setup, &registry, sender, control).await;
            let _ = forwarding.await;
            let _ = events.send(Message::TuneOver(outcome));
        });
        Self { handle }
    }

    /// Tells the session something.
    pub(super) fn tell(&self, tell: Tell) {
        match tell {
            Tell::Stop => self.handle.stop(),
            Tell::Hurry => self.handle.hurry(),
            Tell::Pause => self.handle.pause(true),
            Tell::Resume => self.handle.pause(false),
            Tell::Skip(ordinal) => self.handle.skip(ordinal),
        }
    }

    /// When nothing is measured.
    pub(super) fn quiet(&self) -> Quiet {
        self.handle.quiet().clone()
    }
}

/// How sessions are started from the screens.
pub(super) fn launch(setup: &Setup, command_line: String) -> SessionLaunch {
    SessionLaunch {
        work_dir: setup.work_dir.clone(),
        cpu: setup.cpu,
        keep_databases: false,
        allow_differing_options: false,
        concurrent: false,
        budget: None,
        silence: SILENCE,
        deadline: None,
        command_line,
        preset: None,
        keys: BTreeMap::new(),
    }
}

async fn run(
    start: SessionStart,
    setup: &Setup,
    registry: &Registry,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<Report, String> {
    let SessionStart { mut request, aa, preset, command_line, expected_run } = start;
    request.seed = clock_seed();
    let plan = Plan::new(request, registry).map_err(|error| error.to_string())?;
    plan.probe().map_err(|error| error.to_string())?;
    let plan = if aa { plan.with_twins() } else { plan };
    let null = plan.harness(registry).map_err(|error| error.to_string())?;
    let launch = SessionLaunch { preset, ..launch(setup, command_line) };
    let store = setup.store.clone();
    let prepared = tokio::task::spawn_blocking(move || store.prepare()).await.map_err(|error| error.to_string())?;
    prepared.map_err(|error| error.to_string())?;
    run_session(&plan, &null, &launch, &setup.store, expected_run, events, control)
        .await
        .map_err(|error| error.to_string())
}

/// Runs a trial to its end.
async fn run_trial(
    trying: TrialStart,
    setup: &Setup,
    registry: &Registry,
    events: UnboundedSender<TuneEvent>,
    control: Control,
) -> Result<(), String> {
    let store = setup.store.clone();
    let prepared = tokio::task::spawn_blocking(move || store.prepare()).await.map_err(|error| error.to_string())?;
    prepared.map_err(|error| error.to_string())?;
    let (TrialStart::New { command_line, .. } | TrialStart::More { command_line, .. }) = &trying;
    let launch = launch(setup, command_line.clone());
    let lab = Lab { registry, store: &setup.store, launch, events, control };
    let tried = match trying {
        TrialStart::New { workload, mut what_if, .. } => {
            what_if.seed = clock_seed();
            tune::what_if(&lab, &workload, what_if).await
        }
        TrialStart::More { workload, trial, .. } => tune::more(&lab, &workload, *trial).await,
    };
    tried.map(drop).map_err(|error| error.to_string())
}
