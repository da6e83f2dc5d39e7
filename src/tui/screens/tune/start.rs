//! Starting trials: from the form, again from the ledger, or one for each value of an option.

use super::{Dialog, Intents, TuneScreen, base::words, form::expected_of};
use crate::tui::{
    launch::{JobStart, expected, is_long},
    screens::intent::Intent,
    world::World,
};
use dbdyno_catalog::bench::BenchEstimate;
use dbdyno_engine::settings::Settings;
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::tune::{command::try_command, words::durability};
use dbdyno_running::{
    jobs::JobKind,
    tune::{OptionChange, Trial, TunedWorkload, WhatIf, cannot_differ},
};

/// An action that takes long and needs a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LongStart {
    /// The change of the form.
    Try,
    /// A trial of each of these values of an option.
    Values(String, Vec<String>),
    /// The same number of rounds again, for the trial with this identifier.
    More(String),
    Search,
}

/// The trials to run on a workload.
enum TrialRequest {
    /// New changes, tried one after the other.
    Try(Vec<WhatIf>),
    /// The same number of rounds of a trial again.
    More(Box<Trial>),
}

/// A job that is ready to start.
struct PlannedJob {
    workload: TunedWorkload,
    question: TrialRequest,
    command: Vec<String>,
}

impl TuneScreen {
    /// Returns the arguments that name the user's own SQL files, if the workload consists of statements.
    pub(super) fn files(&self, workload: &TunedWorkload) -> Vec<String> {
        self.form.own_of(&workload.suite.name).map(|own| own.files.words()).unwrap_or_default()
    }

    /// Returns the intent that starts a tuning job. A new job uses the seed that the user set.
    pub(super) fn begin(
        &self,
        mut command: Vec<String>,
        is_new: bool,
        world: &World,
    ) -> Intent<super::Request, Dialog> {
        let seed = self.form.seed.filter(|_| is_new).map(|seed| ("--seed", seed.to_string()));
        let cpu = world.cpu.map(|cpu| ("--cpu", cpu.to_string()));
        let given = seed.into_iter().chain(cpu);
        command.extend(given.flat_map(|(flag, value)| [flag.to_owned(), value]));
        Intent::Measure(Box::new(JobStart::new(JobKind::Tune, command, world)))
    }

    /// Tries the change of the form, after a confirmation if that takes long.
    pub(super) fn start(&self, world: &World) -> Intents {
        self.begun_or_asked(self.planned_change(world), LongStart::Try, false, world)
    }

    /// Starts the confirmed action.
    pub(super) fn start_long(&self, start: &LongStart, world: &World) -> Intents {
        let planned = match start {
            LongStart::Search => return self.start_search(world, true),
            LongStart::Try => self.planned_change(world),
            LongStart::Values(option, values) => self.planned_values(option, values, world),
            LongStart::More(trial_id) => match self.trial(trial_id) {
                Some(trial) => self.planned_rounds(trial, world),
                None => Err("the trial is no longer in its ledger".to_owned()),
            },
        };
        self.begun_or_asked(planned, start.clone(), true, world)
    }

    /// Starts the planned job, asks for confirmation, or reports why it cannot start.
    fn begun_or_asked(
        &self,
        planned: Result<PlannedJob, String>,
        start: LongStart,
        surely: bool,
        world: &World,
    ) -> Intents {
        let PlannedJob { workload, question, command } = match planned {
            Ok(planned) => planned,
            Err(reason) => return vec![Intent::refused(reason)],
        };
        if !surely && let Some(asked) = asks(&workload, &question, start, world) {
            return vec![asked];
        }
        vec![self.begin(command, matches!(question, TrialRequest::Try(_)), world)]
    }

    fn planned_change(&self, world: &World) -> Result<PlannedJob, String> {
        if let Some(reason) = self.form.pointless(world) {
            return Err(format!("not run: it cannot differ ({reason})"));
        }
        let (workload, what_if) = self.form.what_if(world)?;
        let questions = vec![what_if];
        let command = try_command(&workload, &questions, &self.files(&workload));
        Ok(PlannedJob { workload, question: TrialRequest::Try(questions), command })
    }

    /// Plans trials of several values of an option, which share the allowed false alarms. Values that cannot differ are left out.
    fn planned_values(&self, option: &str, values: &[String], world: &World) -> Result<PlannedJob, String> {
        let workload = self.form.workload(world)?;
        let engine = &workload.engine.description;
        let base = workload.settings(&self.form.base).map_err(|error| error.to_string())?;
        let mut changes = Vec::new();
        for value in values {
            // Each trial also includes the rest of the current change.
            let mut change = OptionChange(self.form.change.clone());
            change.0.insert(option.to_owned(), value.clone());
            let changed = change.made_to(&base, engine).map_err(|error| error.to_string())?;
            if cannot_differ(engine, workload.suite.kind, &base, &changed).is_none() {
                changes.push(change);
            }
        }
        if changes.is_empty() {
            return Err("not run: none of these values can make a difference".to_owned());
        }
        let count = changes.len() as u32;
        let question = |change| self.form.question(&workload, change, count);
        let questions: Vec<WhatIf> = changes.into_iter().map(question).collect::<Result<_, _>>()?;
        let command = try_command(&workload, &questions, &self.files(&workload));
        Ok(PlannedJob { workload, question: TrialRequest::Try(questions), command })
    }

    fn planned_rounds(&self, trial: &Trial, world: &World) -> Result<PlannedJob, String> {
        trial.extendable()?;
        let workload = self.form.workload_of(trial, world)?;
        let mut command: Vec<String> = ["dbdyno", "tune", "more", &trial.trial_id].map(str::to_owned).to_vec();
        command.extend(self.files(&workload));
        Ok(PlannedJob { workload, question: TrialRequest::More(Box::new(trial.clone())), command })
    }

    /// Tries each of the chosen values.
    pub(super) fn try_values(&self, option: &str, chosen: &[usize], world: &World) -> Result<Intents, String> {
        let Some(spec) = self.form.specs(world).iter().find(|spec| spec.name == option) else { return Ok(Vec::new()) };
        let all = words(&spec.kind).unwrap_or_default();
        let values = chosen.iter().filter_map(|&at| all.get(at).cloned()).collect();
        self.try_each(option, values, world)
    }

    /// Tries each of the typed values.
    pub(super) fn try_typed_values(&self, option: &str, text: &str, world: &World) -> Result<Intents, String> {
        let Some(spec) = self.form.specs(world).iter().find(|spec| spec.name == option) else { return Ok(Vec::new()) };
        let mut values: Vec<String> = Vec::new();
        for typed in text.split('|').map(str::trim) {
            let expected = |expected: String| format!("{option} = `{typed}`: expected {expected}");
            let value = spec.kind.canonical(typed).map_err(expected)?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        self.try_each(option, values, world)
    }

    fn try_each(&self, option: &str, values: Vec<String>, world: &World) -> Result<Intents, String> {
        if values.is_empty() {
            return Err("expected at least one value".to_owned());
        }
        let planned = Ok(self.planned_values(option, &values, world)?);
        Ok(self.begun_or_asked(planned, LongStart::Values(option.to_owned(), values), false, world))
    }

    /// Adds the same number of rounds again to the trial that keys apply to.
    pub(super) fn more(&self, world: &World) -> Intents {
        let Some(trial) = self.target() else {
            return vec![Intent::refused("there is no finished trial to add rounds to")];
        };
        self.begun_or_asked(self.planned_rounds(trial, world), LongStart::More(trial.trial_id.clone()), false, world)
    }

    pub(super) fn accept(&mut self, world: &World) -> Intents {
        let Some(trial) = self.target().cloned() else {
            return vec![Intent::refused("there is no finished trial to accept")];
        };
        if let Err(reason) = trial.acceptable() {
            return vec![Intent::refused(reason)];
        }
        if trial.accepted {
            self.form.stand_on(&trial, world);
            return vec![Intent::said(format!("the base is now the result of {}", trial.change))];
        }
        let mut lines = Vec::new();
        if !trial.is_gain() {
            lines.push("No gain was found, or some test became slower.".to_owned());
        }
        if trial.loses_durability() {
            lines.push(format!("A commit survives less: {}.", durability(&trial)));
        }
        if lines.is_empty() {
            return vec![Intent::Request(super::Request::Accept(Box::new(trial)))];
        }
        let title = format!("Make {} the base?", trial.change);
        vec![Intent::confirm(Dialog::Accept(trial.trial_id), title, lines)]
    }

    pub(super) fn ask_stop(&self) -> Intents {
        let (title, line) = match self.running {
            Some(super::JobInProgress::Search) => {
                ("Stop the search?", "Measured data is kept; nothing is confirmed, so the search has no result.")
            }
            _ => ("Stop the trial?", "Measured data is kept; a stopped trial decides nothing."),
        };
        vec![Intent::confirm(Dialog::Stop, title, vec![line.to_owned()])]
    }
}

/// Returns the confirmation for a job that takes long; none if it is short, or if its time is unknown.
fn asks(
    workload: &TunedWorkload,
    question: &TrialRequest,
    start: LongStart,
    world: &World,
) -> Option<Intent<super::Request, Dialog>> {
    let pairs: Vec<([Settings; 2], u32)> = match question {
        TrialRequest::Try(questions) => questions
            .iter()
            .map(|one| {
                Some((
                    [one.base.clone(), one.change.made_to(&one.base, &workload.engine.description).ok()?],
                    one.rounds,
                ))
            })
            .collect::<Option<_>>()?,
        TrialRequest::More(trial) => {
            let settings = |asked| workload.settings(asked).ok();
            vec![([settings(&trial.base)?, settings(&trial.changed())?], trial.rounds)]
        }
    };
    let each = pairs.iter().map(|([base, changed], rounds)| expected_of(workload, [base, changed], *rounds, world));
    let estimate = each.collect::<Option<Vec<_>>>()?.into_iter().reduce(BenchEstimate::then)?;
    let title = format!("Start {}?", counted(estimate.runs, "run"));
    is_long(estimate.time).then(|| Intent::confirm_start(Dialog::Long(start), title, expected(&estimate, world)))
}
