//! Where things are: the store, the user's files, databases while they are measured.

use super::{duration, machine_name};
use crate::cli::error::CliError;
use clap::{Args, Parser, ValueHint};
use dbdyno_catalog::{Catalog, UserFolders};
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::{
        output::{Output, OutputError},
        units::{bytes, plain},
    },
    host::name_machine,
};
use dbdyno_store::{ReadWatch, Settled, Store};
use etcetera::BaseStrategy;
use rustix::process::{Resource, getrlimit};
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    time::Duration,
};

/// Where things are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(in crate::cli) struct Places {
    /// The DuckDB file that keeps all results [default: results.duckdb in your data folder].
    #[arg(long, global = true, env = "DBDYNO_STORE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: Option<PathBuf>,
    /// Time to wait for a store that another process has open (500ms, 20s, 5m).
    #[arg(long, global = true, env = "DBDYNO_STORE_WAIT", value_name = "TIME", default_value = "20s", value_parser = duration)]
    store_wait: Duration,
    /// The folder that keeps results until the store has imported them [default: next to the store].
    ///
    /// It may be on another disk.
    #[arg(long, global = true, env = "DBDYNO_JOURNAL", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    journal: Option<PathBuf>,
    /// The folder with your own suites/, presets/, claims/ and themes/ [default: dbdyno in your configuration folder].
    #[arg(long, global = true, env = "DBDYNO_CONFIG", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    config: Option<PathBuf>,
    /// Name this machine: sessions with the same name count as sessions of one machine.
    ///
    /// Useful in containers, and for machines that look the same. By default dbdyno identifies a machine by its machine-id and its hardware.
    #[arg(long, global = true, env = "DBDYNO_HOST", value_name = "NAME", value_parser = machine_name)]
    host_name: Option<String>,
    /// Run as a job of the terminal UI, which shows its progress: no terminal ends it, and it prints nothing at the end.
    #[arg(long, global = true, hide = true)]
    detached: bool,
    /// Whether leftovers of killed programs were removed.
    #[arg(skip)]
    swept: OnceCell<()>,
}

impl Places {
    pub(in crate::cli) fn store(&self) -> Result<Store, CliError> {
        check_address_space(getrlimit(Resource::As).current)?;
        let path = match &self.store {
            Some(path) => path.clone(),
            None => base()?.data_dir().join("dbdyno").join("results.duckdb"),
        };
        let told = |holder: &str| say!("waiting: {holder} has the store open");
        let store = Store::new(path).with_patience(self.store_wait).watched(&ReadWatch::with_listener(told));
        let store = match &self.journal {
            Some(folder) => store.with_journal_below(folder),
            None => store,
        };
        self.swept.get_or_init(|| {
            store.sweep();
        });
        Ok(store)
    }

    /// Whether screens show what this process measures.
    pub(in crate::cli) fn detached(&self) -> bool {
        self.detached
    }

    /// Gives the machine of this process the name that the user gave it.
    pub(in crate::cli) fn name_machine(&self) {
        if let Some(name) = &self.host_name {
            name_machine(name);
        }
    }

    /// The store, after its journals were imported into it.
    ///
    /// # Errors
    /// There is no store yet, or it cannot be used.
    pub(in crate::cli) fn opened(&self) -> Result<Store, CliError> {
        let store = self.settled()?;
        if !store.exists() {
            let path = store.path();
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
            let advice = match folder {
                Some(folder) if self.store.is_some() => {
                    format!(", and no folder {}: check --store or DBDYNO_STORE", folder.display())
                }
                _ => " yet: run `dbdyno --preset quick`, or give --store".to_owned(),
            };
            return Err(CliError::Usage(format!("there is no store {}{advice}", path.display())));
        }
        Ok(store)
    }

    /// The store after its journals were imported into it, if it exists.
    pub(in crate::cli) fn settled(&self) -> Result<Store, CliError> {
        let store = self.store()?;
        if store.exists() || store.has_journals() {
            notices(&store.settle_to_read()?);
        }
        Ok(store)
    }

    /// A file that a command writes. The store and files next to it that have its name are refused.
    pub(in crate::cli) fn output(&self, path: &Path) -> Result<Output, CliError> {
        let output = Output::check(path, &[self.store()?.guarded()]).map_err(|error| match error {
            OutputError::Refused { .. } => CliError::Usage(error.to_string()),
            OutputError::Unwritable { .. } => CliError::Failed(error.to_string()),
        })?;
        if let Some(note) = output.note() {
            say!("note: {note}");
        }
        Ok(output)
    }

    /// Returns the places that differ from the defaults, as arguments.
    pub(in crate::cli) fn arguments(&self) -> Vec<String> {
        self.arguments_with(|path| path.to_owned())
    }

    /// The same for a command in another folder.
    pub(in crate::cli) fn absolute_arguments(&self) -> Vec<String> {
        // An invalid path, such as an empty one, stays as it is.
        self.arguments_with(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    fn arguments_with(&self, written: impl Fn(&Path) -> PathBuf) -> Vec<String> {
        let places = [("--store", &self.store), ("--journal", &self.journal), ("--config", &self.config)];
        let given = places.into_iter().filter_map(|(flag, path)| Some((flag, path.as_ref()?)));
        let paths = given.flat_map(|(flag, path)| [flag.to_owned(), written(path).display().to_string()]);
        let name = self.host_name.iter().flat_map(|name| ["--host-name".to_owned(), name.clone()]);
        paths.chain(name).collect()
    }

    /// The places that such arguments mean.
    ///
    /// # Errors
    /// They are of another version.
    pub(in crate::cli) fn of_arguments(arguments: &[String]) -> Result<Self, CliError> {
        #[derive(Debug, Parser)]
        struct Only {
            #[command(flatten)]
            places: Places,
        }
        let words = std::iter::once("dbdyno").chain(arguments.iter().map(String::as_str));
        let only = Only::try_parse_from(words).map_err(|error| CliError::Usage(error.to_string()))?;
        Ok(only.places)
    }

    /// Suites, presets, claims and themes: the program's own and the user's.
    pub(in crate::cli) fn catalog(&self) -> Result<Catalog, CliError> {
        let root = match &self.config {
            Some(path) => path.clone(),
            None => base()?.config_dir().join("dbdyno"),
        };
        Ok(Catalog::new(UserFolders { root }))
    }
}

/// Prints what was done to bring the store up to date.
pub(in crate::cli) fn notices(settled: &Settled) {
    settled.notices().iter().for_each(|notice| say!("note: {}", plain(notice)));
}

/// Refuses to continue with less address space, bytes, than the store's threads reserve: without it, the process ends.
fn check_address_space(limit: Option<u64>) -> Result<(), CliError> {
    const LEAST: u64 = 1 << 30;
    match limit.filter(|limit| *limit < LEAST) {
        None => Ok(()),
        Some(limit) => Err(CliError::Failed(format!(
            "address space is limited to {} (`ulimit -v`): dbdyno needs at least {}, and engines that map files into memory more: \
             run `ulimit -v unlimited`, and limit engines with --memory-limit",
            bytes(limit),
            bytes(LEAST)
        ))),
    }
}

fn base() -> Result<impl BaseStrategy, CliError> {
    etcetera::choose_base_strategy().map_err(|error| {
        CliError::Usage(format!("the user's folders are not known ({error}): give --store, --config and --work-dir"))
    })
}

/// Where databases are put.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bench")]
pub(in crate::cli) struct WorkArgs {
    /// The folder for databases while they are measured [default: dbdyno in your cache folder].
    #[arg(long, env = "DBDYNO_WORK_DIR", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    work_dir: Option<PathBuf>,
}

impl WorkArgs {
    /// The same with another folder, where one is given.
    #[must_use]
    pub(in crate::cli) fn or_given(self, folder: Option<PathBuf>) -> Self {
        Self { work_dir: folder.or(self.work_dir) }
    }

    /// The folder, absolute.
    pub(in crate::cli) fn folder(&self) -> Result<PathBuf, CliError> {
        let folder = match &self.work_dir {
            Some(folder) => folder.clone(),
            None => base()?.cache_dir().join("dbdyno").join("work"),
        };
        // Workers are separate processes: a relative path would name another folder after a change of directory.
        std::path::absolute(&folder).map_err(|error| CliError::Usage(format!("{}: {error}", folder.display())))
    }
}

/// A file in place of stdout.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct OutArgs {
    /// Write to this file instead of stdout. Its ending chooses the format. An existing file is replaced in one step.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

impl OutArgs {
    /// The file as the user named it; none for stdout, which `-` means too.
    pub(in crate::cli) fn file(&self) -> Option<&Path> {
        self.out.as_deref().filter(|out| *out != Path::new("-"))
    }

    /// The file, checked before anything is done; none for stdout.
    pub(in crate::cli) fn checked(&self, places: &Places) -> Result<Option<Output>, CliError> {
        self.file().map(|file| places.output(file)).transpose()
    }
}
