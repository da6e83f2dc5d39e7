//! Recordings of keys and values as a workload: the operations are the test of a suite, and the keys that were there at the beginning are
//! stored by another one before it, which is not measured.

use super::{
    RecordedError, RecordedTerms, notes, reference,
    suite::{KnownReplay, ReplayOption, ReplaySize, SuiteNames},
};
use crate::{runner::RunFolder, script::ScriptError};
use dbdyno_catalog::{Catalog, SPEED, Suite};
use dbdyno_engine::suite::{KeyChoice, REPLAY_ACTOR, SuiteKind};
use dbdyno_recorded::{KeysPlan, write_keys_replay};
use serde::Serialize;
use std::{collections::BTreeMap, path::Path, time::Duration};

/// Keys that are stored in one transaction before the replay.
const STORED_TOGETHER: u64 = 1_000;
/// The only database of the suite.
const DATABASE: &str = "main";
/// Engines that are usually compared.
const USUAL_ENGINES: [&str; 4] = ["sqlite", "lmdb", "redb", "fjall"];

/// A recording of keys and values that can be measured. It owns its files.
#[derive(Debug)]
pub struct RecordedKeys {
    pub suite: Suite,
    pub plan: KeysPlan,
    _folder: RunFolder,
}

impl RecordedKeys {
    /// Makes a suite of a recording, and replays it once for its answers.
    ///
    /// # Errors
    /// The recording cannot be read or has nothing to replay, or the reference replay fails.
    pub fn read(recording: &Path, terms: RecordedTerms<'_>) -> Result<Self, RecordedError> {
        if terms.of.is_some() || terms.start.is_some() {
            return Err(RecordedError::KeysWithDatabase { path: recording.to_owned() });
        }
        let (folder, files) = super::folder(terms.work_dir)?;
        let has_threads = terms.engines.iter().all(|engine| engine.threads.contains_key(&SuiteKind::Kv));
        let plan = write_keys_replay(recording, &files, has_threads)?;
        let doubts = notes::keys_doubts(&plan);
        let made = |known| suite(recording, &plan, &files, &doubts, known);
        let answer = reference::keys(&made(None)?, &terms)
            .map_err(|reason| RecordedError::Reference { path: recording.to_owned(), reason })?;
        let suite = made(Some(KnownReplay::new(plan.test, answer)))?;
        Ok(Self { suite, plan, _folder: folder })
    }

    /// Describes the replay in sentences.
    pub fn facts(&self) -> Vec<String> {
        notes::keys_facts(&self.plan)
    }
}

/// A suite file.
#[derive(Serialize)]
struct KeysFile<'s> {
    name: &'s str,
    kind: &'static str,
    title: String,
    source: &'static str,
    notes: &'s [String],
    usual_engines: [&'static str; 4],
    usual_tests: [u32; 1],
    size: ReplaySize,
    option: [ReplayOption; 1],
    sql: BTreeMap<&'static str, Statements>,
    test: Vec<KeysTest<'s>>,
    known: Vec<KnownReplay>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Statements {
    One(&'static str),
    Several([&'static str; 1]),
}

#[derive(Serialize)]
struct KeysTest<'s> {
    number: u32,
    name: &'s str,
    needs: Vec<u32>,
    database: &'static str,
    /// Only its length counts.
    key: String,
    verify_state: bool,
    actor: [KeysActor; 1],
}

#[derive(Serialize)]
struct KeysActor {
    name: &'static str,
    threads: u32,
    keys: &'static str,
    work: Vec<KeysWork>,
    transaction: Transaction,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<&'static str>,
    operations: CountedOperations,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Transaction {
    Each,
    Batch(u64),
}

#[derive(Serialize)]
struct CountedOperations {
    share: f64,
    least: u64,
    most: u64,
}

#[derive(Serialize)]
struct KeysWork {
    op: &'static str,
    weight: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<u64>,
}

impl KeysWork {
    /// Returns the operation of a suite that does what a word of a recording says. `share`: of all operations, from 0 to 1.
    fn of(recorded: &'static str, share: f64) -> Self {
        let op = match recorded {
            "delete" => "remove",
            "scan" => "range",
            "merge" => "modify",
            other => other,
        };
        let value = matches!(op, "put" | "modify").then_some("recorded");
        let rows = |number| (op == "range").then_some(number);
        // It is not drawn by weight, but time is estimated by it.
        let weight = ((share * MOST_WEIGHT).round() as u64).max(1);
        Self { op, weight, name: Some(recorded), value, least: rows(1), most: rows(MOST_ROWS) }
    }
}

/// The largest weight, as suites have it.
const MOST_WEIGHT: f64 = 1e6;
/// The most rows of a range, as suites have it.
const MOST_ROWS: u64 = 1_000_000;

impl CountedOperations {
    fn exactly(count: u64) -> Self {
        Self { share: 1.0, least: count, most: count }
    }
}

fn suite(
    recording: &Path,
    plan: &KeysPlan,
    files: &Path,
    notes: &[String],
    known: Option<KnownReplay>,
) -> Result<Suite, ScriptError> {
    let place = recording.display().to_string();
    let wrong = |error: &dyn std::fmt::Display| ScriptError::new(&place, error);
    let SuiteNames { name, stem } = SuiteNames::new(recording, &plan.digest);
    let actor = |threads, work, transaction, speed, operations| KeysActor {
        name: REPLAY_ACTOR,
        threads,
        keys: KeyChoice::Recorded.name(),
        work,
        transaction,
        speed,
        operations: CountedOperations::exactly(operations),
    };
    let test = |number: u32, name, actor| KeysTest {
        number,
        name,
        needs: (1..number).collect(),
        database: DATABASE,
        key: "k".repeat(plan.longest_key),
        verify_state: number == plan.test,
        actor: [actor],
    };
    let store = KeysWork { name: None, ..KeysWork::of("put", 1.0) };
    let start = actor(1, vec![store], Transaction::Batch(STORED_TOGETHER), None, plan.start_keys);
    let count = plan.count() as f64;
    let work = plan.operations.iter().map(|(name, of_name)| KeysWork::of(name, *of_name as f64 / count)).collect();
    let replay = actor(plan.threads, work, Transaction::Each, Some(SPEED), plan.count());
    let mut tests = vec![test(plan.test, &stem, replay)];
    if plan.test > 1 {
        tests.insert(0, test(1, "Keys at the beginning", start));
    }
    let file = KeysFile {
        name: &name,
        kind: "kv",
        title: format!("The recording {stem}"),
        source: "a recording of the user's",
        notes,
        usual_engines: USUAL_ENGINES,
        usual_tests: [plan.test],
        size: ReplaySize::new(plan.bytes),
        option: [ReplayOption::speed("operations")],
        sql: statements(),
        test: tests,
        known: known.into_iter().collect(),
    };
    let text = toml::to_string(&file).map_err(|error| wrong(&error))?;
    let suite = Catalog::suite_of(&name, &place, text).map_err(|error| wrong(&error))?;
    Ok(suite.replaying(files, Duration::from_nanos(plan.span_ns)))
}

/// Returns the statements of engines that speak SQL.
fn statements() -> BTreeMap<&'static str, Statements> {
    let one = [
        ("get", "SELECT value FROM entries WHERE key = ?1"),
        ("put", "INSERT OR REPLACE INTO entries(key, value) VALUES (?1, ?2)"),
        ("delete", "DELETE FROM entries WHERE key = ?1"),
        ("exists", "SELECT 1 FROM entries WHERE key = ?1 LIMIT 1"),
        ("scan", "SELECT key, value FROM entries ORDER BY key"),
        ("range", "SELECT key, value FROM entries WHERE key >= ?1 ORDER BY key LIMIT ?2"),
    ];
    let schema = "CREATE TABLE entries(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID";
    let mut all: BTreeMap<_, _> = one.map(|(name, sql)| (name, Statements::One(sql))).into();
    all.insert("schema", Statements::Several([schema]));
    all
}
