//! The event loop.

use super::{
    Left,
    input::{self, TerminalInput},
    respond,
    session::Task,
    signals::{Signalled, Signals},
    terminal::Guard,
};
use crate::{
    runner::RunnerEvent,
    tui::{
        app::{App, Command, Message, Request, draw},
        keys::ScreenId,
        launch::Opening,
        setup::TuiSetup,
        widgets::Hit,
        world,
    },
    tune::TuneEvent,
};
use crossterm::{
    execute,
    terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use dbdyno_engine::protocol;
use std::{io, time::Duration};
use tokio::{
    sync::mpsc::{self, Receiver, UnboundedReceiver, UnboundedSender},
    time::{Instant, sleep_until},
};

/// Least time between two frames: twenty a second.
const FRAME: Duration = Duration::from_millis(50);

/// Takes what comes from terminal, signals, sessions and requests, one after the other, and paints.
pub(super) struct EventLoop {
    setup: TuiSetup,
    app: App,
    guard: Guard,
    signals: Signals,
    input: Receiver<TerminalInput>,
    hits: Vec<Hit>,
    task: Option<Task>,
    begun: Instant,
    drawn: Instant,
    /// Whether something changed since the last frame.
    dirty: bool,
    leaving: bool,
    left: Left,
    /// Once nothing can be painted any more: what the terminal said, where that is not just its end.
    gone: Option<io::Result<()>>,
    /// Where sessions and requests send their messages, and where these are taken.
    sender: UnboundedSender<Message>,
    messages: UnboundedReceiver<Message>,
}

impl EventLoop {
    pub(super) fn start(setup: TuiSetup, first: Opening) -> io::Result<Self> {
        // Before the terminal is taken over: a signal that comes in between ends the program in order too.
        let signals = Signals::new()?;
        let guard = Guard::take()?;
        let size = guard.terminal.size()?;
        let (mut app, mut commands) = App::new(world::read(&setup), (size.width, size.height));
        commands.extend(app.show(first));
        let (sender, messages) = mpsc::unbounded_channel();
        let now = Instant::now();
        let mut event_loop = Self {
            setup,
            app,
            guard,
            signals,
            input: input::listen(),
            hits: Vec::new(),
            task: None,
            begun: now,
            drawn: now,
            dirty: true,
            leaving: false,
            left: Left::AsAsked,
            gone: None,
            sender,
            messages,
        };
        event_loop.draw()?;
        event_loop.perform(commands);
        Ok(event_loop)
    }

    pub(super) async fn run(&mut self) -> io::Result<Left> {
        while !self.leaving {
            let wake = self.wake();
            tokio::select! {
                biased;
                signalled = self.signals.next() => match signalled {
                    Signalled::End => self.terminate(),
                    Signalled::Stop => self.suspend(),
                    Signalled::Resume => self.resumed(),
                },
                Some(input) = self.input.recv() => match input {
                    TerminalInput::Event(raw) => {
                        if let Some(event) = input::decode(raw, &self.hits) {
                            self.take(event);
                        }
                    }
                    TerminalInput::Gone => self.lost(Ok(())),
                },
                Some(event) = self.messages.recv() => {
                    self.take(event);
                    while let Ok(event) = self.messages.try_recv() {
                        self.take(event);
                    }
                }
                () = sleep_until(wake.unwrap_or(self.begun)), if wake.is_some() => self.take(Message::Time(self.begun.elapsed())),
            }
            if self.dirty && self.gone.is_none() && self.drawn.elapsed() >= FRAME {
                let drawn = self.draw();
                self.painted(drawn);
            }
        }
        match (self.left, self.gone.take()) {
            (Left::AsAsked, Some(Err(error))) => Err(error),
            (left, _) => Ok(left),
        }
    }

    /// A signal says that the program is to end; what is measured is stopped first.
    fn terminate(&mut self) {
        if self.task.is_some() {
            self.left = Left::Interrupted;
        }
        self.take(Message::Terminate);
    }

    /// The terminal is gone, or of no use: the same as a signal, once.
    fn lost(&mut self, said: io::Result<()>) {
        if self.gone.is_none() {
            self.gone = Some(said);
            self.terminate();
        }
    }

    /// Looks at what became of something that was done to the terminal.
    fn painted(&mut self, done: io::Result<()>) {
        match done {
            Ok(()) => {}
            // The other end was closed.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => self.lost(Ok(())),
            Err(error) => self.lost(Err(error)),
        }
    }

    /// When to look again with nothing else happening: for the next frame, or because something on screen moves.
    fn wake(&self) -> Option<Instant> {
        let frame = (self.dirty && self.gone.is_none()).then(|| self.drawn + FRAME);
        let moving = self.app.wakes().map(|after| Instant::now() + after);
        [frame, moving].into_iter().flatten().min()
    }

    fn take(&mut self, event: Message) {
        self.dirty |= self.is_seen(&event);
        if matches!(event, Message::SessionOver(_) | Message::TuneOver(_) | Message::TortureOver(_)) {
            self.task = None;
        }
        let mut commands = self.app.update(Message::Time(self.begun.elapsed()));
        if !matches!(event, Message::Time(_)) {
            commands.extend(self.app.update(event));
        }
        self.perform(commands);
    }

    /// Whether an event can change what is painted. Progress is seen on the Live screen only.
    fn is_seen(&self, event: &Message) -> bool {
        let progress = matches!(event, Message::Runner(event) if matches!(
            **event,
            RunnerEvent::Uses { .. } | RunnerEvent::Worker { says: protocol::Event::Progress { .. }, .. }
        ));
        let of_trial = matches!(event, Message::Tune(event) if matches!(
            **event,
            TuneEvent::Session { says: RunnerEvent::Uses { .. } | RunnerEvent::Worker { says: protocol::Event::Progress { .. }, .. } }
        ));
        !of_trial && (!progress || self.app.screen == ScreenId::Live)
    }

    fn perform(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Leave => self.leaving = true,
                Command::Suspend => self.suspend(),
                Command::Repaint => {
                    let wiped = self.guard.wipe();
                    self.painted(wiped);
                }
                Command::Start(start) => {
                    let registry = self.app.world.registry.clone();
                    self.task = Some(Task::start(*start, &self.setup, registry, self.sender.clone()));
                }
                Command::Resume(session) => {
                    let registry = self.app.world.registry.clone();
                    self.task = Some(Task::resume(session, &self.setup, registry, self.sender.clone()));
                }
                Command::Try(trial) => {
                    let registry = self.app.world.registry.clone();
                    self.task = Some(Task::try_change(*trial, &self.setup, registry, self.sender.clone()));
                }
                Command::Torture(start) => {
                    self.task = Some(Task::torture(*start, &self.setup, self.sender.clone()));
                }
                Command::Tell(tell) => {
                    if let Some(task) = &self.task {
                        task.tell(tell);
                    }
                }
                Command::Request(request) => self.request(request),
                Command::Copy(text) => {
                    let copied = execute!(io::stdout(), crossterm::clipboard::CopyToClipboard::to_clipboard_from(text));
                    self.painted(copied);
                }
            }
        }
    }

    /// Has a request responded to on a thread of its own; while a session runs, between two of its tests.
    fn request(&self, request: Request) {
        let (setup, sender) = (self.setup.clone(), self.sender.clone());
        let quiet = self.task.as_ref().filter(|_| respond::disturbs(&request)).map(Task::quiet);
        tokio::spawn(async move {
            let _quiet = match &quiet {
                Some(quiet) => Some(quiet.wait().await),
                None => None,
            };
            let response = tokio::task::spawn_blocking(move || respond::respond(request, &setup)).await;
            if let Ok(response) = response {
                // Nobody waits for it when the program ends.
                let _ = sender.send(Message::Response(Box::new(response)));
            }
        });
    }

    fn draw(&mut self) -> io::Result<()> {
        self.dirty = false;
        self.drawn = Instant::now();
        execute!(io::stdout(), BeginSynchronizedUpdate)?;
        let (app, look, hits) = (&self.app, &self.setup.look, &mut self.hits);
        self.guard.terminal.draw(|frame| {
            let (found, cursor) = draw(app, look, frame.buffer_mut());
            *hits = found;
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        })?;
        execute!(io::stdout(), EndSynchronizedUpdate)
    }

    /// Gives the terminal back and stops; the shell goes on.
    fn suspend(&mut self) {
        self.guard.give_back();
        // It cannot fail: the process is our own.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        self.resumed();
    }

    /// The shell has put us into the foreground again.
    fn resumed(&mut self) {
        let taken = self.guard.take_again().and_then(|()| self.guard.terminal.size());
        self.dirty = true;
        match taken {
            Ok(size) => self.take(Message::Resized(size.width, size.height)),
            Err(error) => self.painted(Err(error)),
        }
    }
}
