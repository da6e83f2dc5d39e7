//! The recipes of docs/ci.md, run as GitHub Actions runs the steps of a job. Each succeeds if all its programs do, and fails if any of them
//! fails.

use super::{Sandbox, block::blocks, measured};
use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::{Done, Place, has_tool},
};
use dbdyno::store::Store;
use jiff::{Timestamp, ToSpan};
use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Programs in recipes that a test cannot run. A stub that reads its input and prints nothing replaces each.
const STUBS: [&str; 6] = ["bencher", "benchconnect", "jq", "otava", "pip", "pipx"];

/// A step that runs commands.
#[derive(Debug, Clone)]
struct Step {
    /// The heading above the step.
    recipe: String,
    script: String,
    environment: BTreeMap<String, String>,
}

/// The steps of a document's recipes, parsed as far as their YAML needs.
fn steps(document: &str) -> Vec<Step> {
    let lines: Vec<&str> = document.lines().collect();
    let yaml = blocks(document).unwrap_or_else(|(line, what)| panic!("{line}: {what}"));
    let mut steps = Vec::new();
    for block in yaml.iter().filter(|block| block.language == "yaml" && block.text.contains("- ")) {
        let heading = lines[..block.line].iter().rev().find_map(|line| line.trim_start().strip_prefix("##"));
        let recipe = heading.unwrap_or_default().trim_start_matches('#').trim().to_owned();
        for item in
            expressions(&block.text).split("\n      - ").map(|item| item.strip_prefix("      - ").unwrap_or(item))
        {
            let Some(at) = item.lines().position(|line| line.trim_start().starts_with("run:")) else { continue };
            let lines: Vec<&str> = item.lines().collect();
            let indent = if at == 0 { 8 } else { lines[at].len() - lines[at].trim_start().len() };
            let inside = |line: &&&str| line.len() - line.trim_start().len() > indent;
            let below: Vec<&str> = lines[at + 1..].iter().take_while(inside).map(|line| line.trim()).collect();
            let script = match lines[at].trim_start().strip_prefix("run:").unwrap().trim() {
                "|" => below.join("\n"),
                ">-" => below.join(" "),
                line => line.to_owned(),
            };
            let variables = item.lines().skip_while(|line| !line.trim_start().starts_with("env:"));
            let pair = |line: &str| {
                let line = line.trim_start().trim_start_matches("env:").trim_matches([' ', '{', '}']);
                let (name, value) = line.split_once(": ")?;
                Some((name.to_owned(), value.to_owned()))
            };
            steps.push(Step { recipe: recipe.clone(), script, environment: variables.filter_map(pair).collect() });
        }
    }
    steps
}

/// Replaces expressions such as `${{ github.sha }}` with a word.
fn expressions(text: &str) -> String {
    let mut parts = text.split("${{");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| format!("main{}", part.split_once("}}").unwrap().1)).collect::<String>()
}

/// A place for a step, whose programs come first in the path.
struct Job {
    sandbox: Sandbox,
    programs: PathBuf,
}

impl Job {
    fn new(measured: &Place) -> Self {
        let sandbox = Sandbox::new(Some(measured));
        let programs = sandbox.here.join("programs");
        fs::create_dir(&programs).unwrap();
        STUBS.iter().for_each(|name| stub(&programs, name, "cat >/dev/null"));
        stub(&programs, "otava", "echo \"No regressions found in $2.\"");
        Self { sandbox, programs }
    }

    /// Runs a step as the runner does: `bash -e`, without `pipefail`.
    fn run(&self, step: &Step) -> Done {
        let own = Path::new(env!("CARGO_BIN_EXE_dbdyno")).parent().unwrap().to_owned();
        let inherited = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([self.programs.clone(), own].into_iter().chain(env::split_paths(&inherited)));
        let like = self.sandbox.place.command(&[]);
        let mut command = Command::new("bash");
        command.args(["-e", "-c", &step.script]);
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.envs(&step.environment).env("PATH", path.unwrap());
        command.env("CODSPEED_PROFILE_FOLDER", self.sandbox.here.join("profile"));
        Done::of(command.current_dir(&self.sandbox.here).stdin(Stdio::null()).output().unwrap())
    }
}

fn stub(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn page() -> Vec<Step> {
    steps(&fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap())
}

#[test]
fn each_recipe_ends_well_and_fails_with_any_program_of_it() {
    let steps = page();
    let recipes: Vec<&str> = steps.iter().map(|step| step.recipe.as_str()).collect();
    for recipe in ["Bencher", "Conbench", "Apache Otava", "Nyrkiö", "CodSpeed", "github-action-benchmark"] {
        assert!(recipes.contains(&recipe), "{recipe} is not among {recipes:?}");
    }
    let measured = measured();
    let job = Job::new(&measured);
    for step in &steps {
        // The measurements of the preset do not matter here, because the store has sessions.
        let quick = Step {
            script: step.script.replace("dbdyno --preset quick", "dbdyno --preset quick --dry-run"),
            ..step.clone()
        };
        let done = job.run(&quick);
        assert_eq!(done.code, Some(0), "{}: {}\n{}{}", step.recipe, quick.script, done.stdout, done.stderr);
        for program in ["dbdyno"].into_iter().chain(STUBS) {
            if !quick.script.split_whitespace().any(|word| word == program) {
                continue;
            }
            let before = fs::read(job.programs.join(program)).ok();
            stub(&job.programs, program, "exit 3");
            let done = job.run(&quick);
            assert_ne!(
                done.code,
                Some(0),
                "{}: `{program}` failed, and the step did not:\n{}",
                step.recipe,
                quick.script
            );
            match before {
                Some(text) => fs::write(job.programs.join(program), text).unwrap(),
                None => fs::remove_file(job.programs.join(program)).unwrap(),
            }
        }
    }
}

/// Twenty sessions of lmdb from the last days. With `slower`, they are a fifth slower from the twelfth on.
fn series(slower: bool) -> Place {
    let mut bench = Bench::default();
    let mut noise = dbdyno_workload::rng::SplitMix64::new(5);
    for at in 0..20_u32 {
        let session = bench.session("here");
        let level = if slower && at >= 12 { 1_200_000 } else { 1_000_000 };
        for round in 0..3 {
            let like = Variant { size: "10000", ..spec("lmdb") };
            bench.run(&session, round, &like, &[level + noise.below(500), 500_000 + noise.below(500)]);
        }
        let began = Timestamp::now() - i64::from(20 * (21 - at)).hours();
        bench.batch.sessions.last_mut().unwrap().started_at = began;
    }
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    place.ok(&["key", "--all", "--set", "branch=main"]);
    place
}

#[test]
fn otavas_recipe_fails_on_a_regression_and_where_nothing_was_analysed() {
    let steps = page();
    let step = steps.iter().rfind(|step| step.recipe == "Apache Otava").unwrap();
    if !has_tool("python3", &["-c", "import otava"]) {
        return;
    }
    let job = |place: &Place| {
        let job = Job::new(place);
        stub(&job.programs, "otava", "exec python3 -m otava.main \"$@\"");
        job
    };
    let steady = series(false);
    let done = job(&steady).run(step);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let done = job(&series(true)).run(step);
    assert!(done.code != Some(0) && done.stdout.contains("-->"), "{}{}", done.stdout, done.stderr);
    // A session of another branch does not appear in the branch's exports.
    steady.ok(&["key", "session=previous", "--set", "branch=other"]);
    let done = job(&steady).run(step);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    // For a file that it cannot analyse, Otava prints a message and exits with 0.
    let broken = job(&steady);
    stub(&broken.programs, "otava", "sed -i '2s/,[^,]*$/,x/' lmdb.csv; exec python3 -m otava.main \"$@\"");
    let done = broken.run(step);
    assert_ne!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
}
