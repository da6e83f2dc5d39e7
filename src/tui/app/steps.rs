//! What screens want to happen, done: in the application, or as commands for outside.

use super::{App, Command, Open, Request, ask_world};
use crate::tui::{
    keys::ScreenId,
    launch::{Resumable, TrialStart},
    screens::{
        Steps, joined,
        step::{Notice, Step},
    },
    world,
};

impl App {
    /// Takes the steps of a screen, and returns what is to be done outside.
    pub(super) fn perform(&mut self, steps: Steps) -> Vec<Command> {
        let mut commands = Vec::new();
        for step in steps {
            match step {
                Step::Request(request) => commands.push(Command::Request(Request::Screen(request))),
                Step::Write { path, content } => commands.push(Command::Request(Request::Write { path, content })),
                Step::Copy(text) => commands.push(Command::Copy(text)),
                Step::Tell(tell) => commands.push(Command::Tell(tell)),
                Step::Ask(dialog, overlay) => self.open = Some(Open::dialog(overlay, dialog)),
                Step::Read(overlay) => self.open = Some(Open::page(overlay)),
                Step::Say(notice) => self.say(notice),
                Step::Saved(preset) => self.world.take_preset(*preset),
                Step::Compare { a, b } => {
                    self.screen = ScreenId::Compare;
                    let steps = joined(self.screens.compare.compare(a, b));
                    commands.extend(self.perform(steps));
                }
                Step::Replay(run) => {
                    self.screen = ScreenId::Live;
                    let steps = joined(self.screens.live.replay(run));
                    commands.extend(self.perform(steps));
                }
                Step::Load(preset) => {
                    self.screen = ScreenId::Bench;
                    let steps = joined(self.screens.bench.load(&preset, &self.world));
                    commands.extend(self.perform(steps));
                }
                Step::Run => commands.extend(self.unless_busy(Self::run)),
                Step::Resume(session) => commands.extend(self.unless_busy(|app| app.resume(&session))),
                Step::Try(trial) => commands.extend(self.unless_busy(|app| app.try_change(trial))),
            }
        }
        commands
    }

    /// Something was measured: after what its screen wants, what is stored and how long things take is asked for again.
    pub(super) fn measured(&mut self, steps: Steps) -> Vec<Command> {
        let mut commands = self.perform(steps);
        commands.extend([world::Request::History, world::Request::Noise].map(ask_world));
        self.screens.stale();
        commands.extend(self.shown());
        if self.leaving {
            commands.push(Command::Leave);
        }
        commands
    }

    /// Begins to measure, unless something is measured already.
    fn unless_busy(&mut self, begin: impl FnOnce(&mut Self) -> Vec<Command>) -> Vec<Command> {
        if !self.busy() {
            return begin(self);
        }
        let session = self.screens.live.running();
        let what = if session { "a session is running: 2 shows it" } else { "a trial is running: 5 shows it" };
        self.say(Notice::bad(what));
        Vec::new()
    }

    /// Tries a change of options.
    fn try_change(&mut self, trial: Box<TrialStart>) -> Vec<Command> {
        self.screens.tune.begun();
        vec![Command::Try(trial)]
    }

    /// Runs what the Bench screen holds.
    fn run(&mut self) -> Vec<Command> {
        let bench = &self.screens.bench;
        let preview = bench.preview.as_ref().map_err(Clone::clone);
        match bench.start(&self.world).and_then(|start| Ok((start, preview?))) {
            Ok((start, preview)) => {
                let steps = joined(self.screens.live.begin(&preview.plan, preview.expected_run(), self.now));
                self.begun(steps, Command::Start(Box::new(start)))
            }
            Err(reason) => {
                self.say(Notice::bad(reason));
                Vec::new()
            }
        }
    }

    /// Runs what an interrupted session still owes.
    fn resume(&mut self, session: &Resumable) -> Vec<Command> {
        let steps = joined(self.screens.live.begin(&session.plan, session.expected_run, self.now));
        self.begun(steps, Command::Resume(session.session_id.clone()))
    }

    /// Shows the session that begins.
    fn begun(&mut self, steps: Steps, command: Command) -> Vec<Command> {
        self.screen = ScreenId::Live;
        let mut commands = self.perform(steps);
        commands.push(command);
        commands
    }
}
