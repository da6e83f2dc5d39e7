//! Runs operations, and collects their answers.

use super::{
    accounts::{Account, Accounts},
    inputs::OperationInput,
};
use crate::digest::Digest;
use dbdyno_engine::{
    EngineError,
    kv::{KvRead, KvSession, KvTransaction, KvWrite},
    suite::Operation,
};

/// The answers and counts of one thread's operations.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KvTally {
    pub(super) operations: u64,
    pub(super) rows: u64,
    /// Committed transfers.
    pub(super) transfers: u64,
    pub(super) digest: Digest,
    /// The totals of the accounts, which audits must find.
    pub(super) accounts: Accounts,
    /// The first audit that found different totals.
    pub(super) broken: Option<Accounts>,
    /// The first partial audit that found a different number of accounts than expected: that number, and the expected one.
    pub(super) short: Option<(u64, u64)>,
    /// Reads of a key, or from a key on, that found nothing.
    pub(super) missed: u64,
    /// Reads that found a row for a key that no record has.
    pub(super) unexpected: u64,
    /// The least sum of versions that an audit must find: the versions committed before it began.
    pub(super) least_versions: u64,
    /// The first audit that found fewer versions: their sum, and the least sum.
    pub(super) stale: Option<(u64, u64)>,
    /// The account that the last transfer debited, and its version since then.
    pub(super) last_transfer: (u64, u64),
    /// The first snapshot whose content differed between its beginning and its end.
    pub(super) moved: Option<MovedSnapshot>,
}

impl KvTally {
    /// Creates an empty tally. Audits must find these accounts.
    pub(super) fn of(accounts: Accounts) -> Self {
        Self { accounts, ..Self::default() }
    }

    /// Resets the tally, but keeps the accounts and the errors found.
    pub(super) fn anew(self) -> Self {
        Self { operations: 0, rows: 0, digest: Digest::default(), ..self }
    }

    #[inline]
    fn row(&mut self, key: &[u8], value: &[u8]) {
        self.digest.bytes(key);
        self.digest.bytes(value);
    }

    /// Adds a row of an answer.
    #[inline]
    pub(super) fn answer(&mut self, key: &[u8], value: &[u8]) {
        self.row(key, value);
        self.rows += 1;
    }

    /// Adds an operation that found its key or not, and had no other answer.
    #[inline]
    fn found(&mut self, found: bool) {
        self.digest.word(u64::from(found));
        self.rows += u64::from(found);
    }

    /// Adds a read that found its key or not.
    #[inline]
    fn looked_up(&mut self, found: bool) {
        self.rows += u64::from(found);
        self.missed += u64::from(!found);
    }

    pub(super) fn audited(&mut self, found: Accounts) {
        self.rows += found.count;
        self.digest.word(found.balances);
        if self.accounts.broken_by(&found).is_some() {
            self.broken.get_or_insert(found);
        }
        if found.versions < self.least_versions {
            self.stale.get_or_insert((found.versions, self.least_versions));
        }
    }

    fn audited_some(&mut self, found: Accounts, expected: u64) {
        self.rows += found.count;
        self.digest.word(found.count);
        if found.count != expected {
            self.short.get_or_insert((found.count, expected));
        }
    }

    /// Adds the whole database to the digest.
    pub(super) fn state<S: KvSession>(&mut self, session: &mut S) -> Result<(), EngineError> {
        session.read()?.scan(|key, value| self.row(key, value))
    }

    /// Adds the answers of another thread.
    pub(super) fn thread(&mut self, mut digest: Digest, rows: u64) {
        digest.word(rows);
        self.digest.word(digest.to_word());
        self.rows += rows;
    }

    pub(super) fn verification(&self) -> String {
        let mut digest = self.digest;
        digest.word(self.rows);
        digest.to_text()
    }
}

/// The accounts found in one snapshot, at its beginning and its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedSnapshot {
    pub(super) first: Accounts,
    pub(super) last: Accounts,
}

/// Runs an operation in its own transaction, a read or write transaction as needed.
#[inline]
pub(super) fn apply_alone<S: KvSession>(
    session: &mut S,
    input: &OperationInput<'_>,
    tally: &mut KvTally,
) -> Result<(), EngineError> {
    if !input.operation.writes() {
        let (digest, rows) = (tally.digest, tally.rows);
        let done = session.read().and_then(|mut read| apply_read(&mut read, input, tally));
        if done.is_err() {
            // A partial read is repeated, so its answers do not count.
            (tally.digest, tally.rows) = (digest, rows);
        }
        return done;
    }
    let before = *tally;
    let mut transaction = session.write()?;
    let mut write = || {
        apply_write(&mut transaction.table()?, input, tally)?;
        Ok(())
    };
    let done = write().and_then(|()| transaction.commit());
    if done.is_err() {
        // A transaction that was rolled back does not count.
        *tally = before;
    }
    done
}

/// Runs operations in one write transaction.
pub(super) fn apply_together<'i, S: KvSession>(
    session: &mut S,
    mut inputs: impl Iterator<Item = OperationInput<'i>>,
    tally: &mut KvTally,
) -> Result<(), EngineError> {
    let before = *tally;
    let mut transaction = session.write()?;
    let mut write = || {
        let mut table = transaction.table()?;
        inputs.try_for_each(|input| apply_write(&mut table, &input, tally))
    };
    let done = write().and_then(|()| transaction.commit());
    if done.is_err() {
        *tally = before;
    }
    done
}

#[inline(always)]
pub(super) fn apply_read<R: KvRead>(
    read: &mut R,
    input: &OperationInput<'_>,
    tally: &mut KvTally,
) -> Result<(), EngineError> {
    match input.operation {
        Operation::Get => {
            let found = read.get(input.key, |value| tally.digest.bytes(value))?.is_some();
            tally.looked_up(found);
        }
        Operation::Miss => {
            let found = read.get(input.key, |value| tally.digest.bytes(value))?.is_some();
            tally.rows += u64::from(found);
            tally.unexpected += u64::from(found);
        }
        Operation::Exists => {
            let found = read.exists(input.key)?;
            tally.digest.word(u64::from(found));
            tally.looked_up(found);
        }
        Operation::Scan => read.scan(|key, value| tally.answer(key, value))?,
        Operation::Range { .. } => {
            let before = tally.rows;
            read.range(input.key, input.number, |key, value| tally.answer(key, value))?;
            tally.missed += u64::from(tally.rows == before);
        }
        Operation::Audit { accounts: None } => tally.audited(Accounts::read(read)?),
        Operation::Audit { accounts: Some(_) } => {
            tally.audited_some(Accounts::read_some(read, input.key, input.number)?, input.number);
        }
        Operation::Hold => return Err(EngineError::new("the suite asks for a snapshot where none can be held")),
        Operation::Put { .. }
        | Operation::Delete
        | Operation::Remove
        | Operation::Insert { .. }
        | Operation::Modify { .. }
        | Operation::Transfer { .. } => {
            return Err(EngineError::new("the suite asks for a write in a read transaction"));
        }
    }
    tally.operations += 1;
    Ok(())
}

#[inline(always)]
pub(super) fn apply_write<W: KvWrite>(
    table: &mut W,
    input: &OperationInput<'_>,
    tally: &mut KvTally,
) -> Result<(), EngineError> {
    match input.operation {
        Operation::Put { .. } | Operation::Insert { .. } => {
            table.put(input.key, input.value)?;
            tally.rows += 1;
        }
        Operation::Delete => tally.found(table.delete(input.key)?),
        // Like a put: the engine has not looked up the key, so only the request counts.
        Operation::Remove => {
            table.remove(input.key)?;
            tally.rows += 1;
        }
        Operation::Modify { .. } => {
            table.get(input.key, |value| tally.digest.bytes(value))?;
            table.put(input.key, input.value)?;
            tally.rows += 1;
        }
        Operation::Transfer { .. } => transfer(table, input, tally)?,
        Operation::Get
        | Operation::Miss
        | Operation::Exists
        | Operation::Scan
        | Operation::Range { .. }
        | Operation::Audit { .. }
        | Operation::Hold => {
            return apply_read(table, input, tally);
        }
    }
    tally.operations += 1;
    Ok(())
}

fn transfer<W: KvWrite>(table: &mut W, input: &OperationInput<'_>, tally: &mut KvTally) -> Result<(), EngineError> {
    let mut account = |key: &[u8]| {
        let missing = || EngineError::new(format!("there is no account `{}`", String::from_utf8_lossy(key)));
        table.get(key, Account::parse)?.ok_or_else(missing)?
    };
    let (from, to) = (account(input.key)?, account(input.value)?);
    let (from, to) = from.transfer(to, input.number);
    table.put(input.key, &from.stored())?;
    table.put(input.value, &to.stored())?;
    tally.digest.word(from.balance);
    tally.digest.word(to.balance);
    tally.rows += 2;
    tally.transfers += 1;
    tally.last_transfer = (input.record, from.version);
    Ok(())
}
