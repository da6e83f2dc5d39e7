//! Questions answered: everything the application wants to know or have written.

use super::{
    super::{
        app::{Noise, Place, bench},
        event::{Answer, Content, Question},
    },
    Setup,
};
use crate::{
    catalog::Preset,
    engines::Registry,
    host::{NoiseSample, WorkFolderFacts, measure_fsync},
    report::{
        command::shell,
        file::create,
        results::{self, ResultsFileError, ResultsFormat},
    },
    store::{Selection, StoreHistory},
};
use std::{io::ErrorKind, path::Path, thread, time::Duration};

/// How long others are watched to tell how busy the machine is.
const WATCH: Duration = Duration::from_secs(1);
/// CPU time that others may use on a quiet machine.
const BUSY: f64 = 0.10;
/// CPU time that other guests may take.
const STEAL: f64 = 0.01;

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
        Question::Live(question) => Answer::Live(super::live::answer(question, setup)),
        Question::Results(question) => Answer::Results(super::results::answer(question, &setup.store)),
        Question::Compare(question) => match question {},
        Question::Claims(question) => match question {},
        Question::Write { path, content } => Answer::Written(written(&path, &content, setup).map(|()| path)),
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
    match setup.catalog.save_preset(&preset, replace) {
        Ok(Some(_)) => bench::Answer::Saved(preset),
        Ok(None) => bench::Answer::Exists(preset.name),
        Err(reason) => bench::Answer::Unsaved(reason),
    }
}

/// Writes a file that is not there yet.
fn written(path: &Path, content: &Content, setup: &Setup) -> Result<(), String> {
    if path.as_os_str().is_empty() {
        return Err("no file was named".to_owned());
    }
    let done = match content {
        Content::Text(text) => create(path, |temporary| std::fs::write(temporary, text)),
        Content::Results(line) => {
            let format = ResultsFormat::of(path)?;
            let selection = Selection::parse_line(line)?;
            let command = export_command(path, line, format, setup);
            create(path, |temporary| match results::write(&setup.store, &selection, format, &command, temporary) {
                Err(ResultsFileError::File(error)) => Err(error),
                other => other.map_err(std::io::Error::other),
            })
        }
        Content::Comparison(_) => return Err("not written".to_owned()),
    };
    done.and_then(|done| done).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("{} is there already: choose another name", path.display()),
        _ => format!("{} cannot be written: {error}", path.display()),
    })
}

/// The command that writes the same file.
fn export_command(path: &Path, line: &str, format: ResultsFormat, setup: &Setup) -> String {
    let mut words = vec!["dbdyno".to_owned(), "export".to_owned()];
    words.extend(Selection::terms(line));
    words.extend(["--format", format.word(), "--out"].map(str::to_owned));
    words.push(path.display().to_string());
    words.extend(setup.arguments.iter().cloned());
    shell(words)
}
