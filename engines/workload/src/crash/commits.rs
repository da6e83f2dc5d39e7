//! The changes of each commit of the kill test, and the content of a database after a number of commits.
//!
//! Most commits put one row with a new key. Every seventh puts forty, so that a commit spans pages and could be stored in part. Every
//! eleventh alternately removes and overwrites a row that an earlier one put, so that pages are freed and reused. An eleventh commit puts
//! no new row unless it is also a seventh one.

use std::{collections::BTreeMap, ops::Range};

/// A change that a commit makes to a row. Rows are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowChange {
    Put(u64, RowVersion),
    Remove(u64),
}

/// The version of a row's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowVersion {
    First,
    /// Overwrites the first version.
    Second,
}

/// One commit in this many puts many rows.
const LARGE: u64 = 7;
/// The number of rows that such a commit puts.
const MANY: u64 = 40;
/// One commit in this many changes an old row.
const CHANGING: u64 = 11;
/// The distance between the rows that successive commits of this kind change. It is smaller than the number of rows put in between, so each
/// of these rows exists.
const STRIDE: u64 = 37;

/// Returns the new rows of a commit, numbered from 1.
pub(super) fn new_rows(commit: u64) -> Range<u64> {
    rows_put(commit - 1)..rows_put(commit)
}

/// Returns the changes of a commit, numbered from 1, in order.
pub(super) fn changes(commit: u64) -> impl Iterator<Item = RowChange> {
    let changed = commit.is_multiple_of(CHANGING).then(|| {
        let row = commit / CHANGING * STRIDE;
        if is_removed(row) { RowChange::Remove(row) } else { RowChange::Put(row, RowVersion::Second) }
    });
    new_rows(commit).map(|row| RowChange::Put(row, RowVersion::First)).chain(changed)
}

/// Returns the content of a database after `commits` commits.
pub(super) fn content_after(commits: u64) -> BTreeMap<u64, RowVersion> {
    let mut content = BTreeMap::new();
    for change in (1..=commits).flat_map(changes) {
        match change {
            RowChange::Put(row, version) => content.insert(row, version),
            RowChange::Remove(row) => content.remove(&row),
        };
    }
    content
}

/// Returns how many rows the first `commits` commits put, which is also the number of the next row.
fn rows_put(commits: u64) -> u64 {
    let (large, changing, both) = (commits / LARGE, commits / CHANGING, commits / (LARGE * CHANGING));
    commits + (MANY - 1) * large - (changing - both)
}

/// Returns the number of rows in the database after `commits` commits.
pub(super) fn rows_after(commits: u64) -> u64 {
    rows_put(commits) - (commits / CHANGING).div_ceil(2)
}

/// Whether some commit eventually removes this row.
pub(super) fn is_removed(row: u64) -> bool {
    row > 0 && row.is_multiple_of(STRIDE) && row / STRIDE % 2 == 1
}

/// Returns the numbers of commits after which a database may hold `rows` rows, in ascending order. A commit removes at most one row, so the
/// number of rows rises except for steps of one.
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
                    RowChange::Put(row, RowVersion::First) => assert_eq!(content.insert(row, RowVersion::First), None),
                    RowChange::Put(row, version) => assert_eq!(content.insert(row, version), Some(RowVersion::First)),
                    RowChange::Remove(row) => assert_eq!(content.remove(&row), Some(RowVersion::First)),
                }
            }
            assert_eq!(rows_after(commit), content.len() as u64, "commit {commit}");
            assert!(commits_with(rows_after(commit)).any(|possible| possible == commit), "commit {commit}");
        }
        assert_eq!(content_after(3_000), content);
        assert!(content.values().any(|version| *version == RowVersion::Second));
        assert_eq!(commits_with(0).collect::<Vec<_>>(), [0]);
        assert_eq!(
            commits_with(1 << 20).count(),
            0,
            "between two large ones there are numbers of rows that no commit leaves"
        );
    }
}
