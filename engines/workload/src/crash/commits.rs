//! What each commit of the kill test changes, and what a database holds after so many of them.
//!
//! Most put one row with a new key. Every seventh puts forty, so that a commit spans pages, and half of it could be there. Every eleventh
//! removes a row that an earlier one put, or writes over it in turn, so that pages are freed and used again; it puts no other unless it is a
//! seventh one too.

use std::{collections::BTreeMap, ops::Range};

/// What a commit changes of a row. Rows have numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Put(u64, Version),
    Remove(u64),
}

/// Which value a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    First,
    /// Written over the first.
    Second,
}

/// How many commits there are of which one puts many rows.
const LARGE: u64 = 7;
/// How many rows that one puts.
const MANY: u64 = 40;
/// How many commits there are of which one changes an old row.
const CHANGING: u64 = 11;
/// How far the rows are apart of which each is changed by the next such commit: less than are put meanwhile, so that each is there.
const STRIDE: u64 = 37;

/// The new rows of a commit, numbered from 1.
pub(super) fn new_rows(commit: u64) -> Range<u64> {
    rows_put(commit - 1)..rows_put(commit)
}

/// The changes of a commit, numbered from 1, in their order.
pub(super) fn changes(commit: u64) -> impl Iterator<Item = Change> {
    let changed = commit.is_multiple_of(CHANGING).then(|| {
        let row = commit / CHANGING * STRIDE;
        if is_removed(row) { Change::Remove(row) } else { Change::Put(row, Version::Second) }
    });
    new_rows(commit).map(|row| Change::Put(row, Version::First)).chain(changed)
}

/// What a database holds after so many commits.
pub(super) fn content_after(commits: u64) -> BTreeMap<u64, Version> {
    let mut content = BTreeMap::new();
    for change in (1..=commits).flat_map(changes) {
        match change {
            Change::Put(row, version) => content.insert(row, version),
            Change::Remove(row) => content.remove(&row),
        };
    }
    content
}

/// How many rows so many commits put; also the number of the next one.
fn rows_put(commits: u64) -> u64 {
    let (large, changing, both) = (commits / LARGE, commits / CHANGING, commits / (LARGE * CHANGING));
    commits + (MANY - 1) * large - (changing - both)
}

/// How many rows there are after so many commits.
pub(super) fn rows_after(commits: u64) -> u64 {
    rows_put(commits) - (commits / CHANGING).div_ceil(2)
}

/// Whether a commit removes this row, sooner or later.
pub(super) fn is_removed(row: u64) -> bool {
    row > 0 && row.is_multiple_of(STRIDE) && row / STRIDE % 2 == 1
}

/// After how many commits a database may hold so many rows, in ascending order. A commit removes one row at most, so the numbers of rows
/// rise but for steps of one.
pub(super) fn commits_with(rows: u64) -> impl DoubleEndedIterator<Item = u64> {
    let possible = (0..).take_while(|commits| rows_after(*commits) <= rows + 1);
    possible.filter(|commits| rows_after(*commits) == rows).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_makes_another_database_and_changes_only_what_is_there() {
        let mut content = BTreeMap::new();
        for commit in 1..=3_000 {
            let put = new_rows(commit).count() as u64;
            assert_eq!(put, if commit % 7 == 0 { 40 } else { u64::from(commit % 11 != 0) }, "commit {commit}");
            assert_eq!(changes(commit).count() as u64, put + u64::from(commit % 11 == 0), "commit {commit}");
            for change in changes(commit) {
                match change {
                    Change::Put(row, Version::First) => assert_eq!(content.insert(row, Version::First), None),
                    Change::Put(row, version) => assert_eq!(content.insert(row, version), Some(Version::First)),
                    Change::Remove(row) => assert_eq!(content.remove(&row), Some(Version::First)),
                }
            }
            assert_eq!(rows_after(commit), content.len() as u64, "commit {commit}");
            assert!(commits_with(rows_after(commit)).any(|possible| possible == commit), "commit {commit}");
        }
        assert_eq!(content_after(3_000), content);
        assert!(content.values().any(|version| *version == Version::Second));
        assert_eq!(commits_with(0).collect::<Vec<_>>(), [0]);
        assert_eq!(
            commits_with(1 << 20).count(),
            0,
            "between two large ones there are numbers of rows that no commit leaves"
        );
    }
}
