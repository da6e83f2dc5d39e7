//! What users type without reading the help: it works, or the error names the nearest right word.

use crate::support::{Done, Place, csv_records, has_tool};
use serde_json::Value;
use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// A store with two engines, two sizes and one round.
fn place() -> Place {
    let place = Place::new();
    place.ok(&[
        "run",
        "--suite",
        "kv",
        "--engine",
        "lmdb,redb",
        "--size",
        "100,200",
        "--test",
        "1,2",
        "--repeat",
        "2",
        "-q",
    ]);
    place
}

/// Runs a command with this text on its stdin.
fn piped(place: &Place, arguments: &[&str], text: &str) -> Done {
    let mut child =
        place.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Done::of(child.wait_with_output().unwrap())
}

#[test]
fn a_preset_is_run_with_or_without_the_word_run() {
    let place = Place::new();
    let plan = place.ok(&["--preset", "quick", "--dry-run"]);
    assert_eq!(place.ok(&["run", "--preset", "quick", "--dry-run"]), plan);
    assert_eq!(place.ok(&["run", "-p", "quick", "-n"]), plan);
    place.refused(&["run", "--preset", "quick", "--suite", "kv"], &["cannot be used with"]);
    place.refused(&["run"], &["--suite", "--preset", "--workload", "--sql"]);
    place.refused(&["quick"], &["`dbdyno --preset quick` runs a preset"]);
    place.refused(
        &["run", "--preset", "quick", "--engine", "lmdb"],
        &["cannot be used with", "a preset names its engines"],
    );
    let unswept = place.run(&["run", "--suite", "kv", "--engine", "lmdb", "--stars", "3", "--dry-run"]);
    assert!(unswept.code == Some(0) && unswept.stderr.contains("note: --stars needs a sweep"), "{}", unswept.stderr);
}

#[test]
fn engines_and_sizes_are_lists() {
    let place = Place::new();
    let plan = place.ok(&["run", "--suite", "kv", "--engine", "sqlite,lmdb", "--size", "1000,10k", "--dry-run"]);
    assert!(plan.starts_with("kv: 4 configurations"), "{plan}");
    let sized = |size: &str, engine: &str| {
        plan.lines().any(|line| line.starts_with(engine) && line.contains(&format!("size {size} ")))
    };
    for engine in ["sqlite", "lmdb"] {
        assert!(sized("1000", engine) && sized("10000", engine), "{plan}");
    }
    let options =
        ["run", "--suite", "kv", "--engine", "sqlite:journal_mode=wal,synchronous=off|full,redb", "--dry-run"];
    let plan = place.ok(&options);
    assert!(plan.starts_with("kv: 3 configurations") && plan.contains("\nredb "), "{plan}");
    let pairs = place.ok(&["run", "--suite", "lumosql", "--engine", "sqlite", "--size", "1,2", "--dry-run"]);
    assert!(pairs.starts_with("lumosql: 1 configuration "), "a suite with sizes of two numbers keeps them: {pairs}");
}

#[test]
fn a_suite_has_usual_engines() {
    let place = Place::new();
    let plan = place.ok(&["run", "--suite", "kv", "--dry-run"]);
    for engine in ["sqlite", "lmdb", "redb"] {
        assert!(plan.lines().any(|line| line.starts_with(engine)), "{engine}: {plan}");
    }
    for suite in ["contention", "crossbench", "drivers", "kvtest", "lumosql", "pragma", "redb-bench", "soak", "ycsb"] {
        place.ok(&["run", "--suite", suite, "--dry-run"]);
    }
}

#[test]
fn two_engines_are_compared_by_their_names() {
    let place = place();
    let compared = |arguments: &[&str]| {
        let text = place.ok(&[&["compare"], arguments, &["--json"]].concat());
        let mut json: Value = serde_json::from_str(&text).unwrap();
        for changing in ["command", "a", "b", "evidence"] {
            json.as_object_mut().unwrap().remove(changing);
        }
        json
    };
    assert_eq!(compared(&["lmdb", "redb"]), compared(&["--a", "engine=lmdb", "--b", "engine=redb"]));
    place.refused(&["compare", "lmdb"], &["expected sides A and B", "--before", "--reference"]);
    place.refused(&["compare", "lmbd", "redb"], &["no stored run has engine=lmbd: did you mean `lmdb`?"]);
}

#[test]
fn the_ending_of_a_file_is_its_format() {
    let place = place();
    let out = |name: &str| place.path(name).to_str().unwrap().to_owned();
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    place.ok(&["compare", "lmdb", "redb", "--out", &out("report.html")]);
    assert!(read("report.html").starts_with("<!doctype html>"));
    place.ok(&["results", "-o", &out("results.csv")]);
    assert!(csv_records(&read("results.csv")).len() > 2);
    place.ok(&["list", "presets", "--out", &out("presets.md")]);
    assert!(read("presets.md").starts_with("| name | about |"));
    place.ok(&["export", "--out", &out("all.json")]);
    assert!(serde_json::from_str::<Value>(&read("all.json")).unwrap().is_array());
    place.refused(
        &["compare", "lmdb", "redb", "--format", "csv", "--out", &out("other.html")],
        &["--format csv contradicts --out", "ends in .csv"],
    );
    place.refused(&["results", "--out", &out("results.xls")], &["results.xls: expected a name that ends in .txt, .md"]);
    assert!(!place.path("other.html").exists() && !place.path("results.xls").exists());
    let same = |arguments: &[&str]| {
        let to_stdout = [arguments, &["--out", "-"]].concat();
        // The title of a report is its command.
        let lines =
            |text: String| text.lines().filter(|line| !line.contains("dbdyno")).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(place.ok(&to_stdout)), lines(place.ok(arguments)), "{arguments:?}");
    };
    same(&["results", "--format", "csv"]);
    same(&["list", "suites"]);
}

#[test]
fn sql_comes_from_an_argument_or_from_stdin() {
    let place = place();
    let query = "SELECT count(*) AS n FROM results";
    let printed = place.ok(&["sql", query]);
    assert_eq!(piped(&place, &["sql", "-"], query).stdout, printed);
    assert_eq!(piped(&place, &["sql"], &format!("{query}\n")).stdout, printed);
    let nothing = piped(&place, &["sql"], " \n");
    assert!(nothing.code == Some(2) && nothing.stderr.contains("no SQL on stdin"), "{}", nothing.stderr);
}

#[test]
fn an_export_without_a_file_goes_to_stdout() {
    let place = place();
    let printed = csv_records(&place.ok(&["export"]));
    let file = place.path("all.csv");
    place.ok(&["export", "--out", file.to_str().unwrap()]);
    let written = csv_records(&std::fs::read_to_string(&file).unwrap());
    assert_eq!((printed.len(), &printed[0]), (written.len(), &written[0]));
    assert!(serde_json::from_str::<Value>(&place.ok(&["export", "--json"])).unwrap().is_array());
    let tracked = place.ok(&["export", "--format", "github-action-benchmark"]);
    assert!(serde_json::from_str::<Value>(&tracked).unwrap().is_array(), "{tracked}");
    place.refused(&["export", "--format", "parquet"], &["--out FILE"]);
}

#[test]
fn colours_are_chosen() {
    let place = place();
    let compared = |when: &str| place.ok(&["compare", "--a", "engine=lmdb", "--b", "engine=redb", "--color", when]);
    assert!(!compared("auto").contains('\u{1b}'), "stdout is no terminal");
    assert!(!compared("never").contains('\u{1b}'));
    // A round or two decide nothing, so a table may have no coloured cell; the doctor always has some.
    let doctor = |when: &str| place.run(&["doctor", "--color", when]).stdout;
    assert!(doctor("always").contains("\u{1b}[") || compared("always").contains("\u{1b}["));
    assert!(!doctor("never").contains('\u{1b}'));
}

#[test]
fn progress_is_quiet_or_verbose() {
    let place = Place::new();
    let run = |how: &str| {
        place.run(&["run", "--suite", "kv", "--engine", "null", "--size", "100", "-t", "1", "-r", "1", how])
    };
    let (quiet, verbose) = (run("-q"), run("-v"));
    assert!(!quiet.stderr.contains("run 1/1"), "{}", quiet.stderr);
    let is_of_test = |line: &str| line.starts_with("  ") && line.contains("operations in");
    assert!(verbose.stderr.lines().any(is_of_test) && verbose.stderr.contains("run 1/1"), "{}", verbose.stderr);
}

#[test]
fn json_is_a_word_for_the_format_everywhere() {
    let place = place();
    let commands: [&[&str]; 9] = [
        &["results"],
        &["results", "--group-by", "engine"],
        &["sql", "SELECT 1 AS one"],
        &["list", "engines"],
        &["doctor"],
        &["claims"],
        &["trend"],
        &["export"],
        &["compare", "lmdb", "redb"],
    ];
    for command in commands {
        let text = place.run(&[command, &["--json"]].concat()).stdout;
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{command:?}: {text}");
    }
    place.refused(&["results", "--json", "--format", "csv"], &["cannot be used with"]);
}

#[test]
fn an_empty_environment_variable_is_unset() {
    let place = Place::new();
    let mut command = place.command(&["list", "presets"]);
    for name in
        ["DBDYNO_STORE", "DBDYNO_CONFIG", "DBDYNO_WORK_DIR", "DBDYNO_STORE_WAIT", "DBDYNO_HOST", "DBDYNO_JOURNAL"]
    {
        command.env(name, "");
    }
    command.env("DBDYNO_THEME", "").env("DBDYNO_ENGINE_PATH", "").env("HOME", place.path(""));
    let done = Done::of(command.output().unwrap());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
}

#[test]
fn a_misspelt_name_gets_the_nearest_ones() {
    let place = place();
    let run = ["run", "--suite", "kv", "--dry-run", "--engine"];
    place.refused(&["--preset", "quik"], &["unknown preset `quik`: did you mean `quick`? (dbdyno list presets"]);
    place.refused(&["run", "--suite", "kvv", "--dry-run"], &["unknown suite `kvv`: did you mean `kv`"]);
    place.refused(&[&run[..], &["lmbd"]].concat(), &["unknown engine `lmbd`: did you mean `lmdb`"]);
    place.refused(&[&run[..], &["sqlite:journal_moed=wal"]].concat(),
        &[
            "unknown option `journal_moed` of engine `sqlite`: did you mean `journal_mode`? (dbdyno list options sqlite)",
        ],
    );
    place.refused(
        &[&run[..], &["sqlite:journal_mode=wla"]].concat(),
        &["option `journal_mode` of engine `sqlite` cannot be `wla`: did you mean `wal`?"],
    );
    place.refused(
        &[&run[..], &["lmdb", "--test", "Bluk insert"]].concat(),
        &["unknown test `Bluk insert` of suite `kv`: did you mean `Bulk insert`"],
    );
    place.refused(&["claims", "lumosqk"], &["unknown claims file `lumosqk`: did you mean `lumosql`?"]);
    place.refused(&["compare", "lmdb", "redb", "--metric", "p98"], &["p98"]);
    place.refused(&["list", "options", "sqlit"], &["unknown name `sqlit`: did you mean `sqlite`"]);
    for arguments in [&["--preset", "zzzzzzzz"][..], &[&run[..], &["zzzzzzzz"]].concat()] {
        let done = place.run(arguments);
        assert!(done.stderr.matches(',').count() < 12, "never all names: {}", done.stderr);
    }
}

#[test]
fn a_selection_that_no_run_matches_is_reported() {
    let place = place();
    let done = place.run(&["results", "engine=lmbd"]);
    assert_eq!(done.code, Some(0));
    assert!(done.stderr.contains("no stored run has engine=lmbd: did you mean `lmdb`?"), "{}", done.stderr);
    place.refused(&["results", "engine=lmbd", "--strict"], &["engine=lmbd"]);
    let word = place.run(&["results", "lmbd"]);
    assert!(word.code == Some(0) && word.stderr.contains("nothing matches 'lmbd'"), "{}", word.stderr);
    let several = place.run(&["results", "engine=lmdb|rebd", "size=300", "--strict"]);
    assert!(
        several.code == Some(2) && several.stderr.contains("engine=rebd: did you mean `redb`?"),
        "{}",
        several.stderr
    );
    assert!(several.stderr.contains("no stored run has size=300: "), "{}", several.stderr);
    place.refused(&["results", "tesst=1", "--strict"], &["a key `tesst`: did you mean `test`"]);
    assert_eq!(place.run(&["results", "engine=lmdb", "size=100", "--strict"]).stderr, "");
}

#[test]
fn options_and_tests_are_listed_by_their_owner() {
    let place = Place::new();
    let options = place.ok(&["list", "options", "lmdb", "kv"]);
    let is_of = |line: &str| line.starts_with("lmdb.") || line.starts_with("kv.");
    assert!(
        options.lines().skip(1).count() > 4 && options.lines().filter(|line| line.contains('.')).all(is_of),
        "{options}"
    );
    assert_eq!(place.ok(&["list", "tests", "kv"]).lines().filter(|line| line.starts_with("kv ")).count(), 8);
}

#[test]
fn bash_completes_names_that_exist_here() {
    if !has_tool("bash", &["--version"]) {
        return;
    }
    let place = place();
    let program = Path::new(env!("CARGO_BIN_EXE_dbdyno"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let completed = |words: &[&str]| {
        let list: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let script = format!(
            "source <(dbdyno completions bash)\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_clap_complete_dbdyno dbdyno '{}' ''\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
            list.join(" "),
            words.len() - 1,
            words[words.len() - 1]
        );
        let mut command = Command::new("bash");
        command.args(["--norc", "-c", &script]).env("PATH", &path).stdin(Stdio::null());
        command
            .envs(place.command(&[]).get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
        let done = Done::of(command.output().unwrap());
        assert_eq!(done.stderr, "", "{words:?}");
        done.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed(&["dbdyno", "comp"]), ["compare", "completions"]);
    assert!(completed(&["dbdyno", "--preset", "lumo"]).contains(&"lumosql-quick".to_owned()));
    assert_eq!(completed(&["dbdyno", "run", "--suite", "cont"]), ["contention"]);
    assert_eq!(completed(&["dbdyno", "run", "--engine", "lmdb"]), ["lmdb", "lmdb1"]);
    // Bash splits words at `:` and `=`, and replaces only the last part.
    assert_eq!(completed(&["dbdyno", "run", "--engine", "sqlite", ":", "journal"]), ["journal_mode="]);
    let values = completed(&["dbdyno", "run", "--engine", "sqlite", ":", "journal_mode", "=", "w"]);
    assert_eq!(values, ["wal"]);
    assert_eq!(completed(&["dbdyno", "run", "--suite", "kv", "--engine", "lmdb,re"]), ["lmdb,redb"]);
    assert!(completed(&["dbdyno", "run", "--suite", "kv", "--test", ""]).contains(&"1".to_owned()));
    assert_eq!(completed(&["dbdyno", "results", "engine", "=", ""]), ["lmdb", "redb"]);
    let session = place.value("SELECT session_id FROM session");
    assert!(completed(&["dbdyno", "resume", ""]).contains(&session));
}

#[test]
fn each_command_has_a_man_page() {
    let place = Place::new();
    let folder = place.path("man1");
    place.ok(&["man", "--out-dir", folder.to_str().unwrap()]);
    let pages: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap()).collect();
    for page in ["dbdyno.1", "dbdyno-compare.1", "dbdyno-tune-try.1"] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    let page = place.ok(&["man", "tune", "try"]);
    assert!(page.contains(".SH EXAMPLES") && page.contains("DBDYNO_STORE"), "{page}");
    place.refused(&["man", "compaer"], &["unknown command `compaer`: did you mean `compare`?"]);
}

#[test]
fn the_short_help_fits_one_screen_and_the_long_one_has_everything() {
    let place = Place::new();
    let short = place.ok(&["-h"]);
    assert!(short.lines().count() <= 24 && short.contains("dbdyno --preset quick"), "{short}");
    let long = place.ok(&["--help"]);
    for word in ["check-engine", "--store-wait", "Terminal:", "Store:", "Bench:", "Examples:"] {
        assert!(long.contains(word), "{word}: {long}");
    }
    let command = place.ok(&["run", "-h"]);
    assert!(
        command.contains("--engine") && command.contains("Examples:"),
        "the short help of a command is clap's: {command}"
    );
    assert!(command.len() < place.ok(&["run", "--help"]).len());
}
