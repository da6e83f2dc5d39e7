//! The documents: their commands are run, each document in its own sandbox. docs/decisions/house.md has the rules.

mod block;
mod links;
mod names;
mod recipes;

use crate::support::{Done, Place, has_tool, system_library};
use block::{Block, Comment, Kind, blocks};
use duckdb::Connection;
use std::{
    env, fmt, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Languages of blocks that are not commands: data, and programs that other tests run.
const DATA: [&str; 7] = ["csv", "js", "json", "python", "rust", "sql", "toml"];

/// Content of a document that is wrong.
struct Mistake {
    document: String,
    line: usize,
    what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.document, self.line, self.what)
    }
}

/// The results of the blocks.
#[derive(Default)]
struct Report {
    run: usize,
    not_run: Vec<String>,
    /// The number of texts that no command prints.
    drawings: usize,
    mistakes: Vec<Mistake>,
}

/// The documents, by their names below the project's folder. `DBDYNO_DOCUMENT` selects those whose names contain it.
fn documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let one = env::var("DBDYNO_DOCUMENT").unwrap_or_default();
    for folder in ["", "docs", "docs/decisions", "examples"] {
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let name = Path::new(folder).join(entry.file_name());
            if name.extension().is_some_and(|ending| ending == "md") && name.to_string_lossy().contains(&one) {
                found.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A store as the documents assume it: sessions of several days and sizes, with few and small measurements.
fn measured() -> Place {
    let place = Place::new();
    let engines = ["--engine", "lmdb", "--engine", "redb", "--engine", "sqlite:journal_mode=wal|delete"];
    let small = ["run", "--suite", "kv", "--size", "100", "--repeat", "6", "--quiet"];
    place.ok(&[&small[..], &engines].concat());
    // The next command imports the journal.
    place.ok(&["results", "--count"]);
    let connection = Connection::open(place.store()).unwrap();
    connection.execute_batch(include_str!("store.sql")).unwrap();
    connection.close().unwrap();
    place
}

/// The place in which the commands of a document run.
struct Sandbox {
    place: Place,
    here: PathBuf,
}

impl Sandbox {
    fn new(measured: Option<&Place>) -> Self {
        let place = Place::new();
        if let Some(measured) = measured {
            fs::copy(measured.store(), place.store()).unwrap();
        }
        let here = place.path("here");
        fs::create_dir(&here).unwrap();
        fs::create_dir_all(place.path("home/.config")).unwrap();
        symlink(place.path("config"), place.path("home/.config/dbdyno")).unwrap();
        // The files of the project that documents use.
        for folder in ["engines", "examples"] {
            symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), here.join(folder)).unwrap();
        }
        let database = rusqlite::Connection::open(here.join("mine.db")).unwrap();
        database.execute_batch("CREATE TABLE t(a, b); INSERT INTO t VALUES (0, 'row0'), (100, 'row100')").unwrap();
        Self { place, here }
    }

    /// Runs a script, which ends at the first command that fails.
    fn run(&self, script: &str) -> Done {
        let programs = Path::new(env!("CARGO_BIN_EXE_dbdyno")).parent().unwrap().to_owned();
        let inherited = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([programs].into_iter().chain(env::split_paths(&inherited))).unwrap();
        let like = self.place.command(&[]);
        let mut command = Command::new("bash");
        command.args(["-euo", "pipefail", "-c", script]).stdin(Stdio::null());
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", path).env("HOME", self.place.path("home")).current_dir(&self.here);
        Done::of(command.output().unwrap())
    }

    /// Writes a block to the file that its document names.
    fn put(&self, block: &Block) {
        for file in block.files() {
            let path = match file.strip_prefix("~/") {
                Some(file) => self.place.path("home").join(file),
                None => self.here.join(file),
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &block.text).unwrap();
            if block.text.starts_with("#!") {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
    }

    /// Runs a script. Returns the problem with its exit code or its output.
    fn check(&self, script: &str, code: i32, shown: &str) -> Result<(), String> {
        let done = self.run(script);
        if done.code != Some(code) {
            return Err(format!("exit code {:?}, not {code}, of\n{script}\n{}", done.code, end(&done.stderr)));
        }
        let said = format!("{}\n{}", done.stdout, done.stderr);
        let said: Vec<_> = said.split_whitespace().map(block::bare).collect();
        match block::lasting_words(shown).iter().find(|word| !said.contains(&word.as_str())) {
            Some(word) => Err(format!("`{word}` is shown, and not said by\n{script}\n{}", beginning(&done.stdout))),
            None => Ok(()),
        }
    }
}

fn beginning(said: &str) -> String {
    said.lines().take(20).map(|line| format!("  {line}\n")).collect()
}

fn end(said: &str) -> String {
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(10)..].iter().map(|line| format!("  {line}\n")).collect()
}

fn is_there(needed: &str) -> bool {
    if needed.contains(".so") { system_library(needed).is_some() } else { has_tool(needed, &["--version"]) }
}

/// The reason why a block is not run, if there is one.
fn not_run(comment: &Comment) -> Option<String> {
    match comment {
        Comment::NotRun(reason) => Some(reason.clone()),
        Comment::Needs(name) if !is_there(name) => Some(format!("there is no {name}")),
        _ => None,
    }
}

/// Runs the blocks of a document in their order.
fn check(document: &str, text: &str, measured: Option<&Place>, report: &mut Report) {
    let mistake = |line, what| Mistake { document: document.to_owned(), line, what };
    let blocks = match blocks(text) {
        Ok(blocks) => blocks,
        Err((line, what)) => return report.mistakes.push(mistake(line, what)),
    };
    if blocks.iter().all(|block| DATA.contains(&block.language.as_str())) {
        return;
    }
    let sandbox = Sandbox::new(measured);
    blocks.iter().for_each(|block| sandbox.put(block));
    for (at, block) in blocks.iter().enumerate() {
        if let Some(reason) = block.comments.iter().find_map(not_run) {
            report.not_run.push(format!("{document}:{}: {reason}", block.line));
            continue;
        }
        let output = blocks.get(at + 1).filter(|next| next.follows == Some(block.line)).map(|next| next.text.as_str());
        let scripts = match block.kind() {
            Kind::Other if DATA.contains(&block.language.as_str()) => Ok(Vec::new()),
            Kind::Script => block.script().map(|script| vec![(script, output.unwrap_or_default().to_owned())]),
            Kind::Dialogue => Ok(block.dialogue()),
            Kind::OutputOf(command) => Ok(vec![(command.to_owned(), block.text.clone())]),
            Kind::Workflow => Ok(block.workflow()),
            Kind::Drawing => Ok(Vec::new()),
            Kind::Other => {
                Err(format!("a block of language `{}`: expected sh, text, yaml or {DATA:?}", block.language))
            }
        };
        report.run += scripts.as_ref().map_or(0, Vec::len);
        report.drawings += usize::from(matches!(block.kind(), Kind::Drawing) && block.follows.is_none());
        let checked = scripts.and_then(|scripts| {
            scripts.iter().try_for_each(|(script, shown)| sandbox.check(script, block.code(), shown))
        });
        if let Err(what) = checked {
            report.mistakes.push(mistake(block.line, what));
        }
    }
}

#[test]
fn what_the_documents_show_is_so() {
    let measured = measured();
    let mut report = Report::default();
    for document in documents() {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&document)).unwrap();
        check(&document, &text, Some(&measured), &mut report);
    }
    eprintln!("the documents: {} scripts were run; {} texts are of no command", report.run, report.drawings);
    eprintln!("{} blocks were not run:", report.not_run.len());
    report.not_run.iter().for_each(|block| eprintln!("  {block}"));
    let mistakes: Vec<_> = report.mistakes.iter().map(Mistake::to_string).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n\n"));
}

#[test]
fn a_mistake_in_a_document_is_found() {
    let mistakes = |text: &str| {
        let mut report = Report::default();
        check("page.md", text, None, &mut report);
        report.mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(mistakes("```sh\ndbdyno list engines\n```\n\n```text\nsqlite  3.0  through rusqlite\n```\n"), "");
    assert_eq!(mistakes("<!-- exit code 2: no such flag -->\n```sh\ndbdyno list engines --colour\n```\n"), "");
    for (text, expected) in [
        ("```sh\ndbdyno list engines --colour\n```\n", "page.md:1: exit code Some(2), not 0"),
        ("```sh\ndbdyno list nothing\ndbdyno list engines\n```\n", "page.md:1: exit code Some(2), not 0"),
        ("```sh\ndbdyno list engines\n```\n\n```text\nsqlite  colour\n```\n", "page.md:1: `colour` is shown"),
        ("```text\n$ dbdyno list engines\nsqlite  colour\n```\n", "page.md:1: `colour` is shown"),
        ("```yaml\n- run: dbdyno compare --colour a | tee b\n```\n", "page.md:1: exit code Some(2), not 0"),
        ("```perl\n1\n```\n", "page.md:1: a block of language `perl`"),
        ("```\n1\n```\n", "page.md:1: a block of language ``"),
        ("<!-- not run: -->\n```sh\nfalse\n```\n", "page.md:1: a comment on the block below"),
        ("<!-- run: a => b -->\n```sh\nc\n```\n", "page.md:2: `a` is replaced, and not there"),
        ("```sh\ntrue\n", "page.md:1: a block without an end"),
    ] {
        let found = mistakes(text);
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}
