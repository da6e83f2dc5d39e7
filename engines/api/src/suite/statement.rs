//! A statement of a SQL suite, with the numbers that it draws and the values that are bound to it.

use super::{DirectPlan, Expression, Popularity, Template};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatementSpec {
    /// The SQL, parameters as `?1`, `?2` ...
    pub sql: String,
    /// Its results are reported under this name too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Numbers drawn before each execution in the order of their names.
    #[serde(default)]
    pub draw: BTreeMap<String, Draw>,
    /// The bound values, in order.
    #[serde(default)]
    pub bind: Vec<Parameter>,
    /// The equivalent without SQL. A suite without such plans runs only on engines with SQL.
    #[serde(default)]
    pub direct: Option<DirectPlan>,
    /// Objects that an application builds from the rows that it reads. Empty: it builds none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectSpec>,
    /// Keep the first row of its answer under this name, for statements after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
}

/// How a number is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a number to draw: expected an expression, or { below = \"1000\", keys = \"zipf:0.99\" }"
)]
pub enum Draw {
    /// Groups of equally popular numbers, scattered over all. Together they are all numbers from 0 on.
    Popular {
        #[cfg_attr(test, schemars(length(min = 1)))]
        popular: Vec<Popularity>,
    },
    /// From 0 to one less than the expression, as popular as a suite's file says. A job has the groups instead.
    #[cfg_attr(test, schemars(skip))]
    Keys { below: Expression, keys: String },
    /// Uniform from 0 to one less than the expression.
    Below(Expression),
}

impl Draw {
    fn resolve(&self, constants: &BTreeMap<String, i64>) -> Self {
        match self {
            Self::Popular { .. } => self.clone(),
            Self::Keys { below, keys } => Self::Keys { below: below.resolve(constants), keys: keys.clone() },
            Self::Below(below) => Self::Below(below.resolve(constants)),
        }
    }
}

/// A kind of object that an application builds from an answer's rows and keeps. The kinds of object take the answer's columns in order,
/// each as many columns as it has `values`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObjectSpec {
    /// Its name in error messages.
    pub name: String,
    /// Whether only the first row with each key becomes an object, as when an application splits the rows of a join. The key is the
    /// object's first column, a whole number; a row with NULL there gives no object.
    #[serde(default)]
    pub unique: bool,
    /// Expected number of objects.
    pub count: Expression,
    /// Expected values of the `n`-th object (from 0), as expressions of `n` and the variables of the surrounding loops.
    pub values: Vec<Parameter>,
}

impl ObjectSpec {
    fn resolve(&self, constants: &BTreeMap<String, i64>) -> Self {
        Self {
            name: self.name.clone(),
            unique: self.unique,
            count: self.count.resolve(constants),
            values: self.values.iter().map(|value| value.resolve(constants)).collect(),
        }
    }
}

impl StatementSpec {
    /// Returns the same statement with constants inserted.
    pub(super) fn resolve(&self, constants: &BTreeMap<String, i64>) -> Self {
        Self {
            sql: self.sql.clone(),
            name: self.name.clone(),
            keep: self.keep.clone(),
            draw: self.draw.iter().map(|(name, below)| (name.clone(), below.resolve(constants))).collect(),
            bind: self.bind.iter().map(|parameter| parameter.resolve(constants)).collect(),
            direct: self.direct.clone(),
            objects: self.objects.iter().map(|object| object.resolve(constants)).collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a value: expected an expression of whole numbers and names, or a table with one of words, digits, real, repeat, text, format, \
                 one_of and kept"
)]
pub enum Parameter {
    /// The expression's value divided by a whole number, as a real number.
    Real {
        real: Expression,
        /// The divisor; 100 turns cents into prices.
        #[cfg_attr(test, schemars(range(min = 1)))]
        per: u32,
    },
    /// The expression's value in English words (`fourteen thousand two hundred eighty six`), between two texts.
    Words {
        words: Expression,
        #[serde(default)]
        prefix: String,
        #[serde(default)]
        suffix: String,
    },
    /// The expression's value in digits, padded with zeros to a width, between two texts.
    Digits {
        digits: Expression,
        /// The least number of digits.
        #[serde(default)]
        width: usize,
        #[serde(default)]
        prefix: String,
        #[serde(default)]
        suffix: String,
    },
    /// A text, repeated this many times.
    Repeated { repeat: String, times: Expression },
    /// A text as it is.
    Text { text: String },
    /// A format of keys and values, filled in with the expression's value as the record. A text, in which each byte that is not printable
    /// ASCII is replaced by a letter, or those bytes.
    Format {
        format: Template,
        #[serde(default)]
        key: Expression,
        #[serde(default)]
        blob: bool,
    },
    /// One of several values: that at the expression's value, modulo their number.
    OneOf {
        #[cfg_attr(test, schemars(length(min = 1)))]
        one_of: Vec<Literal>,
        #[serde(default)]
        at: Expression,
    },
    /// A value of a row that an earlier statement kept; NULL if there is none.
    Kept {
        kept: String,
        /// From 0.
        #[serde(default)]
        column: usize,
    },
    /// The expression's value as a whole number.
    Integer(Expression),
}

impl Parameter {
    /// Returns the expression that it depends on; `None` for a text.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Integer(expression)
            | Self::Real { real: expression, .. }
            | Self::Words { words: expression, .. }
            | Self::Digits { digits: expression, .. }
            | Self::Repeated { times: expression, .. }
            | Self::Format { key: expression, .. }
            | Self::OneOf { at: expression, .. } => Some(expression),
            Self::Text { .. } | Self::Kept { .. } => None,
        }
    }

    fn resolve(&self, constants: &BTreeMap<String, i64>) -> Self {
        let mut resolved = self.clone();
        match &mut resolved {
            Self::Integer(expression)
            | Self::Real { real: expression, .. }
            | Self::Words { words: expression, .. }
            | Self::Digits { digits: expression, .. }
            | Self::Repeated { times: expression, .. }
            | Self::Format { key: expression, .. }
            | Self::OneOf { at: expression, .. } => *expression = expression.resolve(constants),
            Self::Text { .. } | Self::Kept { .. } => {}
        }
        resolved
    }
}

/// A value that is written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a value: expected a number, a text, { null = true } or { blob = \"00ff\" }")]
pub enum Literal {
    Integer(i64),
    Real(f64),
    Text(String),
    /// No value.
    Null {
        null: True,
    },
    /// Bytes.
    Blob {
        #[serde(with = "hex")]
        #[cfg_attr(test, schemars(with = "String"))]
        blob: Vec<u8>,
    },
}

/// The word `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "bool", into = "bool")]
pub struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(is: bool) -> Result<Self, Self::Error> {
        is.then_some(Self).ok_or("expected true")
    }
}

impl From<True> for bool {
    fn from(_: True) -> Self {
        true
    }
}

/// Bytes as hexadecimal digits.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        to.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => {
                Ok(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
            }
            _ => Err(D::Error::custom(format!("blob `{text}`: expected an even number of hexadecimal digits"))),
        }
    }
}
