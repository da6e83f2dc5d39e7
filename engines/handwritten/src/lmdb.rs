//! Hand-written loops for LMDB through heed.

use crate::{
    by_hand::{ByHand, Loop, Setup, Timed, use_all},
    inputs::{InputRow, RowOperation},
};
use dbdyno_engine::serve::Program;
use dbdyno_lmdb::Lmdb;
use heed::{Database, Env, types::Bytes};
use std::time::Instant;

type ByteTable = Database<'static, Bytes, Bytes>;

impl ByHand for Lmdb {
    const ADAPTER: &'static Program = &dbdyno_lmdb::PROGRAM;
    const LACKS: &'static [(&'static str, &'static [&'static str])] =
        &[("read_transaction", &["held"]), ("append", &["on"])];

    fn run(&mut self, _: &Setup<'_>, which: Loop, rows: &[InputRow<'_>]) -> Timed {
        let (env, table) = self.table();
        match which {
            Loop::Get => get(env, table, rows),
            Loop::Exists => exists(env, table, rows),
            Loop::Scan => scan(env, table),
            Loop::Put => put(env, table, rows),
            Loop::PutBatches(batch) => put_batches(env, table, rows, batch),
            Loop::Mixed => mixed(env, table, rows),
        }
    }
}

fn get(env: &Env, table: ByteTable, rows: &[InputRow<'_>]) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        let transaction = env.read_txn()?;
        if let Some(value) = table.get(&transaction, row.key)? {
            use_all(value);
            found += 1;
        }
    }
    Ok((start.elapsed(), found))
}

fn exists(env: &Env, table: ByteTable, rows: &[InputRow<'_>]) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        let transaction = env.read_txn()?;
        found += u64::from(table.get(&transaction, row.key)?.is_some());
    }
    Ok((start.elapsed(), found))
}

fn scan(env: &Env, table: ByteTable) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    let transaction = env.read_txn()?;
    for row in table.iter(&transaction)? {
        let (key, value) = row?;
        use_all(key);
        use_all(value);
        found += 1;
    }
    Ok((start.elapsed(), found))
}

fn put(env: &Env, table: ByteTable, rows: &[InputRow<'_>]) -> Timed {
    let mut transaction = env.write_txn()?;
    let start = Instant::now();
    for row in rows {
        table.put(&mut transaction, row.key, row.value)?;
    }
    transaction.commit()?;
    Ok((start.elapsed(), rows.len() as u64))
}

fn put_batches(env: &Env, table: ByteTable, rows: &[InputRow<'_>], batch: usize) -> Timed {
    let start = Instant::now();
    for batch in rows.chunks(batch) {
        let mut transaction = env.write_txn()?;
        for row in batch {
            table.put(&mut transaction, row.key, row.value)?;
        }
        transaction.commit()?;
    }
    Ok((start.elapsed(), rows.len() as u64))
}

fn mixed(env: &Env, table: ByteTable, rows: &[InputRow<'_>]) -> Timed {
    let mut transaction = env.write_txn()?;
    let (start, mut count) = (Instant::now(), 0);
    for row in rows {
        match row.kind {
            RowOperation::Read => {
                if let Some(value) = table.get(&transaction, row.key)? {
                    use_all(value);
                    count += 1;
                }
            }
            RowOperation::Put => {
                table.put(&mut transaction, row.key, row.value)?;
                count += 1;
            }
            RowOperation::Delete => count += u64::from(table.delete(&mut transaction, row.key)?),
            RowOperation::Remove => {
                table.delete(&mut transaction, row.key)?;
                count += 1;
            }
        }
    }
    transaction.commit()?;
    Ok((start.elapsed(), count))
}
