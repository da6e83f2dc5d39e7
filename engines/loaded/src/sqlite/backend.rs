//! The storage backend below a loaded library if it is not SQLite's own B-tree, and the options that it reports.

use super::connection::Loaded;
use dbdyno_engine::sql::SqlValue;
use dbdyno_sqlite::Driver;
use libloading::os::unix;
use std::{
    collections::BTreeMap,
    env,
    ffi::{c_char, c_int},
};

/// A storage backend to which SQLite has been ported.
struct StorageBackend {
    /// Its name for display.
    name: &'static str,
    /// Its name in the source id of LumoSQL's builds.
    word: &'static str,
    /// The compile option that its vendor's builds have.
    compiled: Option<&'static str>,
    /// Its function that returns its version, as three numbers.
    version: &'static str,
    /// Its option pragmas. Only a library with this backend answers the first.
    pragmas: &'static [&'static str],
}

const KNOWN: [StorageBackend; 2] = [
    StorageBackend {
        name: "Berkeley DB",
        word: "bdb",
        compiled: Some("BERKELEY_DB"),
        version: "db_version",
        pragmas: &[
            "bdbsql_shared_resources",
            "bdbsql_single_process",
            "bdbsql_vacuum_pages",
            "multiversion",
            "txn_bulk",
        ],
    },
    StorageBackend {
        name: "LMDB",
        word: "lmdb",
        compiled: None,
        version: "mdb_version",
        pragmas: &["lmdb_transaction"],
    },
];

/// LumoSQL's options that do not depend on the backend.
const LUMO: [&str; 2] = ["lumo_check_rowsum", "lumo_rowsum_algorithm"];

/// Prefixes of the environment variables that SQLite and LumoSQL's backends read.
const VARIABLES: [&str; 2] = ["LUMO_", "SQLITE_"];
/// Parts of variable names whose values are private to the user.
const SECRET: [&str; 6] = ["AUTH", "CREDENTIAL", "KEY", "PASS", "SECRET", "TOKEN"];

/// Returns the backend with its version, if it reports itself.
pub(super) fn name(connection: &Loaded) -> Option<String> {
    let library = connection.api.library();
    if let Some((name, version)) = library.source.as_deref().and_then(after_check_in) {
        let known = KNOWN.iter().find(|known| known.word == name).map_or(name, |known| known.name);
        return Some(format!("{known} {version}"));
    }
    let known = KNOWN.iter().find(|known| {
        let is_compiled = known.compiled.is_some_and(|option| library.build.iter().any(|line| line == option));
        is_compiled || known.pragmas.first().is_some_and(|pragma| answer(connection, pragma).is_some())
    })?;
    Some(match version(connection, known.version) {
        Some(version) => format!("{} {version}", known.name),
        None => known.name.to_owned(),
    })
}

/// Returns the name and version that LumoSQL's builds append to SQLite's check-in in their source id.
fn after_check_in(source: &str) -> Option<(&str, &str)> {
    let hash = source.splitn(3, ' ').nth(2)?;
    // The name follows the hash directly, which has 64 or 40 digits by age. The name may begin with letters that are hexadecimal digits
    // too.
    let end = hash.find(' ').unwrap_or(hash.len());
    let length = [64, 40].into_iter().find(|length| end >= *length)?;
    let (name, version) = hash.get(length..)?.trim().split_once(' ')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    (is_name && version.starts_with(|c: char| c.is_ascii_digit())).then_some((name, version))
}

/// Returns the version that a function of the library, or of a library that it is linked with, reports.
#[expect(unsafe_code, reason = "a call of C")]
fn version(connection: &Loaded, function: &str) -> Option<String> {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int) -> *const c_char;
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the library is already loaded and stays; the type is the one that Berkeley DB and LMDB document.
    unsafe {
        let library = unix::Library::open(Some(&connection.api.path), libc::RTLD_NOLOAD | libc::RTLD_NOW).ok()?;
        let version = library.get::<Version>(function.as_bytes()).ok()?;
        version(&raw mut major, &raw mut minor, &raw mut patch);
    }
    Some(format!("{major}.{minor}.{patch}"))
}

/// Returns the non-SQLite options that the backend, LumoSQL and the environment report.
pub(super) fn options(connection: &Loaded) -> BTreeMap<String, String> {
    let mut options: BTreeMap<String, String> = env::vars().filter(|(name, _)| is_option(name)).collect();
    let mut pragmas = LUMO.to_vec();
    if let Some(backend) = name(connection) {
        pragmas.extend(KNOWN.iter().filter(|known| backend.starts_with(known.name)).flat_map(|known| known.pragmas));
        options.insert("backend".to_owned(), backend);
    }
    let answers = |pragma: &str| Some((pragma.to_owned(), answer(connection, pragma)?));
    options.extend(pragmas.into_iter().filter_map(answers));
    options
}

/// Returns whether an environment variable is an option of the library, and its value no secret.
fn is_option(name: &str) -> bool {
    VARIABLES.iter().any(|begin| name.starts_with(begin)) && !SECRET.iter().any(|part| name.contains(part))
}

/// Returns the answer of a pragma; `None` if the pragma does not exist.
fn answer(connection: &Loaded, pragma: &str) -> Option<String> {
    match connection.first_value(&format!("PRAGMA {pragma}")).ok()? {
        SqlValue::Text(text) => Some(text),
        SqlValue::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_stands_behind_the_hash_of_the_check_in() {
        let hash = "5c9a6c06871cb9fe42814af9c039eb6da5427a6ec28f187af7ebfb62eafa66e5";
        let id = |end: &str| format!("2021-06-18 18:36:39 {end}");
        for (end, expected) in [
            (format!("{hash}lmdb 0.9.29"), Some(("lmdb", "0.9.29"))),
            (format!("{hash} lmdb 0.9.29"), Some(("lmdb", "0.9.29"))),
            (format!("{}bdb 18.1.40", &hash[..40]), Some(("bdb", "18.1.40"))),
            (format!("{hash}bdb-sql 18.1.40"), Some(("bdb-sql", "18.1.40"))),
            (hash.to_owned(), None),
            (hash[..40].to_owned(), None),
            (format!("{}alt1", &hash[..60]), None),
            (format!("{}alt1 (SQLCipher 4.5)", &hash[..60]), None),
            ("é".repeat(40), None),
        ] {
            assert_eq!(after_check_in(&id(&end)), expected, "{end}");
        }
        assert_eq!(after_check_in("3.36.0"), None);
    }

    #[test]
    fn what_an_environment_keeps_to_itself_is_no_option() {
        assert!(is_option("LUMO_LMDB_DEBUG") && is_option("SQLITE_TMPDIR"));
        assert!(!is_option("SQLITE_CLOUD_API_KEY") && !is_option("HOME") && !is_option("MY_SQLITE_TMPDIR"));
    }
}
