//! The values of parameters from the text that `sqlite3_expanded_sql` makes of a statement: the only way to them for an
//! extension.
//!
//! Real numbers come with 15 digits, and text ends at its first zero: that is how SQLite prints them.

use crate::{
    bindings::{BoundKind, BoundParameters},
    sql::{Token, positions},
};

/// Where a parameter is in a statement's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParameterPlace {
    start: usize,
    end: usize,
    /// From 1 on. A parameter may have several places.
    index: usize,
}

/// Finds the parameters of a statement. `named` returns the index of a parameter with a name, which includes its first
/// character.
pub(crate) fn places(sql: &[u8], named: impl Fn(&[u8]) -> usize) -> Vec<ParameterPlace> {
    let mut last = 0;
    let place = |(start, token): (usize, Token<'_>)| {
        let Token::Parameter(name) = token else { return None };
        let index = match name {
            b"?" => last + 1,
            [b'?', digits @ ..] => number(digits).unwrap_or_default(),
            _ => named(name),
        };
        last = last.max(index);
        Some(ParameterPlace { start, end: start + name.len(), index })
    };
    positions(sql).filter_map(place).collect()
}

/// Reads the values of parameters from an expanded text. Returns nothing if the text is not what is expected.
pub(crate) fn read_values(
    sql: &[u8],
    expanded: &[u8],
    places: &[ParameterPlace],
    values: &mut BoundParameters,
    limit: usize,
) -> Option<()> {
    let mut rest = expanded;
    let mut at = 0;
    for place in places {
        rest = rest.strip_prefix(sql.get(at..place.start)?)?;
        let (literal, after) = rest.split_at(literal_length(rest)?);
        set(values, place.index, literal, limit);
        rest = after;
        at = place.end;
    }
    // SQLite drops nothing at the end.
    (rest == sql.get(at..)?).then_some(())
}

/// Length of the literal that a text begins with.
fn literal_length(text: &[u8]) -> Option<usize> {
    let (sign, unsigned) = match text {
        [b'-', unsigned @ ..] => (1, unsigned),
        _ => (0, text),
    };
    if unsigned.starts_with(b"zeroblob(") {
        return text.iter().position(|byte| *byte == b')').map(|end| end + 1);
    }
    match positions(unsigned).next()? {
        (0, Token::Quoted(bytes) | Token::Number(bytes) | Token::Word(bytes)) => Some(sign + bytes.len()),
        _ => None,
    }
}

fn set(values: &mut BoundParameters, index: usize, literal: &[u8], limit: usize) {
    match literal {
        b"NULL" => values.set_number(index, BoundKind::Null, 0),
        [b'\'', text @ .., b'\''] => values.set_bytes(index, BoundKind::Text, &unquoted(text), limit),
        [b'x', b'\'', digits @ .., b'\''] => match from_hexadecimal(digits) {
            Some(bytes) => values.set_bytes(index, BoundKind::Blob, &bytes, limit),
            None => values.set_bytes(index, BoundKind::Literal, literal, usize::MAX),
        },
        [b'z', ..] => match zeroblob(literal) {
            Some(bytes) => values.set_number(index, BoundKind::ZeroBlob, bytes),
            None => values.set_bytes(index, BoundKind::Literal, literal, usize::MAX),
        },
        _ => set_numeric(values, index, literal),
    }
}

fn set_numeric(values: &mut BoundParameters, index: usize, literal: &[u8]) {
    let is_real = literal.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E' | b'I'));
    let real = || match literal {
        b"Inf" => Some(f64::INFINITY),
        b"-Inf" => Some(f64::NEG_INFINITY),
        _ => number(literal),
    };
    if let Some(real) = is_real.then(real).flatten() {
        values.set_number(index, BoundKind::Real, real.to_bits());
    } else if let Some(integer) = number::<i64>(literal) {
        values.set_number(index, BoundKind::Integer, integer.cast_unsigned());
    } else {
        values.set_bytes(index, BoundKind::Literal, literal, usize::MAX);
    }
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Halves doubled quotes.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        plain.push(*byte);
        if *byte == b'\'' {
            bytes.next();
        }
    }
    plain
}

fn from_hexadecimal(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks::<2>();
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

fn zeroblob(literal: &[u8]) -> Option<u64> {
    number(literal.strip_prefix(b"zeroblob(")?.strip_suffix(b")")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event;
    use dbdyno_recording::CallNumbers;

    fn values(sql: &str, expanded: &str) -> Option<String> {
        let named = |name: &[u8]| if name == b":b" { 2 } else { 1 };
        let places = places(sql.as_bytes(), named);
        let mut values = BoundParameters::default();
        read_values(sql.as_bytes(), expanded.as_bytes(), &places, &mut values, usize::MAX)?;
        let mut room = vec![0; event::call_bytes(&values)];
        let call = CallNumbers {
            connection: 1,
            thread: 1,
            start_ns: 0,
            duration_ns: 0,
            statement: 1,
            rows: 0,
            changes: 0,
            result_code: 0,
        };
        event::encode(&mut room, &call, &values);
        let (_, found) = event::decode(&room, 1)?;
        Some(found.map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn values_are_read_from_an_expanded_text() {
        let found = values(
            "INSERT INTO t VALUES (?,?, ?, ?,?,?,?) -- ?",
            "INSERT INTO t VALUES (1,-2.5, 'it''s', x'00fF',NULL,zeroblob(7),1.0e+20) -- ?",
        );
        let expected = "Integer(1) Real(-2.5) Text([105, 116, 39, 115]) Blob([0, 255]) Null ZeroBlob(7) Real(1e20)";
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(values("SELECT ?-1, ?", "SELECT -5-1, -Inf").as_deref(), Some("Integer(-5) Real(-inf)"));
        assert_eq!(values("SELECT 1", "SELECT 1").as_deref(), Some(""));
    }

    #[test]
    fn places_have_the_index_that_sqlite_gives_them() {
        let found = values("SELECT ?3, :a, ?, :b, ?3", "SELECT 33, 11, 44, 22, 33");
        assert_eq!(found.as_deref(), Some("Integer(11) Integer(22) Integer(33) Integer(44)"));
    }

    #[test]
    fn a_text_that_is_not_expected_has_no_values() {
        for (sql, expanded) in [
            ("SELECT ?", "SELECT 'abc'/*+9 bytes*/"),
            ("SELECT ?", "SELECT "),
            ("SELECT ?", "SELEC"),
            ("SELECT ?", "SELECT (1)"),
            ("SELECT ? FROM t", "SELECT 1 FROM u"),
        ] {
            assert_eq!(values(sql, expanded), None, "{expanded}");
        }
        // A number that no integer has.
        assert_eq!(values("?", "99999999999999999999").as_deref(), Some("Literal(\"99999999999999999999\")"));
    }
}
