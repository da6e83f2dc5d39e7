//! Hand-written loops for fjall.

use crate::{
    by_hand::{ByHand, Loop, Setup, Timed, use_all},
    inputs::{InputRow, RowOperation},
};
use dbdyno_engine::serve::Program;
use dbdyno_fjall::Fjall;
use fjall::{PersistMode, Readable, SingleWriterTxDatabase, SingleWriterTxKeyspace};
use std::time::Instant;

impl ByHand for Fjall {
    const ADAPTER: &'static Program = &dbdyno_fjall::PROGRAM;
    const LACKS: &'static [(&'static str, &'static [&'static str])] =
        &[("read_transaction", &["held"]), ("persist", &["none", "sync_data", "sync_all"])];

    fn run(&mut self, _: &Setup<'_>, which: Loop, rows: &[InputRow<'_>]) -> Timed {
        let (database, keyspace) = self.table();
        match which {
            Loop::Get => get(database, keyspace, rows),
            Loop::Exists => exists(database, keyspace, rows),
            Loop::Scan => scan(database, keyspace),
            Loop::Put => put(database, keyspace, rows),
            Loop::PutBatches(batch) => put_batches(database, keyspace, rows, batch),
            Loop::Mixed => mixed(database, keyspace, rows),
        }
    }
}

const PERSIST: Option<PersistMode> = Some(PersistMode::Buffer);

fn get(database: &SingleWriterTxDatabase, keyspace: &SingleWriterTxKeyspace, rows: &[InputRow<'_>]) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        if let Some(value) = database.read_tx().get(keyspace, row.key)? {
            use_all(&value);
            found += 1;
        }
    }
    Ok((start.elapsed(), found))
}

fn exists(database: &SingleWriterTxDatabase, keyspace: &SingleWriterTxKeyspace, rows: &[InputRow<'_>]) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        found += u64::from(database.read_tx().contains_key(keyspace, row.key)?);
    }
    Ok((start.elapsed(), found))
}

fn scan(database: &SingleWriterTxDatabase, keyspace: &SingleWriterTxKeyspace) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in database.read_tx().iter(keyspace) {
        let (key, value) = row.into_inner()?;
        use_all(&key);
        use_all(&value);
        found += 1;
    }
    Ok((start.elapsed(), found))
}

fn put(database: &SingleWriterTxDatabase, keyspace: &SingleWriterTxKeyspace, rows: &[InputRow<'_>]) -> Timed {
    let mut transaction = database.write_tx().durability(PERSIST);
    let start = Instant::now();
    for row in rows {
        transaction.insert(keyspace, row.key, row.value);
    }
    transaction.commit()?;
    Ok((start.elapsed(), rows.len() as u64))
}

fn put_batches(
    database: &SingleWriterTxDatabase,
    keyspace: &SingleWriterTxKeyspace,
    rows: &[InputRow<'_>],
    batch: usize,
) -> Timed {
    let start = Instant::now();
    for batch in rows.chunks(batch) {
        let mut transaction = database.write_tx().durability(PERSIST);
        for row in batch {
            transaction.insert(keyspace, row.key, row.value);
        }
        transaction.commit()?;
    }
    Ok((start.elapsed(), rows.len() as u64))
}

fn mixed(database: &SingleWriterTxDatabase, keyspace: &SingleWriterTxKeyspace, rows: &[InputRow<'_>]) -> Timed {
    let mut transaction = database.write_tx().durability(PERSIST);
    let (start, mut count) = (Instant::now(), 0);
    for row in rows {
        match row.kind {
            RowOperation::Read => {
                if let Some(value) = transaction.get(keyspace, row.key)? {
                    use_all(&value);
                    count += 1;
                }
            }
            RowOperation::Put => {
                transaction.insert(keyspace, row.key, row.value);
                count += 1;
            }
            // fjall does not report whether a removed key existed.
            RowOperation::Delete => {
                if transaction.contains_key(keyspace, row.key)? {
                    transaction.remove(keyspace, row.key);
                    count += 1;
                }
            }
            RowOperation::Remove => {
                transaction.remove(keyspace, row.key);
                count += 1;
            }
        }
    }
    transaction.commit()?;
    Ok((start.elapsed(), count))
}
