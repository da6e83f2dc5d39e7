//! The measured loop grows only on purpose: its instructions are counted on the engine that does nothing. Nothing is timed.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::support::{Place, has_tool};
use dbdyno_engine::protocol::{Event, Job};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

/// The clock is read once in a hundred operations, so what that takes is nearly left out.
const SUITE: &str = r#"
name = "loop"
kind = "kv"
title = "Each kind of work"
source = "dbdyno's tests"

[size]
name = "operations"
default = [200]
choices = [200]

[sql]
schema = []
get = "get"
put = "put"
delete = "delete"
exists = "exists"
scan = "scan"
"#;

/// The name of each kind of work, the work, its transactions, and the most instructions of one operation: a quarter more than counted with
/// Rust 1.95. The first one is not counted, because what a run begins with takes its time.
const KINDS: [(&str, &str, &str, f64); 7] = [
    ("begin", r#"{ op = "get" }"#, r#""read""#, f64::INFINITY),
    ("put", r#"{ op = "put", value = "value_{key:08}" }"#, r#""one""#, 93.0),
    ("commit", r#"{ op = "put", value = "value_{key:08}" }"#, "{ batch = 1 }", 116.0),
    ("get", r#"{ op = "get" }"#, r#""read""#, 81.0),
    ("exists", r#"{ op = "exists" }"#, r#""read""#, 76.0),
    ("delete", r#"{ op = "delete" }"#, r#""one""#, 98.0),
    (
        "mixed",
        r#"{ op = "get", weight = 70 }, { op = "put", weight = 20, value = "value_{op:08}" }, { op = "delete", weight = 10 }"#,
        r#""one""#,
        108.0,
    ),
];

/// Operations of the tests of the two runs that are compared, so that all else cancels.
const FEW: u64 = 200;
const MANY: u64 = 10_200;

#[test]
fn an_operation_takes_no_more_instructions_than_it_did() {
    if cfg!(debug_assertions) || option_env!("CARGO_PROFILE_RELEASE_OPT_LEVEL").is_some_and(|level| level != "3") {
        eprintln!("not checked: the instructions of the measured loop, because it is not compiled with opt-level 3");
        return;
    }
    if !has_tool("valgrind", &["--version"]) {
        return;
    }
    let place = Place::new();
    let tests = KINDS.iter().zip(1..).map(|((name, work, transaction, _), number)| {
        format!(
            "[[test]]\nnumber = {number}\nname = \"{name}\"\ndatabase = \"{name}\"\noperations = {{ share = 1.0 }}\nkeys = \"uniform\"\n\
             key = \"key_{{key:08}}\"\nwork = [{work}]\ntransaction = {transaction}\nclock_every = 100\n"
        )
    });
    fs::write(place.path("config/suites/loop.toml"), SUITE.to_owned() + &tests.collect::<String>()).unwrap();
    // Drawing the inputs is no part of an operation.
    let [few, many] = [FEW, MANY].map(|operations| {
        let job = job(&place, operations);
        let [all, drawing] =
            [&[][..], &["--toggle-collect=*stand_still*"]].map(|more| instructions(&place, &job, more));
        all.iter().zip(drawing).map(|(all, drawing)| all - drawing).collect::<Vec<f64>>()
    });
    let each = |(few, many): (&f64, &f64)| (many - few) / (MANY - FEW) as f64;
    let found: Vec<f64> = few.iter().zip(&many).map(each).collect();
    assert_eq!(found.len(), KINDS.len());
    let counted: Vec<String> = KINDS
        .iter()
        .zip(&found)
        .skip(1)
        .map(|((name, .., most), found)| format!("{name} {found:.0} of at most {most}"))
        .collect();
    eprintln!("instructions of an operation: {}", counted.join(", "));
    assert!(KINDS.iter().zip(&found).skip(1).all(|((.., most), found)| (1.0..=*most).contains(found)), "{counted:?}");
}

/// The instructions of the first thread until the end of each test.
fn instructions(place: &Place, job: &Job, more: &[&str]) -> Vec<f64> {
    let counts = tempfile::tempdir_in(place.path("")).unwrap();
    let file = counts.path().join("counted");
    let mut worker = Command::new("valgrind")
        .args(["--tool=callgrind", "--separate-threads=yes", "--dump-after=dbdyno_workload::frame::Frame::end"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .args(more)
        .args([env!("CARGO_BIN_EXE_dbdyno"), "worker", "null", "run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = worker.stdin.take().unwrap();
    writeln!(input, "{}", serde_json::to_string(job).unwrap()).unwrap();
    let events = BufReader::new(worker.stdout.take().unwrap()).lines();
    let last = events.map(|line| serde_json::from_str::<Event>(&line.unwrap()).unwrap()).last();
    assert!(matches!(last, Some(Event::Done)), "{last:?}");
    worker.wait().unwrap();
    fs::remove_dir_all(&job.folder).unwrap();
    let total = |part: usize| {
        let text = fs::read_to_string(counts.path().join(format!("counted.{part}-01"))).unwrap();
        text.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap().parse().unwrap()
    };
    (1..=KINDS.len()).map(total).collect()
}

/// The job of a run of the suite, as a worker gets it.
fn job(place: &Place, operations: u64) -> Job {
    let script = r#"
if [ "$1" = describe ]; then
    PROGRAM worker null describe | sed 's/"name":"null"/"name":"seen"/'
else
    read -r job
    folder=${job#*\"folder\":\"}
    folder=${folder%%\"*}
    mkdir -p "$folder"
    printf '%s' "$job" > "$folder/job"
fi
"#;
    place.engine("seen", &script.replace("PROGRAM", env!("CARGO_BIN_EXE_dbdyno")));
    let size = operations.to_string();
    // The run fails, because the engine answers nothing.
    place.run(&[
        "run",
        "--suite",
        "loop",
        "--size",
        &size,
        "--engine",
        "seen",
        "--repeat",
        "1",
        "--quiet",
        "--keep-databases",
    ]);
    let folders = fs::read_dir(place.path("work")).unwrap().map(|entry| entry.unwrap().path());
    let mut files =
        folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path().join("job"));
    let file = files.find(|file| file.exists()).unwrap();
    let mut job: Job = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    fs::remove_file(file).unwrap();
    job.engine = "null".to_owned();
    job.wait = false;
    job.folder = place.path("counted databases");
    job
}
