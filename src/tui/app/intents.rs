//! What screens want to happen, done: in the application, or as commands for outside.

use super::{App, Command, OpenOverlay, Request, ask_world};
use crate::tui::{
    keys::ScreenId,
    launch::{OwedSession, TortureStart, TrialStart},
    overlay::Overlay,
    screens::{
        Intents,
        intent::{Intent, Notice},
        joined,
    },
    world,
};
use dbdyno_running::session::FurtherRounds;

impl App {
    /// Does what a screen wants, and returns what is to be done outside.
    pub(super) fn perform(&mut self, intents: Intents) -> Vec<Command> {
        let mut commands = Vec::new();
        for intent in intents {
            match intent {
                Intent::Request(request) => commands.push(Command::Request(Request::Screen(request))),
                Intent::Write { path, content } => commands.push(Command::Request(Request::Write { path, content })),
                Intent::Copy(text) => commands.push(Command::Copy(text)),
                Intent::Tell(tell) => commands.push(Command::Tell(tell)),
                Intent::Ask(dialog, overlay) => commands.extend(self.ask(dialog, overlay)),
                Intent::AskFile(dialog, overlay) => {
                    if let Overlay::Prompt(prompt) = &overlay {
                        let asked = prompt.input.value().to_owned();
                        commands.push(Command::Request(Request::FreeName(asked)));
                    }
                    self.open = Some(OpenOverlay::dialog(overlay, dialog));
                }
                Intent::Read(overlay) => self.open = Some(OpenOverlay::page(overlay)),
                Intent::Say(notice) => self.say(notice),
                Intent::Saved(preset) => self.world.take_preset(*preset),
                Intent::Compare { a, b } => {
                    self.turn_to(ScreenId::Compare);
                    let intents = joined(self.screens.compare.compare(a, b));
                    commands.extend(self.perform(intents));
                }
                Intent::ComparePair { a, b } => {
                    self.turn_to(ScreenId::Compare);
                    let intents = joined(self.screens.compare.compare_pair(a, b));
                    commands.extend(self.perform(intents));
                }
                Intent::Trend(of) => {
                    self.turn_to(ScreenId::Trend);
                    let intents = joined(self.screens.trend.follow(of, self.now));
                    commands.extend(self.perform(intents));
                }
                Intent::Close => commands.extend(self.close_screen()),
                Intent::Replay(run) => {
                    self.turn_to(ScreenId::Live);
                    let intents = joined(self.screens.live.replay(run));
                    commands.extend(self.perform(intents));
                }
                Intent::Load(preset) => {
                    self.turn_to(ScreenId::Bench);
                    let intents = joined(self.screens.bench.load(&preset, &self.world));
                    commands.extend(self.perform(intents));
                }
                Intent::Run => commands.extend(self.unless_busy(Self::run)),
                Intent::Resume(session) => commands.extend(self.unless_busy(|app| app.resume(&session))),
                Intent::Further(further) => commands.extend(self.unless_busy(|app| app.add_rounds(further))),
                Intent::Try(trial) => commands.extend(self.unless_busy(|app| app.try_change(trial))),
                Intent::Torture(start) => commands.extend(self.unless_busy(|app| app.torture(start))),
            }
        }
        commands
    }

    /// Something was measured or tried: after what its screen wants, what is stored and how long things take is asked for again.
    pub(super) fn measured(&mut self, intents: Intents) -> Vec<Command> {
        let mut commands = self.perform(intents);
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
        let Some((screen, what)) = self.under_way() else { return begin(self) };
        self.say(Notice::bad(format!("{what}: {} shows it", screen.number())));
        Vec::new()
    }

    /// Tries a change of options.
    fn try_change(&mut self, trial: Box<TrialStart>) -> Vec<Command> {
        self.screens.tune.begun(&trial);
        vec![Command::Try(trial)]
    }

    /// Tortures configurations.
    fn torture(&mut self, start: Box<TortureStart>) -> Vec<Command> {
        self.screens.torture.begun(&start);
        vec![Command::Torture(start)]
    }

    /// Runs what the Bench screen holds.
    fn run(&mut self) -> Vec<Command> {
        let bench = &self.screens.bench;
        let preview = bench.preview.as_ref().map_err(Clone::clone);
        match bench.start(&self.world).and_then(|start| Ok((start, preview?))) {
            Ok((start, preview)) => {
                let intents = joined(self.screens.live.begin(&preview.plan, preview.expected_run(), None, self.now));
                self.begun(intents, Command::Start(Box::new(start)))
            }
            Err(reason) => {
                self.say(Notice::bad(reason));
                Vec::new()
            }
        }
    }

    /// Runs what an interrupted session still owes.
    fn resume(&mut self, session: &OwedSession) -> Vec<Command> {
        let OwedSession { session_id, plan, expected_run, .. } = session;
        let intents = joined(self.screens.live.begin(plan, *expected_run, Some(session_id), self.now));
        self.begun(intents, Command::Resume(session.session_id.clone()))
    }

    /// Runs rounds that are added to a session.
    fn add_rounds(&mut self, further: Box<FurtherRounds>) -> Vec<Command> {
        let live = &mut self.screens.live;
        let intents = joined(live.begin(&further.plan, further.expected_run(), None, self.now));
        live.adds_to(&further.adds_to, further.look.look);
        self.begun(intents, Command::Further(further))
    }

    /// Shows the session that begins.
    fn begun(&mut self, intents: Intents, command: Command) -> Vec<Command> {
        self.turn_to(ScreenId::Live);
        let mut commands = self.perform(intents);
        commands.push(command);
        commands
    }
}
