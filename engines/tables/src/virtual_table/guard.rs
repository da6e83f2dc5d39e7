//! Rejects SQL that SQLite would run on its own in-memory database, or could not run at all.

use dbdyno_engine::EngineError;
use rusqlite::{
    Connection,
    hooks::{AuthAction, AuthContext, Authorization},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const SAVEPOINT: &str = "savepoints are not supported on a key-value engine";
const DEFINITION: &str = "this would change SQLite's own database in memory and not the key-value engine: expected tables \
                          and indexes that the suite declares, with the steps create_table, create_index and drop_table";
const ATTACHED: &str = "an attached database belongs to SQLite, not to the key-value engine: expected only ':memory:'";
const LIKE: &str = "with this, LIKE would miss rows on a key-value engine";
const GIVES_ROWS: &str = "a statement that changes something and gives rows as well (RETURNING) is not supported on a key-value \
                          engine";

/// The rules of a connection for rejecting SQL.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct SqlGuard(Arc<Mutex<GuardState>>);

#[derive(Debug, Default)]
struct GuardState {
    /// Whether the layer itself is defining something.
    defining: bool,
    /// Why a statement was rejected: SQLite only reports that it was.
    reason: Option<&'static str>,
}

impl SqlGuard {
    /// Installs the guard on a connection.
    pub(super) fn install(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let guard = self.clone();
        connection.authorizer(Some(move |context: AuthContext<'_>| match objection(&context) {
            Some(reason) => guard.object(reason),
            None => Authorization::Allow,
        }))
    }

    fn state(&self) -> MutexGuard<'_, GuardState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn object(&self, reason: &'static str) -> Authorization {
        let mut state = self.state();
        if state.defining {
            return Authorization::Allow;
        }
        state.reason = Some(reason);
        Authorization::Deny
    }

    /// Allows the layer to define something.
    pub(super) fn define<R>(&self, work: impl FnOnce() -> R) -> R {
        self.state().defining = true;
        let done = work();
        self.state().defining = false;
        done
    }

    /// Returns the error of a rejected statement, with the reason.
    pub(super) fn explain(&self, sql: &str, error: EngineError) -> EngineError {
        self.state().reason.take().map_or(error, |reason| EngineError::new(format!("{sql}: {reason}")))
    }
}

/// Checks that a parsed statement can be run. SQLite returns a virtual table's new rows before the table has set their numbers and
/// converted their types.
pub(super) fn check(statement: &rusqlite::Statement<'_>, sql: &str) -> Result<(), EngineError> {
    if !statement.readonly() && statement.column_count() > 0 && statement.is_explain() == 0 {
        return Err(EngineError::new(format!("{sql}: {GIVES_ROWS}")));
    }
    Ok(())
}

fn objection(context: &AuthContext<'_>) -> Option<&'static str> {
    use AuthAction as Action;
    let is_own = context.database_name.is_none_or(|name| matches!(name, "main" | "temp"));
    match context.action {
        Action::Savepoint { .. } => Some(SAVEPOINT),
        Action::CreateTable { .. }
        | Action::CreateIndex { .. }
        | Action::CreateView { .. }
        | Action::CreateTrigger { .. }
        | Action::CreateVtable { .. }
        | Action::CreateTempTable { .. }
        | Action::CreateTempIndex { .. }
        | Action::CreateTempView { .. }
        | Action::CreateTempTrigger { .. }
        | Action::DropTable { .. }
        | Action::DropIndex { .. }
        | Action::DropView { .. }
        | Action::DropTrigger { .. }
        | Action::DropVtable { .. }
        | Action::DropTempTable { .. }
        | Action::DropTempIndex { .. }
        | Action::DropTempView { .. }
        | Action::DropTempTrigger { .. }
        | Action::Reindex { .. }
        | Action::Analyze { .. }
            if is_own =>
        {
            Some(DEFINITION)
        }
        Action::AlterTable { database_name: "main" | "temp", .. } => Some(DEFINITION),
        Action::Attach { filename: ":memory:" } => None,
        // An attached file whose name is not a literal has no name yet.
        Action::Attach { .. } | Action::Unknown { code: rusqlite::ffi::SQLITE_ATTACH, .. } => Some(ATTACHED),
        // With this pragma, ranges from patterns leave out blobs, and a virtual table cannot see that a range comes from a pattern.
        Action::Pragma { pragma_name, .. } if pragma_name.eq_ignore_ascii_case("case_sensitive_like") => Some(LIKE),
        _ => None,
    }
}
