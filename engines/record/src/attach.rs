//! Databases that the program attaches.

use crate::{
    connections::{ConnectionState, file_of},
    library::copied,
    snapshot::{SnapshotOutcome, take_snapshot},
    sql::{Token, tokens},
    system,
    world::{RecorderWorld, lock},
};
use dbdyno_recording::{AttachedDatabase, MissingSnapshot, RecordedLine};
use std::{ffi::CString, sync::Arc};

/// Returns whether a statement attaches a database.
pub(crate) fn is_attach(sql: &[u8]) -> bool {
    // Most statements begin with another letter.
    let begin = sql.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(begin, Some(b'a' | b'A' | b'-' | b'/' | b';'))
        && matches!(tokens(sql).find(|token| !matches!(token, Token::Other(b";"))),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case(b"attach"))
}

/// SQLite allows 125 attached databases at most.
const MOST_SCHEMAS: i32 = 127;

/// Notes databases that a connection has attached since the previous check.
pub(crate) fn note_attached(world: &'static RecorderWorld, connection: &Arc<ConnectionState>) {
    system::keeping_errno(|| {
        let found = schemas(connection);
        let mut before = lock(&connection.attached);
        for (schema, path) in found.iter().filter(|schema| !before.contains(schema)) {
            note(world, connection, schema, path);
        }
        *before = found;
    });
}

fn schemas(connection: &ConnectionState) -> Vec<(String, String)> {
    // Versions before 3.39 cannot name their databases without a statement, which would change the program's error
    // code.
    let Some(db_name) = connection.library.db_name else { return Vec::new() };
    let mut found = Vec::new();
    for index in 2..MOST_SCHEMAS {
        // SAFETY: the connection is open, and this thread has just run a statement of it. A missing database is null.
        let schema = unsafe { copied(db_name(connection.pointer(), index)) };
        if schema.is_empty() {
            break;
        }
        let Ok(name) = CString::new(schema.as_str()) else { break };
        let path = file_of(connection.library, connection.pointer(), &name);
        found.push((schema, path));
    }
    found
}

fn note(world: &'static RecorderWorld, connection: &ConnectionState, schema: &str, path: &str) {
    let (database, missing) = match take_snapshot(world, connection.library, path, 0) {
        SnapshotOutcome::Taken(name) => (Some(name), None),
        SnapshotOutcome::Needless => (None, None),
        SnapshotOutcome::Missing(why) => (None, Some(format!("attached as {schema}: {why}"))),
    };
    let id = connection.id;
    let attached = AttachedDatabase {
        connection: id,
        schema: schema.to_owned(),
        path: path.to_owned(),
        database,
        at: system::monotonic(),
    };
    // Before the calls that use it.
    let mut lines = lock(&world.lines);
    lines.push(RecordedLine::Attach(attached));
    lines.extend(missing.map(|why| RecordedLine::NoSnapshot(MissingSnapshot { connection: id, why })));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_attach_are_told_from_others() {
        for sql in ["ATTACH 'x' AS y", " -- c\n attach database ? as z", "/* a */;Attach 'x' as y"] {
            assert!(is_attach(sql.as_bytes()), "{sql}");
        }
        for sql in ["ANALYZE", "SELECT 'attach'", "-- attach", "ATTACHED", "", "\"attach\""] {
            assert!(!is_attach(sql.as_bytes()), "{sql}");
        }
    }
}
