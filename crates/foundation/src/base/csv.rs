//! Comma-separated values (RFC 4180): the only writer of them, and the escaping that keeps a spreadsheet from running a cell.

use std::borrow::Cow;

/// The form in which cells are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cells {
    /// An apostrophe before a cell that a spreadsheet would treat as a formula; `import` removes it again.
    #[default]
    Escaped,
    Raw,
}

/// Returns a line, with its cells quoted where necessary.
pub fn line<'c>(cells: impl IntoIterator<Item = &'c str>, written: Cells) -> String {
    let mut line = String::new();
    for (at, cell) in cells.into_iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        let text = read_back(cell, written);
        if text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
            line.push('"');
            line.push_str(&text.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(&text);
        }
    }
    line.push('\n');
    line
}

/// Returns the text that any other program reads from a cell.
pub fn read_back(cell: &str, written: Cells) -> Cow<'_, str> {
    match written {
        Cells::Escaped => escaped(cell),
        Cells::Raw => Cow::Borrowed(cell),
    }
}

/// Escapes a cell so that no spreadsheet runs it. A cell that already looks escaped is escaped too, so that this can be undone.
fn escaped(cell: &str) -> Cow<'_, str> {
    if !is_formula(cell.trim_start_matches('\'')) || is_number(cell) {
        return Cow::Borrowed(cell);
    }
    Cow::Owned(format!("'{cell}"))
}

/// Returns a cell as it was before it was escaped.
pub fn unescaped(cell: String) -> String {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest.trim_start_matches('\'')) => rest.to_owned(),
        _ => cell,
    }
}

/// Whether a spreadsheet may treat a cell as a formula.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

/// Whether a cell is a number, which may begin with a sign.
fn is_number(cell: &str) -> bool {
    cell.ends_with(|last: char| last.is_ascii_digit()) && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_escaped() {
        let cells: [&str; 11] =
            ["=1+1", "+a", "-cmd|' /C calc'!A0", "@x", "\tx", "\rx", "\n=x", "'=x", "''@x", "-inf", "-"];
        for cell in cells {
            assert_eq!(escaped(cell), format!("'{cell}"));
        }
        for cell in ["", "a", "-1.5", "+3", "-1e-9", "'a", "'", "a=1", "1-2"] {
            assert_eq!(escaped(cell), cell);
        }
        assert_eq!(line(["=1,2", "-1"], Cells::Escaped), "\"'=1,2\",-1\n");
        assert_eq!(line(["=1,2", "-1"], Cells::Raw), "\"=1,2\",-1\n");
    }

    proptest! {
        #[test]
        fn escaping_can_be_undone(cell in "['=+@a1\t\r\n-]{0,5}") {
            prop_assert_eq!(unescaped(escaped(&cell).into_owned()), cell);
        }
    }
}
