//! A worker of a toy engine is recorded, and what power losses would have left of its database is recovered by another.

use super::{found, writing_test};
use crate::{
    power::{Image, Images, Log, Names, Policy, missed, sync_classes},
    program,
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::{Description, OptionSpec},
    engine::{Engine, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    protocol::{CacheStart, Event, Job, PROTOCOL, SuiteJob},
    serve::{Program, serve},
    settings::Settings,
    size::Size,
    suite::{
        KeyChoice, KvAlone, KvLoad, KvStatements, KvSuite, KvTest, KvWork, Operation, SuiteKind, TransactionScope, Work,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{Write, read_to_string},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// A database is one file, which each commit replaces by a new one.
struct Toy {
    folder: PathBuf,
    sync: bool,
    rows: Rows,
}

fn rows_of(bytes: &[u8]) -> Result<Rows, EngineError> {
    let rows: Vec<(Vec<u8>, Vec<u8>)> =
        serde_json::from_slice(bytes).map_err(EngineError::doing("reading the rows"))?;
    Ok(rows.into_iter().collect())
}

impl Engine for Toy {
    const MAIN_FILE: &'static str = "rows";
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn check(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl KvEngine for Toy {
    type Session<'e> = &'e mut Self;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let sync = open.settings.flag("sync")?;
        let rows = fs::read(open.folder.join("rows")).map_or_else(|_| Ok(Rows::new()), |bytes| rows_of(&bytes))?;
        Ok(Self { folder: open.folder.to_owned(), sync, rows })
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<&'e mut Self, EngineError> {
        Ok(self)
    }
}

impl KvSession for &mut Toy {
    type Read<'s>
        = &'s mut Toy
    where
        Self: 's;
    type Write<'s>
        = &'s mut Toy
    where
        Self: 's;

    fn read(&mut self) -> Result<&mut Toy, EngineError> {
        Ok(self)
    }

    fn write(&mut self) -> Result<&mut Toy, EngineError> {
        Ok(self)
    }
}

impl KvTransaction for &mut Toy {
    type Table<'t>
        = &'t mut Toy
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut Toy, EngineError> {
        Ok(self)
    }

    fn commit(self) -> Result<(), EngineError> {
        let rows: Vec<_> = self.rows.iter().collect();
        let mut file = File::create(self.folder.join("new"))?;
        file.write_all(&serde_json::to_vec(&rows).unwrap())?;
        if self.sync {
            file.sync_all()?;
        }
        fs::rename(self.folder.join("new"), self.folder.join("rows"))?;
        if self.sync {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }
}

impl KvRead for Toy {
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.rows.get(key).map(|value| visit(value)))
    }

    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.rows.contains_key(key))
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.rows.iter().for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.rows.range(from.to_vec()..).take(most as usize).for_each(|(key, value)| visit(key, value));
        Ok(())
    }
}

impl KvWrite for Toy {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.rows.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.rows.remove(key).is_some())
    }
}

static PROGRAM: Program = program::kv_only::<Toy>(describe);

fn describe() -> Description {
    let options = vec![OptionSpec::bool("sync", "on", "whether a commit waits for the disk")];
    Description { options, ..Description::new("toy", "a file", "1", &[SuiteKind::Kv]) }
}

fn suite() -> KvSuite {
    let work = Work { operation: Operation::Put { value: "value_{key}_{random:50}".parse().unwrap() }, weight: 1 };
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
    KvSuite { name: "toy".to_owned(), data_bytes: 0, schema: Vec::new(), tests: vec![test] }
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
    }
}

/// The command that a copy of this test's process serves as a worker.
const WORKER: &str = "DBDYNO_TEST_WORKER";

/// Is run by [`worker`] alone; as a test it does nothing.
#[test]
fn a_process_that_serves() {
    if let Ok(command) = std::env::var(WORKER) {
        let code = serve(&PROGRAM, command.parse().unwrap());
        assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::SUCCESS));
    }
}

/// What a worker says, and whether it ends well.
fn worker(command: &str, job: &Job, environment: &[(&str, &str)]) -> (Vec<Event>, bool) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["crash::tests::a_process_that_serves", "--exact"]).env(WORKER, command);
    program.envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", serde_json::to_string(job).unwrap()).unwrap();
    let said = read_to_string(child.stdout.take().unwrap()).unwrap();
    let done = child.wait().unwrap();
    // The test's own output is between them.
    let event = |line: &str| serde_json::from_str(&line[line.find("{\"event\"")?..]).ok();
    (said.lines().filter_map(event).collect(), done.success())
}

const COMMITS: u64 = 24;

/// A recorded worker's log.
fn recorded(folder: &Path, sync: &str) -> Log {
    let log = folder.join("log");
    let job = job(&folder.join("root"), sync);
    let commits = COMMITS.to_string();
    let (said, well) =
        worker("commits", &job, &[(super::LOG, log.to_str().unwrap()), (super::COMMITS, commits.as_str())]);
    assert!(well);
    let expected: Vec<_> = (1..=COMMITS).map(|commits| Event::Committed { commits }).collect();
    assert_eq!(said, expected);
    let log = Log::read(&log).unwrap();
    assert_eq!(missed(&log, &folder.join("root")).unwrap(), BTreeSet::new());
    let (recovered, _) = worker("recover", &job, &[]);
    assert_eq!(recovered, [Event::Recovered { commits: COMMITS }], "the process ended without a power loss");
    log
}

/// How many commits an image holds; none where it is damaged.
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

    // The worker that recovers says the same of images that are written to a folder.
    let mut images = Images::of(&right, Names::ByFolder, None);
    let image = images.image(right.records().len() / 2, Policy::Nothing, 1);
    let job = job(&folder.path().join("image"), "on");
    image.write_to(&job.folder).unwrap();
    let expected = Event::Recovered { commits: commits(&image).unwrap() };
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
