//! Records a worker of a toy engine, and has another worker recover the databases that power losses would have left.

mod threads;
mod toy;

use self::toy::{PROGRAM, describe, rows_of};
use super::{found, writing_test};
use crate::power::{Image, Images, Names, Policy, PowerLog, missed, sync_classes};
use dbdyno_engine::{
    protocol::{CacheStart, Event, Job, PROTOCOL, SuiteJob},
    serve::serve,
    settings::Settings,
    size::Size,
    suite::{KeyChoice, KvAlone, KvLoad, KvStatements, KvSuite, KvTest, KvWork, Operation, TransactionScope, Work},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
};

fn suite() -> KvSuite {
    let work =
        Work { operation: Operation::Put { value: "value_{key}_{random:50}".parse().unwrap() }, weight: 1, name: None };
    let work = KvWork { keys: KeyChoice::Ascending, work: vec![work], transaction: TransactionScope::Each };
    let test = KvTest {
        number: 1,
        name: "Put".to_owned(),
        measured: true,
        database: "database".to_owned(),
        records: 1,
        key: "key_{key}".parse().unwrap(),
        load: KvLoad::Alone(KvAlone { operations: 1, work, clock_every: 1 }),
        verify_state: false,
        sql: KvStatements::default(),
    };
    KvSuite { name: "toy".to_owned(), data_bytes: 0, schema: Vec::new(), recording: None, tests: vec![test] }
}

fn job(folder: &Path, sync: &str) -> Job {
    let asked = BTreeMap::from([("sync".to_owned(), sync.to_owned())]);
    Job {
        protocol: PROTOCOL,
        run_id: "power".to_owned(),
        engine: "toy".to_owned(),
        options: Settings::resolve(&describe(), &asked).unwrap(),
        suite: SuiteJob::Kv(suite()),
        size: Size::one(1),
        seed: 1,
        folder: folder.to_owned(),
        cpu: None,
        cache: CacheStart::Warm,
        progress_ms: 100,
        deadline_ms: Some(60_000),
        wait: false,
        keep_folder: true,
        explain: false,
        slices: None,
    }
}

/// The command that a copy of this test process serves as a worker.
const WORKER: &str = "DBDYNO_TEST_WORKER";

/// Does its work only when started by [`worker`]; as a test it does nothing.
#[test]
fn a_process_that_serves() {
    if let Ok(command) = std::env::var(WORKER) {
        let code = serve(&PROGRAM, command.parse().unwrap());
        assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::SUCCESS));
    }
}

fn started(command: &str, job: &Job, environment: &[(&str, &str)]) -> Child {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["crash::tests::a_process_that_serves", "--exact"]).env(WORKER, command);
    program.envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "{}", serde_json::to_string(job).unwrap()).unwrap();
    child
}

fn events(child: &mut Child) -> impl Iterator<Item = Event> + use<> {
    // Events are mixed with the test's own output.
    let event = |line: String| serde_json::from_str(&line[line.find("{\"event\"")?..]).ok();
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).filter_map(event)
}

/// Returns the events of a worker, and whether it succeeds.
fn worker(command: &str, job: &Job, environment: &[(&str, &str)]) -> (Vec<Event>, bool) {
    let mut child = started(command, job, environment);
    let said = events(&mut child).collect();
    (said, child.wait().unwrap().success())
}

const COMMITS: u64 = 24;

/// Returns the log of a recorded worker.
fn recorded(folder: &Path, sync: &str) -> PowerLog {
    let log = folder.join("log");
    let job = job(&folder.join("root"), sync);
    let commits = COMMITS.to_string();
    let (said, well) =
        worker("commits", &job, &[(super::LOG, log.to_str().unwrap()), (super::COMMITS, commits.as_str())]);
    assert!(well);
    let expected: Vec<_> = (1..=COMMITS).map(|commits| Event::Committed { commits, thread: 0 }).collect();
    assert_eq!(said, expected);
    let log = PowerLog::read(&log).unwrap();
    assert_eq!(missed(&log, &folder.join("root")).unwrap(), BTreeSet::new());
    let (recovered, _) = worker("recover", &job, &[]);
    assert_eq!(recovered, [Event::Recovered { commits: COMMITS, thread: 0 }], "the process ended without a power loss");
    log
}

/// Returns how many commits an image holds; `None` if it is damaged.
fn commits(image: &Image) -> Option<u64> {
    let Some(content) = image.files.get(Path::new("database/rows")) else { return Some(0) };
    let suite = suite();
    found::commits(&rows_of(&content.bytes()).ok()?, writing_test(&suite).unwrap().1).ok()
}

#[test]
fn an_engine_that_syncs_keeps_what_it_acknowledged_and_one_that_does_not_is_damaged() {
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let place = |name: &str| {
        fs::create_dir(folder.path().join(name)).unwrap();
        folder.path().join(name)
    };
    let (right, wrong) = (recorded(&place("right"), "on"), recorded(&place("wrong"), "off"));
    let outcomes = |log, removed| {
        let mut outcomes = BTreeSet::new();
        for names in [Names::ByFolder, Names::Journaled] {
            let mut images = Images::of(log, names, removed);
            for cut in images.cuts(0, 1) {
                for policy in Policy::ALL {
                    let image = images.image(cut, policy, 1);
                    let whole = image.acknowledged..=image.issued;
                    outcomes.insert(match commits(&image) {
                        None => "damaged",
                        Some(commits) if whole.contains(&commits) => "whole",
                        Some(_) => "lost",
                    });
                }
            }
        }
        outcomes
    };
    assert_eq!(outcomes(&right, None), ["whole"].into());
    assert_eq!(outcomes(&wrong, None), ["damaged", "lost", "whole"].into());
    let classes: Vec<_> = sync_classes(&right).into_keys().collect();
    let told: Vec<_> = classes.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["fsync of database/new", "folder sync of database"]);
    let of_mutants: Vec<_> = classes.iter().map(|class| outcomes(&right, Some(class))).collect();
    assert_eq!(of_mutants, [["damaged", "whole"].into(), ["lost", "whole"].into()]);

    // The worker that recovers reports the same for images written to a folder.
    let mut images = Images::of(&right, Names::ByFolder, None);
    let image = images.image(right.records().len() / 2, Policy::Nothing, 1);
    let job = job(&folder.path().join("image"), "on");
    image.write_to(&job.folder).unwrap();
    let expected = Event::Recovered { commits: commits(&image).unwrap(), thread: 0 };
    assert_eq!(worker("recover", &job, &[]).0, [expected]);
    fs::write(job.folder.join("database/rows"), b"damaged").unwrap();
    let (said, well) = worker("recover", &job, &[]);
    assert!(matches!(&said[..], [Event::Failed { .. }]) && !well, "{said:?}");
}

#[test]
fn a_number_of_commits_that_is_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let environment = [(super::LOG, log.to_str().unwrap()), (super::COMMITS, "many")];
    let (said, well) = worker("commits", &job(&folder.path().join("root"), "on"), &environment);
    let [Event::Failed { message, .. }] = &said[..] else { panic!("{said:?}") };
    assert_eq!(message, "DBDYNO_POWER_COMMITS=many: expected a number of commits");
    assert!(!well);
}
