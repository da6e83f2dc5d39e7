//! Determines which commits a reopened database holds.

use super::commits::{RowVersion, commits_with, content_after, is_removed, new_rows};
use crate::{rng::SplitMix64, template::render};
use dbdyno_engine::suite::Template;
use std::collections::BTreeMap;

/// The formats of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Formats<'s> {
    pub(super) key: &'s Template,
    pub(super) value: &'s Template,
    /// The thread that the rows belong to; `None` if there is only one thread.
    pub(super) thread: Option<u32>,
}

impl Formats<'_> {
    /// Returns the formats of each of `threads` threads.
    pub(super) fn of_threads(self, threads: u32) -> Vec<Self> {
        let of = |thread| Self { thread: (threads > 1).then_some(thread), ..self };
        (0..threads).map(of).collect()
    }

    pub(super) fn key(&self, row: u64) -> Vec<u8> {
        self.rendered(self.key, row)
    }

    pub(super) fn value(&self, row: u64, version: RowVersion) -> Vec<u8> {
        let mut value = self.rendered(self.value, row);
        if version == RowVersion::Second {
            value.extend(b" again");
        }
        value
    }

    fn rendered(&self, template: &Template, row: u64) -> Vec<u8> {
        let mut text = self.prefix().into_bytes();
        render(template, &mut text, row, row, &mut SplitMix64::stream(row, 0));
        text
    }

    /// Returns a prefix for the keys and values of this thread that no other thread's keys and values begin with: all prefixes have the
    /// same length. It is short and has only plain characters, so that every engine still accepts keys as keys and as file names.
    fn prefix(&self) -> String {
        self.thread.map_or_else(String::new, |thread| format!("t{thread:02}_"))
    }
}

/// The rows found in a database.
pub(super) type FoundRows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Returns the number of commits found of each thread. `threads`: the formats of the threads.
///
/// # Errors
/// As for [`commits`]. A row belongs to no thread.
pub(super) fn commits_of_each(found: FoundRows, threads: &[Formats<'_>]) -> Result<Vec<u64>, String> {
    let prefixes: Vec<String> = threads.iter().map(Formats::prefix).collect();
    let mut shares = vec![FoundRows::new(); threads.len()];
    for (key, value) in found {
        let owner = prefixes.iter().position(|prefix| key.starts_with(prefix.as_bytes()));
        let owner = owner.ok_or_else(|| format!("the key `{}` belongs to no thread", String::from_utf8_lossy(&key)))?;
        shares[owner].insert(key, value);
    }
    let counted = |(formats, share): (&Formats<'_>, &FoundRows)| {
        commits(share, *formats).map_err(|wrong| match formats.thread {
            None => wrong,
            Some(thread) => format!("thread {thread}: {wrong}"),
        })
    };
    threads.iter().zip(&shares).map(counted).collect()
}

/// Returns the number N of commits found: all changes of the first N commits, and no change of any other commit.
///
/// # Errors
/// No number of commits matches. The error explains what is wrong.
pub(super) fn commits(found: &FoundRows, formats: Formats<'_>) -> Result<u64, String> {
    let holds = |row, version| found.get(&formats.key(row)) == Some(&formats.value(row, version));
    let is_after = |commits: &u64| content_after(*commits).into_iter().all(|(row, version)| holds(row, version));
    commits_with(found.len() as u64).rev().find(is_after).ok_or_else(|| what_is_wrong(found, formats))
}

fn what_is_wrong(found: &FoundRows, formats: Formats<'_>) -> String {
    let is_there = |row: u64| found.contains_key(&formats.key(row));
    let has_any = |commit: &u64| new_rows(*commit).any(is_there);
    // Except for commits that put no row, there cannot be more commits than rows.
    let Some(last) = (1..=2 * found.len() as u64 + 2).rev().find(has_any) else {
        return match found.len() {
            1 => "1 row that no commit wrote".to_owned(),
            rows => format!("{rows} rows that no commit wrote"),
        };
    };
    for commit in 1..=last {
        let expected = new_rows(commit).count();
        let missing = new_rows(commit).filter(|row| !is_there(*row) && !is_removed(*row)).count();
        if missing > 0 && missing < expected {
            return format!("commit {commit} is incomplete: {missing} of its {expected} rows are missing");
        }
        if missing > 0 {
            return format!("commit {commit} is missing, but commit {last} is present");
        }
    }
    for row in (1..=last).flat_map(new_rows) {
        let versions = [RowVersion::First, RowVersion::Second].map(|version| formats.value(row, version));
        if found.get(&formats.key(row)).is_some_and(|value| !versions.contains(value)) {
            return format!("the value of row {row} is not what was committed");
        }
    }
    format!(
        "all rows put by {last} commits are there, but some of their removals or overwrites are not, or foreign rows are"
    )
}

#[cfg(test)]
mod tests {
    use super::{super::commits::RowChange, *};

    fn after(changes: impl Iterator<Item = RowChange>, formats: Formats<'_>) -> FoundRows {
        let mut found = FoundRows::new();
        for change in changes {
            match change {
                RowChange::Put(row, version) => found.insert(formats.key(row), formats.value(row, version)),
                RowChange::Remove(row) => found.remove(&formats.key(row)),
            };
        }
        found
    }

    fn whole(commits: u64, formats: Formats<'_>) -> FoundRows {
        after((1..=commits).flat_map(super::super::commits::changes), formats)
    }

    #[test]
    fn whole_commits_are_counted_and_anything_else_is_told() {
        let (key, value) = ("key_{key:08}".parse().unwrap(), "value_{key}_{random:20}".parse().unwrap());
        let formats = Formats { key: &key, value: &value, thread: None };
        for number in 0..120 {
            assert_eq!(commits(&whole(number, formats), formats), Ok(number));
        }
        let wrong = |change: &dyn Fn(&mut FoundRows)| {
            let mut found = whole(30, formats);
            change(&mut found);
            commits(&found, formats).unwrap_err()
        };
        let lost = |rows: Vec<u64>| wrong(&|found| rows.iter().for_each(|row| drop(found.remove(&formats.key(*row)))));
        assert_eq!(lost(new_rows(14).take(3).collect()), "commit 14 is incomplete: 3 of its 40 rows are missing");
        assert_eq!(lost(new_rows(20).collect()), "commit 20 is missing, but commit 30 is present");
        let torn = wrong(&|found| drop(found.insert(formats.key(5), b"val".to_vec())));
        assert_eq!(torn, "the value of row 5 is not what was committed");
        let foreign = wrong(&|found| drop(found.insert(b"x".to_vec(), Vec::new())));
        assert!(foreign.ends_with("or foreign rows are"), "{foreign}");
        let undone = wrong(&|found| drop(found.insert(formats.key(74), formats.value(74, RowVersion::First))));
        assert!(undone.starts_with("all rows put by 30 commits are there, but some"), "{undone}");
        let only_foreign = FoundRows::from([(b"x".to_vec(), Vec::new())]);
        assert_eq!(commits(&only_foreign, formats), Err("1 row that no commit wrote".to_owned()));
    }
}
