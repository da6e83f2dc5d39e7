//! The engines: those built into this program, and those found as programs of their own.

mod outside;

use dbdyno_engine::{
    describe::{Description, NULL, Probed, one_of},
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

/// The engines built in, in the order they are listed: each is a crate below `engines/` and a feature of this package. Their
/// programs are statics, and so the measured loops are compiled in those crates; a constant's would be in this one.
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

/// The engine whose answers the others are held against, where it runs: no other is tested as much.
pub const REFERENCE_ENGINE: &str = "sqlite";

/// The engine that does nothing: what it takes is what the harness itself costs.
pub const HARNESS_ENGINE: &str = NULL;

/// The built-in engine of this name.
pub fn built_in(name: &str) -> Option<&'static Program> {
    BUILT_IN.iter().find(|(engine, _)| *engine == name).map(|(_, program)| *program)
}

/// An engine that can be run.
#[derive(Debug, Clone)]
pub struct Engine {
    /// What it says about itself.
    pub description: Arc<Description>,
    pub launch: Launch,
}

/// How an engine's worker is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// This program's hidden command `worker`.
    BuiltIn,
    /// A program of its own.
    Program(PathBuf),
}

impl Engine {
    /// The engine with the files that these settings name, as it describes itself with them.
    ///
    /// # Errors
    /// What to say to the user of a file that the engine cannot use.
    pub fn with_files(&self, settings: &Settings) -> Result<Self, String> {
        Ok(self.probe(settings)?.map_or_else(|| self.clone(), |probed| self.probed(probed)))
    }

    /// The engine as its program found it to be.
    pub fn probed(&self, probed: Probed) -> Self {
        Self { description: Arc::new(self.description.with(probed)), launch: self.launch.clone() }
    }

    /// Asks the engine's program, in a process of its own, what the files are that these settings name; none for an engine
    /// without such options.
    ///
    /// # Errors
    /// What to say to the user of a file that the engine cannot use.
    pub fn probe(&self, settings: &Settings) -> Result<Option<Probed>, String> {
        let files = self.description.files(settings);
        if files.is_empty() {
            return Ok(None);
        }
        let name = &self.description.name;
        let wrong = |error: String| format!("engine `{name}`: {error}");
        // A name without a folder is one that the loader looks up.
        for file in files.into_iter().filter(|file| file.contains('/')) {
            if let Some(odd) = input::odd(Path::new(file)) {
                return Err(wrong(format!("{file}: {odd}")));
            }
        }
        let command = self.launch.command(name).map_err(wrong)?;
        outside::probe(command, settings).map(Some).map_err(wrong)
    }
}

impl Launch {
    /// The command that starts the engine's program, which takes what to do as its last argument.
    ///
    /// # Errors
    /// The path of this program is not known.
    pub fn command(&self, engine: &str) -> Result<Command, String> {
        match self {
            Self::BuiltIn => {
                let program = env::current_exe().map_err(|error| format!("this program's own path: {error}"))?;
                let mut command = Command::new(program);
                command.args(["worker", engine]);
                Ok(command)
            }
            Self::Program(path) => Ok(Command::new(path)),
        }
    }
}

/// An engine that is known or was found, and cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    pub name: String,
    /// Why, and what to do.
    pub reason: String,
}

/// All engines of this machine.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// Those that can be run: built in, then outside ones by name.
    pub engines: Vec<Engine>,
    /// Those that cannot.
    pub unavailable: Vec<Unavailable>,
}

impl Registry {
    /// The built-in engines.
    pub fn built_in() -> Self {
        Self {
            engines: BUILT_IN
                .iter()
                .map(|(_, program)| Engine { description: Arc::new((program.describe)()), launch: Launch::BuiltIn })
                .collect(),
            unavailable: Vec::new(),
        }
    }

    /// The built-in engines, and the outside ones found beside this program, in `$DBDYNO_ENGINE_PATH` and on PATH.
    pub fn discover() -> Self {
        let mut registry = Self::built_in();
        let found = outside::find();
        for known in outside::ours() {
            if !found.executable.contains_key(&known.name) && !found.not_executable.contains_key(&known.name) {
                registry.unavailable.push(Unavailable { reason: known.missing(), name: known.name });
            }
        }
        for (name, path) in found.not_executable.into_iter().filter(|(name, _)| built_in(name).is_none()) {
            let reason = format!("{} cannot be executed: `chmod +x` lets it, if it is a program", path.display());
            registry.unavailable.push(Unavailable { name, reason });
        }
        for (name, path) in found.executable {
            if built_in(&name).is_some() {
                let reason = format!("{} has the name of a built-in engine: rename it", path.display());
                registry.unavailable.push(Unavailable { name, reason });
                continue;
            }
            match outside::describe(&name, &path) {
                Ok(description) => {
                    registry.engines.push(Engine { description: Arc::new(description), launch: Launch::Program(path) })
                }
                Err(reason) => {
                    registry.unavailable.push(Unavailable { name, reason: format!("{}: {reason}", path.display()) })
                }
            }
        }
        registry
    }

    /// The engine of this name.
    ///
    /// # Errors
    /// There is no such engine, or it cannot be used: why, and what to do.
    pub fn get(&self, name: &str) -> Result<&Engine, String> {
        if let Some(engine) = self.engines.iter().find(|engine| engine.description.name == name) {
            return Ok(engine);
        }
        if let Some(found) = self.unavailable.iter().find(|engine| engine.name == name) {
            return Err(format!("engine `{name}` cannot be used: {}", found.reason));
        }
        let names: Vec<String> = self.engines.iter().map(|engine| engine.description.name.clone()).collect();
        Err(format!("there is no engine `{name}`: expected {}", one_of(&names)))
    }
}
