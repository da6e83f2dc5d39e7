//! The event loop.

use super::{
    LastSession, Left, Over,
    announce::Announcer,
    canvas::Canvas,
    desk::{Begun, Desk, Followed, Lane},
    input, respond,
    session::Task,
    signals::{Signalled, Signals},
};
use crate::tui::{
    app::{App, Command, Message, Request, Response, draw},
    attach::{Happening, Terminals},
    keys::ScreenId,
    launch::Opening,
    screens::intent::Notice,
    setup::TuiSetup,
    widgets::Hit,
    world,
};
use crossterm::{clipboard::CopyToClipboard, event::Event};
use dbdyno_engine::protocol;
use dbdyno_running::{runner::RunnerEvent, tune::TuneEvent};
use std::{io, time::Duration};
use tokio::{
    sync::mpsc::{self, Receiver, UnboundedReceiver, UnboundedSender},
    time::{Instant, sleep_until},
};

/// Least time between two frames: twenty a second.
const FRAME: Duration = Duration::from_millis(50);

/// Where a request ran, and its response: none where it was given up.
type Responded = (Lane, Option<Response>);

/// Takes what comes from terminals, signals, sessions and requests, one after the other, and paints.
pub(super) struct EventLoop<'t> {
    setup: TuiSetup,
    app: App,
    canvas: Canvas,
    announcer: Announcer,
    terminals: &'t mut Terminals,
    /// Whether a terminal is there. Without one nothing is painted.
    attached: bool,
    signals: Signals,
    input: Receiver<Event>,
    hits: Vec<Hit>,
    task: Option<Task>,
    begun: Instant,
    drawn: Instant,
    /// Whether something changed since the last frame.
    dirty: bool,
    leaving: bool,
    left: Left,
    /// The last session that ended.
    last: Option<Box<LastSession>>,
    /// Requests under way.
    desk: Desk<Request>,
    /// Where requests that were responded to are reported, with the response unless there was none, and where that is taken.
    responder: UnboundedSender<Responded>,
    responses: UnboundedReceiver<Responded>,
    /// What is measured, as those were told who ask.
    described: Option<String>,
    /// Where sessions send their messages, and where these are taken.
    sender: UnboundedSender<Message>,
    messages: UnboundedReceiver<Message>,
}

impl<'t> EventLoop<'t> {
    pub(super) async fn start(setup: TuiSetup, opening: Opening, terminals: &'t mut Terminals) -> io::Result<Self> {
        let signals = Signals::new()?;
        let first = terminals.next().await;
        let canvas = Canvas::blank()?;
        let (mut app, mut commands) = App::new(world::read(&setup), canvas.size()?);
        commands.extend(app.show(opening));
        let (sender, messages) = mpsc::unbounded_channel();
        let (responder, responses) = mpsc::unbounded_channel();
        let now = Instant::now();
        let announcer = Announcer::new(setup.announcements);
        let mut event_loop = Self {
            setup,
            app,
            canvas,
            announcer,
            terminals,
            attached: true,
            signals,
            input: input::listen(),
            hits: Vec::new(),
            task: None,
            begun: now,
            drawn: now,
            dirty: true,
            leaving: false,
            left: Left::AsAsked,
            last: None,
            desk: Desk::default(),
            responder,
            responses,
            described: None,
            sender,
            messages,
        };
        event_loop.happened(first)?;
        event_loop.draw()?;
        event_loop.perform(commands)?;
        Ok(event_loop)
    }

    pub(super) async fn run(mut self) -> io::Result<Over> {
        while !self.leaving {
            let wake = self.wake();
            tokio::select! {
                biased;
                signalled = self.signals.next() => match signalled {
                    Signalled::End => self.terminate()?,
                    Signalled::HangUp if self.outlasts() => self.terminals.detach(),
                    Signalled::HangUp => self.terminate()?,
                },
                happening = self.terminals.next() => self.happened(happening)?,
                Some(raw) = self.input.recv() => {
                    if let Some(event) = input::decode(raw, &self.hits) {
                        self.take(event)?;
                    }
                }
                Some(event) = self.messages.recv() => {
                    self.take(event)?;
                    while let Ok(event) = self.messages.try_recv() {
                        self.take(event)?;
                    }
                }
                Some((lane, response)) = self.responses.recv() => self.responded(lane, response)?,
                () = sleep_until(wake.unwrap_or(self.begun)), if wake.is_some() => {
                    self.take(Message::Time(self.begun.elapsed()))?;
                }
            }
            self.describe();
            if self.dirty && self.attached && self.drawn.elapsed() >= FRAME {
                self.draw()?;
            }
        }
        Ok(Over { left: self.left, last: self.last })
    }

    fn happened(&mut self, happening: Happening) -> io::Result<()> {
        match happening {
            Happening::Shown { strange } => {
                self.attached = true;
                self.canvas = Canvas::blank()?;
                self.announcer.forget();
                let (columns, rows) = self.canvas.size()?;
                self.dirty = true;
                self.take(Message::Resized(columns, rows))?;
                if strange {
                    let said = "this terminal differs (TERM, COLORTERM or NO_COLOR): colours are those of the first; \
                                `:theme` has others";
                    self.take(Message::Terminal(Notice::good(said)))?;
                }
                Ok(())
            }
            Happening::Lost => self.lost(),
            Happening::End => self.terminate(),
        }
    }

    /// The terminal is gone. What is measured goes on, unless nobody could return to it; nothing else is worth staying for.
    fn lost(&mut self) -> io::Result<()> {
        self.attached = false;
        if self.outlasts() { Ok(()) } else { self.terminate() }
    }

    /// Whether something goes on without a terminal.
    fn outlasts(&self) -> bool {
        self.task.is_some() && self.terminals.reachable
    }

    /// The program is to end; what is measured is stopped first.
    fn terminate(&mut self) -> io::Result<()> {
        if self.task.is_some() {
            self.left = Left::Interrupted;
        }
        self.take(Message::Terminate)
    }

    /// When to look again with nothing else happening: for the next frame, or because something on screen moves.
    fn wake(&self) -> Option<Instant> {
        let frame = (self.dirty && self.attached).then(|| self.drawn + FRAME);
        let moving = self.app.wakes().map(|after| Instant::now() + after);
        [frame, moving].into_iter().flatten().min()
    }

    fn take(&mut self, event: Message) -> io::Result<()> {
        self.dirty |= self.is_seen(&event);
        let over = over(&event);
        if over.is_some() {
            self.task = None;
        }
        if let Message::SessionOver(outcome) = &event
            && let Ok(report) = outcome.as_ref()
        {
            self.last = Some(Box::new(LastSession::new(report)));
        }
        let mut commands = self.app.update(Message::Time(self.begun.elapsed()));
        if !matches!(event, Message::Time(_)) {
            commands.extend(self.app.update(event));
        }
        self.perform(commands)?;
        if let Some(what) = over {
            self.canvas.queue(self.announcer.over(&what))?;
            // Where nobody saw it end, all of it is stored.
            self.leaving |= !self.attached;
        }
        Ok(())
    }

    /// Says what is measured, where that is something else than before.
    fn describe(&mut self) {
        let under_way = self.app.under_way().map(|(_, what)| match self.app.status() {
            Some(status) => format!("{what} · {status}"),
            None => what.to_owned(),
        });
        if under_way != self.described {
            self.described.clone_from(&under_way);
            self.terminals.describe(under_way);
        }
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

    fn perform(&mut self, commands: Vec<Command>) -> io::Result<()> {
        for command in commands {
            match command {
                Command::Leave => self.leaving = true,
                Command::Suspend => self.terminals.suspend(),
                Command::Detach if self.terminals.reachable => self.terminals.detach(),
                Command::Detach => {
                    let said = "nobody could return: there is neither a cache folder nor a runtime folder for a socket";
                    self.take(Message::Terminal(Notice::bad(said)))?;
                }
                Command::Repaint => self.canvas = Canvas::blank()?,
                Command::Start(start) => {
                    let registry = self.app.world.registry.clone();
                    self.task = Some(Task::start(*start, &self.setup, registry, self.sender.clone()));
                }
                Command::Resume(session) => {
                    let registry = self.app.world.registry.clone();
                    self.task = Some(Task::resume(session, &self.setup, registry, self.sender.clone()));
                }
                Command::Further(further) => {
                    self.task = Some(Task::further(*further, &self.setup, self.sender.clone()));
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
                    self.canvas.queue(CopyToClipboard::to_clipboard_from(text))?;
                    self.terminals.paint(self.canvas.take());
                }
            }
        }
        Ok(())
    }

    /// Takes a request, which begins as soon as no other of its lane runs.
    fn request(&mut self, request: Request) {
        let (sender, subject) = respond::subject(&request);
        if let Some(begun) = self.desk.post(sender, subject, request) {
            self.begin(begun);
        }
    }

    /// Has a request responded to on a thread of its own; while a session runs, between two of its tests.
    fn begin(&self, begun: Begun<Request>) {
        let Begun { lane, request, watch } = begun;
        let (mut setup, responder) = (self.setup.clone(), self.responder.clone());
        if let Some(watch) = &watch {
            setup.store = setup.store.watched(watch);
        }
        let quiet = self.task.as_ref().filter(|_| respond::disturbs(&request)).map(Task::quiet);
        tokio::spawn(async move {
            let _quiet = match &quiet {
                Some(quiet) => Some(quiet.wait().await),
                None => None,
            };
            let response = match watch.is_some_and(|watch| watch.is_given_up()) {
                true => None,
                false => tokio::task::spawn_blocking(move || respond::respond(request, &setup)).await.ok(),
            };
            // Nobody waits for it when the program ends.
            let _ = responder.send((lane, response));
        });
    }

    /// A request was responded to: what waits behind it begins.
    fn responded(&mut self, lane: Lane, response: Option<Response>) -> io::Result<()> {
        let Followed { is_wanted, next } = self.desk.ended(lane);
        if let Some(next) = next {
            self.begin(next);
        }
        match response.filter(|_| is_wanted) {
            Some(response) => self.take(Message::Response(Box::new(response))),
            None => Ok(()),
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.dirty = false;
        self.drawn = Instant::now();
        let (app, look, hits) = (&self.app, &self.setup.look, &mut self.hits);
        self.canvas.queue(self.announcer.how_far(self.app.progress().as_ref()))?;
        self.canvas.draw(|frame| {
            let (found, cursor) = draw(app, look, frame.buffer_mut());
            *hits = found;
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        })?;
        self.terminals.paint(self.canvas.take());
        self.terminals.part_with(self.announcer.farewell());
        Ok(())
    }
}

/// What is over with a message, in words; none where it goes on.
fn over(message: &Message) -> Option<String> {
    match message {
        Message::SessionOver(outcome) => Some(match outcome.as_ref() {
            Ok(report) => format!("session {}: {}", report.session.suite, report.session.status.word()),
            Err(reason) => format!("the session could not be run: {reason}"),
        }),
        Message::TuneOver(_) => Some("the trial is over".to_owned()),
        Message::TortureOver(_) => Some("torture is over".to_owned()),
        _ => None,
    }
}
