//! The facts about tables that merging, copying and deleting need. The columns are read from the database.

#[derive(Debug)]
pub(super) struct StoreTable {
    pub(super) name: &'static str,
    /// Its primary key.
    pub(super) key: &'static [&'static str],
    pub(super) owner: RowOwner,
    /// The condition under which the row `n` of an import has more data than the stored row `o` and replaces it.
    pub(super) fuller: Option<&'static str>,
    /// Whether the rows of a run are imported all together or not at all.
    pub(super) whole: bool,
    /// A column that older versions do not have, with its value for their rows: an SQL expression, as in the migration.
    pub(super) later: Option<(&'static str, &'static str)>,
}

/// The owner of a row, and the column that identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowOwner {
    /// A machine: `host_id`.
    Host,
    /// A session: `session_id`.
    Session,
    /// A session and maybe one of its runs: `session_id`, and `run_id` or NULL.
    SessionOrRun,
    /// A run: `run_id`.
    Run,
}

const fn table(name: &'static str, key: &'static [&'static str], owner: RowOwner) -> StoreTable {
    StoreTable { name, key, owner, fuller: None, whole: false, later: None }
}

/// Every table but `schema_version`, owners before what they own. In conditions, `replaced` is the set of runs whose rows of `run` are
/// replaced by the same import.
pub(super) const TABLES: [StoreTable; 23] = [
    StoreTable {
        fuller: Some("o.architecture IS NULL AND n.architecture IS NOT NULL"),
        ..table("host", &["host_id"], RowOwner::Host)
    },
    StoreTable {
        // The session was under way, or it came from a listing, which has no details.
        fuller: Some(
            "o.finished_at IS NULL AND n.finished_at IS NOT NULL OR o.details IS NULL AND n.details IS NOT NULL",
        ),
        ..table("session", &["session_id"], RowOwner::Session)
    },
    StoreTable {
        fuller: Some("o.finished_at IS NULL AND n.finished_at IS NOT NULL"),
        ..table("run", &["run_id"], RowOwner::Run)
    },
    // A listing does not distinguish options of the engine from those of the suite: two lists must not mix.
    StoreTable { whole: true, ..table("run_option", &["run_id", "scope", "name"], RowOwner::Run) },
    StoreTable {
        fuller: Some(
            "n.run_id IN (FROM replaced) OR o.histogram IS NULL AND n.histogram IS NOT NULL \
             OR o.agrees IS NULL AND n.agrees IS NOT NULL AND o.histogram IS NOT DISTINCT FROM n.histogram",
        ),
        ..table("result", &["run_id", "test"], RowOwner::Run)
    },
    StoreTable {
        fuller: Some("n.run_id IN (FROM replaced) OR o.agrees IS NULL AND n.agrees IS NOT NULL"),
        ..table("actor_result", &["run_id", "test", "actor"], RowOwner::Run)
    },
    table("timeline", &["run_id", "test", "at_ns"], RowOwner::Run),
    table("actor_slot", &["run_id", "test", "actor", "at_ns"], RowOwner::Run),
    table("reading", &["run_id", "test", "at_ns", "name"], RowOwner::Run),
    table("slice", &["run_id", "test", "slice"], RowOwner::Run),
    table("engine_counter", &["run_id", "test", "name"], RowOwner::Run),
    table("query_plan", &["run_id", "test", "statement"], RowOwner::Run),
    table("explained_test", &["run_id", "test"], RowOwner::Run),
    table("explained_spent", &["run_id", "test", "kind"], RowOwner::Run),
    StoreTable {
        later: Some(("engine", "'null'")),
        ..table("harness_cost", &["session_id", "size", "engine", "test"], RowOwner::Session)
    },
    StoreTable {
        later: Some((
            "matter",
            "CASE WHEN run_id IS NOT NULL AND contains(message, ': ') THEN split_part(message, ': ', 1) END",
        )),
        ..table("warning", &["warning_id"], RowOwner::SessionOrRun)
    },
    table("run_key", &["run_id", "key"], RowOwner::Run),
    table("result_key", &["run_id", "test", "key"], RowOwner::Run),
    table("tag", &["run_id", "tag"], RowOwner::Run),
    table("note", &["note_id"], RowOwner::Run),
    StoreTable {
        fuller: Some("n.looks > o.looks OR n.looks = o.looks AND n.accepted AND NOT o.accepted"),
        ..table("trial", &["trial_id"], RowOwner::Session)
    },
    StoreTable {
        fuller: Some("n.answer IS NOT NULL AND o.answer IS NULL"),
        ..table("choice", &["choice_id"], RowOwner::Host)
    },
    table("tier_evidence", &["evidence_id"], RowOwner::Host),
];

impl RowOwner {
    /// Returns the condition under which a row belongs to the runs of the table `chosen`; `run` and `session` are the tables of those
    /// names.
    pub(super) fn is_chosen(self, run: &str, session: &str) -> String {
        let sessions = format!("SELECT session_id FROM {run} WHERE run_id IN (FROM chosen)");
        match self {
            Self::Run => "run_id IN (FROM chosen)".to_owned(),
            Self::Session => format!("session_id IN ({sessions})"),
            Self::SessionOrRun => {
                format!("session_id IN ({sessions}) AND (run_id IS NULL OR run_id IN (FROM chosen))")
            }
            Self::Host => format!("host_id IN (SELECT host_id FROM {session} WHERE session_id IN ({sessions}))"),
        }
    }
}
