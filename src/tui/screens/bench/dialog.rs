//! The dialogs of the Bench screen and the handling of their replies.

use super::{
    BenchPane, BenchScreen, Intents, OptionOwner, Request,
    files::{OwnFile, OwnKind},
    rounds::read_rounds,
    selected::Selected,
};
use crate::tui::{
    filter::ListFilter,
    overlay::{ListItem, Reply},
    screens::intent::Intent,
    widgets::cursor::ListCursor,
    world::World,
};
use dbdyno_catalog::{TestInfo, bench::Preset};
use dbdyno_engine::size::Size;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_reports::command::shell;

/// A question that the Bench screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The values of an option; several make a sweep.
    Values(OptionOwner, String),
    /// One value of an option, typed.
    Value(OptionOwner, String),
    /// The path of a file of the user's own.
    File(OwnKind, OwnFile),
    Size,
    /// The number of rounds.
    Rounds,
    Tests,
    /// A preset to load.
    Preset,
    /// The name to save under.
    SaveAs,
    /// Confirmation of replacing the preset with this name.
    Replace(String),
    /// A text that the options shown contain.
    Filter,
    /// The file to write the plan to.
    Export,
    /// Confirmation of a bench that takes long.
    Long,
}

/// Why the user's own files are not saved.
pub(super) const FILES_ARE_NO_PRESET: &str = "a preset cannot hold your own files: y copies the command that runs them";

impl BenchScreen {
    pub(super) fn ask_tests(&self, world: &World) -> Intents {
        let Some(suite) = self.suite(world) else { return Intents::new() };
        let chosen = suite.pick(&self.form.tests).unwrap_or_default();
        let items = suite
            .tests()
            .map(|test| {
                let needs: Vec<String> = test.needs.iter().map(u32::to_string).collect();
                let detail = if needs.is_empty() { String::new() } else { format!("after {}", needs.join(", ")) };
                let all = chosen.0.is_empty();
                ListItem { chosen: all || chosen.0.contains(&test.number), ..ListItem::new(label(&test), detail) }
            })
            .collect();
        vec![Intent::choose_several(Dialog::Tests, "Tests to measure", items)]
    }

    pub(super) fn notes(&self, world: &World) -> Intents {
        let selected = match self.selected(world) {
            Ok(selected) => selected,
            Err(reason) => return vec![Intent::refused(reason)],
        };
        if let Some(pages) =
            self.form.measured.own().map(|kind| self.about_files(kind)).filter(|pages| !pages.is_empty())
        {
            return pages;
        }
        let suite = selected.suite();
        let source = match selected {
            Selected::Suite(_) if !world.own_suites.contains(&suite.name) => format!("Reproduces: {}", suite.source),
            Selected::Suite(_) | Selected::Workload(_) => suite.source.clone(),
            Selected::Files(read) => read.own.files.path().display().to_string(),
        };
        let mut lines = vec![suite.title.clone(), String::new()];
        if !suite.about.is_empty() {
            lines.extend([suite.about.clone(), String::new()]);
        }
        lines.extend(suite.tests().map(|test| label(&test)));
        lines.extend([String::new(), source]);
        for note in &suite.notes {
            lines.extend([String::new(), format!("! {note}")]);
        }
        vec![Intent::page(format!("Suite {}", suite.name), lines)]
    }

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::Filter, Reply::Typing(text) | Reply::Text(text)) => {
                self.filter = ListFilter::read(&text, &[])?;
                self.cursors[BenchPane::Options.index()] = ListCursor::default();
            }
            (Dialog::Value(owner, option), Reply::Text(text)) => self.type_values(*owner, option, &text, world)?,
            (Dialog::Values(owner, option), Reply::Chosen(chosen)) => {
                self.choose_values(*owner, option, &chosen, world)
            }
            (Dialog::Values(owner, option), Reply::Text(text)) => self.type_values(*owner, option, &text, world)?,
            (Dialog::File(kind, file), Reply::Text(path)) => {
                return Ok(self.choose_file(*kind, *file, &path, world));
            }
            (Dialog::Size, Reply::Text(text)) => {
                let size: Size = text.parse()?;
                let suite = self.suite(world).ok_or("no suite is chosen")?;
                suite.check_size(size)?;
                self.form.add_size(size);
                self.plan(world);
            }
            (Dialog::Rounds, Reply::Text(text)) => {
                let (rounds, until_decided) = read_rounds(&text)?;
                self.form.until_decided = until_decided;
                self.set_rounds(rounds, world);
            }
            (Dialog::Tests, Reply::Chosen(chosen)) => self.choose_tests(&chosen, world)?,
            (Dialog::Preset, Reply::Chosen(chosen)) => {
                if let Some(preset) = chosen.first().and_then(|&at| world.presets.get(at)) {
                    return Ok(self.load(preset, world));
                }
            }
            (Dialog::SaveAs, Reply::Text(name)) => return self.save(&name, false, world),
            (Dialog::Replace(name), Reply::Yes) => return self.save(name, true, world),
            (Dialog::Export, Reply::Text(path)) => return self.export(&path, world),
            (Dialog::Long, Reply::Yes) => return Ok(self.start(world)),
            _ => {}
        }
        Ok(Intents::new())
    }

    fn choose_tests(&mut self, chosen: &[usize], world: &World) -> Result<(), String> {
        let Some(suite) = self.suite(world) else { return Ok(()) };
        if chosen.is_empty() {
            return Err("at least one test has to be measured".to_owned());
        }
        self.form.tests = suite.names_at(chosen);
        self.form.changed();
        self.plan(world);
        Ok(())
    }

    fn save(&self, name: &str, replace: bool, world: &World) -> Result<Intents, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(fits) {
            return Err(format!("`{name}`: expected a name of letters, digits, - and _"));
        }
        let (preview, selected) = self.planned(world)?;
        let workload = match selected {
            Selected::Suite(_) => None,
            Selected::Workload(made) => Some(Box::new(made.workload.clone())),
            Selected::Files(_) => return Err(FILES_ARE_NO_PRESET.to_owned()),
        };
        let count = counted(preview.plan.configurations.len(), "configuration");
        let title = format!("{count} of {}", self.subject_name());
        let preset = Box::new(Preset { name: name.to_owned(), title, spec: self.spec_of(selected, world) });
        Ok(vec![Intent::Request(Request::SavePreset { preset, workload, replace })])
    }

    fn export(&self, path: &str, world: &World) -> Result<Intents, String> {
        let (preview, selected) = self.planned(world)?;
        let command = selected.run_command(&self.spec_of(selected, world));
        let mut text = format!("{}\n\n", plain(&shell(command)));
        for configuration in &preview.plan.configurations {
            let tier = format!("tier {}: {}", configuration.tier, configuration.tier_reason);
            text.push_str(&plain(&format!("{} · size {} · {tier}", configuration.label, configuration.size)));
            text.push('\n');
        }
        for warning in &preview.warnings {
            text.push_str(&format!("! {}\n", plain(warning)));
        }
        Ok(vec![Intent::Write { path: path.into(), content: Box::new(text) }])
    }
}

fn label(test: &TestInfo) -> String {
    format!("{} {}", test.number, test.name)
}

pub(super) fn ask_preset(world: &World) -> Intents {
    if world.presets.is_empty() {
        return vec![Intent::refused("there are no presets")];
    }
    let items = world.presets.iter().map(|preset| ListItem::new(&preset.name, &preset.title)).collect();
    vec![Intent::choose_one(Dialog::Preset, "Load a preset", items)]
}
