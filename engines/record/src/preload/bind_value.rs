use super::bind::{GivenBytes, bound, place};
use crate::{
    abi::{ERROR, StmtPointer, TYPE_BLOB, TYPE_FLOAT, TYPE_INTEGER, TYPE_TEXT},
    bindings::{BoundKind, BoundParameters},
    library::SqliteLibrary,
    modules::library_of,
    system,
};
use std::ffi::{c_int, c_void};

pub(super) unsafe extern "C" fn bind_value(
    statement: StmtPointer,
    index: c_int,
    value: *const c_void,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.bind_value else { return ERROR };
    // SAFETY: the program's own arguments.
    unsafe {
        let code = function(statement, index, value);
        bound(library, statement, code, |parameters, limit| {
            system::keeping_errno(|| set_value(library, parameters, index, value, limit));
        })
    }
}

/// Copies a value of SQLite.
///
/// # Safety
///
/// `value` is a value that SQLite has just accepted.
unsafe fn set_value(
    library: &SqliteLibrary,
    parameters: &mut BoundParameters,
    index: c_int,
    value: *const c_void,
    limit: usize,
) {
    // SAFETY: reading its type and numbers does not change the value.
    let kind = library.value_type.map_or(0, |value_type| unsafe { value_type(value) });
    match (kind, library.value_int64, library.value_double) {
        (TYPE_INTEGER, Some(integer), _) => {
            // SAFETY: as above.
            let number = unsafe { integer(value) };
            parameters.set_number(place(index), BoundKind::Integer, number.cast_unsigned());
        }
        (TYPE_FLOAT, _, Some(real)) => {
            // SAFETY: as above.
            let number = unsafe { real(value) };
            parameters.set_number(place(index), BoundKind::Real, number.to_bits());
        }
        (TYPE_TEXT | TYPE_BLOB, ..) => {
            // SAFETY: the caller's promise.
            unsafe { set_value_bytes(library, parameters, index, (value, kind), limit) }
        }
        _ => parameters.set_number(place(index), BoundKind::Null, 0),
    }
}

/// # Safety
///
/// As above.
unsafe fn set_value_bytes(
    library: &SqliteLibrary,
    parameters: &mut BoundParameters,
    index: c_int,
    (value, kind): (*const c_void, c_int),
    limit: usize,
) {
    let reads = if kind == TYPE_TEXT { library.value_text } else { library.value_blob };
    let functions = library.value_dup.zip(library.value_free).zip(reads).zip(library.value_bytes);
    let Some((((dup, free), read), length)) = functions else { return };
    // SAFETY: reading a text may convert it, so a copy is read, and the program's value stays as it is.
    unsafe {
        let copy = dup(value);
        let bytes = read(copy);
        let room = usize::try_from(length(copy)).unwrap_or_default();
        let kind = if kind == TYPE_TEXT { BoundKind::Text } else { BoundKind::Blob };
        if bytes.is_null() {
            parameters.set_bytes(place(index), kind, &[], limit);
        } else {
            GivenBytes::new(index, kind, bytes, room).set(parameters, limit);
        }
        free(copy);
    }
}
