//! The published schemas of the worker protocol, compared with real messages: messages contain only fields that a schema lists.

use super::put_python;
use crate::support::{Place, built_program, has_tool};
use dbdyno::catalog::{Catalog, TestPick, UserFolders};
use dbdyno_engine::{
    protocol::{CacheStart, Job, PROTOCOL, SuiteJob},
    settings::Settings,
    size::Size,
};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Validates every message, one per line, against a schema that refuses unlisted fields.
const VALIDATE: &str = "
import json, sys, jsonschema
def strict(part):
    if isinstance(part, dict):
        if 'properties' in part:
            part.setdefault('additionalProperties', False)
        for value in part.values():
            strict(value)
    elif isinstance(part, list):
        for value in part:
            strict(value)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
strict(schema)
validator = jsonschema.Draft202012Validator(schema)
count = 0
for line in open(sys.argv[2]):
    message = json.loads(line)
    error = jsonschema.exceptions.best_match(validator.iter_errors(message))
    if error:
        sys.exit(f'{error.json_path}: {error.message[:300]}: {line[:300]}')
    count += 1
print(count)
";

fn has_validator() -> bool {
    has_tool("python3", &["-c", "import jsonschema"])
}

/// Validates messages against a schema.
#[track_caller]
fn hold(schema: &str, messages: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("messages.jsonl");
    fs::write(&file, messages.iter().map(|message| format!("{message}\n")).collect::<String>()).unwrap();
    let schema = format!("{}/assets/schemas/{schema}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let out = Command::new("python3").args(["-c", VALIDATE, &schema]).arg(&file).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), messages.len().to_string());
}

const ENGINES: [&str; 12] =
    ["sqlite", "sqlite-lib", "lmdb", "redb", "fjall", "log", "files", "duckdb", "rocksdb", "snkv", "crossdb", "null"];

/// Sends a line to a program's stdin. Returns the lines of its stdout until its end.
fn said(mut command: Command, stdin: &str) -> Vec<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A program that only describes itself may have ended before it reads.
    let _ = writeln!(input, "{stdin}");
    // Closing stdin would mean stop.
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    child.wait().unwrap();
    drop(input);
    lines
}

fn worker(engine: &str, does: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
    command.args(["worker", engine, does]);
    command
}

#[test]
fn descriptions_are_as_the_schema_says() {
    if !has_validator() {
        return;
    }
    let place = Place::new();
    put_python(&place, "odd", &[], &[]);
    let mut programs: Vec<Command> = ENGINES.iter().map(|engine| worker(engine, "describe")).collect();
    let mut describe = |program: PathBuf| {
        let mut command = Command::new(program);
        command.arg("describe");
        programs.push(command);
    };
    describe(place.path("engines/dbdyno-engine-odd"));
    built_program("dbdyno-example").into_iter().for_each(&mut describe);
    let messages: Vec<String> = programs.into_iter().flat_map(|program| said(program, "")).collect();
    assert!(messages.len() > ENGINES.len());
    hold("description", &messages);
}

/// A job of a suite at its smallest size, with these options.
fn job(catalog: &Catalog, suite: &str, engine: &str, options: BTreeMap<String, String>, folder: &Path) -> Job {
    let suite = catalog.suite(suite).unwrap();
    let size = *suite.default_sizes.iter().chain(&suite.sizes).min().unwrap();
    of(
        suite.resolve(size, &suite.settings(&BTreeMap::new()).unwrap(), &TestPick::default()),
        size,
        engine,
        options,
        folder,
    )
}

fn of(suite: SuiteJob, size: Size, engine: &str, options: BTreeMap<String, String>, folder: &Path) -> Job {
    Job {
        protocol: PROTOCOL,
        run_id: "01a2019c-cd55-7447-81ac-5a607232b925".to_owned(),
        engine: engine.to_owned(),
        options: Settings::unchecked(options),
        suite,
        size,
        seed: u64::MAX,
        folder: folder.to_owned(),
        cpu: None,
        cache: CacheStart::Warm,
        progress_ms: 50,
        deadline_ms: Some(60_000),
        wait: false,
        keep_folder: false,
        explain: false,
        slices: None,
    }
}

fn catalog() -> Catalog {
    Catalog::new(UserFolders { root: PathBuf::from("/nowhere") })
}

#[test]
fn jobs_of_every_suite_are_as_the_schema_says() {
    if !has_validator() {
        return;
    }
    let catalog = catalog();
    let folder = Path::new("/run/databases");
    let written = |name: String| {
        let made = job(&catalog, &name, "sqlite", BTreeMap::from([("cache".to_owned(), "1".to_owned())]), folder);
        let cold = Job { cache: CacheStart::Cold, cpu: Some(1), deadline_ms: None, ..made.clone() };
        [made, cold].map(|job| serde_json::to_string(&job).unwrap())
    };
    let messages: Vec<String> = catalog.suite_names().into_iter().flat_map(written).collect();
    assert!(messages.len() > 18);
    hold("job", &messages);
}

#[test]
fn events_of_workers_are_as_the_schema_says() {
    if !has_validator() {
        return;
    }
    let place = Place::new();
    put_python(&place, "odd", &[], &[]);
    let catalog = catalog();
    let mut messages = Vec::new();
    let mut run = |command: Command, suite: &str, engine: &str, options: BTreeMap<String, String>| {
        let job = job(&catalog, suite, engine, options, &place.path(&format!("databases-{engine}-{suite}")));
        let heard = said(command, &serde_json::to_string(&job).unwrap());
        assert!(!heard.is_empty(), "{engine} {suite}");
        messages.extend(heard);
    };
    let of_description = |engine: &str| -> BTreeMap<String, String> {
        let description: serde_json::Value = serde_json::from_str(&said(worker(engine, "describe"), "")[0]).unwrap();
        let options = description["options"].as_array().unwrap().iter().filter(|option| option.get("memory").is_none());
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        options.map(|option| (text(&option["name"]), text(&option["default"]))).collect()
    };
    for (engine, suite) in
        [("sqlite", "contention"), ("sqlite", "lumosql"), ("lmdb", "kv"), ("null", "ycsb"), ("log", "kv")]
    {
        run(worker(engine, "run"), suite, engine, of_description(engine));
    }
    let mut python = Command::new(place.path("engines/dbdyno-engine-odd"));
    python.arg("run");
    run(python, "kv", "odd", BTreeMap::from([("sync".to_owned(), "off".to_owned())]));
    // A worker that fails reports it.
    run(worker("lmdb", "run"), "kv", "lmdb", BTreeMap::from([("nothing".to_owned(), "1".to_owned())]));
    let words = ["opened", "test_started", "progress", "test_done", "done", "failed"];
    for word in words {
        let event = format!("\"event\":\"{word}\"");
        assert!(messages.iter().any(|message| message.replace(": ", ":").contains(&event)), "{word} is said");
    }
    hold("event", &messages);
}
