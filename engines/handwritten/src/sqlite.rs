//! Hand-written loops for SQLite through rusqlite: statements prepared once, a blob for each key and value.

use crate::{
    by_hand::{ByHand, Loop, Setup, Timed, use_all},
    inputs::{InputRow, RowOperation},
};
use dbdyno_engine::serve::Program;
use dbdyno_sqlite::Sqlite;
use rusqlite::Connection;
use std::time::Instant;

impl ByHand for Sqlite {
    const ADAPTER: &'static Program = &dbdyno_sqlite::PROGRAM;
    const LACKS: &'static [(&'static str, &'static [&'static str])] =
        &[("read_transaction", &["held"]), ("statements", &["text"]), ("transaction", &["immediate", "exclusive"])];

    fn run(&mut self, of: &Setup<'_>, which: Loop, rows: &[InputRow<'_>]) -> Timed {
        let connection = &*self.own();
        match which {
            Loop::Get => get(connection, &of.sql.get, rows),
            Loop::Exists => exists(connection, &of.sql.exists, rows),
            Loop::Scan => scan(connection, &of.sql.scan),
            Loop::Put => put(connection, &of.sql.put, rows),
            Loop::PutBatches(batch) => put_batches(connection, &of.sql.put, rows, batch),
            Loop::Mixed => mixed(connection, of, rows),
        }
    }
}

fn get(connection: &Connection, sql: &str, rows: &[InputRow<'_>]) -> Timed {
    let mut get = connection.prepare(sql)?;
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        let mut answer = get.query([row.key])?;
        if let Some(value) = answer.next()? {
            use_all(value.get_ref(0)?.as_bytes()?);
            found += 1;
        }
    }
    Ok((start.elapsed(), found))
}

fn exists(connection: &Connection, sql: &str, rows: &[InputRow<'_>]) -> Timed {
    let mut exists = connection.prepare(sql)?;
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        found += u64::from(exists.exists([row.key])?);
    }
    Ok((start.elapsed(), found))
}

fn scan(connection: &Connection, sql: &str) -> Timed {
    let mut scan = connection.prepare(sql)?;
    let (start, mut found) = (Instant::now(), 0);
    let mut rows = scan.query([])?;
    while let Some(row) = rows.next()? {
        use_all(row.get_ref(0)?.as_bytes()?);
        use_all(row.get_ref(1)?.as_bytes()?);
        found += 1;
    }
    Ok((start.elapsed(), found))
}

fn put(connection: &Connection, sql: &str, rows: &[InputRow<'_>]) -> Timed {
    let mut put = connection.prepare(sql)?;
    let transaction = connection.unchecked_transaction()?;
    let start = Instant::now();
    for row in rows {
        put.execute((row.key, row.value))?;
    }
    transaction.commit()?;
    Ok((start.elapsed(), rows.len() as u64))
}

fn put_batches(connection: &Connection, sql: &str, rows: &[InputRow<'_>], batch: usize) -> Timed {
    let mut begin = connection.prepare("BEGIN")?;
    let mut put = connection.prepare(sql)?;
    let mut commit = connection.prepare("COMMIT")?;
    let start = Instant::now();
    for batch in rows.chunks(batch) {
        begin.execute([])?;
        for row in batch {
            put.execute((row.key, row.value))?;
        }
        commit.execute([])?;
    }
    Ok((start.elapsed(), rows.len() as u64))
}

fn mixed(connection: &Connection, of: &Setup<'_>, rows: &[InputRow<'_>]) -> Timed {
    let mut get = connection.prepare(&of.sql.get)?;
    let mut put = connection.prepare(&of.sql.put)?;
    let mut delete = connection.prepare(&of.sql.delete)?;
    let transaction = connection.unchecked_transaction()?;
    let (start, mut count) = (Instant::now(), 0);
    for row in rows {
        match row.kind {
            RowOperation::Read => {
                let mut answer = get.query([row.key])?;
                if let Some(value) = answer.next()? {
                    use_all(value.get_ref(0)?.as_bytes()?);
                    count += 1;
                }
            }
            RowOperation::Put => {
                put.execute((row.key, row.value))?;
                count += 1;
            }
            RowOperation::Delete => count += delete.execute([row.key])? as u64,
            RowOperation::Remove => {
                delete.execute([row.key])?;
                count += 1;
            }
        }
    }
    transaction.commit()?;
    Ok((start.elapsed(), count))
}
