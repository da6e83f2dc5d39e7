//! Statements and their results.

use super::{
    api::{OK, XdbRes, XdbRow, XdbStmt},
    connection::Link,
};
use crate::library::text;
use dbdyno_engine::EngineError;
use std::{
    ffi::{CString, c_int},
    marker::PhantomData,
    slice,
};

/// A prepared statement.
pub(super) struct Prepared {
    link: Link,
    statement: *mut XdbStmt,
    sql: &'static str,
}

impl Prepared {
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn new(link: Link, sql: &'static str) -> Result<Self, EngineError> {
        let c_sql = CString::new(sql).map_err(|error| EngineError::new(error.to_string()))?;
        // SAFETY: the connection is open, and the text ends with a zero.
        let statement = unsafe { (link.api.prepare)(link.connection, c_sql.as_ptr()) };
        if statement.is_null() {
            let message = format!("library {}: `{sql}` cannot be prepared", link.api.path.display());
            return Err(EngineError::new(message));
        }
        Ok(Self { link, statement, sql })
    }

    /// Prepares a SELECT by key or of all rows, and runs it once with the function that takes the values itself. Only that function clears
    /// the statement's row callback, which in 0.14 a prepared statement leaves uninitialised.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn select(link: Link, sql: &'static str) -> Result<Self, EngineError> {
        let prepared = Self::new(link, sql)?;
        let (run, key) = (link.functions.bind_and_run, b"key");
        // SAFETY: the function reads one argument pair per parameter: one pair of length and bytes, or none.
        let answer = unsafe { run(prepared.statement, key.len() as c_int, key.as_ptr()) };
        Answered::of(link, answer, sql)?;
        Ok(prepared)
    }

    /// Runs the statement with these values, which it reads until its result is dropped.
    #[expect(unsafe_code, reason = "calls of C")]
    #[inline]
    pub(super) fn run<'v>(&'v mut self, values: &[&'v [u8]]) -> Result<Answered<'v>, EngineError> {
        for (place, value) in (1..).zip(values) {
            let length = c_int::try_from(value.len()).unwrap_or(c_int::MAX);
            // SAFETY: the statement is prepared; it reads the value no further than its length, while it is borrowed.
            let code = unsafe { (self.link.api.bind_blob)(self.statement, place, value.as_ptr().cast(), length) };
            if code != OK {
                let path = self.link.api.path.display();
                return Err(EngineError::new(format!(
                    "library {path}: `{}`: binding value {place} (code {code})",
                    self.sql
                )));
            }
        }
        // SAFETY: the statement is prepared, and all its values are bound.
        Answered::of(self.link, unsafe { (self.link.api.stmt_exec)(self.statement) }, self.sql)
    }
}

impl Drop for Prepared {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the statement is closed once, before its connection is.
        unsafe { (self.link.api.stmt_close)(self.statement) };
    }
}

/// The result of a statement; dropping it returns it to the library.
pub(super) struct Answered<'s> {
    link: Link,
    answer: *mut XdbRes,
    statement: PhantomData<&'s mut Prepared>,
}

impl Answered<'_> {
    /// Wraps a result of the library, or returns its error with the statement.
    #[expect(unsafe_code, reason = "calls of C")]
    #[inline]
    pub(super) fn of(link: Link, answer: *mut XdbRes, sql: &str) -> Result<Self, EngineError> {
        let answered = Self { link, answer, statement: PhantomData };
        if answer.is_null() {
            return Err(EngineError::new(format!("library {}: `{sql}` gave no answer", link.api.path.display())));
        }
        // SAFETY: the result was not yet returned to the library; its text is copied.
        let (code, said) = unsafe {
            match (link.api.errcode)(answer) {
                OK => return Ok(answered),
                code => (code, text((link.api.errmsg)(answer)).unwrap_or_default()),
            }
        };
        Err(EngineError::new(format!("library {}: `{sql}`: {said} (code {code})", link.api.path.display())))
    }

    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn affected(&self) -> c_int {
        // SAFETY: the result was not yet returned to the library.
        unsafe { (self.link.api.affected_rows)(self.answer) }
    }

    /// Goes to the next row; `None` past the last.
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    pub(super) fn next(&mut self) -> Option<AnsweredRow<'_>> {
        // SAFETY: the result was not yet returned to the library.
        let row = unsafe { (self.link.api.fetch_row)(self.answer) };
        (!row.is_null()).then_some(AnsweredRow { answered: self, row })
    }
}

impl Drop for Answered<'_> {
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the result is returned to the library once; the library ignores null.
        unsafe { (self.link.api.free_result)(self.answer) };
    }
}

/// A row of a result.
pub(super) struct AnsweredRow<'a> {
    answered: &'a Answered<'a>,
    row: *mut XdbRow,
}

impl<'a> AnsweredRow<'a> {
    /// Returns a column's bytes, counted from 0; empty if it is NULL, which in dbdyno's tables only an empty value is.
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    pub(super) fn bytes(&self, column: u16) -> &'a [u8] {
        let mut length = 0;
        // SAFETY: the row belongs to the result, which was not yet returned to the library; the bytes live as long as the result.
        unsafe {
            let at = (self.answered.link.api.column_blob)(self.answered.answer, self.row, column, &raw mut length);
            match usize::try_from(length) {
                Ok(length) if !at.is_null() => slice::from_raw_parts(at.cast(), length),
                _ => &[],
            }
        }
    }
}
