use crate::{
    abi::{DestructorPointer, ERROR, OK, StmtPointer, UTF16, UTF16BE, UTF16LE},
    bindings::{BoundKind, BoundParameters},
    library::SqliteLibrary,
    modules::library_of,
    threads::recorded,
};
use dbdyno_recording::RecorderKind;
use std::{
    borrow::Cow,
    ffi::{CStr, c_char, c_int, c_void},
    slice,
};

/// Copies a value after SQLite's function has bound it. `set` gets the limit of a value's bytes.
///
/// # Safety
///
/// `statement` is the program's argument, of a statement of `library`.
pub(super) unsafe fn bound(
    library: &'static SqliteLibrary,
    statement: StmtPointer,
    code: c_int,
    set: impl FnOnce(&mut BoundParameters, usize),
) -> c_int {
    if code != OK {
        return code;
    }
    let Some(thread) = recorded(library, RecorderKind::Preload) else { return code };
    let timer = thread.timer(thread.is_sampled());
    // SAFETY: SQLite has just bound a value to it.
    let state = unsafe { thread.statement(library, statement) };
    if let Some(mut record) = state.and_then(|state| state.try_use()) {
        set(&mut record.parameters, thread.world.settings.value_bytes);
    }
    timer.stop();
    code
}

/// The place of a parameter. SQLite has accepted it, so it is above 0.
pub(super) fn place(index: c_int) -> usize {
    usize::try_from(index).unwrap_or_default()
}

/// A text or blob that the program binds.
pub(super) struct GivenBytes<'b> {
    index: c_int,
    kind: BoundKind,
    /// None binds null.
    bytes: Option<Cow<'b, [u8]>>,
}

impl<'b> GivenBytes<'b> {
    /// # Safety
    ///
    /// `bytes` is null, or has `length` bytes for the lifetime of the result.
    pub(super) unsafe fn new(index: c_int, kind: BoundKind, bytes: *const c_void, length: usize) -> Self {
        // SAFETY: the caller's promise.
        let bytes = (!bytes.is_null()).then(|| Cow::Borrowed(unsafe { slice::from_raw_parts(bytes.cast(), length) }));
        Self { index, kind, bytes }
    }

    /// Makes a copy if the bytes may be gone when SQLite's function returns: it calls the program's destructor in some
    /// cases. With one of the two special numbers in place of a destructor, the bytes stay for now.
    fn kept_until_bound(self, destructor: DestructorPointer) -> GivenBytes<'b> {
        let stays = destructor.is_null() || destructor.addr() == usize::MAX;
        let bytes = self.bytes.map(|bytes| if stays { bytes } else { Cow::Owned(bytes.into_owned()) });
        GivenBytes { bytes, ..self }
    }

    pub(super) fn set(&self, parameters: &mut BoundParameters, limit: usize) {
        match &self.bytes {
            Some(bytes) => parameters.set_bytes(place(self.index), self.kind, bytes, limit),
            None => parameters.set_number(place(self.index), BoundKind::Null, 0),
        }
    }
}

/// Length of a text of bytes. A negative number means that a zero ends it.
///
/// # Safety
///
/// A text with a negative length ends with a zero.
unsafe fn length_of(text: *const c_char, length: c_int) -> usize {
    match usize::try_from(length) {
        Ok(length) => length,
        Err(_) if text.is_null() => 0,
        // SAFETY: the caller's promise.
        Err(_) => unsafe { CStr::from_ptr(text) }.to_bytes().len(),
    }
}

/// Converts UTF-16 as SQLite does, which replaces what is invalid.
///
/// # Safety
///
/// `text` has `length` bytes.
unsafe fn from_utf16(text: *const c_void, length: usize, is_big_endian: bool) -> Vec<u8> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), length) };
    let unit = |pair: &[u8; 2]| if is_big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    let (pairs, _) = bytes.as_chunks();
    let characters = char::decode_utf16(pairs.iter().map(unit)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    characters.collect::<String>().into_bytes()
}

pub(super) unsafe extern "C" fn bind_blob(
    statement: StmtPointer,
    index: c_int,
    bytes: *const c_void,
    length: c_int,
    destructor: DestructorPointer,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_blob else { return ERROR };
    // SQLite refuses negative lengths.
    let room = usize::try_from(length).unwrap_or_default();
    // SAFETY: the program's own arguments.
    unsafe {
        let given = GivenBytes::new(index, BoundKind::Blob, bytes, room).kept_until_bound(destructor);
        let code = function(statement, index, bytes, length, destructor);
        bound(library, statement, code, |parameters, limit| given.set(parameters, limit))
    }
}

pub(super) unsafe extern "C" fn bind_blob64(
    statement: StmtPointer,
    index: c_int,
    bytes: *const c_void,
    length: u64,
    destructor: DestructorPointer,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_blob64 else { return ERROR };
    // SAFETY: the program's own arguments.
    unsafe {
        let given = GivenBytes::new(index, BoundKind::Blob, bytes, length as usize).kept_until_bound(destructor);
        let code = function(statement, index, bytes, length, destructor);
        bound(library, statement, code, |parameters, limit| given.set(parameters, limit))
    }
}

pub(super) unsafe extern "C" fn bind_text(
    statement: StmtPointer,
    index: c_int,
    text: *const c_char,
    length: c_int,
    destructor: DestructorPointer,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_text else { return ERROR };
    // SAFETY: the program's own arguments.
    unsafe {
        let room = length_of(text, length);
        let given = GivenBytes::new(index, BoundKind::Text, text.cast(), room).kept_until_bound(destructor);
        let code = function(statement, index, text, length, destructor);
        bound(library, statement, code, |parameters, limit| given.set(parameters, limit))
    }
}

pub(super) unsafe extern "C" fn bind_text16(
    statement: StmtPointer,
    index: c_int,
    text: *const c_void,
    length: c_int,
    destructor: DestructorPointer,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_text16 else { return ERROR };
    // SAFETY: the program's own arguments. A text with a negative length ends with two bytes of zero.
    unsafe {
        let units = |text: *const u16| (0..).take_while(|at| text.add(*at).read_unaligned() != 0).count();
        let room = match usize::try_from(length) {
            Ok(length) => length,
            Err(_) if text.is_null() => 0,
            Err(_) => units(text.cast()) * 2,
        };
        let given = given_utf16(index, text, room, cfg!(target_endian = "big"));
        let code = function(statement, index, text, length, destructor);
        bound(library, statement, code, |parameters, limit| given.set(parameters, limit))
    }
}

/// # Safety
///
/// `text` is null or has `length` bytes.
unsafe fn given_utf16(index: c_int, text: *const c_void, length: usize, is_big_endian: bool) -> GivenBytes<'static> {
    // SAFETY: the caller's promise.
    let convert = || Cow::Owned(unsafe { from_utf16(text, length, is_big_endian) });
    GivenBytes { index, kind: BoundKind::Text, bytes: (!text.is_null()).then(convert) }
}

pub(super) unsafe extern "C" fn bind_text64(
    statement: StmtPointer,
    index: c_int,
    text: *const c_char,
    length: u64,
    destructor: DestructorPointer,
    encoding: u8,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_text64 else { return ERROR };
    let is_big_endian = encoding == UTF16BE || encoding == UTF16 && cfg!(target_endian = "big");
    // SAFETY: the program's own arguments.
    unsafe {
        let given = if [UTF16, UTF16LE, UTF16BE].contains(&encoding) {
            given_utf16(index, text.cast(), length as usize, is_big_endian)
        } else {
            GivenBytes::new(index, BoundKind::Text, text.cast(), length as usize).kept_until_bound(destructor)
        };
        let code = function(statement, index, text, length, destructor, encoding);
        bound(library, statement, code, |parameters, limit| given.set(parameters, limit))
    }
}

/// Binds a number, or something that is described by one.
///
/// # Safety
///
/// `statement` is the program's argument, of a statement of `library`.
unsafe fn bound_number(
    library: &'static SqliteLibrary,
    statement: StmtPointer,
    code: c_int,
    (index, kind, number): (c_int, BoundKind, u64),
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { bound(library, statement, code, |parameters, _| parameters.set_number(place(index), kind, number)) }
}

pub(super) unsafe extern "C" fn bind_double(statement: StmtPointer, index: c_int, caller: usize, value: f64) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_double else { return ERROR };
    // SQLite binds null for it.
    let kind = if value.is_nan() { BoundKind::Null } else { BoundKind::Real };
    // SAFETY: the program's own arguments.
    unsafe { bound_number(library, statement, function(statement, index, value), (index, kind, value.to_bits())) }
}

/// What SQLite's function does: it calls the one for 64 bits, which would be one more call to record.
pub(super) unsafe extern "C" fn bind_int(statement: StmtPointer, index: c_int, value: c_int, caller: usize) -> c_int {
    // SAFETY: the program's own arguments.
    unsafe { bind_int64(statement, index, value.into(), caller) }
}

pub(super) unsafe extern "C" fn bind_int64(statement: StmtPointer, index: c_int, value: i64, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_int64 else { return ERROR };
    let number = (index, BoundKind::Integer, value.cast_unsigned());
    // SAFETY: the program's own arguments.
    unsafe { bound_number(library, statement, function(statement, index, value), number) }
}

pub(super) unsafe extern "C" fn bind_null(statement: StmtPointer, index: c_int, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_null else { return ERROR };
    // SAFETY: the program's own arguments.
    unsafe { bound_number(library, statement, function(statement, index), (index, BoundKind::Null, 0)) }
}

/// A pointer is null to SQL, except to functions that know its type.
pub(super) unsafe extern "C" fn bind_pointer(
    statement: StmtPointer,
    index: c_int,
    pointer: *mut c_void,
    kind: *const c_char,
    destructor: DestructorPointer,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_pointer else { return ERROR };
    // SAFETY: the program's own arguments.
    unsafe {
        let code = function(statement, index, pointer, kind, destructor);
        bound_number(library, statement, code, (index, BoundKind::Null, 0))
    }
}

pub(super) unsafe extern "C" fn bind_zeroblob(
    statement: StmtPointer,
    index: c_int,
    length: c_int,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_zeroblob else { return ERROR };
    let number = (index, BoundKind::ZeroBlob, u64::try_from(length).unwrap_or_default());
    // SAFETY: the program's own arguments.
    unsafe { bound_number(library, statement, function(statement, index, length), number) }
}

pub(super) unsafe extern "C" fn bind_zeroblob64(
    statement: StmtPointer,
    index: c_int,
    length: u64,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_zeroblob64 else { return ERROR };
    // SAFETY: the program's own arguments.
    unsafe {
        let code = function(statement, index, length);
        bound_number(library, statement, code, (index, BoundKind::ZeroBlob, length))
    }
}

pub(super) unsafe extern "C" fn clear_bindings(statement: StmtPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.clear_bindings else { return ERROR };
    // SAFETY: the program's own argument.
    unsafe {
        let code = function(statement);
        bound(library, statement, code, |parameters, _| parameters.reset(parameters.len()))
    }
}

/// Moves all values from one statement to another.
pub(super) unsafe extern "C" fn transfer_bindings(from: StmtPointer, to: StmtPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.transfer_bindings else { return ERROR };
    let mut moved = BoundParameters::default();
    // SAFETY: the program's own arguments.
    unsafe {
        let code = function(from, to);
        bound(library, from, code, |parameters, _| std::mem::swap(&mut moved, parameters));
        bound(library, from, code, |parameters, _| parameters.reset(moved.len()));
        bound(library, to, code, |parameters, _| *parameters = moved)
    }
}
