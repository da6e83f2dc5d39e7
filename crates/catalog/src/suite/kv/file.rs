//! The file format of a key-value suite.

use super::keys::FileKeys;
use dbdyno_engine::suite::{During, Gaps, KeyChoice, Operation, Template, TransactionScope};
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::suite) struct FileSql {
    pub(super) schema: Vec<String>,
    pub(super) get: String,
    pub(super) put: String,
    pub(super) delete: String,
    pub(super) exists: String,
    pub(super) scan: String,
    #[serde(default)]
    pub(super) range: String,
    #[serde(default)]
    pub(super) when: Vec<SchemaWhen>,
}

/// The schema that applies with a value of a suite option.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaWhen {
    pub(super) option: Spanned<String>,
    pub(super) is: Spanned<String>,
    pub(super) schema: Vec<String>,
}

/// A test, of one thread or of actors: [`check`](super::check) determines which, and that it has everything it needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::suite) struct FileKvTest {
    pub(super) number: Spanned<u32>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) needs: Vec<Spanned<u32>>,
    pub(super) database: String,
    pub(super) key: Template,
    pub(super) operations: Option<Spanned<Operations>>,
    pub(super) keys: Option<FileKeys>,
    pub(super) work: Option<Spanned<Vec<FileWork>>>,
    pub(super) transaction: Option<TransactionScope>,
    pub(super) clock_every: Option<Spanned<u64>>,
    #[serde(default, rename = "actor")]
    pub(super) actors: Vec<Spanned<FileActor>>,
    pub(super) seconds: Option<Spanned<FileNumber>>,
    pub(super) warm_up_seconds: Option<Spanned<FileNumber>>,
    #[serde(default)]
    pub(super) followed: bool,
    /// The test is one compaction of its database: it has no operations, keys, work or transaction.
    #[serde(default)]
    pub(super) compact: bool,
    #[serde(default)]
    pub(super) verify_state: bool,
    #[serde(default)]
    pub(super) sql: SqlChanges,
    #[serde(default)]
    pub(super) when: Vec<When>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileActor {
    pub(super) name: String,
    pub(super) threads: FileNumber,
    pub(super) keys: FileKeys,
    pub(super) work: Spanned<Vec<FileWork>>,
    pub(super) transaction: TransactionScope,
    pub(super) rate: Option<FileNumber>,
    /// Percent of the recorded speed; 0: as fast as possible.
    pub(super) speed: Option<FileNumber>,
    #[serde(default)]
    pub(super) gaps: Gaps,
    pub(super) operations: Option<Spanned<Operations>>,
    /// Parts of the test's `seconds`, from 0 to 1.
    pub(super) from: Option<f64>,
    pub(super) until: Option<f64>,
}

impl FileActor {
    pub(super) fn is_recorded(&self) -> bool {
        self.keys == FileKeys::Named(KeyChoice::Recorded)
    }

    /// Returns the part of a test of this length in which the actor takes part; `None` if that is the whole test.
    pub(super) fn during(&self, time_ms: u64) -> Option<During> {
        let at = |share: f64| (time_ms as f64 * share).round() as u64;
        (self.from.is_some() || self.until.is_some())
            .then(|| During { from_ms: at(self.from.unwrap_or(0.0)), until_ms: at(self.until.unwrap_or(1.0)) })
    }
}

/// A number, or the name of the suite option that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum FileNumber {
    Number(u64),
    Option(String),
}

/// A count that depends on the size.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operations {
    pub(super) share: f64,
    #[serde(default = "least_operations")]
    pub(super) least: u64,
    #[serde(default = "most_operations")]
    pub(super) most: u64,
}

fn least_operations() -> u64 {
    1
}

fn most_operations() -> u64 {
    u64::MAX
}

impl Operations {
    pub(super) fn at_size(self, size: u64) -> u64 {
        ((size as f64 * self.share).round() as u64).max(self.least).min(self.most)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct FileWork {
    #[serde(default = "one_weight")]
    pub(super) weight: u64,
    pub(super) name: Option<String>,
    #[serde(flatten)]
    pub(super) operation: Operation,
}

fn one_weight() -> u64 {
    1
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SqlChanges {
    pub(super) get: Option<String>,
    pub(super) put: Option<String>,
    pub(super) delete: Option<String>,
    pub(super) exists: Option<String>,
    pub(super) scan: Option<String>,
    pub(super) range: Option<String>,
}

/// The changes of a test with a value of a suite option.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct When {
    pub(super) option: Spanned<String>,
    pub(super) is: Spanned<String>,
    pub(super) work: Option<Spanned<Vec<FileWork>>>,
    pub(super) transaction: Option<TransactionScope>,
}
