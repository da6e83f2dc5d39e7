//! Where the values of a parameter come from: `uniform 1..1000`, `zipf 1..1000`, `one of 1, 2, NULL`, `text 20..200`, `select ...`.

use dbdyno_engine::{
    names::instead_of,
    suite::{Draw, Expression, Literal, Parameter, Template, True, Variables},
};
use std::{fs, path::Path, str::FromStr};

/// The most values of a list.
const MOST_VALUES: usize = 100_000;

/// Where values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueSource {
    /// `uniform 1..1000`, `zipf:1.1 1..1000`, `hot:20/80 1..1000`: whole numbers; `keys` says how popular they are.
    Drawn { keys: Option<String>, from: i64, to: i64 },
    /// `each 1..1000`: whole numbers in turn.
    InTurn { from: i64, to: i64 },
    /// `one of 1, 'a', NULL`: one of a list, all equally often. SQLite reads the list.
    OneOf(String),
    /// `text 20..200`, `bytes 100`: random, of this many bytes.
    Random { is_blob: bool, least: u64, most: u64 },
    /// `select id FROM feed`: one of the first column's values, before the measurement. `each select ...`: in turn.
    Query { sql: String, in_turn: bool },
    /// `csv FILE COLUMN`: one of the values of a column. `each csv ...`: in turn.
    Csv { file: String, column: String, in_turn: bool },
}

const FORMS: [&str; 9] = ["uniform", "zipf", "hot", "each", "one of", "text", "bytes", "select", "csv"];

impl FromStr for ValueSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (rest, lower) = (rest.trim(), word.to_ascii_lowercase());
        match lower.split(':').next().unwrap_or_default() {
            "uniform" => range(rest).map(|(from, to)| Self::Drawn { keys: None, from, to }),
            "zipf" | "hot" => {
                let keys = if lower == "zipf" { "zipf:0.99".to_owned() } else { lower };
                range(rest).map(|(from, to)| Self::Drawn { keys: Some(keys), from, to })
            }
            "each" => match rest.parse() {
                Ok(Self::Query { sql, .. }) => Ok(Self::Query { sql, in_turn: true }),
                Ok(Self::Csv { file, column, .. }) => Ok(Self::Csv { file, column, in_turn: true }),
                _ => range(rest).map(|(from, to)| Self::InTurn { from, to }),
            },
            "one" => match rest.split_once(char::is_whitespace) {
                Some((of, list)) if of.eq_ignore_ascii_case("of") => Ok(Self::OneOf(list.trim().to_owned())),
                _ => Err("one: expected `one of` and values, as in one of 1, 'text', NULL".to_owned()),
            },
            "text" | "bytes" => {
                let bounds = match rest.split_once("..") {
                    Some((least, most)) => Some((least, most)),
                    None => Some((rest, rest)),
                };
                let (least, most) = bounds
                    .and_then(|(least, most)| Some((least.trim().parse().ok()?, most.trim().parse().ok()?)))
                    .filter(|(least, most)| 1 <= *least && least <= most && *most <= Self::MOST_BYTES)
                    .ok_or_else(|| {
                        format!("{lower} {rest}: expected bytes, from 1 to {}, as in {lower} 20..200", Self::MOST_BYTES)
                    })?;
                Ok(Self::Random { is_blob: lower == "bytes", least, most })
            }
            "select" | "with" | "values" => Ok(Self::Query { sql: text.to_owned(), in_turn: false }),
            "csv" => match rest.rsplit_once(char::is_whitespace) {
                Some((file, column)) => {
                    Ok(Self::Csv { file: file.trim().to_owned(), column: column.to_owned(), in_turn: false })
                }
                None => Err(format!("csv {rest}: expected a file and the name of a column, as in csv users.csv id")),
            },
            _ => Err(format!("`{word}`: {}", instead_of(word, FORMS))),
        }
    }
}

fn range(text: &str) -> Result<(i64, i64), String> {
    let number = |text: &str| text.trim().replace('_', "").parse::<i64>().ok();
    let found = text.split_once("..").and_then(|(from, to)| Some((number(from)?, number(to)?)));
    found
        .filter(|(from, to)| from <= to && to.checked_sub(*from).is_some_and(|wide| wide < i64::MAX))
        .ok_or_else(|| format!("`{text}`: expected two whole numbers, the first and the last one, as in 1..1000"))
}

fn too_many(count: usize) -> String {
    format!("{count} values: expected at most {MOST_VALUES}")
}

const NULL: Literal = Literal::Null { null: True };

/// What a parameter needs: a number to draw, if it draws one, and the value to bind.
pub(super) type Bound = (Option<Draw>, Parameter);

/// Answers a query on the database that the statements start from.
pub(super) type Ask<'q> = dyn Fn(&str) -> Result<Vec<Vec<Literal>>, String> + 'q;

impl ValueSource {
    /// The most bytes of a text or a blob.
    pub(super) const MOST_BYTES: u64 = 1 << 20;

    /// Returns what a parameter needs. `drawn`: the name of its number. `turn`: how many executions came before, as an expression.
    /// `folder`: the folder of the file with the statements.
    pub(super) fn bound(&self, drawn: &str, turn: &str, folder: &Path, ask: &Ask<'_>) -> Result<Bound, String> {
        match self {
            Self::Drawn { keys, from, to } => {
                let below = Expression::Number(to - from + 1);
                let draw = match keys {
                    Some(keys) => Draw::Keys { below, keys: keys.clone() },
                    None => Draw::Below(below),
                };
                Ok((Some(draw), Parameter::Integer(plus(*from, drawn)?)))
            }
            Self::InTurn { from, to } => {
                let wide = to - from + 1;
                Ok((None, Parameter::Integer(plus(*from, &format!("({turn}) % {wide}"))?)))
            }
            Self::OneOf(list) => one_of(ask(&format!("SELECT {list}"))?.into_iter().flatten().collect(), drawn, None),
            Self::Random { is_blob, least, most } => {
                let format = format!("{{random:{least}-{most}}}");
                let format: Template = format.parse().map_err(|error| format!("{format}: {error}"))?;
                Ok((None, Parameter::Format { format, key: Expression::Number(0), blob: *is_blob }))
            }
            Self::Query { sql, in_turn } => {
                let first = ask(sql)?.into_iter().filter_map(|row| row.into_iter().next());
                one_of(first.collect(), drawn, in_turn.then_some(turn))
            }
            Self::Csv { file, column, in_turn } => {
                one_of(column_of(&folder.join(file), column)?, drawn, in_turn.then_some(turn))
            }
        }
    }
}

/// Returns a value of a parameter for trying its statement. Random texts and bytes are all the same.
pub(super) fn example(parameter: &Parameter, variables: &Variables<'_>) -> Literal {
    let number = parameter.expression().map_or(0, |expression| expression.value(variables));
    match parameter {
        Parameter::OneOf { one_of, .. } => {
            let at = number.rem_euclid(one_of.len().max(1) as i64) as usize;
            one_of.get(at).cloned().unwrap_or(NULL)
        }
        Parameter::Format { blob: true, .. } => Literal::Blob { blob: vec![0] },
        Parameter::Format { .. } => Literal::Text("a".to_owned()),
        _ => Literal::Integer(number),
    }
}

/// Returns an expression plus a number.
fn plus(number: i64, expression: &str) -> Result<Expression, String> {
    match number {
        0 => expression.parse(),
        1.. => format!("{number} + {expression}").parse(),
        _ => format!("{expression} - {}", number.unsigned_abs()).parse(),
    }
}

fn one_of(values: Vec<Literal>, drawn: &str, turn: Option<&str>) -> Result<Bound, String> {
    match values.len() {
        0 => Err("there are no values".to_owned()),
        count if count > MOST_VALUES => Err(too_many(count)),
        count => {
            let draw = turn.is_none().then_some(Draw::Below(Expression::Number(count as i64)));
            let at = turn.unwrap_or(drawn).parse()?;
            Ok((draw, Parameter::OneOf { one_of: values, at }))
        }
    }
}

/// Returns the values of a column of a CSV file with a header: numbers where they are written as SQL writes them, NULL where there is
/// nothing.
fn column_of(file: &Path, column: &str) -> Result<Vec<Literal>, String> {
    let place = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("{place}: {error}"))?;
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let wrong = |error: csv::Error| format!("{place}: {error}");
    let names: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
    let at = names.iter().position(|name| name == column);
    let at = at.ok_or_else(|| format!("{place}: column `{column}`: {}", instead_of(column, &names)))?;
    let value = |record: csv::StringRecord| of_csv(record.get(at).unwrap_or_default());
    reader.records().map(|record| record.map(value).map_err(wrong)).collect()
}

/// Returns a value of a CSV file: NULL where there is nothing, and a number if it is written as SQL writes it.
fn of_csv(text: &str) -> Literal {
    if text.is_empty() {
        return NULL;
    }
    let whole = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_real = digits.contains(['.', 'e', 'E']) && digits.starts_with(|c: char| c.is_ascii_digit());
    let real = text.parse::<f64>().ok().filter(|number| is_real && number.is_finite());
    whole.map(Literal::Integer).or(real.map(Literal::Real)).unwrap_or_else(|| Literal::Text(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_csv_file_are_those_that_are_written_so() {
        let text = |text: &str| Literal::Text(text.to_owned());
        for (written, value) in [
            ("12", Literal::Integer(12)),
            ("-3", Literal::Integer(-3)),
            ("2.5", Literal::Real(2.5)),
            ("1e3", Literal::Real(1e3)),
            ("", NULL),
            ("007", text("007")),
            ("'a'", text("'a'")),
            ("NULL", text("NULL")),
            ("inf", text("inf")),
            ("e5", text("e5")),
        ] {
            assert_eq!(of_csv(written), value, "{written}");
        }
    }
}
