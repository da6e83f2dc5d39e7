//! Recordings as a workload: a recording becomes a suite of one test, and the database as it was at its beginning the starting point.
//!
//! Two reference replays run first, each one transaction after the other: one with every read as early as the recording allows, one as late.
//! Equal answers are verified in every run afterwards. Others are listed and not judged.

mod keys;
mod notes;
mod reference;
mod suite;

pub use keys::RecordedKeys;
pub use reference::ReplayReference;

use self::suite::{KnownReplay, ReplayOption, ReplaySize, SuiteNames};
use crate::{
    runner::RunFolder,
    script::{DatabaseSnapshot, Missed, ScriptError, sentences},
};
use dbdyno_catalog::{Catalog, SPEED, Suite};
use dbdyno_engine::{
    describe::{Description, OptionKind},
    suite::{Expression, ReplaySpec, ReplayedStatement},
};
use dbdyno_foundation::base::identifier::identifier;
use dbdyno_recorded::{ReplayError, ReplayPlan, ReplayTerms, recorded_source, write_replay};
use serde::Serialize;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Pragmas that change what statements do. They are replayed as recorded, although engines have options of the same name.
const MEANINGS: [&str; 1] = ["foreign_keys"];

/// Why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    #[error(transparent)]
    Recording(#[from] ReplayError),
    /// A database for a recording of keys and values.
    #[error(
        "{}: it has operations on keys and values, and begins with the keys that it needs: expected no --database and no --recorded-database",
        path.display()
    )]
    KeysWithDatabase { path: PathBuf },
    /// The database at the beginning, or the suite that was made.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The reference replay failed.
    #[error("{}: the replay that gives the answers failed: {reason}", path.display())]
    Reference { path: PathBuf, reason: String },
    #[error("{}: cannot create files for the replay: {reason}", path.display())]
    Folder { path: PathBuf, reason: String },
}

/// The terms of a replay.
#[derive(Debug, Clone, Copy)]
pub struct RecordedTerms<'t> {
    /// The database to replay, as the recording names it; none: the one that took the most time.
    pub of: Option<&'t str>,
    /// A database to start from, in place of the copy that the recording has.
    pub start: Option<&'t Path>,
    /// The engines that will be measured. Their options replace the pragmas of the recording.
    pub engines: &'t [&'t Description],
    pub work_dir: &'t Path,
}

/// A recording that can be measured. It owns its files.
#[derive(Debug)]
pub struct RecordedWorkload {
    pub suite: Suite,
    pub plan: ReplayPlan,
    pub reference: ReplayReference,
    /// The options with which the program used the database, by their names.
    options: BTreeMap<String, String>,
    _start: Option<DatabaseSnapshot>,
    _folder: RunFolder,
}

impl RecordedWorkload {
    /// Makes a suite of a recording, and replays it twice for reference.
    ///
    /// # Errors
    /// The recording cannot be read or has nothing to replay, the work folder has too little room, or the reference replay fails.
    pub fn read(recording: &Path, terms: RecordedTerms<'_>) -> Result<Self, RecordedError> {
        let (folder, files) = folder(terms.work_dir)?;
        let source = recorded_source(recording, terms.of)?;
        let database = terms.start.or(source.copy.as_deref());
        let start = database.map(|database| DatabaseSnapshot::take(database, terms.work_dir)).transpose()?;
        let stand_ins = start.as_ref().map(|start| start.stand_ins().clone()).unwrap_or_default();
        let missed = RefCell::new(BTreeSet::new());
        let rewrite = |sql: &str| {
            let rewritten = stand_ins.rewrite(sql, None);
            // What depends on chance is found by the reference replays.
            let has_stand_in = |missed: &Missed| !matches!(missed, Missed::OwnChance { .. });
            missed.borrow_mut().extend(rewritten.missed.into_iter().filter(has_stand_in));
            rewritten.sql
        };
        let replayed = ReplayTerms { options: &pragmas(terms.engines), rewrite: &rewrite };
        let plan = write_replay(recording, &source, &files, replayed)?;
        let options = plan.settings(&start.as_ref().map(|start| start.options().clone()).unwrap_or_default());
        let made = SuiteParts { recording, plan: &plan, start: start.as_ref(), files: &files };
        let first = made.suite(&plan.spec, &[], None)?;
        let reference = reference::replay(&first, &options, &terms)
            .map_err(|reason| RecordedError::Reference { path: recording.to_owned(), reason })?;
        let spec = judged(&plan.spec, &reference);
        let mut doubts = notes::doubts(&plan, &reference, terms.start.is_some());
        doubts.extend(sentences(&missed.into_inner(), &stand_ins));
        let suite = made.suite(&spec, &doubts, Some(reference.verification()))?;
        Ok(Self { suite, plan, reference, options, _start: start, _folder: folder })
    }

    /// Describes in sentences which parts of the recording are replayed.
    pub fn facts(&self) -> Vec<String> {
        notes::facts(&self.plan, &self.reference)
    }

    /// Returns the options with which the program used the database, as far as an engine has them.
    pub fn options(&self, description: &Description) -> BTreeMap<String, String> {
        let known = |(name, value): (&String, &String)| {
            let option = description.option(name)?;
            Some((name.clone(), canonical(&option.kind, value)?))
        };
        self.options.iter().filter_map(known).collect()
    }
}

/// Creates the folder for the files of a replay. It is removed with the first value.
fn folder(work_dir: &Path) -> Result<(RunFolder, PathBuf), RecordedError> {
    let wrong = |error: std::io::Error| RecordedError::Folder { path: work_dir.to_owned(), reason: error.to_string() };
    let folder = RunFolder::create(work_dir, &identifier(), false).map_err(wrong)?;
    let files = folder.path().join("replay");
    fs::create_dir(&files).map_err(wrong)?;
    Ok((folder, files))
}

/// Returns the pragmas that statements of a replay do not set: the options of the engines.
fn pragmas(engines: &[&Description]) -> BTreeSet<String> {
    let options = engines.iter().flat_map(|engine| &engine.options);
    options.map(|option| option.name.clone()).filter(|name| !MEANINGS.contains(&name.as_str())).collect()
}

/// Returns a pragma's value as an option has it. SQLite numbers the words of some pragmas.
fn canonical(kind: &OptionKind, value: &str) -> Option<String> {
    if let Ok(canonical) = kind.canonical(value) {
        return Some(canonical);
    }
    let OptionKind::Choice { choices } = kind else { return None };
    choices.get(value.parse::<usize>().ok()?).cloned()
}

/// Returns the load with the findings of the reference replays: statements that are verified, and statements that may fail.
fn judged(spec: &ReplaySpec, reference: &ReplayReference) -> ReplaySpec {
    let statements = spec.statements.iter().map(|statement| ReplayedStatement {
        is_verified: statement.is_verified && !reference.unequal.contains(&statement.name),
        may_fail: reference.failures.iter().any(|failing| failing.name == statement.name),
        ..statement.clone()
    });
    ReplaySpec {
        statements: statements.collect(),
        unequal_tables: reference.unequal_tables.clone(),
        speed: Expression::Variable(SPEED.to_owned()),
        ..spec.clone()
    }
}

/// What a suite is made of.
struct SuiteParts<'s> {
    recording: &'s Path,
    plan: &'s ReplayPlan,
    start: Option<&'s DatabaseSnapshot>,
    files: &'s Path,
}

/// A suite file with one test.
#[derive(Serialize)]
struct ReplayFile<'s> {
    name: &'s str,
    kind: &'static str,
    title: String,
    source: &'static str,
    notes: &'s [String],
    size: ReplaySize,
    option: [ReplayOption; 1],
    test: [ReplayTest<'s>; 1],
    /// The answer of the reference replays.
    known: Vec<KnownReplay>,
}

#[derive(Serialize)]
struct ReplayTest<'s> {
    number: u32,
    name: &'s str,
    replay: &'s ReplaySpec,
}

/// The assumed size of the data of a database that was empty at the beginning, bytes.
const GUESSED_BYTES: u64 = 256 << 20;

impl SuiteParts<'_> {
    /// Makes the suite of a load.
    fn suite(&self, spec: &ReplaySpec, notes: &[String], known: Option<String>) -> Result<Suite, ScriptError> {
        let place = self.recording.display().to_string();
        let wrong = |error: &dyn std::fmt::Display| ScriptError::new(&place, error);
        let contents = format!("{}\0{}", self.plan.digest, self.start.map_or("", DatabaseSnapshot::digest));
        let SuiteNames { name, stem } = SuiteNames::new(self.recording, &contents);
        let bytes = self.start.map_or(0, DatabaseSnapshot::bytes).saturating_mul(2).max(GUESSED_BYTES);
        let file = ReplayFile {
            name: &name,
            kind: "sql",
            title: format!("The recording {stem}"),
            source: "a recording of the user's",
            notes,
            size: ReplaySize::new(bytes),
            option: [ReplayOption::speed("transactions")],
            test: [ReplayTest { number: 1, name: &stem, replay: spec }],
            known: known.map(|answer| KnownReplay::new(1, answer)).into_iter().collect(),
        };
        let text = toml::to_string(&file).map_err(|error| wrong(&error))?;
        let suite = Catalog::suite_of(&name, &place, text)
            .map_err(|error| wrong(&error))?
            .replaying(self.files, Duration::from_nanos(self.plan.span_ns));
        Ok(match self.start {
            Some(start) => suite.starting_from(start.path()),
            None => suite,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_are_options_by_their_words_or_numbers() {
        let levels = OptionKind::Choice { choices: ["off", "normal", "full"].map(str::to_owned).to_vec() };
        assert_eq!(canonical(&levels, "NORMAL").as_deref(), Some("normal"));
        assert_eq!(canonical(&levels, "2").as_deref(), Some("full"));
        assert_eq!(canonical(&levels, "9"), None);
        assert_eq!(canonical(&OptionKind::Integer { min: -9, max: 9 }, "-2").as_deref(), Some("-2"));
    }
}
