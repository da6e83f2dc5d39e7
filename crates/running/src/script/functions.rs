//! Stand-ins for functions that only an application has: `-- function: unaccent(x) = lower(x)`.

use dbdyno_foundation::base::sql_tokens::tokens;
use rusqlite::Connection;

/// An expression in the place of each call of a function. Every engine understands it, so a file with stand-ins runs on all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionStandIn {
    /// The function's name, in small letters.
    name: String,
    /// The names of its parameters, in small letters.
    parameters: Vec<String>,
    expression: String,
}

impl FunctionStandIn {
    /// Reads `NAME(PARAMETER, ...) = EXPRESSION`.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let is_word = |word: &str| {
            word.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && word.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let read = || {
            let (call, expression) = text.split_once('=')?;
            let (name, parameters) = call.trim().strip_suffix(')')?.split_once('(')?;
            let parameters = parameters.split(',').map(|one| one.trim().to_ascii_lowercase());
            let (name, parameters): (_, Vec<String>) = (name.trim().to_ascii_lowercase(), parameters.collect());
            let parameters = if parameters == [""] { Vec::new() } else { parameters };
            let expression = expression.trim().to_owned();
            let is_sound = is_word(&name) && parameters.iter().all(|one| is_word(one)) && !expression.is_empty();
            is_sound.then_some(Self { name, parameters, expression })
        };
        read()
            .ok_or_else(|| format!("function {text}: expected a call and an expression, as in unaccent(x) = lower(x)"))
    }

    /// Whether it stands in for a function (its name in small letters) with this number of arguments.
    pub(super) fn is_for(&self, function: &str, arguments: usize) -> bool {
        self.name == function && self.parameters.len() == arguments
    }

    /// Returns the expression with these arguments.
    pub(super) fn call(&self, arguments: &[&str]) -> String {
        let argument = |token: &str| {
            let at = self.parameters.iter().position(|parameter| parameter.eq_ignore_ascii_case(token));
            at.and_then(|at| arguments.get(at)).map_or_else(|| token.to_owned(), |text| format!("({})", text.trim()))
        };
        format!("({})", tokens(&self.expression).into_iter().map(argument).collect::<String>())
    }

    /// Checks that its expression is one of SQL.
    ///
    /// # Errors
    /// What SQLite says of it.
    pub(super) fn check(&self) -> Result<(), String> {
        let example = format!("SELECT {}", self.call(&vec!["NULL"; self.parameters.len()]));
        let prepared =
            Connection::open_in_memory().and_then(|connection| Ok(connection.prepare(&example)?.column_count()));
        let wrong = match prepared {
            Ok(1) => return Ok(()),
            Ok(_) => "it is more than one".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(format!("function {}: expected an expression of SQL after the `=`: {wrong}", self.title()))
    }

    /// `unaccent(x)`.
    pub(super) fn title(&self) -> String {
        format!("{}({})", self.name, self.parameters.join(", "))
    }

    pub(super) fn expression(&self) -> &str {
        &self.expression
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_put_in_the_place_of_parameters() {
        let of = FunctionStandIn::read("Rank(a, B) = a * 10 + coalesce(b, 'a b', xa)").unwrap();
        assert_eq!(of.call(&["1 + 2", " c"]), "((1 + 2) * 10 + coalesce((c), 'a b', xa))");
        assert!(of.is_for("rank", 2) && !of.is_for("rank", 1));
        assert_eq!(of.title(), "rank(a, b)");
        assert!(of.check().is_err_and(|why| why.contains("no such column: xa")));
        assert_eq!(FunctionStandIn::read("one() = 1").unwrap().call(&[]), "(1)");
    }

    #[test]
    fn an_expression_is_one_and_whole() {
        for (text, expected) in [
            ("f(x) = lower(x", "incomplete input"),
            ("f(x) = x), (1", "more than one"),
            ("f(x) = x -- and so on", "incomplete input"),
            ("f(x) = g(x)", "no such function: g"),
        ] {
            let error = FunctionStandIn::read(text).unwrap().check().unwrap_err();
            assert!(error.starts_with("function f(x): expected") && error.contains(expected), "{error}");
        }
        assert_eq!(FunctionStandIn::read("f(x) = coalesce(x, 1)").unwrap().check(), Ok(()));
    }

    #[test]
    fn what_is_no_stand_in_is_told_with_what_was_expected() {
        for wrong in
            ["unaccent", "unaccent = lower(x)", "unaccent(x) =", "(x) = x", "f(1) = 1", "f(x,) = x", "f(x) y = x"]
        {
            let error = FunctionStandIn::read(wrong).unwrap_err();
            assert!(error.contains("expected a call and an expression"), "{error}");
        }
    }
}
