//! Users' own statements as a workload: a file of SQL becomes a suite, and a user's database becomes its starting point.
//!
//! Statements before a line `-- measure` prepare and are not measured. Without such a line, the CREATE, DROP, ALTER and PRAGMA statements
//! at the beginning of the file prepare. Comments say where the values of parameters come from, how often statements are done, and their
//! names: see [`Directive`]. Every statement is tried once on a scratch copy before anything is measured, so that a mistake is reported
//! with its line. The user's database is only ever read.

mod directive;
mod parameters;
mod rehearsal;
mod snapshot;
mod split;
mod steps;
mod tryout;
mod values;

pub use directive::Directive;
pub use snapshot::DatabaseSnapshot;
pub use split::{Piece, split};
pub use values::ValueSource;

use self::steps::Steps;
use dbdyno_catalog::{Catalog, Suite};
use dbdyno_engine::{describe::OptionSpec, suite::Step};
use dbdyno_foundation::base::input;
use serde::Serialize;
use std::{path::Path, time::Duration};
use uuid::Uuid;

/// The reason why a file or a database cannot be tuned.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ScriptError {
    /// The file, with the line if the error is in a statement.
    pub place: String,
    /// The error, the expected form, and the remedy.
    pub message: String,
}

impl ScriptError {
    fn new(place: impl ToString, message: impl ToString) -> Self {
        Self { place: place.to_string(), message: message.to_string() }
    }
}

/// The assumed maximum size of the data that a script without a database stores, bytes.
const GUESSED_BYTES: u64 = 64 << 20;

/// A suite file with one test.
#[derive(Serialize)]
struct ScriptFile {
    name: String,
    kind: &'static str,
    title: String,
    source: String,
    size: ScriptSize,
    test: [ScriptTest; 1],
}

#[derive(Serialize)]
struct ScriptSize {
    name: &'static str,
    default: [u64; 1],
    choices: [u64; 4],
    bytes: u64,
}

/// The prefix of names of suites generated from users' statements. No file has such a name: the suites can be generated again only from
/// their statements.
const NAMES: &str = "sql-";

/// Whether the suite with this name was generated from users' statements.
pub fn is_script(suite: &str) -> bool {
    suite.starts_with(NAMES)
}

#[derive(Serialize)]
struct ScriptTest {
    number: u32,
    name: String,
    prepare: Vec<Step>,
    steps: Vec<Step>,
}

/// Generates the suite of a file's statements, on a copy of a database or on an empty one. Its size is how often the statements are run.
/// Its name is derived from the file's name and from the contents of file and database: other contents are another suite. `options`: those
/// of the engines, which statements may not set. `limit`: how long each statement may take when it is tried.
///
/// # Errors
/// The file cannot be read, or SQLite refuses a statement, or a statement reaches beyond its database, takes too long, or cannot be
/// measured. Errors in statements have their line.
pub fn suite(
    path: &Path,
    start: Option<&DatabaseSnapshot>,
    options: &[&OptionSpec],
    limit: Duration,
) -> Result<Suite, ScriptError> {
    let place = path.display().to_string();
    let text = input::read_text(path).map_err(|error| ScriptError::new(&place, error))?;
    let pieces = split(&text).map_err(|(line, message)| ScriptError::new(format!("{place}:{line}"), message))?;
    let Steps { prepare, measured } = steps::steps(path, &pieces, start, options, limit)?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let times = "R".parse().map_err(|message: String| ScriptError::new(&place, message))?;
    let from = "0".parse().map_err(|message: String| ScriptError::new(&place, message))?;
    let test = ScriptTest {
        number: 1,
        name: stem.clone(),
        prepare,
        steps: vec![Step::Repeat { count: times, variable: "i".to_owned(), from, steps: measured }],
    };
    // The values from queries and from CSV files are among the steps.
    let steps = toml::to_string(&test).map_err(|error| ScriptError::new(&place, error))?;
    let contents = format!("{text}\0{steps}\0{}", start.map_or("", |start| start.digest()));
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, contents.as_bytes()).simple().to_string();
    let name = format!("{NAMES}{}-{}", stem.chars().map(plain).collect::<String>(), &digest[..8]);
    let file = ScriptFile {
        name: name.clone(),
        kind: "sql",
        title: format!("The statements of {stem}"),
        source: "a file of the user's".to_owned(),
        size: ScriptSize {
            name: "times the statements are run",
            default: [1],
            choices: [1, 10, 100, 1000],
            bytes: start.map_or(GUESSED_BYTES, |start| start.bytes().max(1)),
        },
        test: [test],
    };
    let text = toml::to_string(&file).map_err(|error| ScriptError::new(&place, error))?;
    let suite = Catalog::suite_of(&name, &place, text).map_err(|error| ScriptError::new(&place, error))?;
    Ok(match start {
        Some(start) => suite.starting_from(start.path()),
        None => suite,
    })
}
