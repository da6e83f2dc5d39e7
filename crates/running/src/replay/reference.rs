//! The replays that give the answers.

use super::RecordedTerms;
use crate::runner::{RunFolder, Sent, WorkerProcess, confinement};
use dbdyno_catalog::{Suite, engines::Registry};
use dbdyno_engine::{
    protocol::{CacheStart, Event, Job, PROTOCOL, StatementDone, SuiteJob, TableContent, TestDone},
    settings::Settings,
    size::Size,
    suite::{ReplayOrder, SqlLoad},
};
use dbdyno_foundation::{base::identifier::identifier, process::ProcessFamily};
use dbdyno_workload::sql::replay_verification;
use std::{collections::BTreeMap, future::pending, time::Duration};

/// The engine that gives the answers.
const REFERENCE: &str = "sqlite";
/// How long its worker may be silent, and how long it may take.
const SILENCE: Duration = Duration::from_secs(60);
const DEADLINE: Duration = Duration::from_secs(4 * 3600);
const PROGRESS: Duration = Duration::from_millis(500);

/// What the reference replays found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplayReference {
    /// Statements that fail, all or some of their executions.
    pub failures: Vec<FailingStatement>,
    /// Statements whose answers depend on chance, time, or the order of transactions that the recording leaves open.
    pub unequal: Vec<String>,
    /// Tables whose content at the end does.
    pub unequal_tables: Vec<String>,
    /// The content of each table at the end.
    pub contents: Vec<TableContent>,
    /// The executions of each statement, in the order of the load's statements.
    pub statements: Vec<StatementDone>,
}

impl ReplayReference {
    /// Returns the verification value of every replay that answers alike.
    pub(super) fn verification(&self) -> String {
        // A statement that is never verified has no answer.
        let equal = self.statements.iter().filter(|statement| !self.unequal.contains(&statement.name));
        replay_verification(&equal.cloned().collect::<Vec<_>>(), &self.contents, &self.unequal_tables)
    }
}

/// A statement that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingStatement {
    pub name: String,
    pub failures: u64,
    /// What the engine says.
    pub message: String,
}

/// Replays a recording in both orders, and compares.
pub(super) fn replay(
    suite: &Suite,
    options: &BTreeMap<String, String>,
    terms: &RecordedTerms<'_>,
) -> Result<ReplayReference, String> {
    let replay = |order| {
        let SuiteJob::Sql(mut job) = resolved(suite)? else { return Err("the suite is not of SQL".to_owned()) };
        for test in &mut job.tests {
            if let SqlLoad::Replay { replay } = &mut test.load {
                replay.order = order;
            }
        }
        one(SuiteJob::Sql(job), suite, options, terms)
    };
    let early = replay(ReplayOrder::Early)?;
    let late = replay(ReplayOrder::Late)?;
    Ok(compared(early, &late))
}

/// Replays a recording of keys, and returns the verification value of a correct replay.
pub(super) fn keys(suite: &Suite, terms: &RecordedTerms<'_>) -> Result<String, String> {
    // The database is removed at the end, so it may be fast and unsafe.
    let options = BTreeMap::from(
        [("synchronous", "off"), ("journal_mode", "wal")].map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let done = one(resolved(suite)?, suite, &options, terms)?;
    done.verification.ok_or_else(|| "the engine gave no answers".to_owned())
}

fn resolved(suite: &Suite) -> Result<SuiteJob, String> {
    let size = size(suite)?;
    let settings = suite.settings(&BTreeMap::new()).map_err(|error| error.to_string())?;
    Ok(suite.resolve(size, &settings, &suite.pick(&[])?))
}

fn size(suite: &Suite) -> Result<Size, String> {
    suite.default_sizes.first().copied().ok_or_else(|| "the suite has no size".to_owned())
}

/// Compares two replays.
fn compared(early: TestDone, late: &TestDone) -> ReplayReference {
    let both = early.statements.iter().zip(&late.statements);
    let differ = both.filter(|(one, other)| one.verification != other.verification);
    let unequal = differ.map(|(one, _)| one.name.clone()).collect();
    let of_late: BTreeMap<&str, &TableContent> = late.contents.iter().map(|one| (one.table.as_str(), one)).collect();
    let of_early: BTreeMap<&str, &TableContent> = early.contents.iter().map(|one| (one.table.as_str(), one)).collect();
    let tables = early.contents.iter().chain(&late.contents).map(|content| content.table.as_str());
    let mut unequal_tables: Vec<String> =
        tables.filter(|table| of_early.get(table) != of_late.get(table)).map(str::to_owned).collect();
    unequal_tables.sort();
    unequal_tables.dedup();
    let failing = |(one, other): (&StatementDone, &StatementDone)| {
        let message = one.failure.clone().or_else(|| other.failure.clone())?;
        Some(FailingStatement { name: one.name.clone(), failures: one.failures.max(other.failures), message })
    };
    let failures = early.statements.iter().zip(&late.statements).filter_map(failing).collect();
    ReplayReference { failures, unequal, unequal_tables, contents: early.contents, statements: early.statements }
}

/// Runs a job on the engine that gives the answers, in the cage of every worker. Returns the result of its last test.
fn one(
    job: SuiteJob,
    suite: &Suite,
    options: &BTreeMap<String, String>,
    terms: &RecordedTerms<'_>,
) -> Result<TestDone, String> {
    let registry = Registry::built_in();
    let engine = registry.get(REFERENCE)?;
    let known = options.iter().filter_map(|(name, value)| {
        let option = engine.description.option(name)?;
        Some((name.clone(), super::canonical(&option.kind, value)?))
    });
    let settings = Settings::resolve(&engine.description, &known.collect()).map_err(|error| error.to_string())?;
    let run_id = identifier();
    let folder = RunFolder::create(terms.work_dir, &run_id, false)
        .map_err(|error| format!("cannot create a folder in {}: {error}", terms.work_dir.display()))?;
    let job = Job {
        protocol: engine.description.protocol.min(PROTOCOL),
        run_id,
        engine: engine.description.name.clone(),
        options: settings,
        suite: job,
        size: size(suite)?,
        seed: 1,
        folder: folder.databases(),
        cpu: None,
        cache: CacheStart::Warm,
        progress_ms: PROGRESS.as_millis() as u64,
        deadline_ms: Some(DEADLINE.as_millis() as u64),
        wait: true,
        keep_folder: false,
        explain: false,
        slices: None,
    };
    let confinement = confinement(&job, folder.path(), DEADLINE);
    let family = ProcessFamily::controlled();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start a runtime: {error}"))?;
    runtime.block_on(async {
        let mut worker = WorkerProcess::start(&engine.launch, &job, family, confinement, SILENCE, terms.work_dir)?;
        let answer = answer(&mut worker).await;
        let end = worker.end(pending()).await;
        answer.map_err(|why| end.explain(why))
    })
}

/// Returns the result of a worker's last test.
async fn answer(worker: &mut WorkerProcess) -> Result<TestDone, String> {
    let mut result = None;
    loop {
        let Sent { event, .. } = worker.next().await?;
        match event {
            Event::Opened { .. } => worker.go_on(),
            Event::TestDone(done) => {
                result = Some(*done);
                worker.go_on();
            }
            Event::Failed { message, .. } => return Err(message),
            Event::Done => return result.ok_or_else(|| "it ended without a result".to_owned()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(statements: &[(&str, &str)], tables: &[(&str, &str)]) -> TestDone {
        let statement = |(name, verification): &(&str, &str)| StatementDone {
            name: (*name).to_owned(),
            verification: Some((*verification).to_owned()),
            ..StatementDone::default()
        };
        let table = |(table, checksum): &(&str, &str)| TableContent {
            table: (*table).to_owned(),
            checksum: (*checksum).to_owned(),
            rows: 1,
        };
        TestDone {
            statements: statements.iter().map(statement).collect(),
            contents: tables.iter().map(table).collect(),
            ..TestDone::default()
        }
    }

    #[test]
    fn what_two_replays_do_not_agree_on_is_not_judged() {
        let early = done(&[("SELECT a", "1"), ("SELECT b", "2")], &[("t", "3"), ("u", "4")]);
        let late = done(&[("SELECT a", "1"), ("SELECT b", "9")], &[("t", "9"), ("v", "5")]);
        let reference = compared(early, &late);
        assert_eq!(reference.unequal, ["SELECT b"]);
        assert_eq!(reference.unequal_tables, ["t", "u", "v"]);
        assert_eq!(reference.failures, []);
    }
}
