//! What a recording has in it: which statements took the time, in which transactions, and how many at once.

mod anonymise;
mod fingerprint;
mod import;
mod kind;
mod plan;
mod replay;
mod statistics;
mod summary;

pub use anonymise::{AnonymiseError, Anonymised, anonymise};
pub use fingerprint::fingerprint;
pub use import::{CallImportError, ImportFormat, ImportedRecording, LeftOutOperations, import};
pub use kind::StatementKind;
pub use plan::{QueryPlan, plans};
pub use replay::{
    KeysPlan, LeftOutCalls, LeftOutReason, RecordedSource, ReplayError, ReplayPlan, ReplayTerms, recorded_source,
    records_keys, write_keys_replay, write_replay,
};
pub use summary::{
    ConcurrencySummary, DatabaseSummary, FingerprintSummary, ProcessSummary, RecordingSummary, TransactionSummary,
    WorkingSetSummary,
};
