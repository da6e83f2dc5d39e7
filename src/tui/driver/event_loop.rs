//! The event loop.

use super::{
    Left, Over,
    announce::Announcer,
    canvas::Canvas,
    desk::{Desk, Lane, NextSteps, StartedRequest},
    input,
    pace::{FramePace, Urgency},
    respond,
    signals::{Signalled, Signals},
    task::Task,
};
use crate::tui::{
    app::{App, Command, Message, Request, Response, draw},
    launch::Opening,
    setup::TuiSetup,
    terminal::Guard,
    widgets::Hit,
    world,
};
use crossterm::{clipboard::CopyToClipboard, event::Event};
use dbdyno_running::{jobs::Telling, runner::RunnerEvent, watching::JobEvent};
use rustix::process::{Signal, getpid, kill_process};
use std::{
    io::{self, Write, stdout},
    time::Duration,
};
use tokio::{
    sync::mpsc::{self, Receiver, UnboundedReceiver, UnboundedSender},
    task::spawn_blocking,
    time::{Instant, sleep_until, timeout_at},
};

/// Longest time that leaving waits for reads, which end as soon as they notice that nobody wants them.
const READS_END: Duration = Duration::from_secs(1);

/// The lane of a request, and its response; none if the request was cancelled.
type Responded = (Lane, Option<Response>);

/// The loop that handles the events of terminal, signals, jobs and requests one after the other, and paints.
pub(super) struct EventLoop {
    setup: TuiSetup,
    app: App,
    canvas: Canvas,
    announcer: Announcer,
    /// Restores the terminal when it is dropped.
    guard: Guard,
    signals: Signals,
    input: Receiver<Event>,
    hits: Vec<Hit>,
    task: Option<Task>,
    begun: Instant,
    pace: FramePace,
    leaving: bool,
    left: Left,
    /// Requests under way.
    desk: Desk<Request>,
    /// The channel on which requests report their end, with a response if there is one.
    responder: UnboundedSender<Responded>,
    responses: UnboundedReceiver<Responded>,
    /// The channel on which jobs send their messages.
    sender: UnboundedSender<Message>,
    messages: UnboundedReceiver<Message>,
}

impl EventLoop {
    pub(super) fn start(setup: TuiSetup, opening: Opening) -> io::Result<Self> {
        // This comes before the terminal is taken over, so that a signal in between leaves it in order too.
        let signals = Signals::new()?;
        let guard = Guard::take()?;
        let canvas = Canvas::blank()?;
        let (mut app, mut commands) = App::new(world::read(&setup), canvas.size()?);
        commands.extend(app.show(opening));
        let (sender, messages) = mpsc::unbounded_channel();
        let (responder, responses) = mpsc::unbounded_channel();
        let now = Instant::now();
        let announcer = Announcer::new(setup.announcements);
        let pace = FramePace::new(now, setup.is_remote);
        let mut event_loop = Self {
            setup,
            app,
            canvas,
            announcer,
            guard,
            signals,
            input: input::listen(),
            hits: Vec::new(),
            task: None,
            begun: now,
            pace,
            leaving: false,
            left: Left::AsAsked,
            desk: Desk::default(),
            responder,
            responses,
            sender,
            messages,
        };
        event_loop.draw()?;
        event_loop.perform(commands)?;
        Ok(event_loop)
    }

    pub(super) async fn run(mut self) -> io::Result<Over> {
        let followed = match self.follow().await {
            // The other end of the terminal was closed.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EIO | libc::EPIPE)) => {
                self.left = Left::HungUp;
                Ok(())
            }
            outcome => outcome,
        };
        self.finish_requests().await;
        followed?;
        Ok(Over { left: self.left, last: self.app.last_session() })
    }

    async fn follow(&mut self) -> io::Result<()> {
        while !self.leaving {
            let wake = self.wake();
            tokio::select! {
                biased;
                signalled = self.signals.next() => match signalled {
                    Signalled::End => self.terminate()?,
                    Signalled::HangUp => self.leave(Left::HungUp),
                    Signalled::Stop => self.suspend()?,
                    Signalled::Resume => self.resumed()?,
                },
                raw = self.input.recv() => match raw.map(|raw| input::decode(raw, &self.hits)) {
                    Some(Some(event)) => self.take(event)?,
                    Some(None) => {}
                    None => self.leave(Left::HungUp),
                },
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
            if self.pace.due().is_some_and(|due| due <= Instant::now()) {
                self.draw()?;
            }
        }
        let farewell = self.announcer.farewell();
        if self.left != Left::HungUp { show(&farewell) } else { Ok(()) }
    }

    /// Waits until the changes under way are stored, and until reads have stopped: a process that ends while one of its threads uses
    /// DuckDB crashes.
    async fn finish_requests(&mut self) {
        self.guard.give_back();
        self.desk.give_up_reads();
        let patience = Instant::now() + READS_END;
        let mut is_told = false;
        while !self.desk.is_idle() {
            let ended = match is_told {
                false => timeout_at(patience, self.responses.recv()).await,
                true => Ok(self.responses.recv().await),
            };
            match ended {
                Ok(Some((lane, _))) => {
                    if let Some(next) = self.desk.ended(lane).next {
                        self.begin(next);
                    }
                }
                Err(_) if self.desk.has_changes() => {
                    is_told = true;
                    if self.left != Left::HungUp {
                        // Without a terminal there is nobody to tell.
                        let _ = show(b"still storing your last changes; a running test has to end first\n");
                    }
                }
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Leaves at once; jobs keep running.
    fn leave(&mut self, left: Left) {
        (self.leaving, self.left) = (true, left);
    }

    /// Returns the terminal to the shell and stops. The shell continues, and so do jobs.
    fn suspend(&mut self) -> io::Result<()> {
        show(&self.announcer.farewell())?;
        self.guard.give_back();
        // This cannot fail: the process is our own.
        let _ = kill_process(getpid(), Signal::STOP);
        self.resumed()
    }

    /// Takes the terminal again after the shell has put the program into the foreground.
    fn resumed(&mut self) -> io::Result<()> {
        self.guard.take_again()?;
        self.canvas = Canvas::blank()?;
        self.announcer.forget();
        let (columns, rows) = self.canvas.size()?;
        self.take(Message::Resized(columns, rows))
    }

    /// Asks the application to end. A job that screens have started is stopped first.
    fn terminate(&mut self) -> io::Result<()> {
        if self.app.owns_job() {
            self.left = Left::Interrupted;
        }
        self.take(Message::Terminate)
    }

    /// Returns when to wake up if nothing else happens: for the next frame, or because something on screen moves.
    fn wake(&self) -> Option<Instant> {
        let moving = self.app.wakes().map(|after| Instant::now() + after);
        [self.pace.due(), moving].into_iter().flatten().min()
    }

    fn take(&mut self, event: Message) -> io::Result<()> {
        if let Some(urgency) = self.urgency(&event) {
            self.pace.changed(urgency);
        }
        if matches!(event, Message::JobOver(_)) {
            self.task = None;
        }
        let mut commands = self.app.update(Message::Time(self.begun.elapsed()));
        if !matches!(event, Message::Time(_)) {
            commands.extend(self.app.update(event));
        }
        self.perform(commands)
    }

    /// How soon the change that an event makes is to be seen; none if it makes none. Progress is visible only on the Live screen.
    fn urgency(&self, event: &Message) -> Option<Urgency> {
        match event {
            Message::Job(event) => {
                let is_progress = event.of_session().is_some_and(RunnerEvent::is_progress);
                let is_seen = !is_progress || matches!(**event, JobEvent::Session(_)) && self.app.shows_job();
                is_seen.then_some(Urgency::Moving)
            }
            // Those that come while a job is in view are read for its picture.
            Message::Response(_) if self.app.shows_job() => Some(Urgency::Moving),
            Message::Time(_) => Some(Urgency::Moving),
            _ => Some(Urgency::Answer),
        }
    }

    fn perform(&mut self, commands: Vec<Command>) -> io::Result<()> {
        for command in commands {
            match command {
                Command::Leave => self.leaving = true,
                Command::Suspend => self.suspend()?,
                Command::Detach => self.leave(Left::Detached),
                Command::Repaint => self.canvas = Canvas::blank()?,
                Command::Measure(command) => {
                    self.task = Some(Task::start(command, &self.setup, self.sender.clone()));
                }
                Command::Watch(id) => {
                    // Pending messages of the previously watched job must not be taken for messages of this one.
                    (self.sender, self.messages) = mpsc::unbounded_channel();
                    self.task = Some(Task::watch(id, self.sender.clone()));
                }
                Command::Announce(what) => self.canvas.queue(self.announcer.over(&what))?,
                Command::Tell(tell) => {
                    if let Some(task) = &self.task {
                        task.tell(tell);
                    }
                }
                Command::Request(request) => self.request(request),
                Command::Copy(text) => {
                    self.canvas.queue(CopyToClipboard::to_clipboard_from(text))?;
                    show(&self.canvas.take())?;
                }
            }
        }
        Ok(())
    }

    /// Adds a request. It begins as soon as no other request of its lane runs.
    fn request(&mut self, request: Request) {
        let (sender, subject) = respond::subject(&request);
        if let Some(begun) = self.desk.post(sender, subject, request) {
            self.begin(begun);
        }
    }

    /// Responds to a request on a separate thread. While a session runs, this happens between two of its tests.
    fn begin(&self, begun: StartedRequest<Request>) {
        let StartedRequest { lane, request, watch } = begun;
        let (mut setup, responder) = (self.setup.clone(), self.responder.clone());
        if let Some(watch) = &watch {
            setup.store = setup.store.watched(watch);
        }
        let turn = self.task.as_ref().filter(|_| respond::disturbs(&request)).map(Task::turn);
        tokio::spawn(async move {
            let _turn = match turn {
                Some(turn) => spawn_blocking(turn).await.ok().flatten(),
                None => None,
            };
            let response = match watch.is_some_and(|watch| watch.is_given_up()) {
                true => None,
                false => spawn_blocking(move || respond::respond(request, &setup)).await.ok(),
            };
            // The receiver is gone when the program ends.
            let _ = responder.send((lane, response));
        });
    }

    /// Handles the response to a request: the next request of its lane begins.
    fn responded(&mut self, lane: Lane, response: Option<Response>) -> io::Result<()> {
        let NextSteps { is_wanted, next } = self.desk.ended(lane);
        if let Some(next) = next {
            self.begin(next);
        }
        match response.filter(|_| is_wanted) {
            Some(response) => self.take(Message::Response(Box::new(response))),
            None => Ok(()),
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let (app, look, hits) = (&self.app, &self.setup.look, &mut self.hits);
        self.canvas.queue(self.announcer.how_far(self.app.progress().as_ref()))?;
        self.canvas.draw(|frame| {
            let (found, cursor) = draw(app, look, frame.buffer_mut());
            *hits = found;
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        })?;
        let painted = self.canvas.take();
        self.pace.painted(Instant::now(), painted.len());
        show(&painted)
    }
}

/// Writes to the terminal.
fn show(painted: &[u8]) -> io::Result<()> {
    let mut terminal = stdout().lock();
    terminal.write_all(painted)?;
    terminal.flush()
}
