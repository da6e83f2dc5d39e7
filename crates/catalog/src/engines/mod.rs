//! The engines: those built into this program, and those that are separate programs.

mod outside;

use dbdyno_engine::{
    describe::{Description, NULL, Probed},
    names::instead_of,
    serve::Program,
    settings::Settings,
};
use dbdyno_foundation::base::input;
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

/// The built-in engines, in the order of listings: each is a crate below `engines/` and a feature of this package. Their programs are
/// statics, so that the measured loops are compiled in those crates; with constants, they would be compiled in this crate.
const BUILT_IN: &[(&str, &Program)] = &[
    #[cfg(feature = "sqlite")]
    ("sqlite", &dbdyno_sqlite::PROGRAM),
    #[cfg(feature = "loaded")]
    ("sqlite-lib", &dbdyno_loaded::sqlite::PROGRAM),
    #[cfg(feature = "lmdb")]
    ("lmdb", &dbdyno_lmdb::PROGRAM),
    #[cfg(feature = "redb")]
    ("redb", &dbdyno_redb::PROGRAM),
    #[cfg(feature = "fjall")]
    ("fjall", &dbdyno_fjall::PROGRAM),
    #[cfg(feature = "log")]
    ("log", &dbdyno_log::PROGRAM),
    #[cfg(feature = "files")]
    ("files", &dbdyno_files::PROGRAM),
    #[cfg(feature = "duckdb-engine")]
    ("duckdb", &dbdyno_duckdb::PROGRAM),
    #[cfg(feature = "loaded")]
    ("rocksdb", &dbdyno_loaded::rocksdb::PROGRAM),
    #[cfg(feature = "loaded")]
    ("snkv", &dbdyno_loaded::snkv::PROGRAM),
    #[cfg(feature = "loaded")]
    ("crossdb", &dbdyno_loaded::crossdb::PROGRAM),
    (HARNESS_ENGINE, &dbdyno_null::PROGRAM),
];

/// The engine with whose answers the others are compared, if it runs: no other is tested as much.
pub const REFERENCE_ENGINE: &str = "sqlite";

/// The engine that does nothing: its time is the cost of the harness itself.
pub const HARNESS_ENGINE: &str = NULL;

/// The command of the main program that serves a built-in engine over the worker protocol.
pub const WORKER_COMMAND: &str = "worker";

/// Returns the built-in engine of this name.
pub fn built_in(name: &str) -> Option<&'static Program> {
    BUILT_IN.iter().find(|(engine, _)| *engine == name).map(|(_, program)| *program)
}

/// An engine that can run.
#[derive(Debug, Clone)]
pub struct Engine {
    /// What it says about itself.
    pub description: Arc<Description>,
    pub launch: Launch,
}

/// How to start an engine's worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// This program's hidden command `worker`.
    BuiltIn,
    /// A separate program.
    Program(PathBuf),
}

impl Engine {
    /// Returns the engine as it describes itself with the files that these settings name.
    ///
    /// # Errors
    /// A message for the user about a file that the engine cannot use.
    pub fn with_files(&self, settings: &Settings) -> Result<Self, String> {
        Ok(self.probe(settings)?.map_or_else(|| self.clone(), |probed| self.probed(probed)))
    }

    /// Returns the engine with the result of its program's probe.
    pub fn probed(&self, probed: Probed) -> Self {
        Self { description: Arc::new(self.description.with(probed)), launch: self.launch.clone() }
    }

    /// Asks the engine's program, in a separate process, about the files that these settings name. Returns `None` for an engine without
    /// such options.
    ///
    /// # Errors
    /// A message for the user about a file that the engine cannot use.
    pub fn probe(&self, settings: &Settings) -> Result<Option<Probed>, String> {
        let files = self.description.files(settings);
        if files.is_empty() {
            return Ok(None);
        }
        let name = &self.description.name;
        let wrong = |error: String| format!("engine `{name}`: {error}");
        // The loader searches for a name without a folder.
        for file in files.into_iter().filter(|file| file.contains('/')) {
            if let Some(odd) = input::odd(Path::new(file)) {
                return Err(wrong(format!("{file}: {odd}")));
            }
        }
        let command = self.launch.command(name).map_err(wrong)?;
        outside::probe(command, settings).map(Some).map_err(|error| wrong(error.reason))
    }
}

impl Launch {
    /// Returns the command that starts the engine's program; the action is its last argument.
    ///
    /// # Errors
    /// The path of this program is unknown.
    pub fn command(&self, engine: &str) -> Result<Command, String> {
        match self {
            Self::BuiltIn => {
                let program =
                    env::current_exe().map_err(|error| format!("the path of this program is unknown: {error}"))?;
                let mut command = Command::new(program);
                command.args([WORKER_COMMAND, engine]);
                Ok(command)
            }
            Self::Program(path) => Ok(Command::new(path)),
        }
    }
}

/// What keeps an engine from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfitness {
    /// It belongs to dbdyno, and no folder has its program.
    NotBuilt,
    /// Its file is not executable, or may not be executed.
    NotPermitted,
    /// Its program did not answer in time.
    TimedOut,
    /// Its program fails, or gives an answer that dbdyno cannot use.
    Broken,
}

impl Unfitness {
    /// Returns it in two words at most.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotBuilt => "not built",
            Self::NotPermitted => "no permission",
            Self::TimedOut => "timed out",
            Self::Broken => "broken",
        }
    }
}

/// A known or found engine that cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    pub name: String,
    pub kind: Unfitness,
    /// Why, and what to do.
    pub reason: String,
}

/// All engines of this machine.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// Engines that can run: built-in ones, then outside ones by name.
    pub engines: Vec<Engine>,
    /// Engines that cannot run.
    pub unavailable: Vec<Unavailable>,
}

impl Registry {
    /// Returns the built-in engines.
    pub fn built_in() -> Self {
        Self {
            engines: BUILT_IN
                .iter()
                .map(|(_, program)| Engine { description: Arc::new((program.describe)()), launch: Launch::BuiltIn })
                .collect(),
            unavailable: Vec::new(),
        }
    }

    /// Finds the built-in engines, and the outside ones next to this program, in `$DBDYNO_ENGINE_PATH` and on PATH.
    pub fn discover() -> Self {
        let mut registry = Self::built_in();
        let found = outside::find();
        for known in outside::ours() {
            if !found.executable.contains_key(&known.name) && !found.not_executable.contains_key(&known.name) {
                registry.lacks(known.name.clone(), Unfitness::NotBuilt, known.missing());
            }
        }
        for (name, path) in found.not_executable.into_iter().filter(|(name, _)| built_in(name).is_none()) {
            let reason = format!("{} is not executable: run `chmod +x` on it, if it is a program", path.display());
            registry.lacks(name, Unfitness::NotPermitted, reason);
        }
        for (name, path) in found.executable {
            if built_in(&name).is_some() {
                let reason = format!("{} has the name of a built-in engine: rename it", path.display());
                registry.lacks(name, Unfitness::Broken, reason);
                continue;
            }
            match outside::describe(&name, &path) {
                Ok(description) => {
                    registry.engines.push(Engine { description: Arc::new(description), launch: Launch::Program(path) })
                }
                Err(error) => registry.lacks(name, error.kind, format!("{}: {}", path.display(), error.reason)),
            }
        }
        registry
    }

    fn lacks(&mut self, name: String, kind: Unfitness, reason: String) {
        self.unavailable.push(Unavailable { name, kind, reason });
    }

    /// Returns the engine of this name.
    ///
    /// # Errors
    /// There is no such engine, or it cannot be used; the error says why, and what to do.
    pub fn get(&self, name: &str) -> Result<&Engine, String> {
        if let Some(engine) = self.engines.iter().find(|engine| engine.description.name == name) {
            return Ok(engine);
        }
        if let Some(found) = self.unavailable.iter().find(|engine| engine.name == name) {
            return Err(format!("engine `{name}` cannot be used: {}", found.reason));
        }
        let usable = self.engines.iter().map(|engine| engine.description.name.as_str());
        let known = usable.chain(self.unavailable.iter().map(|engine| engine.name.as_str()));
        Err(format!("unknown engine `{name}`: {} (dbdyno list engines)", instead_of(name, known)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_engines_name_their_licence_and_languages() {
        for engine in Registry::built_in().engines {
            let Description { name, licence, languages, .. } = &*engine.description;
            let licence = licence.as_deref().unwrap_or_default();
            let is_id = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '+'));
            assert!(!licence.is_empty() && licence.split([' ', '(', ')']).all(is_id), "{name}: licence `{licence}`");
            // They show what files alone cost, and nobody can use them as a library.
            let is_library = !matches!(name.as_str(), "log" | "files");
            assert_eq!(!languages.is_empty(), is_library, "{name}: {languages:?}");
        }
    }
}
