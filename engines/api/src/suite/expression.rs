//! Whole-number expressions of a SQL suite: counts and parameters.
//!
//! In a file an expression is text (`"(14285*i - 14284) % 500000"`): whole numbers, names, `+ - * / %`, brackets. `* / %` bind closer,
//! and all operators group from the left. In a job it is a tree: a number, a name as a string, or `[operator, left, right]`. An
//! expression has at most [`MOST_SIGNS`] operators and brackets. Arithmetic uses 64-bit numbers that wrap around. `/` rounds down, and
//! `%` has the sign of its right side. Both give 0 if the right side is 0.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, str::FromStr};

/// Most operators and brackets of an expression: each may be a level of its tree, and programs that read a job recurse through the
/// levels.
pub const MOST_SIGNS: usize = 40;

/// Names with their numbers, innermost last. Of two equal names the last counts.
pub type Variables<'n> = Vec<(&'n str, i64)>;

/// A whole number, computed from numbers and names.
///
/// ```
/// use dbdyno_engine::suite::Expression;
///
/// let expression: Expression = "10*i + 1".parse()?;
/// assert_eq!(expression.value(&vec![("i", 7)]), 71);
/// assert_eq!(serde_json::to_string(&expression)?, r#"["+",["*",10,"i"],1]"#, "as a job has it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "ExpressionWire", into = "ExpressionWire")]
pub enum Expression {
    Number(i64),
    /// A loop's variable, a drawn number, or one of the suite's constants.
    Variable(String),
    /// An operator and its two operands.
    Binary(BinaryOperator, Box<(Expression, Expression)>),
}

impl Default for Expression {
    fn default() -> Self {
        Self::Number(0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum BinaryOperator {
    #[serde(rename = "+")]
    Plus,
    #[serde(rename = "-")]
    Minus,
    #[serde(rename = "*")]
    Times,
    /// Quotient, rounded down.
    #[serde(rename = "/")]
    Over,
    #[serde(rename = "%")]
    Modulo,
}

/// An expression as written in JSON and TOML.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected an expression of whole numbers and names, such as \"10*i + 1\"")]
enum ExpressionWire {
    Number(i64),
    Text(String),
    Tree(
        BinaryOperator,
        #[cfg_attr(test, schemars(with = "Expression"))] Box<ExpressionWire>,
        #[cfg_attr(test, schemars(with = "Expression"))] Box<ExpressionWire>,
    ),
}

impl Expression {
    /// Returns the value. Names are looked up from the innermost out, and unknown names count as 0: suites are checked for them when they
    /// are read.
    #[inline]
    pub fn value(&self, variables: &Variables<'_>) -> i64 {
        match self {
            Self::Number(number) => *number,
            Self::Variable(name) => {
                variables.iter().rev().find(|(variable, _)| variable == name).map_or(0, |(_, value)| *value)
            }
            Self::Binary(operator, sides) => operator.apply(sides.0.value(variables), sides.1.value(variables)),
        }
    }

    /// Returns the value if it depends on no name and is 0 or more.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Number(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Inserts constants and evaluates every part of the expression that they settle.
    #[must_use]
    pub fn resolve(&self, constants: &BTreeMap<String, i64>) -> Self {
        match self {
            Self::Number(_) => self.clone(),
            Self::Variable(name) => constants.get(name).map_or_else(|| self.clone(), |value| Self::Number(*value)),
            Self::Binary(operator, sides) => match (sides.0.resolve(constants), sides.1.resolve(constants)) {
                (Self::Number(left), Self::Number(right)) => Self::Number(operator.apply(left, right)),
                sides => Self::Binary(*operator, Box::new(sides)),
            },
        }
    }

    /// Returns the first name in it that `known` rejects.
    pub fn unknown<'a>(&'a self, known: &dyn Fn(&str) -> bool) -> Option<&'a str> {
        match self {
            Self::Number(_) => None,
            Self::Variable(name) => (!known(name)).then_some(name.as_str()),
            Self::Binary(_, sides) => sides.0.unknown(known).or_else(|| sides.1.unknown(known)),
        }
    }
}

impl BinaryOperator {
    #[inline]
    fn apply(self, left: i64, right: i64) -> i64 {
        match self {
            Self::Plus => left.wrapping_add(right),
            Self::Minus => left.wrapping_sub(right),
            Self::Times => left.wrapping_mul(right),
            Self::Over | Self::Modulo if right == 0 => 0,
            Self::Over => floor_division(left, right),
            Self::Modulo => left.wrapping_sub(floor_division(left, right).wrapping_mul(right)),
        }
    }
}

fn floor_division(left: i64, right: i64) -> i64 {
    let quotient = left.wrapping_div(right);
    if left.wrapping_rem(right) != 0 && (left < 0) != (right < 0) { quotient - 1 } else { quotient }
}

impl TryFrom<ExpressionWire> for Expression {
    type Error = String;

    fn try_from(wire: ExpressionWire) -> Result<Self, String> {
        Ok(match wire {
            ExpressionWire::Number(number) => Self::Number(number),
            ExpressionWire::Text(text) => text.parse()?,
            ExpressionWire::Tree(operator, left, right) => {
                Self::Binary(operator, Box::new(((*left).try_into()?, (*right).try_into()?)))
            }
        })
    }
}

impl From<Expression> for ExpressionWire {
    fn from(expression: Expression) -> Self {
        match expression {
            Expression::Number(number) => Self::Number(number),
            Expression::Variable(name) => Self::Text(name),
            Expression::Binary(operator, sides) => {
                Self::Tree(operator, Box::new(sides.0.into()), Box::new(sides.1.into()))
            }
        }
    }
}

impl FromStr for Expression {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.matches(['+', '-', '*', '/', '%', '(']).count() > MOST_SIGNS {
            return Err(format!(
                "an expression of more than {MOST_SIGNS} operators and brackets: expected a shorter one"
            ));
        }
        let mut parser = Parser { rest: text };
        let parsed = parser.sum().filter(|_| parser.next().is_none());
        parsed.ok_or_else(|| {
            format!("expression `{text}`: expected whole numbers, names, brackets and the operators + - * / %")
        })
    }
}

/// The rest of a text, which is still to be read.
struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, taken: impl Fn(char) -> bool) -> &str {
        let end = self.rest.find(|c| !taken(c)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        token
    }

    fn sum(&mut self) -> Option<Expression> {
        self.chain(&[('+', BinaryOperator::Plus), ('-', BinaryOperator::Minus)], Self::product)
    }

    fn product(&mut self) -> Option<Expression> {
        self.chain(
            &[('*', BinaryOperator::Times), ('/', BinaryOperator::Over), ('%', BinaryOperator::Modulo)],
            Self::atom,
        )
    }

    fn chain(
        &mut self,
        operators: &[(char, BinaryOperator)],
        side: fn(&mut Self) -> Option<Expression>,
    ) -> Option<Expression> {
        let mut left = side(self)?;
        while let Some((sign, operator)) =
            self.next().and_then(|c| operators.iter().find(|(sign, _)| *sign == c)).copied()
        {
            self.rest = &self.rest[sign.len_utf8()..];
            left = Expression::Binary(operator, Box::new((left, side(self)?)));
        }
        Some(left)
    }

    fn atom(&mut self) -> Option<Expression> {
        match self.next()? {
            '(' => {
                self.rest = &self.rest[1..];
                let inside = self.sum()?;
                self.next().filter(|c| *c == ')')?;
                self.rest = &self.rest[1..];
                Some(inside)
            }
            c if c.is_ascii_digit() => {
                self.take(|c| c.is_ascii_digit() || c == '_').replace('_', "").parse().ok().map(Expression::Number)
            }
            c if c.is_ascii_alphabetic() => {
                Some(Expression::Variable(self.take(|c| c.is_ascii_alphanumeric() || c == '_').to_owned()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, i: i64) -> i64 {
        text.parse::<Expression>().unwrap().value(&vec![("i", i)])
    }

    #[test]
    fn expressions_mean_what_they_mean_in_school() {
        assert_eq!(value("1+2*3", 0), 7);
        assert_eq!(value("(1 + 2) * 3", 0), 9);
        assert_eq!(value("10-4-3", 0), 3, "from the left");
        assert_eq!(value("7/2*2", 0), 6);
        assert_eq!(value("(14285*i - 14284) % 500000", 36), 500_000 - 24);
        assert_eq!(value("(i-5) % 3", 0), 1, "the remainder of a negative number");
        assert_eq!(value("(i-5) / 3", 0), -2);
        assert_eq!(value("i % 0", 9), 0);
        assert_eq!(value("1_000_000", 0), 1_000_000);
    }

    #[test]
    fn the_innermost_name_counts() {
        let expression: Expression = "i".parse().unwrap();
        let variables = vec![("i", 1), ("j", 2), ("i", 3)];
        assert_eq!(expression.value(&variables), 3);
    }

    #[test]
    fn a_job_has_constants_put_in_and_trees_of_what_is_left() {
        let expression: Expression = "1000*W + 10*i*R".parse().unwrap();
        let constants = BTreeMap::from([("R".to_owned(), 2), ("W".to_owned(), 3)]);
        let resolved = expression.resolve(&constants);
        let json = serde_json::to_string(&resolved).unwrap();
        assert_eq!(json, r#"["+",3000,["*",["*",10,"i"],2]]"#);
        assert_eq!(serde_json::from_str::<Expression>(&json).unwrap(), resolved);
        assert_eq!("2*W".parse::<Expression>().unwrap().resolve(&constants).count(), Some(6));
        assert_eq!(expression.unknown(&|name| name == "W"), Some("i"));
    }

    #[test]
    fn an_expression_has_no_more_levels_than_can_be_walked() {
        let nested = |levels: usize| format!("{}i{}", "(".repeat(levels), ")".repeat(levels)).parse::<Expression>();
        assert!(nested(MOST_SIGNS).is_ok());
        assert!(nested(1_000_000).unwrap_err().contains("more than 40"));
        assert!("i+".repeat(1_000_000).parse::<Expression>().is_err());
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "1+", "(1", "1)", "1 2", "a.b", "1.5", "99999999999999999999", "é"] {
            assert!(text.parse::<Expression>().is_err(), "{text}");
        }
    }
}
