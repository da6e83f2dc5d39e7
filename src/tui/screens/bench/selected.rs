//! The selected subject: its suite, its engines, and the command that runs it.

use super::{BenchScreen, Preview, files::ReadFiles, form::BenchSubject, workload::Made};
use crate::tui::{launch::ChoiceSubject, world::World};
use dbdyno_catalog::{Suite, bench::Spec, engines::Engine};

/// The selected subject, if it can be measured.
#[derive(Debug, Clone, Copy)]
pub(super) enum Selected<'s> {
    /// A suite of the catalog.
    Suite(&'s Suite),
    /// The workload that the fields describe.
    Workload(&'s Made),
    /// The user's own files.
    Files(&'s ReadFiles),
}

impl<'s> Selected<'s> {
    pub(super) fn suite(self) -> &'s Suite {
        match self {
            Self::Suite(suite) => suite,
            Self::Workload(made) => &made.suite,
            Self::Files(read) => read.own.suite(),
        }
    }

    /// Returns the command that runs a bench of it, without the preset that it came from.
    pub(super) fn run_command(self, spec: &Spec) -> Vec<String> {
        let arguments = match self {
            Self::Suite(_) => spec.arguments(),
            Self::Workload(made) => made.workload.arguments(spec.clone(), &made.sizes),
            Self::Files(read) => {
                let run = std::iter::once("run".to_owned());
                run.chain(read.own.files.words()).chain(spec.flags()).collect()
            }
        };
        std::iter::once("dbdyno".to_owned()).chain(arguments).collect()
    }
}

impl BenchScreen {
    /// Returns the selected suite.
    pub(crate) fn suite<'w>(&'w self, world: &'w World) -> Option<&'w Suite> {
        self.selected(world).map(Selected::suite).ok()
    }

    /// Returns the selected subject, or why it cannot be measured.
    pub(super) fn selected<'w>(&'w self, world: &'w World) -> Result<Selected<'w>, String> {
        let selected = match &self.form.measured {
            BenchSubject::Suite(name) => {
                let found = world.suites.iter().find(|suite| suite.name == *name);
                return found.map(Selected::Suite).ok_or_else(|| format!("there is no suite `{name}`"));
            }
            BenchSubject::Workload => self.own.made().map(Selected::Workload).map_err(Clone::clone),
            BenchSubject::Files(kind) => self.files(*kind).read().map(Selected::Files),
        };
        selected.map_err(|why| format!("{}: {why}", self.subject_name()))
    }

    /// Returns the plan with its subject, or the error in the choices.
    pub(super) fn planned<'w>(&'w self, world: &'w World) -> Result<(&'w Preview, Selected<'w>), String> {
        Ok((self.preview.as_ref().map_err(Clone::clone)?, self.selected(world)?))
    }

    /// Returns the selected subject as the workload that engines compete on: the tests and the first size that are chosen. None if its
    /// files are missing or have errors.
    pub(crate) fn choice_subject(&self, world: &World) -> Option<ChoiceSubject> {
        Some(match self.selected(world).ok()? {
            Selected::Workload(made) => {
                let line = made.workload.to_string();
                ChoiceSubject { name: line.clone(), words: vec!["--workload".to_owned(), line] }
            }
            Selected::Files(read) => {
                ChoiceSubject { name: read.own.files.path().display().to_string(), words: read.own.files.words() }
            }
            Selected::Suite(suite) => {
                let mut subject = ChoiceSubject::of_suite(&suite.name, &self.form.tests);
                if let Some(size) = self.form.sizes.first() {
                    subject.name.push_str(&format!(" at {size}"));
                    subject.words.extend(["--size".to_owned(), size.to_string()]);
                }
                for (option, values) in &self.form.suite_options {
                    let set = |value| ["--set".to_owned(), format!("{}.{option}={value}", suite.name)];
                    subject.words.extend(values.first().into_iter().flat_map(set));
                }
                subject
            }
        })
    }

    /// Returns what users call the selected suite.
    pub(super) fn subject_name(&self) -> &str {
        self.form.measured.name()
    }

    /// Returns an engine with the option defaults that it has on the selected suite.
    pub(super) fn engine<'w>(&'w self, name: &str, world: &'w World) -> Option<&'w Engine> {
        match &self.form.measured {
            BenchSubject::Suite(suite) => world.engine_on(suite, name),
            BenchSubject::Workload => self.own.made().ok()?.engine(name),
            // Its options can be chosen before the file.
            BenchSubject::Files(kind) => {
                let read = self.files(*kind).read();
                read.map_or_else(|_| &world.registry, |read| &read.suited).get(name).ok()
            }
        }
    }

    /// Returns the bench that the form describes.
    pub(super) fn spec_of(&self, selected: Selected<'_>, world: &World) -> Spec {
        let mut spec = self.form.spec(&selected.suite().name);
        if let Selected::Files(read) = selected {
            read.add_options(&mut spec.engines, &world.registry);
        }
        spec
    }

    /// Returns the command that runs exactly this plan.
    pub(super) fn command(&self, (preview, selected): (&Preview, Selected<'_>), world: &World) -> Vec<String> {
        let mut spec = self.spec_of(selected, world);
        // The seed selects the sample of a sweep. Without it, a different sample than the one shown would run.
        if spec.stars.is_some() {
            spec.seed = Some(preview.plan.seed);
        }
        let Some(preset) = &self.form.preset else { return selected.run_command(&spec) };
        let mut words = ["dbdyno", "--preset", preset].map(str::to_owned).to_vec();
        words.extend(spec.seed.into_iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
        words
    }
}
