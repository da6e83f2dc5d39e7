//! What the files of suites that are made of recordings have in common.

use dbdyno_catalog::{MOST_SPEED, RECORDING_NAMES, SPEED};
use dbdyno_engine::describe::OptionKind;
use serde::Serialize;
use std::{collections::BTreeMap, path::Path};
use uuid::Uuid;

/// The names of a suite and of its test.
pub(super) struct SuiteNames {
    pub(super) name: String,
    /// The name of the recording.
    pub(super) stem: String,
}

impl SuiteNames {
    /// Names the suite of a recording. `contents`: what distinguishes it from others.
    pub(super) fn new(recording: &Path, contents: &str) -> Self {
        let stem = recording.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, contents.as_bytes()).simple().to_string();
        let name = format!("{RECORDING_NAMES}{}-{}", stem.chars().map(plain).collect::<String>(), &digest[..8]);
        Self { name, stem }
    }
}

/// The size of a suite: a recording is replayed once.
#[derive(Serialize)]
pub(super) struct ReplaySize {
    name: &'static str,
    default: [u64; 1],
    choices: [u64; 1],
    bytes: u64,
}

impl ReplaySize {
    pub(super) fn new(bytes: u64) -> Self {
        Self { name: "times the recording is replayed", default: [1], choices: [1], bytes }
    }
}

#[derive(Serialize)]
pub(super) struct ReplayOption {
    name: &'static str,
    #[serde(flatten)]
    kind: OptionKind,
    default: &'static str,
    help: String,
}

impl ReplayOption {
    /// The option for the speed. `due`: what is due at its times.
    pub(super) fn speed(due: &str) -> Self {
        Self {
            name: SPEED,
            kind: OptionKind::Integer { min: 0, max: MOST_SPEED as i64 },
            default: "0",
            help: format!("percent of the recorded speed at which {due} are due; 0: as fast as possible"),
        }
    }
}

/// The answer of a reference replay.
#[derive(Serialize)]
pub(super) struct KnownReplay {
    size: &'static str,
    answers: BTreeMap<String, String>,
}

impl KnownReplay {
    pub(super) fn new(test: u32, answer: String) -> Self {
        Self { size: "1", answers: BTreeMap::from([(test.to_string(), answer)]) }
    }
}
