//! Disks that fail: a session keeps the results that it reported, reports those that it could not keep, and leaves the store unharmed for
//! the next command.
//!
//! A session runs on a disk that fails at a randomly drawn call. `DBDYNO_DISK_FAULTS=100` tries that many of each kind (`38..39`: the one
//! of that seed).

mod disk;
mod order;
mod resumed;
mod strangers;
mod sweep;

use crate::{
    power::judge::{self, Expected, Rows, Told, judge, rows, told},
    power::{ok, seeds, store},
    support::{Done, Place},
};
use dbdyno_workload::rng::SplitMix64;
use disk::{Answer, Call};
use std::{fs, path::Path};

const SESSION: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "1", "--json"];

/// The number of results of such a session.
const RESULTS: usize = 8;

/// A place with a store that has a session, and the rows in it.
struct Prepared {
    place: Place,
    earlier: Rows,
    /// Calls that a session makes in the store's folder when all is well.
    calls: u64,
}

impl Prepared {
    /// Returns None if the system cannot control a disk.
    fn new() -> Option<Self> {
        let place = Place::new();
        fs::create_dir(place.path("kept")).unwrap();
        ok(&place, &SESSION);
        let mut prepared = Self { earlier: rows(&store(&place)).unwrap(), place, calls: 0 };
        copy(&prepared.place.path("kept"), &prepared.place.path("before"));
        let mut calls = 0;
        let session = prepared.session(|_| {
            calls += 1;
            Answer::Do
        })?;
        assert_eq!(session.code, Some(0), "{}", session.stderr);
        assert_eq!(prepared.told().len(), RESULTS);
        assert!(calls > 10, "a session makes calls in the store's folder");
        prepared.calls = calls;
        Some(prepared)
    }

    /// The results that the last session has reported so far.
    fn told(&self) -> Vec<Told> {
        told(fs::read_to_string(self.place.path("said")).unwrap().lines())
    }

    /// Runs a session on the store in its original state.
    fn session(&self, decide: impl FnMut(Call) -> Answer) -> Option<Done> {
        let kept = self.place.path("kept");
        remove(&kept);
        copy(&self.place.path("before"), &kept);
        let mut command = self.place.command(&SESSION);
        command.env("DBDYNO_STORE", store(&self.place)).stdout(fs::File::create(self.place.path("said")).unwrap());
        Some(Done::of(disk::run(command, kept, decide)?))
    }

    /// Checks how a session ended, and the state of the store afterwards.
    fn judge(&self, session: &Done, told: Vec<Told>, earlier: Rows) -> Result<(), String> {
        let Done { code, stderr, .. } = session;
        let expected = Expected { store: !told.is_empty() || !earlier.is_empty(), told, earlier, either: Vec::new() };
        let ended = |why: &str| Err(format!("{why}, exit code {code:?}: {stderr}"));
        let stored =
            judge(&store(&self.place), &expected).map_err(|failing| format!("{failing}\n  it had said: {stderr}"))?;
        match code {
            Some(0) if !expected.earlier.is_empty() && stored < 2 * RESULTS => {
                ended("not all results were kept, and the session did not say so")
            }
            Some(0) => Ok(()),
            _ if stderr.contains("panicked") => ended("it panicked"),
            Some(1) if stderr.is_empty() => ended("it failed and said nothing"),
            Some(1) => Ok(()),
            Some(2) if self.told().is_empty() && !stderr.is_empty() => Ok(()),
            _ => ended("it ended in no good way"),
        }
    }
}

fn remove(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Tries a kind of fault with the requested number of seeds, and fails with every problem found.
fn try_all(kind: &str, usual: u64, one: impl Fn(&Prepared, &mut SplitMix64) -> Result<(), String>) {
    let Some(prepared) = Prepared::new() else { return };
    let seeds = seeds("DBDYNO_DISK_FAULTS", usual);
    let count = seeds.end - seeds.start;
    let tried = seeds
        .filter_map(|seed| one(&prepared, &mut SplitMix64::new(seed)).err().map(|why| format!("seed {seed}: {why}")));
    let failed: Vec<String> = tried.collect();
    eprintln!("{kind}: {} of {count} fail", failed.len());
    assert!(failed.is_empty(), "{kind}: {} of {count} fail:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_disk_that_fails_once_or_from_then_on_loses_nothing_told() {
    try_all("failing disk", 8, |prepared, rng| {
        let at = rng.below(prepared.calls);
        let lasting = rng.below(2) == 0;
        let (name, error) =
            [("ENOSPC", libc::ENOSPC), ("EIO", libc::EIO), ("EROFS", libc::EROFS)][rng.below(3) as usize];
        let mut calls = 0;
        let session = prepared.session(|call| {
            calls += 1;
            let fails = if lasting { calls > at } else { calls == at + 1 };
            // A full or read-only disk can still be read.
            if fails && (call == Call::Change || error == libc::EIO) { Answer::Fail(error) } else { Answer::Do }
        });
        let session = session.expect("there was such a disk just now");
        let what = format!("{name} at call {at} of {}, {}", prepared.calls, if lasting { "lasting" } else { "once" });
        prepared.judge(&session, prepared.told(), prepared.earlier.clone()).map_err(|why| format!("{what}: {why}"))
    });
}

#[test]
fn a_folder_that_goes_away_and_comes_back_loses_nothing_told() {
    try_all("vanishing folder", 3, |prepared, rng| {
        let [kept, away, instead] = ["kept", "kept.away", "kept.instead"].map(|name| prepared.place.path(name));
        let at = rng.below(prepared.calls) + 1;
        let back = at + 1 + rng.below(40);
        let come_back = || {
            if kept.exists() {
                fs::rename(&kept, &instead).unwrap();
            }
            fs::rename(&away, &kept).unwrap();
        };
        remove(&instead);
        let mut calls = 0;
        let session = prepared.session(|_| {
            calls += 1;
            if calls == at {
                fs::rename(&kept, &away).unwrap();
            } else if calls == back {
                come_back();
            }
            Answer::Do
        });
        let session = session.expect("there was such a disk just now");
        if away.exists() {
            come_back();
        }
        // Results are not lost if they are in a store that was created in the meantime.
        let made = judge::results(&instead.join("results.duckdb")).unwrap_or_default();
        let told = prepared.told().into_iter().filter(|told| !made.contains(told)).collect();
        let what = format!("gone at call {at} of {}, back at {back}", prepared.calls);
        prepared.judge(&session, told, prepared.earlier.clone()).map_err(|why| format!("{what}: {why}"))
    });
}

#[test]
fn a_store_that_is_removed_in_a_session_has_what_was_told_after() {
    try_all("removed store", 3, |prepared, rng| {
        let at = rng.below(prepared.calls) + 1;
        let kept = prepared.place.path("kept");
        let (mut calls, mut before) = (0, 0);
        let session = prepared.session(|_| {
            calls += 1;
            if calls == at {
                before = prepared.told().len();
                for entry in fs::read_dir(&kept).unwrap().flatten() {
                    let path = entry.path();
                    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
                }
            }
            Answer::Do
        });
        let session = session.expect("there was such a disk just now");
        // The next result was being stored, and the previous one may not have been reported yet.
        let after = prepared.told().into_iter().skip(before + 2).collect();
        let what = format!("removed at call {at} of {}", prepared.calls);
        prepared.judge(&session, after, Rows::new()).map_err(|why| format!("{what}: {why}"))
    });
}
