//! A bench that is run beside the screens.

use super::{
    super::event::{Event, Start, Tell, Trying},
    Setup, tune,
};
use crate::{
    engines::Registry,
    runner::{Control, Handle, Owed, Quiet, Report, RunnerEvent, SessionLaunch},
    session::Prepared,
};
use tokio::sync::mpsc::{self, UnboundedSender};

/// The session under way.
#[derive(Debug)]
pub(super) struct Session {
    handle: Handle,
}

impl Session {
    /// Starts a bench; what it says and how it ends comes as events.
    pub(super) fn start(start: Start, setup: &Setup, registry: Registry, events: UnboundedSender<Event>) -> Self {
        let setup = setup.clone();
        Self::bench(events, move |sender, control| async move { run(start, &setup, &registry, sender, control).await })
    }

    /// Runs what an interrupted session still owes; what it says and how it ends comes as events.
    pub(super) fn resume(session: String, setup: &Setup, registry: Registry, events: UnboundedSender<Event>) -> Self {
        let store = setup.store.clone();
        Self::bench(events, move |sender, control| async move {
            let owed = Owed::find(&store, &registry, Some(&session), false).map_err(|error| error.to_string())?;
            owed.plan.probe().map_err(|error| error.to_string())?;
            owed.run(&registry, &store, sender, control).await.map_err(|error| error.to_string())
        })
    }

    fn bench<F>(
        events: UnboundedSender<Event>,
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
                    let _ = forward.send(Event::Runner(Box::new(event)));
                }
            });
            let outcome = run(sender, control).await;
            // The sender is gone with the session, so this ends once everything is passed on.
            let _ = forwarding.await;
            let _ = events.send(Event::SessionOver(Box::new(outcome)));
        });
        Self { handle }
    }

    /// Tries a change of options; what it says and how it ends comes as events.
    pub(super) fn try_change(
        trying: Trying,
        setup: &Setup,
        registry: Registry,
        events: UnboundedSender<Event>,
    ) -> Self {
        let (handle, control) = Handle::new();
        let setup = setup.clone();
        tokio::spawn(async move {
            let (sender, mut said) = mpsc::unbounded_channel();
            let forward = events.clone();
            let forwarding = tokio::spawn(async move {
                while let Some(event) = said.recv().await {
                    let _ = forward.send(Event::Tune(Box::new(event)));
                }
            });
            let outcome = tune::run(trying, &setup, &registry, sender, control).await;
            let _ = forwarding.await;
            let _ = events.send(Event::TuneOver(outcome));
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
    SessionLaunch { cpu: setup.cpu, ..SessionLaunch::new(setup.work_dir.clone(), command_line) }
}

async fn run(
    start: Start,
    setup: &Setup,
    registry: &Registry,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<Report, String> {
    let Start { spec, preset, command_line } = start;
    let launch = SessionLaunch { preset, ..launch(setup, command_line) };
    let (catalog, store, registry, of) = (setup.catalog.clone(), setup.store.clone(), registry.clone(), launch.clone());
    let prepare = move || {
        let prepared = Prepared::of(spec, &catalog, &registry, &of, &store).map_err(|error| error.to_string())?;
        store.prepare().map_err(|error| error.to_string())?;
        Ok::<_, String>(prepared)
    };
    let prepared = tokio::task::spawn_blocking(prepare).await.map_err(|error| error.to_string())??;
    prepared.run(&launch, &setup.store, events, control).await.map_err(|error| error.to_string())
}
