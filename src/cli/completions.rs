//! Completion in shells: of commands and options, and of names that exist here (presets, engines with their options, suites, tests,
//! sessions, terms of a selection).

use super::{args::Places, claims::listed as listed_claims, error::CliError, help, list, output::print_bytes};
use clap::{Args, ValueEnum};
use clap_complete::{
    CompletionCandidate,
    engine::ArgValueCompleter,
    env::{Bash, CompleteEnv, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh},
};
use dbdyno_catalog::{Catalog, engines::Registry};
use dbdyno_engine::describe::{Description, OptionKind, OptionSpec};
use dbdyno_store::{SelectionKey, Store};
use std::{
    env::args,
    ffi::{OsStr, OsString},
    io,
    path::Path,
    process::ExitCode,
};

/// `dbdyno completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that runs the script.
    shell: CompletedShell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CompletedShell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// The environment variable with which a shell asks for completions.
const VARIABLE: &str = "COMPLETE";

const SHELLS: Shells<'static> = Shells(&[&WholeWords, &Elvish, &Fish, &Powershell, &Zsh]);

/// Answers the shell if it asks for completions, and then ends the program.
pub(super) fn complete() {
    CompleteEnv::with_factory(help::command).shells(SHELLS).complete();
}

/// Writes the script that has a shell ask this program for completions.
pub(super) fn script(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let shell: &dyn EnvCompleter = match args.shell {
        CompletedShell::Bash => &WholeWords,
        CompletedShell::Elvish => &Elvish,
        CompletedShell::Fish => &Fish,
        CompletedShell::Powershell => &Powershell,
        CompletedShell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, "dbdyno", "dbdyno", "dbdyno", &mut script);
    written.map_err(|error| CliError::Failed(format!("writing the script: {error}")))?;
    print_bytes(&script)
}

/// Bash, which splits words at `:` and `=`: the script joins them again, and returns only the end that bash replaces.
struct WholeWords;

impl EnvCompleter for WholeWords {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        script: &mut dyn io::Write,
    ) -> io::Result<()> {
        let text = r#"_clap_complete_NAME() {
    local words=() word joins=0 i
    for (( i = 0; i <= COMP_CWORD; i++ )); do
        word=${COMP_WORDS[i]}
        if (( i > 1 && joins )) || [[ $i -gt 1 && $word =~ ^[:=]+$ ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        [[ $word =~ ^[:=]+$ ]] && joins=1 || joins=0
    done
    local current=${words[${#words[@]}-1]}
    local kept=${current%"${current##*[:=]}"}
    local IFS=$'\013'
    COMPREPLY=( $( \
        _CLAP_IFS="$IFS" \
        _CLAP_COMPLETE_INDEX=$(( ${#words[@]} - 1 )) \
        VARIABLE=bash \
        COMPLETER -- "${words[@]}" 2> /dev/null \
    ) ) || COMPREPLY=()
    COMPREPLY=( "${COMPREPLY[@]#"$kept"}" )
    [[ ${COMPREPLY-} =~ [=:|,]$ ]] && compopt -o nospace 2> /dev/null
    return 0
}
complete -o bashdefault -o nosort -F _clap_complete_NAME PROGRAM
"#;
        let text = text.replace("NAME", name).replace("PROGRAM", program);
        script.write_all(text.replace("COMPLETER", completer).replace("VARIABLE", variable).as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        answer: &mut dyn io::Write,
    ) -> io::Result<()> {
        Bash.write_complete(command, words, folder, answer)
    }
}

/// Completes presets.
pub(super) fn presets() -> ArgValueCompleter {
    of_catalog(list::presets)
}

/// Completes suites.
pub(super) fn suites() -> ArgValueCompleter {
    of_catalog(list::suites)
}

/// Completes claims files.
pub(super) fn claims() -> ArgValueCompleter {
    of_catalog(listed_claims)
}

/// Completes the tests of the suite that `--suite` names, or else of all suites.
pub(super) fn tests() -> ArgValueCompleter {
    of_catalog(|catalog| {
        let suites = given("--suite").map_or_else(|| catalog.suite_names(), |suite| vec![suite]);
        let suites = suites.iter().filter_map(|name| catalog.suite(name).ok());
        suites
            .flat_map(|suite| suite.tests().map(|test| (test.number.to_string(), test.name)).collect::<Vec<_>>())
            .collect()
    })
}

/// Completes engines, in lists, with their options and values: `sqlite:journal_mode=w`.
pub(super) fn engines() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let registry = Registry::discover();
        let known: Vec<&Description> = registry.engines.iter().map(|engine| &*engine.description).collect();
        shown(current.to_str().map_or_else(Vec::new, |current| of_engines(current, &known)))
    })
}

/// Completes `OWNER.OPTION=VALUE` for engines and suites.
pub(super) fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(current) = current.to_str() else { return Vec::new() };
        let registry = Registry::discover();
        let mut owners: Vec<(String, Vec<OptionSpec>)> = registry
            .engines
            .iter()
            .map(|engine| (engine.description.name.clone(), engine.description.options.clone()))
            .collect();
        if let Some(catalog) = catalog() {
            let suites = catalog.suite_names().into_iter().filter_map(|name| catalog.suite(&name).ok());
            owners.extend(suites.map(|suite| (suite.name.clone(), suite.options)));
        }
        shown(of_settings(current, &owners))
    })
}

/// Completes stored sessions, the newest first.
pub(super) fn sessions() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let words = ["last", "previous"].map(|word| (word.to_owned(), String::new()));
        let key = SelectionKey::parse("session").ok();
        let stored = key.zip(store()).and_then(|(key, store)| store.values(&key).ok()).unwrap_or_default();
        let all = words.into_iter().chain(stored.into_iter().map(|id| (id, String::new())));
        shown(all.filter(|(name, _)| begins(name, current)).collect())
    })
}

/// Completes terms of a selection: keys, and the values that stored runs have.
pub(super) fn terms() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(current) = current.to_str() else { return Vec::new() };
        let Some((word, value)) = current.split_once('=') else {
            let keys = SelectionKey::words().map(|word| (format!("{word}="), String::new()));
            return shown(keys.filter(|(word, _)| word.starts_with(current)).collect());
        };
        let (before, value) = value.rsplit_once('|').map_or(("", value), |(before, value)| (before, value));
        let joined = if before.is_empty() { format!("{word}=") } else { format!("{word}={before}|") };
        let stored = SelectionKey::parse(word).ok().zip(store()).and_then(|(key, store)| store.values(&key).ok());
        let values = stored.unwrap_or_default().into_iter().filter(|one| one.starts_with(value));
        shown(values.map(|one| (format!("{joined}{one}"), String::new())).collect())
    })
}

/// A candidate with its description, which may be empty.
type Suggestion = (String, String);

fn shown(candidates: Vec<Suggestion>) -> Vec<CompletionCandidate> {
    let one =
        |(name, about): Suggestion| CompletionCandidate::new(name).help((!about.is_empty()).then(|| about.into()));
    candidates.into_iter().map(one).collect()
}

fn begins(name: &str, current: &OsStr) -> bool {
    current.to_str().is_some_and(|current| name.starts_with(current))
}

fn of_catalog(candidates: fn(&Catalog) -> Vec<Suggestion>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let all = catalog().map_or_else(Vec::new, |catalog| candidates(&catalog));
        shown(all.into_iter().filter(|(name, _)| begins(name, current)).collect())
    })
}

/// Places as the environment names them: the words before the cursor are not parsed.
fn places() -> Option<Places> {
    Places::of_arguments(&[]).ok()
}

fn catalog() -> Option<Catalog> {
    places()?.catalog().ok()
}

fn store() -> Option<Store> {
    places()?.store().ok().filter(Store::exists)
}

/// The value of a flag in the command line that is being completed.
fn given(flag: &str) -> Option<String> {
    let mut words = args().skip_while(|word| word != flag);
    words.next().and_then(|_| words.next())
}

/// Completes the last part of a list of engines with options.
fn of_engines(current: &str, known: &[&Description]) -> Vec<Suggestion> {
    let (before, part) = split_after(current, ',');
    // The engine whose options the list is in, if any: the last piece with a `:`.
    let owner = current.rsplit(',').find_map(|piece| Some(piece.split_once(':')?.0));
    let named = |name: &str| known.iter().find(|engine| engine.name == name.trim_end_matches('?'));
    if let Some((engine, option)) = part.split_once(':') {
        let options = named(engine).map_or_else(Vec::new, |found| of_option(option, &found.options));
        return with_prefix(&format!("{before}{engine}:"), options);
    }
    let options = match owner.and_then(named) {
        Some(found) if !before.is_empty() => of_option(part, &found.options),
        _ => Vec::new(),
    };
    let engines = known.iter().filter(|engine| !part.contains('=') && engine.name.starts_with(part));
    let engines = engines.map(|engine| (engine.name.clone(), engine.about.clone()));
    with_prefix(before, options.into_iter().chain(engines).collect())
}

fn of_settings(current: &str, owners: &[(String, Vec<OptionSpec>)]) -> Vec<Suggestion> {
    match current.split_once('.') {
        None => {
            let names = owners.iter().filter(|(name, _)| name.starts_with(current));
            names.map(|(name, _)| (format!("{name}."), String::new())).collect()
        }
        Some((owner, option)) => {
            let found = owners.iter().find(|(name, _)| name == owner);
            let options = found.map_or_else(Vec::new, |(_, options)| of_option(option, options));
            with_prefix(&format!("{owner}."), options)
        }
    }
}

/// Completes `OPTION=VALUE|VALUE`.
fn of_option(current: &str, options: &[OptionSpec]) -> Vec<Suggestion> {
    let Some((name, values)) = current.split_once('=') else {
        let options = options.iter().filter(|option| option.name.starts_with(current));
        return options.map(|option| (format!("{}=", option.name), option.help.clone())).collect();
    };
    let (before, value) = split_after(values, '|');
    let offered = match options.iter().find(|option| option.name == name).map(|option| &option.kind) {
        Some(OptionKind::Choice { choices }) => choices.clone(),
        Some(OptionKind::Bool) => vec!["on".to_owned(), "off".to_owned()],
        Some(OptionKind::Size { words, .. }) => words.clone(),
        _ => Vec::new(),
    };
    let offered = offered.into_iter().filter(|one| one.starts_with(value)).map(|one| (one, String::new()));
    with_prefix(&format!("{name}={before}"), offered.collect())
}

fn with_prefix(prefix: &str, candidates: Vec<Suggestion>) -> Vec<Suggestion> {
    candidates.into_iter().map(|(name, about)| (format!("{prefix}{name}"), about)).collect()
}

/// Splits a text after the last separator.
fn split_after(text: &str, separator: char) -> (&str, &str) {
    text.split_at(text.rfind(separator).map_or(0, |at| at + separator.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::suite::SuiteKind;

    fn engines() -> [Description; 3] {
        let options = vec![
            OptionSpec::choice("journal_mode", &["delete", "wal"], "delete", ""),
            OptionSpec::bool("mmap", "off", ""),
        ];
        let engine = |name: &str| Description::new(name, "", "1", &[SuiteKind::Kv]);
        let with = |name: &str| Description { options: options.clone(), ..engine(name) };
        [with("sqlite"), with("sqlite-lib"), engine("lmdb")]
    }

    fn completed(current: &str) -> Vec<String> {
        of_engines(current, &engines().each_ref()).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn engines_are_completed_with_their_options_and_values() {
        assert_eq!(completed("sq"), ["sqlite", "sqlite-lib"]);
        assert_eq!(completed("sqlite:"), ["sqlite:journal_mode=", "sqlite:mmap="]);
        assert_eq!(completed("sqlite:journal_mode=w"), ["sqlite:journal_mode=wal"]);
        assert_eq!(completed("sqlite:journal_mode=wal|d"), ["sqlite:journal_mode=wal|delete"]);
        assert_eq!(completed("nosuch:"), [""; 0]);
    }

    #[test]
    fn after_a_comma_comes_an_option_or_another_engine() {
        assert_eq!(completed("lmdb,sq"), ["lmdb,sqlite", "lmdb,sqlite-lib"]);
        assert_eq!(completed("sqlite:mmap=on,j"), ["sqlite:mmap=on,journal_mode="]);
        assert_eq!(completed("sqlite:mmap=on,l"), ["sqlite:mmap=on,lmdb"]);
        assert_eq!(completed("sqlite:mmap=on,journal_mode=de"), ["sqlite:mmap=on,journal_mode=delete"]);
    }

    #[test]
    fn settings_are_completed_by_owner_option_and_value() {
        let owners: Vec<(String, Vec<OptionSpec>)> =
            engines().into_iter().map(|engine| (engine.name, engine.options)).collect();
        let completed =
            |current: &str| of_settings(current, &owners).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(completed("lm"), ["lmdb."]);
        assert_eq!(completed("sqlite.m"), ["sqlite.mmap="]);
        assert_eq!(completed("sqlite.mmap=o"), ["sqlite.mmap=on", "sqlite.mmap=off"]);
    }
}
