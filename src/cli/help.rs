//! Help: examples of each command, the short help of `dbdyno -h`, and the command as clap needs it.

use super::Cli;
use clap::{
    Arg, Command, CommandFactory,
    builder::{Resettable, StyledStr},
};
use std::{
    env::{args_os, var_os},
    ffi::OsString,
};

/// The commands of the short help, in the order in which a new user needs them.
const MAIN_COMMANDS: [&str; 10] =
    ["run", "compare", "results", "choose", "tune", "torture", "trend", "export", "list", "doctor"];

/// An example: what it does, and the command.
type CommandExample = (&'static str, &'static str);

/// Examples by command.
pub(super) const EXAMPLES: &[(&str, &[CommandExample])] = &[
    (
        "",
        &[
            ("Open the terminal UI", "dbdyno"),
            ("Run a first benchmark: three engines, in under a minute", "dbdyno --preset quick"),
            (
                "Show the plan of a preset, with its estimated time, and run nothing",
                "dbdyno --preset kvtest-quick --dry-run",
            ),
        ],
    ),
    (
        "tui",
        &[
            ("Open the comparison of two engines", "dbdyno tui --screen compare --a engine=lmdb --b engine=redb"),
            ("Open the results of one suite", "dbdyno tui --screen results --filter suite=kv"),
        ],
    ),
    (
        "run",
        &[
            ("Run a suite on its usual engines", "dbdyno run --suite kv"),
            ("Run your own workload", "dbdyno run --workload 'read=90,update=10,value=200,rows=10k'"),
            ("Measure your own SQL, statement by statement", "dbdyno run --sql queries.sql --database app.db"),
            ("Run two engines at two sizes", "dbdyno run --suite kv --engine sqlite,lmdb --size 1000,10k"),
            ("Measure two values of an option", "dbdyno run --suite kv --engine 'sqlite:synchronous=normal|full'"),
            ("Stop starting rounds after five minutes", "dbdyno run --preset quick --budget 5m"),
        ],
    ),
    (
        "attach",
        &[
            ("Return to the session that you left running", "dbdyno attach"),
            ("List the sessions of this machine", "dbdyno attach --list"),
            ("Cancel the current run and stop the session", "dbdyno attach --tell stop"),
        ],
    ),
    ("resume", &[("Run the rest of the session that was interrupted last", "dbdyno resume")]),
    (
        "results",
        &[
            ("List all results of one engine", "dbdyno results engine=lmdb"),
            ("Compare the times of all runs side by side", "dbdyno results --matrix suite=kv size=10000"),
            ("Count results for each engine and size", "dbdyno results --group-by engine,size"),
            ("Write the ten slowest tests as CSV", "dbdyno results --sort wall_ns:desc --limit 10 --out slowest.csv"),
        ],
    ),
    (
        "compare",
        &[
            ("Compare two engines", "dbdyno compare lmdb redb"),
            ("Compare two settings of one engine", "dbdyno compare --a synchronous=normal --b synchronous=full"),
            ("See where the time of every test went", "dbdyno compare lmdb redb --why"),
            ("Compare every engine of the last sessions with SQLite", "dbdyno compare --reference engine=sqlite"),
            (
                "Fail if A is more than 5 % slower, and write a report",
                "dbdyno compare lmdb redb --fail-if-slower 5% --out report.html",
            ),
        ],
    ),
    (
        "trend",
        &[
            ("Show how one engine changed over its sessions", "dbdyno trend engine=lmdb suite=kv"),
            ("Write a chart", "dbdyno trend engine=lmdb suite=kv --out trend.html"),
        ],
    ),
    (
        "tune try",
        &[
            ("Try one change", "dbdyno tune try synchronous=normal --suite kv --engine sqlite"),
            (
                "Try three changes one after the other, each on top of the accepted ones",
                "dbdyno tune try --accept cache_size=20000 mmap_size=64MiB page_size=8192 --suite kv --engine sqlite",
            ),
        ],
    ),
    (
        "tune search",
        &[(
            "Find the fastest power-safe settings in ten minutes",
            "dbdyno tune search --suite kv --engine sqlite --tier 3 --budget 10m",
        )],
    ),
    ("tune more", &[("Add rounds to the last trial", "dbdyno tune more")]),
    (
        "tune answer",
        &[
            ("Print the settings as PRAGMA statements", "dbdyno tune answer"),
            ("Write them as a preset", "dbdyno tune answer --format preset --out tuned.toml"),
        ],
    ),
    ("tune ledger", &[("List the trials of the ledger used last", "dbdyno tune ledger")]),
    ("tune accept", &[("Make the last trial the new base", "dbdyno tune accept")]),
    ("tune effects", &[("Rank the options of a sweep", "dbdyno tune effects 'preset=pragma-quick test=1'")]),
    (
        "choose",
        &[
            (
                "Choose an engine for random reads whose commits must survive a power loss",
                "dbdyno choose --suite kv --test 'Random reads' --tier 3",
            ),
            (
                "Choose for your own workload with at most 256 MiB of memory, in half an hour",
                "dbdyno choose --workload 'read=95,update=5,rows=1M' --tier 2 --memory-limit 256MiB --budget 30m",
            ),
            ("Choose for your own SQL", "dbdyno choose --sql statements.sql --database app.db --tier 3"),
            ("Go on with the choice that was interrupted last", "dbdyno choose --resume"),
            ("Show the settings of the last answer as PRAGMA statements", "dbdyno choose --show --as pragma"),
        ],
    ),
    (
        "capacity",
        &[
            (
                "Find the highest rate at which 99 % of operations take 5 ms at most",
                "dbdyno capacity --suite ycsb --test A --engine lmdb --slo p99=5ms",
            ),
            (
                "Show the plan, and run nothing",
                "dbdyno capacity --suite ycsb --test A --engine lmdb --slo p99=5ms --dry-run",
            ),
        ],
    ),
    (
        "torture",
        &[
            ("Crash-test two engines", "dbdyno torture sqlite lmdb"),
            (
                "Test two values of an option with more power losses",
                "dbdyno torture 'sqlite:synchronous=normal|full' --power 500",
            ),
        ],
    ),
    (
        "record",
        &[
            ("Record a program and the programs that it starts", "dbdyno record -- python3 app.py"),
            ("Show which statements take the time", "dbdyno record show python3.rec"),
        ],
    ),
    (
        "record show",
        &[
            ("Show which statements take the time", "dbdyno record show python3.rec"),
            ("Write every table as CSV", "dbdyno record show python3.rec --format csv --out python3.csv"),
        ],
    ),
    (
        "record anonymise",
        &[("Write a copy that you can pass on", "dbdyno record anonymise python3.rec --out shared.rec")],
    ),
    (
        "replay",
        &[
            (
                "Replay it with the program's own settings, and with others",
                "dbdyno replay python3.rec --engine 'sqlite,sqlite:journal_mode=wal'",
            ),
            ("Replay it as fast as it was recorded", "dbdyno replay python3.rec --speed 1"),
        ],
    ),
    ("record import", &[("Read what `.trace` of sqlite3 printed", "dbdyno record import trace.sql --out app.rec")]),
    (
        "claims",
        &[
            ("List the published benchmarks", "dbdyno claims"),
            ("Show one next to your own results", "dbdyno claims snkv"),
        ],
    ),
    (
        "sql",
        &[
            (
                "Query the view with one row for each run and test",
                "dbdyno sql 'SELECT engine, test_name, wall_ns FROM results LIMIT 5'",
            ),
            ("Read the query from a file, and write CSV", "dbdyno sql - --out answer.csv < query.sql"),
        ],
    ),
    ("store check", &[("Read every part of the store", "dbdyno store check")]),
    ("store repair", &[("Recover the readable data of a damaged store", "dbdyno store repair")]),
    (
        "export",
        &[
            ("Print every column of all results as CSV", "dbdyno export suite=kv"),
            ("Write Parquet", "dbdyno export --out results.parquet"),
            (
                "Write a file for github-action-benchmark",
                "dbdyno export --format github-action-benchmark --out bench.json",
            ),
        ],
    ),
    (
        "import",
        &[
            ("Add the results of another store", "dbdyno import other.duckdb"),
            ("Add exported results", "dbdyno import results.csv results.parquet"),
        ],
    ),
    (
        "copy",
        &[
            ("Copy the results of one suite to another store", "dbdyno copy suite=kv --to kv.duckdb"),
            ("Copy all results to Parquet files", "dbdyno copy --to-parquet results"),
        ],
    ),
    (
        "tag",
        &[
            ("Tag the runs of a preset", "dbdyno tag preset=quick --add baseline"),
            ("Remove the tag", "dbdyno tag --all --remove baseline"),
        ],
    ),
    ("note", &[("Add a note to the runs of a preset", "dbdyno note preset=quick --text 'before the upgrade'")]),
    ("key", &[("Set a key of your own", "dbdyno key preset=quick --set branch=main")]),
    ("delete", &[("Delete the runs of a preset", "dbdyno delete preset=quick --yes")]),
    (
        "list",
        &[
            ("List engines with their versions", "dbdyno list engines"),
            ("List the options of one engine", "dbdyno list options sqlite"),
            ("List presets as JSON", "dbdyno list presets --json"),
        ],
    ),
    (
        "doctor",
        &[
            ("Check this machine", "dbdyno doctor"),
            ("Check the disk that databases will be on", "dbdyno doctor --work-dir /mnt/fast"),
        ],
    ),
    ("check-engine", &[("Check an engine with an option", "dbdyno check-engine sqlite:journal_mode=wal")]),
    ("check-suite", &[("Check the file of a suite", "dbdyno check-suite suites/mine.toml")]),
    (
        "new suite",
        &[
            ("Write a suite to start from", "dbdyno new suite mine"),
            (
                "Write the suite of your own workload",
                "dbdyno new suite orders --workload 'read=80,insert=20,key=uuid7,value=100-400,threads=4'",
            ),
        ],
    ),
    ("new preset", &[("Write a preset to start from", "dbdyno new preset mine")]),
    (
        "completions",
        &[("Print the script for bash, as in `source <(dbdyno completions bash)`", "dbdyno completions bash")],
    ),
    (
        "man",
        &[
            ("Read the man page of a command", "dbdyno man compare"),
            ("Write all man pages", "dbdyno man --out-dir man1"),
        ],
    ),
];

/// The command line as clap parses it: with examples, with the first sentence of each help text as its short form, and without
/// environment variables that are empty, which count as unset.
pub(super) fn command() -> Command {
    adjusted(with_examples(Cli::command(), ""))
}

fn with_examples(command: Command, path: &str) -> Command {
    let command = match examples(path) {
        [] => command,
        examples => command.after_help(StyledStr::from(format!("Examples:\n{}", listed(examples)))),
    };
    command.mut_subcommands(|command| {
        let path = format!("{path} {}", command.get_name());
        with_examples(command, path.trim())
    })
}

/// The examples of a command, by its words.
pub(super) fn examples(path: &str) -> &'static [CommandExample] {
    EXAMPLES.iter().find(|(command, _)| *command == path).map_or(&[], |(_, examples)| *examples)
}

fn listed(examples: &[CommandExample]) -> String {
    let each: Vec<String> = examples.iter().map(|(what, command)| format!("  # {what}\n  {command}")).collect();
    each.join("\n")
}

fn adjusted(command: Command) -> Command {
    command.mut_args(|arg| with_short_help(without_empty_variable(arg))).mut_subcommands(adjusted)
}

fn without_empty_variable(arg: Arg) -> Arg {
    match arg.get_env() {
        Some(name) if var_os(name).is_some_and(|value| value.is_empty()) => arg.env(Resettable::Reset),
        _ => arg,
    }
}

/// Shortens the help of `-h` to its first sentence and the default; `--help` keeps all.
fn with_short_help(arg: Arg) -> Arg {
    let help = arg.get_help().filter(|_| arg.get_long_help().is_none()).map(ToString::to_string);
    let Some(help) = help else { return arg };
    let Some((first, rest)) = help.split_once(". ") else { return arg };
    let default = rest.rfind(" [default").map_or("", |at| &rest[at..]);
    let short = format!("{first}{default}");
    arg.help(short).long_help(help)
}

/// Whether the short help of `dbdyno` itself is requested, and not that of a command.
pub(super) fn is_short_help() -> bool {
    let command = Cli::command();
    let is_command = |word: &OsString| command.get_subcommands().any(|command| word == command.get_name());
    args_os().skip(1).take_while(|word| !is_command(word)).any(|word| word == "-h")
}

/// The short help of `dbdyno`: the main job, the commands that matter most, and where the rest is.
pub(super) fn short() -> String {
    let command = Cli::command();
    let about = |name: &str| {
        let found = command.find_subcommand(name).and_then(Command::get_about);
        found.map_or_else(String::new, ToString::to_string)
    };
    let commands: String = MAIN_COMMANDS.iter().map(|name| format!("  {name:<10}{}\n", about(name))).collect();
    format!(
        "{}.\n\nUsage: dbdyno [OPTIONS] [COMMAND]\n\n{}\n\nCommands:\n{commands}\n\
         dbdyno --help lists everything, dbdyno COMMAND -h explains a command.\n",
        command.get_about().map_or_else(String::new, ToString::to_string),
        listed(examples("")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Parser, error::ErrorKind};

    /// The commands below one, by their words.
    fn leaves(command: &Command, path: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|command| !command.is_hide_set());
        let paths: Vec<String> =
            below.flat_map(|command| leaves(command, format!("{path} {}", command.get_name()).trim())).collect();
        if paths.is_empty() { vec![path.to_owned()] } else { paths }
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        for path in leaves(&Cli::command(), "") {
            assert!(!examples(&path).is_empty(), "{path} has no example");
        }
        for (path, examples) in EXAMPLES {
            for (_, example) in *examples {
                let line = example.split(" < ").next().unwrap_or_default();
                let words = shlex::split(line).unwrap();
                assert!(words[1..].join(" ").starts_with(path), "{example} is an example of {path}");
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("{example}: {error}");
                }
            }
        }
    }

    #[test]
    fn the_short_help_fits_a_small_screen() {
        let text = short();
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for name in MAIN_COMMANDS {
            let line = text.lines().find(|line| line.starts_with(&format!("  {name} "))).unwrap_or_default();
            assert!(line.len() > 20, "{name}: {line}");
        }
    }

    #[test]
    fn the_whole_help_has_examples() {
        let error = command().try_get_matches_from(["dbdyno", "compare", "--help"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DisplayHelp);
        assert!(error.to_string().contains("dbdyno compare lmdb redb"), "{error}");
    }
}
