//! The job that the screens have started or watch: its start and its end.

use super::{App, Command, WatchedJob, ask_world};
use crate::tui::{
    keys::{Action, KeyPress},
    launch::{JobStart, screen_of},
    screens::intent::Notice,
    world,
};
use dbdyno_running::jobs::JobKind;

impl App {
    /// Starts a job, unless one is already under way.
    pub(super) fn measure(&mut self, start: JobStart) -> Vec<Command> {
        if self.busy() {
            return self.refuse();
        }
        let JobStart { kind, command, outline } = start;
        self.world.is_first = false;
        let screen = screen_of(kind);
        self.job = Some(WatchedJob { screen, is_own: true });
        self.notices.hide();
        self.screens.begun(screen, outline, self.now);
        self.turn_to(screen);
        let mut commands = vec![Command::Measure(command)];
        commands.extend(self.shown());
        commands
    }

    /// Watches a job that another terminal runs, or that other screens left running.
    pub(super) fn watch(&mut self, id: String) -> Vec<Command> {
        // A job of another owner continues even if these screens stop watching it.
        if self.owns_job() {
            return self.refuse();
        }
        self.job = Some(WatchedJob { screen: screen_of(JobKind::Session), is_own: false });
        vec![Command::Watch(id)]
    }

    /// Reports which job is under way, because no other can start alongside it.
    pub(super) fn refuse(&mut self) -> Vec<Command> {
        if let Some((screen, what)) = self.under_way() {
            let key = self.world.keys.key(Action::Show(screen)).map_or_else(String::new, KeyPress::word);
            self.say(Notice::refused(format!("{what}: {key} shows it")));
        }
        Vec::new()
    }

    /// Handles the start of a job, or the discovery of a job to watch.
    pub(super) fn job_began(&mut self, is_own: bool, kind: JobKind) -> Vec<Command> {
        let screen = screen_of(kind);
        // The screen of a job that these screens started is already in view.
        if !self.job.replace(WatchedJob { screen, is_own }).is_some_and(|before| before.is_own) {
            self.screens.begun(screen, None, self.now);
            self.turn_to(screen);
        }
        Vec::new()
    }

    /// Handles the end of the job: its screen reports it, and stored data is read again.
    pub(super) fn job_over(&mut self, outcome: Result<(), String>) -> Vec<Command> {
        let Some(job) = self.job.take() else { return Vec::new() };
        let context = context!(self);
        let (intents, what) = self.screens.over(job.screen, outcome, &context);
        let mut commands = self.perform(intents);
        commands.push(Command::Announce(what));
        commands.extend([world::Request::History, world::Request::Noise].map(ask_world));
        self.screens.stale();
        commands.extend(self.shown());
        if self.leaving {
            commands.push(Command::Leave);
        }
        commands
    }
}
