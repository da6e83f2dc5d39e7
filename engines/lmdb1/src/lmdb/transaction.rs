//! Transactions, which own their environment, and operations inside them.

use super::{
    env::Env,
    error::{LmdbError, check, found},
};
use crate::{
    damage::{self, Damage},
    long,
};
use dbdyno_engine::ordered::{Direction, Keys, walk};
use lmdb_master3_sys::{
    MDB_APPEND, MDB_BAD_CHECKSUM, MDB_BAD_TXN, MDB_CREATE, MDB_CRYPTO_FAIL, MDB_FIRST, MDB_LAST, MDB_NEXT, MDB_PREV,
    MDB_RDONLY, MDB_SET_RANGE, MDB_cursor, MDB_cursor_op, MDB_dbi, MDB_stat, MDB_txn, MDB_val, mdb_cursor_close,
    mdb_cursor_get, mdb_cursor_open, mdb_dbi_open, mdb_del, mdb_drop, mdb_get, mdb_put, mdb_stat, mdb_txn_abort,
    mdb_txn_begin, mdb_txn_commit,
};
use std::{
    ffi::{CStr, c_uint},
    iter,
    ops::{Bound, ControlFlow, Deref, DerefMut, RangeBounds},
    ptr, slice,
    sync::Arc,
};

/// A table of an environment: the handle, valid in every transaction after the one that created it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dbi(MDB_dbi);

impl Dbi {
    /// The main table, which every environment has and which also lists the named ones.
    pub const MAIN: Self = Self(1);
}

/// A read transaction: a snapshot. A thread has at most one at a time. Dropping it ends it.
#[derive(Debug)]
pub struct Lmdb1Read {
    /// Null once the transaction has ended.
    raw: *mut MDB_txn,
    env: Arc<Env>,
    /// The damage that it found, after which LMDB rejects all its operations.
    damage: Option<Damage>,
}

/// A write transaction. Dropping it rolls it back.
#[derive(Debug)]
pub struct Lmdb1Write(Lmdb1Read);

impl Lmdb1Read {
    pub fn begin(env: &Arc<Env>) -> Result<Self, LmdbError> {
        Self::begin_with(env, MDB_RDONLY)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn begin_with(env: &Arc<Env>, flags: c_uint) -> Result<Self, LmdbError> {
        env.enter()?;
        let mut transaction = Self { raw: ptr::null_mut(), env: Arc::clone(env), damage: None };
        // SAFETY: the environment is open, there is no parent, and the rest is an out pointer.
        check(unsafe { mdb_txn_begin(env.raw(), ptr::null_mut(), flags, &raw mut transaction.raw) })?;
        Ok(transaction)
    }

    /// Replaces LMDB's error with the damage that this transaction found. LMDB's code for a damaged page names no page, and every later
    /// call only reports that the transaction is bad.
    #[cold]
    fn explain(&mut self, error: LmdbError) -> LmdbError {
        match error {
            LmdbError::Code(MDB_CRYPTO_FAIL | MDB_BAD_CHECKSUM) => self.damage = damage::take(self.env.page_bytes()),
            LmdbError::Code(MDB_BAD_TXN) => {}
            LmdbError::Code(libc::EIO) if long::take() => return LmdbError::ListCovered,
            _ => return error,
        }
        self.damage.map_or(error, LmdbError::Damaged)
    }

    /// Passes the value of a key to `visit`; returns `None` if the key does not exist.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub fn get<R>(&mut self, table: Dbi, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, LmdbError> {
        let (key, mut value) = (borrowed(key), EMPTY);
        // SAFETY: the transaction is open; LMDB only reads the key.
        let there = found(unsafe { mdb_get(self.raw, table.0, (&raw const key).cast_mut(), &raw mut value) })
            .map_err(|error| self.explain(error))?;
        // SAFETY: the value stays valid until the transaction is used again, which takes `&mut self`.
        Ok(there.then(|| visit(unsafe { bytes(&value) })))
    }

    /// Passes the rows of a range of keys to `visit`, until it breaks.
    pub fn range(
        &mut self,
        table: Dbi,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), LmdbError> {
        self.walked(table, keys, direction, visit).map_err(|error| self.explain(error))
    }

    #[expect(unsafe_code, reason = "bytes given by C")]
    fn walked(
        &mut self,
        table: Dbi,
        keys: Keys<'_>,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), LmdbError> {
        if keys.is_empty() {
            return Ok(());
        }
        let cursor = Lmdb1Cursor::open(self, table)?;
        let (first, next, ahead) = match direction {
            Direction::Up => (cursor.lowest(keys.from), MDB_NEXT, (Bound::Unbounded, keys.to)),
            Direction::Down => (cursor.highest(keys.to), MDB_PREV, (keys.from, Bound::Unbounded)),
        };
        let mut first = Some(first);
        let entries = iter::from_fn(|| first.take().unwrap_or_else(|| cursor.step(EMPTY, next)).transpose());
        walk(entries, |entry| {
            let (key, value) = entry?;
            // SAFETY: the entry stays valid until the cursor moves, which it does only for the next entry.
            let (key, value) = unsafe { (bytes(&key), bytes(&value)) };
            Ok(if within(ahead, key) { visit(key, value) } else { ControlFlow::Break(()) })
        })
    }

    /// Returns the number of rows of a table.
    #[expect(unsafe_code, reason = "a call of C")]
    pub fn rows(&mut self, table: Dbi) -> Result<u64, LmdbError> {
        // SAFETY: plain numbers, for which zero is a value.
        let mut stat = unsafe { std::mem::zeroed::<MDB_stat>() };
        // SAFETY: the transaction is open.
        check(unsafe { mdb_stat(self.raw, table.0, &raw mut stat) }).map_err(|error| self.explain(error))?;
        Ok(stat.ms_entries as u64)
    }
}

impl Drop for Lmdb1Read {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the transaction is open, and it has no cursor left.
            unsafe { mdb_txn_abort(self.raw) };
        }
        self.env.leave();
    }
}

impl Lmdb1Write {
    /// Begins a write transaction; waits for another one to end. Fails if the environment is [stale](Env::is_stale).
    pub fn begin(env: &Arc<Env>) -> Result<Self, LmdbError> {
        if env.is_stale() {
            return Err(LmdbError::Stale);
        }
        Lmdb1Read::begin_with(env, 0).map(Self)
    }

    /// Opens the table of a name, and creates it if it does not exist.
    #[expect(unsafe_code, reason = "a call of C")]
    pub fn table(&mut self, name: &CStr) -> Result<Dbi, LmdbError> {
        let mut table = 0;
        // SAFETY: the transaction is open; the name ends with a zero.
        check(unsafe { mdb_dbi_open(self.raw, name.as_ptr(), MDB_CREATE, &raw mut table) })
            .map_err(|error| self.explain(error))?;
        Ok(Dbi(table))
    }

    #[inline]
    pub fn put(&mut self, table: Dbi, key: &[u8], value: &[u8]) -> Result<(), LmdbError> {
        self.put_with(0, table, key, value)
    }

    /// Puts a key that is greater than all others; fails if it is not.
    #[inline]
    pub fn append(&mut self, table: Dbi, key: &[u8], value: &[u8]) -> Result<(), LmdbError> {
        self.put_with(MDB_APPEND, table, key, value)
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn put_with(&mut self, flags: u32, table: Dbi, key: &[u8], value: &[u8]) -> Result<(), LmdbError> {
        if self.env.covers_end(value.len()) {
            return Err(LmdbError::EndCovered(value.len()));
        }
        let (key, value) = (borrowed(key), borrowed(value));
        // SAFETY: the transaction is open; LMDB copies both.
        check(unsafe { mdb_put(self.raw, table.0, (&raw const key).cast_mut(), (&raw const value).cast_mut(), flags) })
            .map_err(|error| self.explain(error))
    }

    /// Removes a key, and returns whether it existed.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub fn delete(&mut self, table: Dbi, key: &[u8]) -> Result<bool, LmdbError> {
        let key = borrowed(key);
        // SAFETY: the transaction is open; LMDB only reads the key.
        found(unsafe { mdb_del(self.raw, table.0, (&raw const key).cast_mut(), ptr::null_mut()) })
            .map_err(|error| self.explain(error))
    }

    #[expect(unsafe_code, reason = "a call of C")]
    pub fn clear(&mut self, table: Dbi) -> Result<(), LmdbError> {
        // SAFETY: the transaction is open; 0 keeps the table itself.
        check(unsafe { mdb_drop(self.raw, table.0, 0) }).map_err(|error| self.explain(error))
    }

    #[expect(unsafe_code, reason = "a call of C")]
    pub fn commit(mut self) -> Result<(), LmdbError> {
        let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
        // SAFETY: the transaction is open; the call ends it, whatever it returns.
        check(self.env.sealing(|| unsafe { mdb_txn_commit(raw) })).map_err(|error| self.explain(error))
    }
}

impl Deref for Lmdb1Write {
    type Target = Lmdb1Read;

    #[inline]
    fn deref(&self) -> &Lmdb1Read {
        &self.0
    }
}

impl DerefMut for Lmdb1Write {
    #[inline]
    fn deref_mut(&mut self) -> &mut Lmdb1Read {
        &mut self.0
    }
}

/// A transaction that can read rows.
pub trait Lmdb1Reads {
    /// Returns the transaction as a read transaction.
    fn reads(&mut self) -> &mut Lmdb1Read;
}

impl Lmdb1Reads for Lmdb1Read {
    #[inline]
    fn reads(&mut self) -> &mut Lmdb1Read {
        self
    }
}

impl Lmdb1Reads for Lmdb1Write {
    #[inline]
    fn reads(&mut self) -> &mut Lmdb1Read {
        self.deref_mut()
    }
}

impl<T: Lmdb1Reads> Lmdb1Reads for &mut T {
    #[inline]
    fn reads(&mut self) -> &mut Lmdb1Read {
        T::reads(self)
    }
}

#[inline]
fn within(bounds: (Bound<&[u8]>, Bound<&[u8]>), key: &[u8]) -> bool {
    RangeBounds::<[u8]>::contains(&bounds, key)
}

/// A cursor, closed before its transaction ends.
struct Lmdb1Cursor(*mut MDB_cursor);

/// A key with its value, valid while the cursor stays.
type KeyValuePair = (MDB_val, MDB_val);

impl Lmdb1Cursor {
    #[expect(unsafe_code, reason = "a call of C")]
    fn open(transaction: &mut Lmdb1Read, table: Dbi) -> Result<Self, LmdbError> {
        let mut cursor = ptr::null_mut();
        // SAFETY: the transaction is open.
        check(unsafe { mdb_cursor_open(transaction.raw, table.0, &raw mut cursor) })?;
        Ok(Self(cursor))
    }

    /// Moves the cursor, and returns the entry at its new position.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn step(&self, mut key: MDB_val, to: MDB_cursor_op) -> Result<Option<KeyValuePair>, LmdbError> {
        let mut value = EMPTY;
        // SAFETY: the cursor is open; LMDB only reads the key.
        let there = found(unsafe { mdb_cursor_get(self.0, &raw mut key, &raw mut value, to) })?;
        Ok(there.then_some((key, value)))
    }

    /// Returns the first entry that a lower bound allows.
    #[expect(unsafe_code, reason = "bytes given by C")]
    fn lowest(&self, from: Bound<&[u8]>) -> Result<Option<KeyValuePair>, LmdbError> {
        let (Bound::Included(key) | Bound::Excluded(key)) = from else { return self.step(EMPTY, MDB_FIRST) };
        let found = self.step(borrowed(key), MDB_SET_RANGE)?;
        match &found {
            // SAFETY: the cursor has not moved since.
            Some((first, _)) if !within((from, Bound::Unbounded), unsafe { bytes(first) }) => {
                self.step(EMPTY, MDB_NEXT)
            }
            _ => Ok(found),
        }
    }

    /// Returns the last entry that an upper bound allows.
    #[expect(unsafe_code, reason = "bytes given by C")]
    fn highest(&self, to: Bound<&[u8]>) -> Result<Option<KeyValuePair>, LmdbError> {
        let (Bound::Included(key) | Bound::Excluded(key)) = to else { return self.step(EMPTY, MDB_LAST) };
        match self.step(borrowed(key), MDB_SET_RANGE)? {
            // SAFETY: the cursor has not moved since.
            Some(last) if within((Bound::Unbounded, to), unsafe { bytes(&last.0) }) => Ok(Some(last)),
            Some(_) => self.step(EMPTY, MDB_PREV),
            None => self.step(EMPTY, MDB_LAST),
        }
    }
}

impl Drop for Lmdb1Cursor {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the cursor and its transaction are open.
        unsafe { mdb_cursor_close(self.0) };
    }
}

const EMPTY: MDB_val = MDB_val { mv_size: 0, mv_data: ptr::null_mut() };

/// Bytes for LMDB to read.
#[inline]
fn borrowed(bytes: &[u8]) -> MDB_val {
    MDB_val { mv_size: bytes.len(), mv_data: bytes.as_ptr().cast_mut().cast() }
}

/// Returns bytes that LMDB lends.
///
/// # Safety
/// LMDB has just written `value`, and its transaction does nothing while the bytes are used.
#[inline]
#[expect(unsafe_code, reason = "bytes given by C")]
unsafe fn bytes(value: &MDB_val) -> &[u8] {
    if value.mv_size == 0 {
        return &[];
    }
    // SAFETY: as above.
    unsafe { slice::from_raw_parts(value.mv_data.cast(), value.mv_size) }
}
