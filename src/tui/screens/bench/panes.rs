//! The panes: their focus and their selections.

use super::{
    BenchScreen, Dialog, Intents, OptionOwner,
    files::OwnKind,
    form::{BenchSubject, MY_WORKLOAD},
    rounds::{ROUNDS_HELP, shown_rounds},
};
use crate::tui::{
    keys::ScreenId,
    launch::{Opening, WhatIfBase},
    screens::intent::Intent,
    widgets::cursor::ListCursor,
    world::World,
};
use dbdyno_catalog::Suite;

/// What the first pane has to choose from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Measurable<'w> {
    /// The workload that the form describes.
    Workload,
    /// The user's own files.
    Files(OwnKind),
    /// The engines, which compete on another screen.
    Choose,
    /// Another value of an option, which another screen tries.
    WhatIf,
    /// A suite in the user's folder.
    Mine(&'w Suite),
    /// A built-in suite.
    Published(&'w Suite),
}

impl<'w> Measurable<'w> {
    /// Returns all of them, in the order in which they are shown.
    pub(super) fn all(world: &'w World) -> Vec<Self> {
        let (mine, published): (Vec<&Suite>, Vec<&Suite>) =
            world.suites.iter().partition(|suite| world.own_suites.contains(&suite.name));
        let mine = mine.into_iter().map(Self::Mine);
        let own = OwnKind::ALL.into_iter().map(Self::Files);
        let published = published.into_iter().map(Self::Published);
        let questions = [Self::Workload, Self::Choose].into_iter().chain(own).chain([Self::WhatIf]);
        questions.chain(mine).chain(published).collect()
    }

    /// Returns its name, and its suite if that is one of the catalog.
    pub(super) fn named(self) -> (&'w str, Option<&'w Suite>) {
        match self {
            Self::Workload => (MY_WORKLOAD, None),
            Self::Files(kind) => (kind.name(), None),
            Self::Choose => ("Help me choose", None),
            Self::WhatIf => ("What if?", None),
            Self::Mine(suite) | Self::Published(suite) => (&suite.name, Some(suite)),
        }
    }

    /// Returns the user's question that it answers; none for suites, which have only a name.
    pub(super) fn question(self) -> Option<&'static str> {
        match self {
            Self::Workload => Some("How fast is my workload?"),
            Self::Files(OwnKind::Sql) => Some("My own SQL statements"),
            Self::Files(OwnKind::Recorded) => Some("A recorded application"),
            Self::Choose => Some("Which engine? Help me choose"),
            Self::WhatIf => Some("What if an option were different?"),
            Self::Mine(_) | Self::Published(_) => None,
        }
    }

    /// Whether this is what a form measures.
    pub(super) fn is(self, measured: &BenchSubject) -> bool {
        match (self, measured) {
            (Self::Workload, BenchSubject::Workload) => true,
            (Self::Files(one), BenchSubject::Files(other)) => one == *other,
            (Self::Mine(suite) | Self::Published(suite), BenchSubject::Suite(name)) => suite.name == *name,
            _ => false,
        }
    }
}

/// The panes, in the order in which Left and Right visit them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum BenchPane {
    Suites,
    #[default]
    Engines,
    /// Options of the suite or engine that was last under the cursor.
    Options,
    Sizes,
    Rounds,
}

impl BenchPane {
    pub(crate) const ALL: [Self; 5] = [Self::Suites, Self::Engines, Self::Options, Self::Sizes, Self::Rounds];

    /// Returns a word for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Suites => "What",
            Self::Engines => "Engines",
            Self::Options => "Options",
            Self::Sizes => "Sizes",
            Self::Rounds => "Rounds",
        }
    }

    /// Returns the pane's index.
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0)
    }
}

impl BenchScreen {
    pub(super) fn shift_pane(&mut self, by: usize) {
        self.pane = BenchPane::ALL[(self.pane.index() + by) % BenchPane::ALL.len()];
        self.owner_follows();
    }

    /// Returns the subject under the cursor of the first pane, if that pane has the focus and another subject is chosen.
    pub(super) fn other_subject<'w>(&self, world: &'w World) -> Option<Measurable<'w>> {
        let under_cursor = Measurable::all(world).get(self.cursors[BenchPane::Suites.index()].at).copied();
        under_cursor.filter(|subject| self.pane == BenchPane::Suites && !subject.is(&self.form.measured))
    }

    /// Returns the engine whose options are shown, or the first selected one, with its options; of several values the first.
    pub(crate) fn what_if(&self) -> Option<WhatIfBase> {
        let shown = match self.owner {
            OptionOwner::Entry(at) => self.form.entries.get(at).filter(|entry| entry.on),
            OptionOwner::Suite => None,
        };
        let entry = shown.or_else(|| self.form.entries.iter().find(|entry| entry.on))?;
        let options = entry.options.iter().filter_map(|(name, values)| Some((name.clone(), values.first()?.clone())));
        let suite = match &self.form.measured {
            BenchSubject::Suite(name) => Some(name.clone()),
            BenchSubject::Workload | BenchSubject::Files(_) => None,
        };
        Some(WhatIfBase { engine: entry.engine.clone(), suite, options: options.collect() })
    }

    fn choose(&mut self, subject: Measurable<'_>, world: &World) -> Intents {
        match subject {
            Measurable::Choose => {
                let opening = self.choice_subject(world).map_or(Opening::Screen(ScreenId::Choose), Opening::Choose);
                return vec![Intent::Open(opening)];
            }
            Measurable::WhatIf => {
                let opening = self.what_if().map_or(Opening::Screen(ScreenId::Tune), Opening::WhatIf);
                return vec![Intent::Open(opening)];
            }
            Measurable::Workload => self.take_own(world),
            Measurable::Files(kind) => self.take_files(kind, world),
            Measurable::Mine(suite) | Measurable::Published(suite) => {
                self.form.take_suite(suite);
                self.plan(world);
            }
        }
        Intents::new()
    }

    /// Selects the user's own workload, as the fields now describe it.
    pub(super) fn take_own(&mut self, world: &World) {
        match self.own.made() {
            Ok(made) => self.form.take_own(made),
            Err(_) => self.form.measured = BenchSubject::Workload,
        }
        self.form.changed();
        self.plan(world);
    }

    /// Puts the cursor of the first pane on what is selected.
    pub(super) fn point_at_subject(&mut self, world: &World) {
        if let Some(at) = Measurable::all(world).iter().position(|subject| subject.is(&self.form.measured)) {
            self.cursors[BenchPane::Suites.index()].at = at;
        }
    }

    /// Shows the options of the suite or engine under the cursor.
    pub(super) fn owner_follows(&mut self) {
        let owner = match self.pane {
            BenchPane::Suites => OptionOwner::Suite,
            BenchPane::Engines => OptionOwner::Entry(self.cursor().at),
            BenchPane::Options | BenchPane::Sizes | BenchPane::Rounds => self.owner,
        };
        if owner != self.owner {
            self.owner = owner;
            self.cursors[BenchPane::Options.index()] = ListCursor::default();
        }
    }

    pub(super) fn toggle(&mut self, world: &World) -> Intents {
        match self.pane {
            BenchPane::Suites => match self.other_subject(world) {
                Some(subject) => return self.choose(subject, world),
                // Its options, the fields of the workload, or the files.
                None => self.pane = BenchPane::Options,
            },
            BenchPane::Engines => {
                let at = self.cursor().at;
                let entries = self.form.entries.len();
                let refusal = self.form.entries.get(at).filter(|entry| !entry.on).and_then(|entry| self.refused(entry));
                if let Some(reason) = refusal {
                    let title = format!("{} cannot run {}", self.form.entries[at].engine, self.subject_name());
                    return vec![Intent::page(title, vec![reason.to_owned()])];
                }
                if let Some(entry) = self.form.entries.get_mut(at) {
                    entry.on = !entry.on;
                    self.form.changed();
                } else if let Some(missing) = world.registry.unavailable.get(at - entries) {
                    let lines = vec![missing.reason.clone()];
                    return vec![Intent::page(format!("{} cannot be used", missing.name), lines)];
                }
            }
            BenchPane::Options => return self.step_value(true, world),
            BenchPane::Sizes => self.form.toggle_size(self.cursor().at),
            BenchPane::Rounds => return self.edit(world),
        }
        self.plan(world);
        Intents::new()
    }

    pub(super) fn edit(&mut self, world: &World) -> Intents {
        match self.pane {
            BenchPane::Options => self.ask_value(world),
            BenchPane::Sizes => self.add(world),
            BenchPane::Suites => self.toggle(world),
            BenchPane::Engines | BenchPane::Rounds => {
                let text = shown_rounds(self.form.rounds, self.form.until_decided);
                vec![Intent::prompt(Dialog::Rounds, "Rounds", ROUNDS_HELP, text)]
            }
        }
    }

    pub(super) fn set_rounds(&mut self, rounds: u32, world: &World) -> Intents {
        self.form.rounds = rounds.clamp(1, 10_000);
        self.form.changed();
        self.plan(world);
        Intents::new()
    }

    pub(super) fn add(&mut self, world: &World) -> Intents {
        if self.pane == BenchPane::Engines {
            self.form.add_again(self.cursor().at);
            self.plan(world);
            return Intents::new();
        }
        let unit = self.suite(world).map_or("size", |suite| suite.size_unit.as_str());
        let help = format!("{unit}: 10000, 10k, 1M; READS,WRITES for suites with two sizes");
        vec![Intent::prompt(Dialog::Size, "Add a size", help, "")]
    }

    pub(super) fn remove(&mut self, world: &World) -> Intents {
        let at = self.cursor().at;
        match self.pane {
            BenchPane::Engines if self.form.remove_again(at) => {}
            BenchPane::Engines => {
                return vec![Intent::refused("this engine cannot be removed from the list: Space deselects it")];
            }
            _ => return Intents::new(),
        }
        self.owner_follows();
        self.plan(world);
        Intents::new()
    }
}
