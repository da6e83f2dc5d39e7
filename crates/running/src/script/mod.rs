//! Users' own statements as a workload: a file of SQL becomes a suite, and a user's database becomes its starting point.
//!
//! Statements before a line `-- measure` prepare and are not measured. Without such a line, the CREATE, DROP, ALTER and PRAGMA statements
//! at the beginning of the file prepare. Comments say where the values of parameters come from, how often statements are done, and their
//! names: see [`Directive`]. Every statement is tried once on a scratch copy before anything is measured, so that a mistake is reported
//! with its line. The user's database is only ever read.

mod directive;
mod functions;
mod parameters;
mod plain_schema;
mod rehearsal;
mod schema_stand_ins;
mod snapshot;
mod split;
mod stand_in;
mod steps;
mod tryout;
mod values;

pub use directive::Directive;
pub use functions::FunctionStandIn;
pub use snapshot::DatabaseSnapshot;
pub use split::{Piece, split};
pub use values::ValueSource;

pub(crate) use stand_in::{Missed, sentences};
pub(crate) use steps::short;

use self::{
    stand_in::StandIns,
    steps::{MeasuredSteps, Steps},
};
use dbdyno_catalog::{Catalog, SCRIPT_NAMES, Suite};
use dbdyno_engine::{
    describe::Description,
    suite::{Expression, IndexSpec, SqlActor, Step, TableSpec},
};
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
    pub(crate) fn new(place: impl ToString, message: impl ToString) -> Self {
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
    notes: Vec<String>,
    size: ScriptSize,
    table: Vec<TableSpec>,
    index: Vec<IndexSpec>,
    test: [ScriptTest; 1],
}

#[derive(Serialize)]
struct ScriptSize {
    name: &'static str,
    default: [u64; 1],
    choices: [u64; 4],
    bytes: u64,
}

#[derive(Serialize)]
struct ScriptTest {
    number: u32,
    name: String,
    prepare: Vec<Step>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actors: Vec<SqlActor>,
}

/// The terms on which statements are tried before they are measured.
#[derive(Debug, Clone, Copy)]
pub struct ScriptTerms<'t> {
    /// The database that they start from; none: an empty one.
    pub start: Option<&'t DatabaseSnapshot>,
    /// The engines that will be measured. Statements may not set their options.
    pub engines: &'t [&'t Description],
    /// How long each statement may take.
    pub limit: Duration,
}

/// Generates the suite of a file's statements, on a copy of a database or on an empty one. Its size is how often the statements are run.
/// Its name is derived from the file's name and from the contents of file and database: other contents are another suite.
///
/// # Errors
/// The file cannot be read, or SQLite refuses a statement, or a statement reaches beyond its database, takes too long, or cannot be
/// measured. Errors in statements have their line.
pub fn suite(path: &Path, terms: ScriptTerms<'_>) -> Result<Suite, ScriptError> {
    let start = terms.start;
    let place = path.display().to_string();
    let text = input::read_text(path).map_err(|error| ScriptError::new(&place, error))?;
    let pieces = split(&text).map_err(|(line, message)| ScriptError::new(format!("{place}:{line}"), message))?;
    let mut stand_ins = start.map_or_else(StandIns::default, |start| start.stand_ins().clone());
    for piece in &pieces {
        if let Piece::Directive { line, directive: Directive::Function(function) } = piece {
            function.check().map_err(|message| ScriptError::new(format!("{place}:{line}"), message))?;
            stand_ins.functions.push(function.clone());
        }
    }
    let mut of_schema = start.map(|start| start.put(&stand_ins)).transpose()?.unwrap_or_default();
    let Steps { schema, prepare, measured, mut missed } = steps::steps(path, &pieces, &stand_ins, &terms)?;
    missed.append(&mut of_schema);
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let times: Expression = "R".parse().map_err(|message: String| ScriptError::new(&place, message))?;
    let often = |steps| {
        let (count, from) = (times.clone(), Expression::default());
        vec![Step::Repeat { count, variable: "i".to_owned(), from, steps }]
    };
    let (steps, actors) = match measured {
        MeasuredSteps::Alone(steps) => (often(steps), Vec::new()),
        MeasuredSteps::Threads(actors) => {
            let often = |actor: SqlActor| SqlActor { steps: often(actor.steps), ..actor };
            (Vec::new(), actors.into_iter().map(often).collect())
        }
    };
    let test = ScriptTest { number: 1, name: stem.clone(), prepare, steps, actors };
    // The values from queries and from CSV files are among the steps.
    let steps = toml::to_string(&test).map_err(|error| ScriptError::new(&place, error))?;
    let contents = format!("{text}\0{steps}\0{}", start.map_or("", |start| start.digest()));
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, contents.as_bytes()).simple().to_string();
    let name = format!("{SCRIPT_NAMES}{}-{}", stem.chars().map(plain).collect::<String>(), &digest[..8]);
    let file = ScriptFile {
        name: name.clone(),
        kind: "sql",
        title: format!("The statements of {stem}"),
        source: "a file of the user's".to_owned(),
        notes: sentences(&missed, &stand_ins),
        size: ScriptSize {
            name: "times the statements are run",
            default: [1],
            choices: [1, 10, 100, 1000],
            bytes: start.map_or(GUESSED_BYTES, |start| start.bytes().max(1)),
        },
        table: schema.tables,
        index: schema.indexes,
        test: [test],
    };
    let text = toml::to_string(&file).map_err(|error| ScriptError::new(&place, error))?;
    let suite = Catalog::suite_of(&name, &place, text).map_err(|error| ScriptError::new(&place, error))?;
    Ok(match start {
        Some(start) => suite.starting_from(start.path()),
        None => suite,
    })
}
