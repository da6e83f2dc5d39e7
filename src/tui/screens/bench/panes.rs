//! The panes: their focus and their selections.

use super::{BenchScreen, Dialog, Intents, OptionOwner};
use crate::tui::{screens::intent::Intent, widgets::cursor::ListCursor, world::World};

/// The panes, in the order in which Left and Right visit them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Pane {
    Suites,
    #[default]
    Engines,
    /// Options of the suite or engine that was last under the cursor.
    Options,
    Sizes,
    Rounds,
}

impl Pane {
    pub(crate) const ALL: [Self; 5] = [Self::Suites, Self::Engines, Self::Options, Self::Sizes, Self::Rounds];

    /// Returns the pane's index.
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0)
    }
}

impl BenchScreen {
    pub(super) fn shift_pane(&mut self, by: usize) {
        self.pane = Pane::ALL[(self.pane.index() + by) % Pane::ALL.len()];
        self.owner_follows();
    }

    pub(super) fn cursor_moved(&mut self, world: &World) {
        self.owner_follows();
        if self.pane == Pane::Suites
            && let Some(suite) = world.suites.get(self.cursor().at)
            && suite.name != self.form.suite
        {
            self.form.take_suite(suite);
            self.plan(world);
        }
    }

    /// Shows the options of the suite or engine under the cursor.
    pub(super) fn owner_follows(&mut self) {
        let owner = match self.pane {
            Pane::Suites => OptionOwner::Suite,
            Pane::Engines => OptionOwner::Entry(self.cursor().at),
            Pane::Options | Pane::Sizes | Pane::Rounds => self.owner,
        };
        if owner != self.owner {
            self.owner = owner;
            self.cursors[Pane::Options.index()] = ListCursor::default();
        }
    }

    pub(super) fn toggle(&mut self, world: &World) -> Intents {
        match self.pane {
            Pane::Suites => {}
            Pane::Engines => {
                let at = self.cursor().at;
                let entries = self.form.entries.len();
                if let Some(entry) = self.form.entries.get_mut(at) {
                    entry.on = !entry.on;
                    self.form.changed();
                } else if let Some(missing) = world.registry.unavailable.get(at - entries) {
                    let lines = vec![missing.reason.clone()];
                    return vec![Intent::page(format!("{} cannot be used", missing.name), lines)];
                }
            }
            Pane::Options => return self.step_value(true, world),
            Pane::Sizes => self.form.toggle_size(self.cursor().at),
            Pane::Rounds => return self.edit(world),
        }
        self.plan(world);
        Intents::new()
    }

    pub(super) fn edit(&mut self, world: &World) -> Intents {
        match self.pane {
            Pane::Options => self.ask_value(world),
            Pane::Sizes => self.add(world),
            _ => {
                let (help, text) = ("a whole number from 1 to 10000", self.form.rounds.to_string());
                vec![Intent::prompt(Dialog::Rounds, "Rounds", help, text)]
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
        if self.pane == Pane::Engines {
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
            Pane::Engines if self.form.remove_again(at) => {}
            Pane::Engines => {
                return vec![Intent::said("this engine cannot be removed from the list: Space deselects it")];
            }
            _ => return Intents::new(),
        }
        self.owner_follows();
        self.plan(world);
        Intents::new()
    }
}
