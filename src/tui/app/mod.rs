//! The application's state machine: [`App::on_event`] takes what happened and returns what is to be done. No terminal, no
//! files, no clock: tests drive it with keys and look at what is painted.

mod paint;

pub use paint::draw;

use crate::tui::{
    event::{Answer, Effect, Event, Question},
    keys::{self, Action, Binding, EVERYWHERE, Key, ScreenId},
    launch::{Tell, Trying},
    widgets::Target,
};
use crate::tui::{
    launch::Resuming,
    overlay::{Asked, Confirm, Given, Item, Outcome, Overlay},
    screens::{
        bench, claims, compare, live, results,
        step::{Notice, Step, Steps},
        tune,
    },
    world::World,
};
use std::time::Duration;

/// The least terminal that shows each screen whole: columns and rows.
pub const LEAST: (u16, u16) = (80, 24);
/// How long a line that says something stays.
const NOTICE: Duration = Duration::from_secs(8);

/// The whole application.
#[derive(Debug)]
pub struct App {
    /// What is known of the world outside.
    pub world: World,
    /// The screen in view.
    pub screen: ScreenId,
    /// What lies over it.
    pub overlay: Option<Overlay>,
    /// The Bench screen.
    pub bench: bench::Bench,
    /// The Live screen, and the session under way.
    pub live: live::Live,
    /// The Results screen.
    pub results: results::Results,
    /// The Compare screen.
    pub compare: compare::Compare,
    /// The Tune screen.
    pub tune: tune::Tune,
    /// The Claims screen.
    pub claims: claims::Claims,
    /// What was last said, and until when it is shown.
    pub notice: Option<(Notice, Duration)>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Time since the program began.
    pub now: Duration,
    /// Whether the program ends as soon as the session under way has ended.
    leaving: bool,
}

impl App {
    /// The application at its start, with what it wants done first.
    pub fn new(world: World, size: (u16, u16)) -> (Self, Vec<Effect>) {
        let app = Self {
            screen: ScreenId::Bench,
            overlay: None,
            bench: bench::Bench::new(&world),
            live: live::Live::default(),
            results: results::Results::default(),
            compare: compare::Compare::default(),
            tune: tune::Tune::new(&world),
            claims: claims::Claims::default(),
            notice: None,
            size,
            now: Duration::ZERO,
            leaving: false,
            world,
        };
        let first = [Question::Engines, Question::Place, Question::History, Question::Noise];
        (app, first.map(Effect::Ask).into())
    }

    /// Takes what happened and says what is to be done.
    pub fn on_event(&mut self, event: Event) -> Vec<Effect> {
        let steps = match event {
            Event::Time(now) => {
                self.now = now;
                if self.notice.as_ref().is_some_and(|(_, until)| *until <= now) {
                    self.notice = None;
                }
                self.live.time(now)
            }
            Event::Key(key) => self.key(key),
            Event::Paste(text) => match &mut self.overlay {
                Some(overlay) => {
                    let outcome = overlay.paste(&text);
                    self.outcome(outcome)
                }
                None => Steps::new(),
            },
            Event::Click(target) => self.click(target),
            Event::Wheel(lines) => {
                let key = if lines < 0 { Key::Up } else { Key::Down };
                (0..lines.unsigned_abs()).flat_map(|_| self.key(key)).collect()
            }
            Event::Resized(columns, rows) => {
                self.size = (columns, rows);
                Steps::new()
            }
            Event::Runner(event) => self.live.runner(*event, self.now),
            Event::SessionOver(outcome) => {
                let mut steps = self.live.over(*outcome, self.now);
                steps.extend(self.measured());
                steps
            }
            Event::Tune(event) => self.tune.event(*event),
            Event::TuneOver(outcome) => {
                let mut steps = self.tune.over(outcome);
                steps.extend(self.measured());
                steps
            }
            Event::Answer(answer) => self.answered(*answer),
            // Told again, it ends in the same order, only sooner.
            Event::Terminate if self.leaving => vec![Step::Do(Effect::Tell(Tell::Hurry))],
            Event::Terminate => self.leave_now(),
        };
        self.perform(steps)
    }

    /// Something was measured: that changes what is stored, and what is known of how long things take.
    fn measured(&mut self) -> Steps {
        let questions = [Question::History, Question::Noise];
        let mut steps: Steps = questions.map(|question| Step::Do(Effect::Ask(question))).into();
        self.results.stale();
        self.compare.stale();
        self.claims.stale();
        steps.extend(self.shown());
        if self.leaving {
            steps.push(Step::Do(Effect::Leave));
        }
        steps
    }

    /// Whether something is measured.
    pub fn busy(&self) -> bool {
        self.live.running() || self.tune.running
    }

    /// What the status bar says of what is measured.
    pub fn status(&self) -> Option<String> {
        self.live.status().or_else(|| self.tune.status())
    }

    /// How often time has to be told, with nothing else happening; none when nothing on screen moves by itself.
    pub fn wakes(&self) -> Option<Duration> {
        let notice =
            self.notice.as_ref().map(|(_, until)| until.saturating_sub(self.now).max(Duration::from_millis(1)));
        let live = self.live.wakes(self.screen == ScreenId::Live);
        [notice, live].into_iter().flatten().min()
    }

    /// Whether the terminal is large enough for the screens.
    pub fn fits(&self) -> bool {
        self.size.0 >= LEAST.0 && self.size.1 >= LEAST.1
    }

    /// What keys mean in view, those of the screen first.
    pub fn bindings(&self) -> impl Iterator<Item = &'static Binding> {
        keys::of(self.screen).iter().chain(EVERYWHERE)
    }

    fn key(&mut self, key: Key) -> Steps {
        if let Some(overlay) = &mut self.overlay {
            let outcome = overlay.key(key);
            return self.outcome(outcome);
        }
        match keys::action(self.screen, key) {
            Some(action) => self.act(action),
            None => Steps::new(),
        }
    }

    fn act(&mut self, action: Action) -> Steps {
        match action {
            Action::Show(screen) => vec![Step::Go(screen)],
            Action::NextScreen => vec![Step::Go(self.screen.shifted(1))],
            Action::PreviousScreen => vec![Step::Go(self.screen.shifted(ScreenId::ALL.len() - 1))],
            Action::Help => vec![Step::Open(self.help())],
            Action::Palette => vec![Step::Open(self.palette())],
            Action::Warnings => vec![Step::Open(self.live.warnings())],
            Action::Quit if self.busy() => vec![Step::Open(Overlay::Confirm(Confirm {
                title: "A session is running. Leave?".to_owned(),
                lines: vec![
                    "The run under way is given up; every finished test is kept.".to_owned(),
                    "Other screens can be used while it runs.".to_owned(),
                ],
                asked: Asked::Leave,
            }))],
            Action::Quit => vec![Step::Do(Effect::Leave)],
            Action::Suspend => vec![Step::Do(Effect::Suspend)],
            Action::Redraw => vec![Step::Do(Effect::Repaint)],
            action => match self.screen {
                ScreenId::Bench => self.bench.act(action, &self.world),
                ScreenId::Live => self.live.act(action, self.now),
                ScreenId::Results => self.results.act(action, &self.world),
                ScreenId::Compare => self.compare.act(action, &self.world),
                ScreenId::Tune => self.tune.act(action, &self.world),
                ScreenId::Claims => self.claims.act(action, &self.world),
            },
        }
    }

    fn click(&mut self, target: Target) -> Steps {
        match (target, &mut self.overlay) {
            (Target::Overlay(row), Some(overlay)) => {
                let outcome = overlay.click(row);
                self.outcome(outcome)
            }
            (_, Some(_)) => Steps::new(),
            (Target::Screen(screen), None) => vec![Step::Go(screen)],
            (Target::Press(key), None) => self.key(key),
            (Target::Spot { pane, row }, None) => match self.screen {
                ScreenId::Bench => self.bench.click(pane, row, &self.world),
                ScreenId::Live => self.live.click(pane, row),
                ScreenId::Results => self.results.click(pane, row, &self.world),
                ScreenId::Compare => self.compare.click(pane, row, &self.world),
                ScreenId::Tune => self.tune.click(pane, row, &self.world),
                ScreenId::Claims => self.claims.click(pane, row, &self.world),
            },
            (Target::Overlay(_), None) => Steps::new(),
        }
    }

    /// What an overlay's answer leads to. A wrong answer keeps it open, with the reason.
    fn outcome(&mut self, outcome: Outcome) -> Steps {
        let asked = self.overlay.as_ref().and_then(|overlay| overlay.asked().cloned());
        match outcome {
            Outcome::Stays(None) => Steps::new(),
            Outcome::Stays(Some(given)) => {
                asked.map_or_else(Steps::new, |asked| self.given(&asked, given).unwrap_or_default())
            }
            Outcome::Answered(given) => {
                let closed = self.overlay.take();
                let Some(asked) = asked else { return Steps::new() };
                match self.given(&asked, given) {
                    Ok(steps) => steps,
                    Err(error) => {
                        self.overlay = match closed {
                            Some(Overlay::Prompt(mut prompt)) => {
                                prompt.error = Some(error);
                                Some(Overlay::Prompt(prompt))
                            }
                            other => {
                                self.say(Notice { text: error, bad: true });
                                other
                            }
                        };
                        Steps::new()
                    }
                }
            }
        }
    }

    fn given(&mut self, asked: &Asked, given: Given) -> Result<Steps, String> {
        match asked {
            Asked::Palette => Ok(match given {
                Given::Chosen(chosen) => {
                    let action = chosen.first().and_then(|&at| self.bindings().nth(at)).map(|binding| binding.action);
                    action.map_or_else(Steps::new, |action| self.act(action))
                }
                _ => Steps::new(),
            }),
            Asked::Leave => Ok(if given == Given::Yes { self.leave_now() } else { Steps::new() }),
            Asked::Bench(asked) => self.bench.given(asked, given, &self.world),
            Asked::Live(asked) => self.live.given(asked, given, &self.world),
            Asked::Results(asked) => self.results.given(asked, given, &self.world),
            Asked::Compare(asked) => self.compare.given(asked, given, &self.world),
            Asked::Tune(asked) => self.tune.given(asked, given, &self.world),
            Asked::Claims(asked) => self.claims.given(asked, given, &self.world),
        }
    }

    fn answered(&mut self, answer: Answer) -> Steps {
        match answer {
            Answer::Engines(registry) => {
                self.world.registry = registry;
                self.world.engines_complete = true;
                self.bench.world_changed(&self.world);
                Steps::new()
            }
            Answer::Place(place) => {
                self.world.place = place;
                self.bench.world_changed(&self.world);
                Steps::new()
            }
            Answer::History(history) => {
                self.world.history = history;
                self.bench.world_changed(&self.world);
                Steps::new()
            }
            Answer::Noise(noise) => {
                self.world.noise = noise;
                Steps::new()
            }
            Answer::Bench(answer) => self.bench.answered(answer, &mut self.world),
            Answer::Live(answer) => self.live.answered(answer, self.now),
            Answer::Results(answer) => self.results.answered(answer, &self.world),
            Answer::Compare(answer) => self.compare.answered(answer, &self.world),
            Answer::Tune(answer) => self.tune.answered(answer),
            Answer::Claims(answer) => self.claims.answered(answer),
            Answer::Written(Ok(path)) => vec![Step::said(format!("written: {}", path.display()))],
            Answer::Written(Err(reason)) => vec![Step::failed(reason)],
        }
    }

    /// Takes the steps of a screen, and returns what is to be done outside.
    fn perform(&mut self, steps: Steps) -> Vec<Effect> {
        let mut effects = Vec::new();
        for step in steps {
            let more = match step {
                Step::Do(effect) => {
                    effects.push(effect);
                    continue;
                }
                Step::Open(overlay) => {
                    self.overlay = Some(overlay);
                    continue;
                }
                Step::Say(notice) => {
                    self.say(notice);
                    continue;
                }
                Step::Go(screen) => {
                    self.screen = screen;
                    self.shown()
                }
                Step::Compare { a, b } => {
                    self.screen = ScreenId::Compare;
                    self.compare.compare(a, b)
                }
                Step::Replay(run) => {
                    self.screen = ScreenId::Live;
                    self.live.replay(run)
                }
                Step::Load(preset) => {
                    self.screen = ScreenId::Bench;
                    self.bench.load(&preset, &self.world)
                }
                Step::Run => self.run(),
                Step::Resume(resuming) => self.resume(&resuming),
                Step::Try(trying) => self.try_change(trying),
            };
            effects.extend(self.perform(more));
        }
        effects
    }

    /// The screen came into view: it may want to be told what is stored.
    fn shown(&mut self) -> Steps {
        match self.screen {
            ScreenId::Results => self.results.shown(),
            ScreenId::Compare => self.compare.shown(),
            ScreenId::Claims => self.claims.shown(&self.world),
            ScreenId::Tune => self.tune.shown(),
            ScreenId::Bench | ScreenId::Live => Steps::new(),
        }
    }

    /// What is said when something is measured already.
    fn is_busy(&self) -> Option<Steps> {
        let screen =
            if self.live.running() { "a session is running: 2 shows it" } else { "a trial is running: 5 shows it" };
        self.busy().then(|| vec![Step::failed(screen)])
    }

    /// Tries a change of options.
    fn try_change(&mut self, trying: Box<Trying>) -> Steps {
        if let Some(refusal) = self.is_busy() {
            return refusal;
        }
        self.tune.begun();
        vec![Step::Do(Effect::Try(trying))]
    }

    /// Runs what the Bench screen holds.
    fn run(&mut self) -> Steps {
        if let Some(refusal) = self.is_busy() {
            return refusal;
        }
        match (self.bench.start(&self.world), &self.bench.preview) {
            (Ok(start), Ok(preview)) => {
                let mut steps = self.live.begin(&preview.plan, preview.expected_run(), self.now);
                self.screen = ScreenId::Live;
                steps.push(Step::Do(Effect::Start(Box::new(start))));
                steps
            }
            (Err(reason), _) => vec![Step::failed(reason)],
            (Ok(_), Err(reason)) => vec![Step::failed(reason.clone())],
        }
    }

    /// Runs what an interrupted session still owes.
    fn resume(&mut self, resuming: &Resuming) -> Steps {
        if let Some(refusal) = self.is_busy() {
            return refusal;
        }
        let mut steps = self.live.begin(&resuming.plan, resuming.expected_run, self.now);
        self.screen = ScreenId::Live;
        steps.push(Step::Do(Effect::Resume(resuming.session_id.clone())));
        steps
    }

    /// Leaves: at once, or as soon as the session under way has stopped.
    fn leave_now(&mut self) -> Steps {
        if !self.busy() {
            return vec![Step::Do(Effect::Leave)];
        }
        self.leaving = true;
        vec![Step::Do(Effect::Tell(Tell::Stop)), Step::said("leaving as soon as the session has stopped")]
    }

    fn say(&mut self, notice: Notice) {
        self.notice = Some((notice, self.now + NOTICE));
    }

    fn help(&self) -> Overlay {
        let line = |binding: &Binding| {
            let keys: Vec<String> = binding.keys.iter().map(|key| key.word()).collect();
            format!("{:<12} {}", keys.join(" "), binding.help)
        };
        let mut lines: Vec<String> = keys::of(self.screen).iter().map(line).collect();
        lines.extend([String::new(), "On every screen".to_owned()]);
        lines.extend(EVERYWHERE.iter().map(line));
        Overlay::page(format!("Keys of {}", self.screen.name()), lines)
    }

    fn palette(&self) -> Overlay {
        let item = |binding: &Binding| {
            let key = binding.keys.first().map_or_else(String::new, |key| key.word());
            Item::new(binding.help, key)
        };
        Overlay::choose("Commands", self.bindings().map(item).collect(), false, Asked::Palette)
    }
}
