//! The position of a mistake in a message from DuckDB.

/// Returns line and column of a statement, from 0, if the message contains them.
pub(super) fn place(message: &str, statement: &str) -> Option<(usize, usize)> {
    let (_, place) = message.rsplit_once("\n\nLINE ")?;
    let (number, rest) = place.split_once(": ")?;
    let line = number.parse::<usize>().ok()?.checked_sub(1)?;
    let (excerpt, signs) = rest.split_once('\n')?;
    let at = signs.find('^')?.checked_sub("LINE : ".len() + number.len())?;
    let whole = statement.split('\n').nth(line)?;
    // DuckDB shows only part of a long line, with dots where it is cut.
    let Some(part) = excerpt.strip_prefix("...") else { return Some((line, at)) };
    let part = part.strip_suffix("...").unwrap_or(part);
    let begin = whole[..whole.find(part)?].chars().count();
    Some((line, begin + at.checked_sub("...".len())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_below_the_line_is_the_place() {
        let message = "Binder Error: no column\nCandidates: x\n\nLINE 2:  nope FROM t\n         ^^^^";
        assert_eq!(place(message, "SELECT 1,\n nope FROM t"), Some((1, 1)));
        assert_eq!(place("Binder Error: no column", "SELECT nope"), None);
        let long = format!("SELECT {} nope, {}", "1 + ".repeat(40), "1 + ".repeat(40));
        let cut = format!("Bad\n\nLINE 1: ...{}...\n{}^", &long[150..190], " ".repeat(8 + 3 + 18));
        assert_eq!(place(&cut, &long), Some((0, 168)));
        assert_eq!(&long[168..172], "nope");
    }
}
