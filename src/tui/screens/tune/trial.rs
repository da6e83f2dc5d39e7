//! The trial that is watched: how it begins, what it tells, how it ends.

use super::{Dialog, Intents, Request, TuneScreen};
use crate::{
    compare::RatioRange,
    report::{command::shell, tune::words::durability},
    runner::RunnerEvent,
    tui::{launch::TrialStart, screens::intent::Intent, world::World},
    tune::{TestEffect, Trial, TrialState, TuneEvent},
};
use dbdyno_engine::protocol;

/// A trial that is watched, or was last.
#[derive(Debug, Clone)]
pub struct WatchedTrial {
    /// The trial as it stands.
    pub(crate) trial: Trial,
    /// Rounds finished, of all looks.
    pub(crate) round: u32,
    pub(crate) effects: Vec<TestEffect>,
    /// The interval of the first test after each round.
    pub(crate) narrowing: Vec<(u32, Option<RatioRange>)>,
    /// What is being done: `round 3 · sqlite[cache_size=20000] · Random reads`.
    pub(crate) doing: String,
}

impl TuneScreen {
    pub(super) fn start(&mut self, world: &World) -> Intents {
        if let Some(reason) = self.form.pointless(world) {
            return vec![Intent::failed(format!("not run: it cannot differ ({reason})"))];
        }
        match self.form.what_if(world) {
            Ok((workload, what_if)) => {
                let mut command = self.form.command();
                command.extend(world.arguments.iter().cloned());
                vec![Intent::Try(Box::new(TrialStart::New { workload, what_if, command_line: shell(command) }))]
            }
            Err(reason) => vec![Intent::failed(reason)],
        }
    }

    pub(super) fn more(&self, world: &World) -> Intents {
        let Some(watched) = self.watched.as_ref().filter(|_| !self.running) else {
            return vec![Intent::said("there is no finished trial to add rounds to")];
        };
        match self.form.workload(world) {
            Ok(workload) => {
                let command_line = format!("dbdyno tune more {}", watched.trial.trial_id);
                let trial = Box::new(watched.trial.clone());
                vec![Intent::Try(Box::new(TrialStart::More { workload, trial, command_line }))]
            }
            Err(reason) => vec![Intent::failed(reason)],
        }
    }

    pub(super) fn accept(&self) -> Intents {
        let Some(watched) = self.watched.as_ref().filter(|_| !self.running) else {
            return vec![Intent::said("there is no finished trial to accept")];
        };
        let trial = &watched.trial;
        match &trial.state {
            TrialState::Tried if trial.is_gain() && !trial.loses_durability() => {
                vec![Intent::Request(Request::Accept(Box::new(trial.clone())))]
            }
            TrialState::Tried => {
                let mut lines = Vec::new();
                if !trial.is_gain() {
                    lines.push("No gain was found, or some test became slower.".to_owned());
                }
                if trial.loses_durability() {
                    lines.push(format!("A commit survives less: {}.", durability(trial)));
                }
                let title = format!("Make {} the base?", trial.change);
                vec![Intent::confirm(Dialog::Accept, title, lines)]
            }
            _ => vec![Intent::failed("the trial was not run to its end: it cannot be accepted")],
        }
    }

    /// A trial begins.
    pub(crate) fn begun(&mut self) {
        self.running = true;
    }

    /// What the trial tells.
    pub fn event(&mut self, event: TuneEvent) {
        match event {
            TuneEvent::TrialStarted { trial, before, .. } => {
                let kept = self.watched.take().filter(|watched| watched.trial.trial_id == trial.trial_id);
                let (effects, narrowing) =
                    kept.map_or_else(Default::default, |watched| (watched.effects, watched.narrowing));
                let doing = "starting".to_owned();
                self.watched = Some(WatchedTrial { trial: *trial, round: before, effects, narrowing, doing });
            }
            TuneEvent::Session { says } => {
                if let Some(watched) = &mut self.watched {
                    doing(watched, &says);
                }
            }
            TuneEvent::Round { round, effects, .. } => {
                if let Some(watched) = &mut self.watched {
                    let interval = effects.first().and_then(|effect| effect.found.as_ref()?.interval);
                    watched.narrowing.push((round, interval));
                    (watched.round, watched.effects) = (round, effects);
                }
            }
            TuneEvent::TrialEnded { trial } => self.ended(*trial),
            // Searches are run from the command line.
            TuneEvent::SearchStarted { .. }
            | TuneEvent::Dropped { .. }
            | TuneEvent::Standing { .. }
            | TuneEvent::SearchEnded { .. } => {}
        }
    }

    fn ended(&mut self, trial: Trial) {
        let kept = self.watched.take().filter(|watched| watched.trial.trial_id == trial.trial_id);
        let narrowing = kept.map_or_else(Vec::new, |watched| watched.narrowing);
        let (round, effects) = (trial.rounds, trial.effects.clone());
        self.watched = Some(WatchedTrial { trial, round, effects, narrowing, doing: String::new() });
    }

    /// The trial is over, or could not be run.
    pub(crate) fn over(&mut self, outcome: Result<(), String>) -> Intents {
        self.running = false;
        let mut intents = self.read_ledger();
        match outcome {
            Ok(()) => {
                intents.push(Intent::said("the trial is over: A accepts the change, m adds rounds, d takes it back"))
            }
            Err(reason) => intents.push(Intent::failed(reason)),
        }
        intents
    }
}

fn doing(watched: &mut WatchedTrial, says: &RunnerEvent) {
    match says {
        RunnerEvent::Calibrating => watched.doing = "measuring the harness".to_owned(),
        RunnerEvent::WaitingForLock => watched.doing = "waiting for another session's run".to_owned(),
        RunnerEvent::RunStarted { label, .. } => watched.doing.clone_from(label),
        RunnerEvent::Worker { says: protocol::Event::TestStarted { name, measured, .. }, .. } => {
            let run = watched.doing.split(" · ").next().unwrap_or_default();
            let what = if *measured { "" } else { " (preparing)" };
            watched.doing = format!("{run} · {name}{what}");
        }
        _ => {}
    }
}
