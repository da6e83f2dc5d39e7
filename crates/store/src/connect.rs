//! Opening DuckDB: what a file must be before DuckDB gets it, which files a connection may reach, and whose functions and views its SQL
//! refers to.
//!
//! Every connection has external access and extensions off and its configuration locked. No SQL, whatever its source, can then open a
//! file that its [`Reach`] does not name. DuckDB always adds the database's own files to those, and SQL could then overwrite them: a
//! user's query may hold a COPY in its WITH clause. So a connection that only reads has no file system at all once the file is open, and
//! keeps its working data in memory. A connection that writes runs this program's SQL only, and spills to `STORE.tmp`.

use super::{OpenMode, StoreError, error::Doing, file, schema::identifier};
use dbdyno_foundation::base::input;
use duckdb::{AccessMode, Config, Connection};
use rustix::fs::FlockOperation;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Up to this many runs are looked up one by one in a large store. For more runs, the first and the last give the range to read.
const FEW_RUNS: &str = "5000";

/// The files that a connection may open in addition to the database's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    Nothing,
    /// Files of the database itself: its log, and its spill files.
    Own,
    /// The database's own files and these.
    Files(Vec<PathBuf>),
    /// The database's own files and everything in this folder, at any depth.
    Folder(PathBuf),
}

impl Reach {
    /// Returns the reach of another database: its file and the files that DuckDB keeps next to it.
    pub(super) fn database(file: &Path) -> Self {
        Self::Files(file::family(file))
    }
}

/// Opens a store's file. If the file is missing and `access` is write, DuckDB creates it.
pub(super) fn store(path: &Path, access: OpenMode, reach: &Reach) -> Result<Connection, StoreError> {
    let unreachable = |error: io::Error| StoreError::from_message(path, error.to_string());
    // An absolute path cannot begin with `md:` or `http:`, which DuckDB would interpret.
    let file = std::path::absolute(path).map_err(unreachable)?;
    if file.to_str().is_none() {
        let message = "its name is not UTF-8, which DuckDB needs".to_owned();
        return Err(StoreError::Unreachable { path: path.to_owned(), message });
    }
    if file.parent().is_some_and(|folder| folder.as_os_str().as_encoded_bytes().contains(&b'?')) {
        let message = "DuckDB cannot use a folder with a question mark in its name: choose another place".to_owned();
        return Err(StoreError::Unreachable { path: path.to_owned(), message });
    }
    let is_empty = access == OpenMode::Write && matches!(header(&file), Ok(FileSignature::Empty));
    let empty = if is_empty { Some(make_way(&file).map_err(unreachable)?) } else { None };
    if !is_empty {
        check(path)?;
    }
    let config = match access {
        // One thread: a batch is small, and a worker may be waiting on the other core. One checkpoint, at the end: see `undo`.
        OpenMode::Write => Config::default().threads(1).and_then(|config| config.with("checkpoint_threshold", "1TB")),
        OpenMode::Read => Config::default()
            .access_mode(AccessMode::ReadOnly)
            .and_then(|config| config.with("dynamic_or_filter_threshold", FEW_RUNS)),
    };
    let connection = config.and_then(|config| limited(&file, config, reach)).doing(path)?;
    if let Some(empty) = empty {
        let same = empty.metadata().and_then(|facts| fs::set_permissions(&file, facts.permissions()));
        same.map_err(unreachable)?;
    }
    own_functions_first(&connection).doing(path)?;
    Ok(connection)
}

/// Refuses an existing file that cannot be a store, before DuckDB gets it.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    let path = path.to_owned();
    match header(&path) {
        Ok(FileSignature::DuckDb | FileSignature::Missing) => Ok(()),
        Ok(FileSignature::Empty) => {
            Err(StoreError::Unreachable { path, message: "it is empty: nothing was stored in it yet".to_owned() })
        }
        Ok(FileSignature::Other) => {
            Err(StoreError::NotDuckDb { path, message: "its first bytes are not a DuckDB header".to_owned() })
        }
        Err(error) => Err(StoreError::from_message(&path, error.to_string())),
    }
}

/// Opens a database in memory, which also keeps its working data there.
pub(crate) fn memory(reach: &Reach) -> duckdb::Result<Connection> {
    limited(Path::new(":memory:"), Config::default().with("temp_directory", "")?, reach)
}

fn limited(path: &Path, config: Config, reach: &Reach) -> duckdb::Result<Connection> {
    let config = config.with("autoinstall_known_extensions", "false")?.with("autoload_known_extensions", "false")?;
    // DuckDB allows itself a log whose name ends with `.wal`. If the path has a question mark, the log's name ends otherwise.
    let own = Reach::Files(file::family(path));
    let has_parameters = path.as_os_str().as_encoded_bytes().contains(&b'?');
    let reach = if *reach == Reach::Own && has_parameters { &own } else { reach };
    // Other allowed files can only be set once the database is open, and before everything else is closed off.
    let connection = match reach {
        Reach::Nothing => {
            let config = config.with("temp_directory", "")?;
            let config = if has_parameters { config } else { config.with("enable_external_access", "false")? };
            let connection = Connection::open_with_flags(path, config)?;
            connection.execute_batch("SET enable_external_access = false")?;
            connection.execute_batch("SET disabled_filesystems = 'LocalFileSystem'")?;
            connection
        }
        Reach::Own => Connection::open_with_flags(path, config.with("enable_external_access", "false")?)?,
        Reach::Files(files) => allowing(Connection::open_with_flags(path, config)?, "allowed_paths", files)?,
        Reach::Folder(folder) => {
            allowing(Connection::open_with_flags(path, config)?, "allowed_directories", std::slice::from_ref(folder))?
        }
    };
    connection.execute_batch("SET lock_configuration = true")?;
    Ok(connection)
}

/// Closes everything but these paths. The function names are qualified, because the file may have macros of the same names.
fn allowing(connection: Connection, setting: &str, paths: &[PathBuf]) -> duckdb::Result<Connection> {
    let text =
        |path: &PathBuf| path.to_str().map(str::to_owned).ok_or_else(|| duckdb::Error::InvalidPath(path.clone()));
    let names = paths.iter().map(text).collect::<duckdb::Result<Vec<String>>>()?;
    let sql = "SET VARIABLE reach = system.main.from_json(?, '[\"VARCHAR\"]')";
    connection.execute(sql, [serde_json::json!(names).to_string()])?;
    connection.execute_batch(&format!("SET {setting} = system.main.getvariable('reach')"))?;
    connection.execute_batch("SET enable_external_access = false")?;
    Ok(connection)
}

/// Makes names refer to DuckDB's own functions before macros of the same name in the file, which may be untrusted. Tables and views of
/// the file are found as before.
pub(super) fn own_functions_first(connection: &Connection) -> duckdb::Result<()> {
    connection.execute_batch(
        "SET search_path = system.main.concat(
             'system.main,\"', system.main.replace(system.main.current_database(), '\"', '\"\"'), '\".main')",
    )
}

/// Returns another connection to the database that this one has open, without its temporary objects. What is locked stays locked.
pub(super) fn once_more(connection: &Connection) -> duckdb::Result<Connection> {
    let another = connection.try_clone()?;
    own_functions_first(&another)?;
    Ok(another)
}

/// Returns the name that DuckDB gives to the opened file.
pub(super) fn catalog(connection: &Connection) -> duckdb::Result<String> {
    // Attached databases come after it.
    let sql = "SELECT database_name FROM duckdb_databases() WHERE NOT internal ORDER BY database_oid LIMIT 1";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Checkpoints: writes committed changes from the log to their place in the file.
pub(super) fn checkpoint(connection: &Connection) -> duckdb::Result<()> {
    connection.execute_batch(&format!("CHECKPOINT {}", identifier(&catalog(connection)?)))
}

/// Refuses a store with triggers, because a write would run them.
pub(super) fn no_triggers(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let sql = "SELECT string_agg(trigger_name, ', ') FROM duckdb_triggers()";
    let triggers: Option<String> = connection.query_row(sql, [], |row| row.get(0)).doing(path)?;
    triggers.map_or(Ok(()), |names| {
        let what = format!("writing to it would fire its triggers {names}; drop them with the duckdb CLI");
        Err(StoreError::Altered { path: path.to_owned(), what })
    })
}

/// The kind of a file, by its first bytes.
#[derive(Debug)]
enum FileSignature {
    Missing,
    Empty,
    DuckDb,
    Other,
}

fn header(path: &Path) -> io::Result<FileSignature> {
    let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    // DuckDB opens its log with the file.
    match input::open(&file::log(path)) {
        Err(error) if !missing(&error) => return Err(io::Error::new(error.kind(), format!("its log: {error}"))),
        _ => {}
    }
    let mut file = match input::open(path) {
        Err(error) if missing(&error) => return Ok(FileSignature::Missing),
        file => file?,
    };
    let mut head = Vec::new();
    file.by_ref().take(12).read_to_end(&mut head)?;
    Ok(match head.get(8..) {
        _ if head.is_empty() => FileSignature::Empty,
        Some(b"DUCK") => FileSignature::DuckDb,
        _ => FileSignature::Other,
    })
}

/// Removes an empty file, which DuckDB would treat as a broken database. The file stays locked while the returned value lives, so that
/// only one of several processes removes it. A file that DuckDB has just created in another process is locked too.
fn make_way(path: &Path) -> io::Result<File> {
    let in_use = || io::Error::other("Could not set lock: another process is creating a store in it");
    let file = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| in_use())?;
    // Follows a link to its target.
    let there = path.canonicalize()?;
    let (mine, now) = (file.metadata()?, fs::metadata(&there)?);
    if (mine.dev(), mine.ino()) != (now.dev(), now.ino()) || now.len() > 0 {
        return Err(in_use());
    }
    fs::remove_file(there)?;
    Ok(file)
}
