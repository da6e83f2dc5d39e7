//! Hand-written loops for redb.

use crate::{
    by_hand::{ByHand, Loop, Setup, Timed, use_all},
    inputs::{InputRow, RowOperation},
};
use dbdyno_engine::serve::Program;
use dbdyno_redb::{Redb, TABLE};
use redb::{Database, Durability, ReadableDatabase, ReadableTable, WriteTransaction};
use std::{error::Error, time::Instant};

impl ByHand for Redb {
    const ADAPTER: &'static Program = &dbdyno_redb::PROGRAM;
    const LACKS: &'static [(&'static str, &'static [&'static str])] =
        &[("read_transaction", &["held"]), ("two_phase_commit", &["on"]), ("quick_repair", &["on"])];

    fn run(&mut self, of: &Setup<'_>, which: Loop, rows: &[InputRow<'_>]) -> Timed {
        let (database, durability) = (
            self.database(),
            match of.settings.text("durability")? {
                "none" => Durability::None,
                _ => Durability::Immediate,
            },
        );
        match which {
            Loop::Get => get(database, rows),
            Loop::Exists => exists(database, rows),
            Loop::Scan => scan(database),
            Loop::Put => put(database, durability, rows),
            Loop::PutBatches(batch) => put_batches(database, durability, rows, batch),
            Loop::Mixed => mixed(database, durability, rows),
        }
    }
}

fn get(database: &Database, rows: &[InputRow<'_>]) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        let table = database.begin_read()?.open_table(TABLE)?;
        if let Some(value) = table.get(row.key)? {
            use_all(value.value());
            found += 1;
        }
    }
    Ok((start.elapsed(), found))
}

fn exists(database: &Database, rows: &[InputRow<'_>]) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    for row in rows {
        let table = database.begin_read()?.open_table(TABLE)?;
        found += u64::from(table.get(row.key)?.is_some());
    }
    Ok((start.elapsed(), found))
}

fn scan(database: &Database) -> Timed {
    let (start, mut found) = (Instant::now(), 0);
    let table = database.begin_read()?.open_table(TABLE)?;
    for row in table.iter()? {
        let (key, value) = row?;
        use_all(key.value());
        use_all(value.value());
        found += 1;
    }
    Ok((start.elapsed(), found))
}

fn begin(database: &Database, durability: Durability) -> Result<WriteTransaction, Box<dyn Error>> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(durability)?;
    Ok(transaction)
}

fn put(database: &Database, durability: Durability, rows: &[InputRow<'_>]) -> Timed {
    let transaction = begin(database, durability)?;
    let start = Instant::now();
    let mut table = transaction.open_table(TABLE)?;
    for row in rows {
        table.insert(row.key, row.value)?;
    }
    drop(table);
    transaction.commit()?;
    Ok((start.elapsed(), rows.len() as u64))
}

fn put_batches(database: &Database, durability: Durability, rows: &[InputRow<'_>], batch: usize) -> Timed {
    let start = Instant::now();
    for batch in rows.chunks(batch) {
        let transaction = begin(database, durability)?;
        let mut table = transaction.open_table(TABLE)?;
        for row in batch {
            table.insert(row.key, row.value)?;
        }
        drop(table);
        transaction.commit()?;
    }
    Ok((start.elapsed(), rows.len() as u64))
}

fn mixed(database: &Database, durability: Durability, rows: &[InputRow<'_>]) -> Timed {
    let transaction = begin(database, durability)?;
    let (start, mut count) = (Instant::now(), 0);
    let mut table = transaction.open_table(TABLE)?;
    for row in rows {
        match row.kind {
            RowOperation::Read => {
                if let Some(value) = table.get(row.key)? {
                    use_all(value.value());
                    count += 1;
                }
            }
            RowOperation::Put => {
                table.insert(row.key, row.value)?;
                count += 1;
            }
            RowOperation::Delete => count += u64::from(table.remove(row.key)?.is_some()),
            RowOperation::Remove => {
                table.remove(row.key)?;
                count += 1;
            }
        }
    }
    drop(table);
    transaction.commit()?;
    Ok((start.elapsed(), count))
}
