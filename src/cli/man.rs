//! `dbdyno man`: man pages, with exit status, environment, files and examples.

use super::{
    error::CliError,
    help::{self, examples},
    output::print_bytes,
};
use clap::{Args, Command, ValueHint};
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};
use dbdyno_engine::names::instead_of;
use dbdyno_foundation::base::units::counted;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// `dbdyno man`.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The command, such as `compare` or `tune try` [default: dbdyno itself].
    #[arg(conflicts_with = "out_dir")]
    command: Vec<String>,
    /// Write the pages of all commands to this folder.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    out_dir: Option<PathBuf>,
}

/// What the exit codes mean.
const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Success."),
    ("1", "Something failed: a run, an answer, a check, or access to the store."),
    (
        "2",
        "Wrong usage or input. Nothing was run. results --strict: no stored run has a name or value of the selection.",
    ),
    ("3", "compare: --fail-if-slower could not be decided, or --until-decided left a test undecided."),
    ("4", "compare: side A is slower than --fail-if-slower allows."),
    ("130", "Interrupted. Finished results are kept."),
];

/// Environment variables that no option of a command names.
const MORE_ENVIRONMENT: &[(&str, &str)] = &[
    ("DBDYNO_ENGINE_PATH", "Folders with engine programs (dbdyno-engine-*), searched before PATH."),
    ("NO_COLOR", "If it is not empty, dbdyno uses no colours."),
];

const FILES: &[(&str, &str)] = &[
    ("~/.local/share/dbdyno/results.duckdb", "The store: all results."),
    ("~/.config/dbdyno/", "Your own suites, presets, claims, themes and keys."),
    ("~/.cache/dbdyno/", "Databases while they are measured."),
];

pub(super) fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let pages = pages().map_err(|error| CliError::Failed(format!("writing a man page: {error}")))?;
    if let Some(folder) = &args.out_dir {
        let failed = |error: io::Error| CliError::Failed(format!("{}: {error}", folder.display()));
        write_all(&pages, folder).map_err(failed)?;
        return print_bytes(format!("{} written to {}\n", counted(pages.len(), "page"), folder.display()).as_bytes());
    }
    let path = args.command.join(" ");
    match pages.get(&path) {
        Some(page) => print_bytes(page),
        None => Err(CliError::Usage(format!("unknown command `{path}`: {}", instead_of(&path, pages.keys())))),
    }
}

fn write_all(pages: &BTreeMap<String, Vec<u8>>, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (path, page) in pages {
        let name = format!("dbdyno {path}").trim().replace(' ', "-");
        fs::write(folder.join(format!("{name}.1")), page)?;
    }
    Ok(())
}

/// The pages of all commands, by their words.
fn pages() -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let mut pages = BTreeMap::new();
    add_pages(&command, "", &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, path: &str, pages: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        add_pages(below, format!("{path} {}", below.get_name()).trim(), pages)?;
    }
    pages.insert(path.to_owned(), page(command, path)?);
    Ok(())
}

fn page(command: &Command, path: &str) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone()).manual("dbdyno").source(concat!("dbdyno ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let mut end = Roff::default();
    definitions(&mut end, "EXIT STATUS", EXIT_STATUS.iter().copied());
    let named = environment(command);
    let named = named.iter().map(|(name, about)| (name.as_str(), about.as_str()));
    definitions(&mut end, "ENVIRONMENT", named.chain(MORE_ENVIRONMENT.iter().copied()));
    definitions(&mut end, "FILES", FILES.iter().copied());
    if !examples(path).is_empty() {
        end.control("SH", ["EXAMPLES"]);
        for (what, command) in examples(path) {
            end.control("PP", []);
            end.text([roman(format!("{what}:"))]);
            end.control("RS", []);
            end.text([bold(*command)]);
            end.control("RE", []);
        }
    }
    end.to_writer(&mut page)?;
    Ok(page)
}

/// The environment variables of a command's options, with the option's help.
fn environment(command: &Command) -> Vec<(String, String)> {
    let arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let named = arguments.filter_map(|arg| {
        let about = arg.get_help().map_or_else(String::new, ToString::to_string);
        let flag = arg.get_long().map_or_else(String::new, |long| format!("Default of --{long}. "));
        Some((arg.get_env()?.to_string_lossy().into_owned(), format!("{flag}{about}")))
    });
    named.collect()
}

fn definitions<'d>(roff: &mut Roff, heading: &str, entries: impl Iterator<Item = (&'d str, &'d str)>) {
    roff.control("SH", [heading]);
    for (name, about) in entries {
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(about)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_all_sections() {
        let pages = pages().unwrap();
        assert!(pages.len() > 30 && pages.contains_key("tune try") && pages.contains_key(""));
        for (path, page) in &pages {
            let page = String::from_utf8_lossy(page);
            for section in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
                assert!(
                    page.contains(&format!(".SH {section}")) || page.contains(&format!(".SH \"{section}\"")),
                    "{path}: {section}"
                );
            }
            assert_eq!(page.contains(".SH EXAMPLES"), !examples(path).is_empty(), "{path}");
        }
        let compare = String::from_utf8_lossy(&pages["compare"]);
        assert!(compare.contains("dbdyno compare lmdb redb") && compare.contains("DBDYNO_STORE"), "{compare}");
    }
}
