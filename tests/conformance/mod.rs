//! `dbdyno check-engine`, `check-suite` and `new`: correct files pass, and each fault fails its own check.

mod engines;
mod files;
mod languages;
mod schemas;

use crate::support::{Done, Place};
use serde::Deserialize;

/// The engine in Python, and its module for the protocol.
pub(crate) const PYDICT: &str = include_str!("../../engines/python/dbdyno-engine-pydict");
pub(crate) const WORKER: &str = include_str!("../../engines/python/dbdyno_worker.py");

/// A line of `--json`.
#[derive(Debug, Deserialize)]
struct Told {
    check: String,
    outcome: String,
    reason: String,
}

/// Runs a check with `--json`. Returns its lines and the result of the command.
fn checked(place: &Place, arguments: &[&str]) -> (Vec<Told>, Done) {
    let done = place.run(&[arguments, &["--json"]].concat());
    let told = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (told, done)
}

/// The names of checks with this outcome.
fn with<'t>(told: &'t [Told], outcome: &str) -> Vec<&'t str> {
    told.iter().filter(|one| one.outcome == outcome).map(|one| one.check.as_str()).collect()
}

/// Installs the engine in Python as `NAME`, with changes to it and to its module.
#[track_caller]
pub(crate) fn put_python(place: &Place, name: &str, engine: &[(&str, &str)], module: &[(&str, &str)]) {
    let changed = |text: &str, changes: &[(&str, &str)]| {
        changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "`{from}` is there to be changed");
            text.replace(from, to)
        })
    };
    let folder = place.path(name);
    std::fs::create_dir_all(&folder).unwrap();
    let named = changed(PYDICT, engine).replace("\"name\": \"pydict\"", &format!("\"name\": \"{name}\""));
    std::fs::write(folder.join("engine.py"), named).unwrap();
    std::fs::write(folder.join("dbdyno_worker.py"), changed(WORKER, module)).unwrap();
    place.engine(name, &format!("exec python3 -B {} \"$@\"", folder.join("engine.py").display()));
}
