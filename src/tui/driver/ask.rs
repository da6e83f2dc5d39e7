//! Questions answered: everything the application wants to know or have written.

use crate::{
    base::{csv::Cells, output::Output},
    catalog::Preset,
    engines::Registry,
    host::{NoiseSample, WorkFolderFacts, measure_fsync},
    report::{
        comparison::{Format, TableStyle, export},
        text::Colour,
    },
    store::StoreHistory,
    tui::{
        event::{Answer, Question},
        export::Content,
        screens::bench,
        setup::Setup,
        world::{Noise, Place},
    },
};
use std::{
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How long others are watched to tell how busy the machine is.
const WATCH: Duration = Duration::from_secs(1);
/// CPU time that others may use on a quiet machine.
const BUSY: f64 = 0.10;
/// CPU time that other guests may take.
const STEAL: f64 = 0.01;
/// Columns of a table in a file.
const FILE_WIDTH: usize = 80;

/// Whether answering reads the store or writes to it; both must not happen beside a test.
pub(super) fn disturbs(question: &Question) -> bool {
    !matches!(question, Question::Engines | Question::Bench(_))
}

/// The answer to a question. Takes its time: called on a thread of its own.
pub fn answer(question: Question, setup: &Setup) -> Answer {
    match question {
        Question::Engines => Answer::Engines(Registry::discover()),
        Question::Place => Answer::Place(place(&setup.work_dir)),
        Question::History => Answer::History(StoreHistory::read(&setup.store)),
        Question::Noise => Answer::Noise(noise()),
        Question::Bench(bench::Question::SavePreset { preset, replace }) => {
            Answer::Bench(saved(preset, replace, setup))
        }
        Question::Live(question) => Answer::Live(crate::tui::screens::live::ask::answer(question, setup)),
        Question::Results(question) => {
            Answer::Results(crate::tui::screens::results::ask::answer(question, &setup.store))
        }
        Question::Compare(question) => {
            Answer::Compare(crate::tui::screens::compare::ask::answer(question, &setup.store))
        }
        Question::Tune(question) => Answer::Tune(crate::tui::screens::tune::ask::answer(question, setup)),
        Question::Claims(question) => Answer::Claims(crate::tui::screens::claims::ask::answer(question, &setup.store)),
        Question::Write { path, content } => Answer::Written(written(&path, &content, setup)),
    }
}

fn place(work_dir: &Path) -> Place {
    // A folder that cannot be made is told when a session begins.
    let _ = std::fs::create_dir_all(work_dir);
    let fsync = measure_fsync(work_dir).ok().map(Duration::from_nanos);
    Place { facts: Some(WorkFolderFacts::read(work_dir)), fsync }
}

fn noise() -> Noise {
    let before = NoiseSample::now();
    thread::sleep(WATCH);
    let noise = NoiseSample::now().since(&before);
    let percent = |share: f64| (share * 100.0).round().clamp(0.0, 100.0) as u8;
    match (noise.steal_share, noise.busy_share) {
        (Some(steal), _) if steal > STEAL => Noise::Stolen(percent(steal)),
        (_, Some(busy)) if busy > BUSY => Noise::Busy(percent(busy)),
        (None, None) => Noise::Unknown,
        _ => Noise::Quiet,
    }
}

fn saved(preset: Box<Preset>, replace: bool, setup: &Setup) -> bench::Answer {
    match setup.catalog.save_preset(&preset, replace, &[setup.store.guarded()]) {
        Ok(Some(_)) => bench::Answer::Saved(preset),
        Ok(None) => bench::Answer::Exists(preset.name),
        Err(reason) => bench::Answer::Unsaved(reason),
    }
}

/// Writes a file that is not there yet; where a link led, which file that is.
fn written(path: &Path, content: &Content, setup: &Setup) -> Result<PathBuf, String> {
    if path.as_os_str().is_empty() {
        return Err("no file was named".to_owned());
    }
    if path.exists() {
        return Err(format!("{} is there already: choose another name", path.display()));
    }
    let output = Output::check(path, &[setup.store.guarded()]).map_err(|error| error.to_string())?;
    let told = if output.note().is_some() { output.target() } else { path }.to_owned();
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    let text = match content {
        Content::Text(text) => text,
        Content::Ledger(ledger, command) => &crate::tui::screens::tune::ask::exported(ledger, command, path)?,
        Content::Comparison(comparison) => {
            let style = TableStyle { colour: Colour::Off, width: FILE_WIDTH };
            export(comparison, Format::of_file(path)?, style, Cells::Escaped, &output)
                .map_err(|error| error.to_string())?;
            return Ok(told);
        }
        Content::Results(line) => {
            crate::tui::screens::results::ask::export(&output, path, line, setup)?;
            return Ok(told);
        }
    };
    output.create(|temporary| std::fs::write(temporary, text)).and_then(|done| done).map_err(failed)?;
    Ok(told)
}
