//! The parameters of a statement: `?`, `?2`, `:name`, `@name`, `$name`.

use super::directive::SIGNS;
use dbdyno_foundation::base::sql_tokens::tokens;

/// A statement whose parameters are `?1`, `?2` ..., which every engine understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NumberedStatement {
    pub(super) sql: String,
    /// What its author calls each parameter, in the order of their numbers.
    pub(super) places: Vec<String>,
}

/// Numbers the parameters of a statement as SQLite does: `?` gets the next number, and a name that occurs again its number.
pub(super) fn numbered(text: &str) -> NumberedStatement {
    let (mut sql, mut places) = (String::with_capacity(text.len()), Vec::<String>::new());
    let mut all = tokens(text).into_iter().peekable();
    while let Some(token) = all.next() {
        let is_sign = token.len() == 1 && token.starts_with(SIGNS);
        let is_word = |next: &&str| next.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let name = if is_sign { all.next_if(is_word) } else { None };
        let number = match (token, name) {
            ("?", None) => {
                let next = places.len() + 1;
                places.push(format!("?{next}"));
                next
            }
            ("?", Some(digits)) => {
                let number = digits.parse().unwrap_or(1).clamp(1, MOST);
                while places.len() < number {
                    places.push(format!("?{}", places.len() + 1));
                }
                number
            }
            (_, Some(name)) if is_sign => {
                let name = format!("{token}{name}");
                places.iter().position(|known| *known == name).unwrap_or_else(|| {
                    places.push(name);
                    places.len() - 1
                }) + 1
            }
            _ => {
                sql.push_str(token);
                continue;
            }
        };
        sql.push_str(&format!("?{number}"));
    }
    NumberedStatement { sql, places }
}

/// The most parameters of a statement in SQLite.
const MOST: usize = 32_766;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_get_the_numbers_that_sqlite_gives_them() {
        for (text, sql, places) in [
            ("SELECT ?, ?", "SELECT ?1, ?2", &["?1", "?2"][..]),
            ("SELECT :a, @b, :a, $c", "SELECT ?1, ?2, ?1, ?3", &[":a", "@b", "$c"]),
            ("SELECT ?2, ?", "SELECT ?2, ?3", &["?1", "?2", "?3"]),
            ("SELECT ':a', \"$b\", x -- :c\n, ':d' || :e", "SELECT ':a', \"$b\", x -- :c\n, ':d' || ?1", &[":e"]),
            ("SELECT j ->> '$.a' FROM t", "SELECT j ->> '$.a' FROM t", &[]),
        ] {
            let found = numbered(text);
            assert_eq!(
                (found.sql.as_str(), found.places.iter().map(String::as_str).collect::<Vec<_>>()),
                (sql, places.to_vec())
            );
        }
    }

    #[test]
    fn the_numbers_are_those_of_sqlite_itself() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for text in ["SELECT :b, ?, @a, ?5, $c, :b, ?", "SELECT ?3, :x, ?1, :x"] {
            let (given, made) = (connection.prepare(text).unwrap(), numbered(text));
            let of_made = connection.prepare(&made.sql).unwrap();
            assert_eq!(given.parameter_count(), of_made.parameter_count(), "{text}");
            for place in 1..=given.parameter_count() {
                if let Some(name) = given.parameter_name(place).filter(|name| !name.starts_with('?')) {
                    assert_eq!(made.places[place - 1], name, "{text}");
                }
            }
        }
    }
}
