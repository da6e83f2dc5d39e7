//! The dialogs of the Torture screen and the handling of their replies.

use super::{EVIDENCE_KEYS, Intents, TortureScreen};
use crate::tui::{
    export::{FileContent, NewFile},
    filter::ListFilter,
    launch::JobStart,
    overlay::{ListItem, Reply},
    screens::intent::Intent,
    setup::TuiSetup,
    widgets::cursor::ListCursor,
    world::World,
};
use dbdyno_catalog::{bench::EngineChoice, engines::Engine};
use dbdyno_engine::suite::SuiteKind;
use dbdyno_reports::evidence::EvidenceList;
use dbdyno_running::{
    jobs::JobKind,
    runner::SessionRequest,
    torture::{SUITE, TortureTerms, subjects},
};

/// A question that the Torture screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    Engine,
    /// The options of the engine.
    Configurations,
    /// The number of kills, images and mutants.
    Amount,
    /// Confirmation of stopping the crash test.
    Stop,
    /// The filter for the configurations shown.
    Filter,
    /// The file to write the evidence to.
    Export,
}

/// Returns the engines that can be crash-tested.
fn engines(world: &World) -> Vec<&Engine> {
    world.registry.engines.iter().filter(|engine| engine.description.suites.contains(&SuiteKind::Kv)).collect()
}

impl TortureScreen {
    pub(super) fn ask_engine(world: &World) -> Intents {
        let item = |engine: &&Engine| ListItem::new(&engine.description.name, &engine.description.about);
        vec![Intent::choose_one(Dialog::Engine, "Torture an engine", engines(world).iter().map(item).collect())]
    }

    fn ask_configurations(engine: &Engine) -> Intents {
        let options: Vec<&str> = engine.description.options.iter().map(|option| option.name.as_str()).collect();
        let help = format!(
            "options after a colon, as in name:option=value,other=value; values separated by | are tried one after the other. \
             Options: {}",
            options.join(", ")
        );
        vec![Intent::prompt(Dialog::Configurations, "Torture", help, &engine.description.name)]
    }

    pub(super) fn ask_amount(&self) -> Intents {
        let TortureTerms { kills, images, mutant_images, .. } = self.terms;
        let help = "three numbers: kills, images of power losses, and images for each omitted kind of sync calls";
        vec![Intent::prompt(Dialog::Amount, "Amount to try", help, format!("{kills} {images} {mutant_images}"))]
    }

    /// Starts a crash test of an engine with the current amounts.
    ///
    /// # Errors
    /// The reason why the choice is invalid, with the expected form.
    pub(super) fn start(&self, choice: &str, world: &World) -> Result<Intents, String> {
        let engine: EngineChoice = choice.trim().parse().map_err(|error| format!("{error}"))?;
        let suite = world.suites.iter().find(|suite| suite.name == SUITE);
        let suite = suite.ok_or_else(|| format!("there is no suite `{SUITE}`, whose keys and values are committed"))?;
        // A configuration that cannot be crash-tested is reported while the user can still correct it.
        subjects(vec![engine], suite, &world.registry).map_err(|error| error.to_string())?;
        let TortureTerms { kills, images, mutant_images, .. } = self.terms;
        let [kills, images, mutants] = [kills, images, mutant_images].map(|number| number.to_string());
        let words = ["dbdyno", "torture", choice.trim(), "--kills", &kills, "--power", &images, "--mutants", &mutants];
        Ok(vec![Intent::Measure(Box::new(JobStart::new(JobKind::Torture, words, world)))])
    }

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::Engine, Reply::Chosen(chosen)) => {
                let engine = chosen.first().and_then(|&at| engines(world).get(at).copied());
                return Ok(engine.map_or_else(Intents::new, Self::ask_configurations));
            }
            (Dialog::Configurations, Reply::Text(text)) => return self.start(&text, world),
            (Dialog::Amount, Reply::Text(text)) => self.terms = amount(&text, &self.terms)?,
            (Dialog::Stop, Reply::Yes) => {
                return Ok(vec![Intent::Tell(SessionRequest::Stop), Intent::said("stopping")]);
            }
            (Dialog::Filter, Reply::Typing(text) | Reply::Text(text)) => {
                self.filter = ListFilter::read(&text, EVIDENCE_KEYS)?;
                self.cursor = ListCursor::default();
            }
            (Dialog::Export, Reply::Text(path)) => {
                return Ok(vec![Intent::Write { path: path.into(), content: Box::new(EvidenceFile) }]);
            }
            _ => {}
        }
        Ok(Intents::new())
    }
}

fn amount(text: &str, now: &TortureTerms) -> Result<TortureTerms, String> {
    let numbers: Result<Vec<u32>, _> = text.split_whitespace().map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[kills, images, mutant_images]) => Ok(TortureTerms { kills, images, mutant_images, ..now.clone() }),
        _ => Err(format!("`{text}`: expected three whole numbers, as in 20 200 100")),
    }
}

/// All evidence about tiers.
#[derive(Debug)]
struct EvidenceFile;

impl FileContent for EvidenceFile {
    fn write(&self, file: &NewFile<'_>, setup: &TuiSetup) -> Result<(), String> {
        let found = EvidenceList::read(&setup.store).map_err(|error| error.to_string())?;
        file.write_sheet(&found.sheet("dbdyno list evidence"), &found)
    }
}
