//! The description, and a check of the linked LMDB's version.

use dbdyno_engine::{
    EngineError,
    describe::{Description, Threads},
    suite::SuiteKind,
};
use std::collections::BTreeMap;

pub fn describe() -> Description {
    Description {
        options: [dbdyno_lmdb_common::options(), dbdyno_tables::options()].concat(),
        tiers: dbdyno_lmdb_common::tiers(),
        conflicts: dbdyno_lmdb_common::conflicts(),
        implementations: dbdyno_tables::implementations(),
        tables_as_data: true,
        compacts: true,
        longest_key: Some(dbdyno_lmdb_common::LONGEST_KEY),
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY)]),
        counters: [dbdyno_lmdb_common::counters(), dbdyno_tables::counters()].into_iter().flatten().collect(),
        ..Description::new(
            "lmdb",
            "LMDB, the memory-mapped copy-on-write B+tree, through heed",
            in_words(version()),
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        // Of LMDB, of heed, and of lmdb-master-sys, through which heed calls LMDB.
        .licensed("OLDAP-2.8 AND MIT AND Apache-2.0", &["c", "rust"])
    }
}

/// Major, minor and patch version of the linked library.
pub(crate) fn version() -> (i32, i32, i32) {
    let version = heed::lmdb_version();
    (version.major, version.minor, version.patch)
}

fn in_words((major, minor, patch): (i32, i32, i32)) -> String {
    format!("{major}.{minor}.{patch}")
}

/// Checks that the 0.9 line is linked. LMDB's 0.9 line and its 1.0 line (which calls itself 0.9.90 until it is released) have the same
/// symbol names. A program that links both silently gets one of them, and must not run with the wrong one.
pub(crate) fn expect_own(version: (i32, i32, i32)) -> Result<(), EngineError> {
    match version {
        (0, 9, ..90) => Ok(()),
        other => {
            let message = format!("the linked LMDB is {}, expected 0.9.x below 0.9.90", in_words(other));
            Err(EngineError::fatal(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_line_of_lmdb_is_refused() {
        assert_eq!(expect_own(version()), Ok(()));
        assert_eq!(expect_own((0, 9, 33)), Ok(()));
        for (wrong, words) in [((0, 9, 90), "0.9.90"), ((1, 0, 0), "1.0.0")] {
            let error = expect_own(wrong).unwrap_err();
            assert_eq!(error.message, format!("the linked LMDB is {words}, expected 0.9.x below 0.9.90"));
        }
    }
}
