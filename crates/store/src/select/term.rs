//! One term of a selection: its key, operator and values.

use super::{
    super::ADDS_TO,
    SelectionKey, amount, moments,
    terms::before_brackets,
    values::{self, ValuePattern},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectionTerm {
    pub(super) key: SelectionKey,
    pub(super) operator: TermOperator,
    /// Alternatives; for a range, its two ends.
    pub(super) values: Vec<ValuePattern>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TermOperator {
    Is,
    /// One of these sessions, or a session that added rounds to one of them.
    IsOrAddsTo,
    IsNot,
    AtLeast,
    AtMost,
    Above,
    Below,
    Between,
    Missing,
}

impl SelectionTerm {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "`{text}`: expected KEY=VALUE[|VALUE], KEY!=VALUE, KEY>=NUMBER (also <=, > and <), KEY=NUMBER..NUMBER, KEY! \
                 for a missing value, or a word; `*` in a value matches any characters, `\\|` and `\\*` match `|` and `*`"
            )
        };
        let operators = [
            ("!=", TermOperator::IsNot),
            (">=", TermOperator::AtLeast),
            ("<=", TermOperator::AtMost),
            ("=", TermOperator::Is),
            (">", TermOperator::Above),
            ("<", TermOperator::Below),
        ];
        let before = before_brackets(text);
        let first = operators
            .iter()
            .filter_map(|operator| Some((before.find(operator.0)?, *operator)))
            .min_by_key(|(at, (sign, _))| (*at, std::cmp::Reverse(sign.len())));
        let Some((at, (sign, operator))) = first else {
            let Some(key) = text.trim().strip_suffix('!') else { return Self::words(text).ok_or_else(expected) };
            return Ok(Self { key: SelectionKey::parse(key)?, operator: TermOperator::Missing, values: Vec::new() });
        };
        let key = SelectionKey::parse(&text[..at])?;
        let rest = text[at + sign.len()..].trim();
        if key == SelectionKey::Started {
            let several = if rest.contains(',') { "; separate several values with `|`" } else { "" };
            let values =
                moments_of(rest).ok_or_else(|| format!("`{text}`: expected {}{several}", moments::EXPECTED))?;
            return Ok(Self { key, operator, values });
        }
        let is_range = rest.split_once("..");
        let compares = !matches!(operator, TermOperator::Is | TermOperator::IsNot);
        // A key without an order may still be the name of an option.
        let key = match operator {
            TermOperator::Is if is_range.is_none() => key,
            TermOperator::IsNot => key,
            _ => SelectionKey::figure(key.word()).unwrap_or(key),
        };
        let is_range = is_range.is_some_and(|(low, _)| amount::parse(&key, low).is_some());
        if rest.contains(',') && (is_range || compares) {
            return Err(format!(
                "`{text}`: expected one number, or one range with =; only single values can be listed, separated by `|`, as in {}=10|20",
                key.word()
            ));
        }
        if let Some(instead) = key.listed_with_commas(rest) {
            return Err(format!("`{text}`: separate values with `|`: {}{sign}{instead}", key.word()));
        }
        let rest = &key.without_suffixes(rest);
        let number = |text: &str| amount::parse(&key, text);
        let range = || rest.split_once("..").and_then(|(low, high)| Some(vec![number(low)?, number(high)?]));
        let unlike = || format!("`{text}`: expected {} after {}{sign}", amount::expected(&key), key.word());
        let (operator, values) = match (operator, range()) {
            (TermOperator::Is, Some(range)) => (TermOperator::Between, range),
            _ if compares => (operator, vec![number(rest).ok_or_else(unlike)?]),
            // Figures are measurements: no two are exactly equal.
            _ if matches!(key, SelectionKey::Figure { .. }) => return Err(unlike()),
            _ => (operator, values::parse(rest).into_iter().map(|value| key.meant(value)).collect()),
        };
        if values.iter().any(|value| value.text().is_empty()) {
            return Err(expected());
        }
        Ok(Self { key, operator, values })
    }

    /// Parses words or a part of one: they match everything that contains them. A key alone is refused, because it is an incomplete term.
    fn words(text: &str) -> Option<Self> {
        let values: Vec<ValuePattern> =
            values::parse(text).into_iter().map(|value| ValuePattern::containing(&value)).collect::<Option<_>>()?;
        (!SelectionKey::is_word(text.trim())).then_some(Self {
            key: SelectionKey::Words,
            operator: TermOperator::Is,
            values,
        })
    }

    pub(super) fn sql(&self, parameters: &mut Vec<String>) -> String {
        if self.key == SelectionKey::Started {
            return self.when(parameters);
        }
        match self.operator {
            TermOperator::Is => self.is_one(parameters),
            TermOperator::IsOrAddsTo => {
                let (own, original) = (self.is_one(parameters), self.is_one(parameters));
                format!(
                    "({own} OR run_id IN (SELECT run_id FROM run_key WHERE key = '{ADDS_TO}' AND value IN \
                     (SELECT session_id::VARCHAR FROM session WHERE {original})))"
                )
            }
            // A run without the option does not have the excluded value, so it stays.
            TermOperator::IsNot => format!("NOT coalesce({}, false)", self.is_one(parameters)),
            TermOperator::AtLeast => format!("{} >= CAST(? AS DOUBLE)", self.number(parameters)),
            TermOperator::AtMost => format!("{} <= CAST(? AS DOUBLE)", self.number(parameters)),
            TermOperator::Above => format!("{} > CAST(? AS DOUBLE)", self.number(parameters)),
            TermOperator::Below => format!("{} < CAST(? AS DOUBLE)", self.number(parameters)),
            TermOperator::Between => {
                format!("{} BETWEEN CAST(? AS DOUBLE) AND CAST(? AS DOUBLE)", self.number(parameters))
            }
            TermOperator::Missing => self.key.is_missing(parameters),
        }
    }

    /// Returns SQL that checks whether the run began at one of the moments, or before or after.
    fn when(&self, parameters: &mut Vec<String>) -> String {
        let moment = "CAST(? AS TIMESTAMP)";
        let moments = self.values.chunks(2).filter_map(|pair| Some((pair.first()?.text(), pair.last()?.text())));
        let within = |(from, until): (&str, &str)| {
            parameters.extend([from.to_owned(), until.to_owned()]);
            format!("(started_at >= {moment} AND started_at < {moment})")
        };
        let all: Vec<(&str, &str)> = moments.collect();
        let ends =
            all.first().map(|(from, _)| (*from).to_owned()).zip(all.last().map(|(_, until)| (*until).to_owned()));
        match (self.operator, ends) {
            (TermOperator::Missing, _) | (_, None) => "started_at IS NULL".to_owned(),
            (TermOperator::AtLeast, Some((from, _))) => {
                parameters.push(from);
                format!("started_at >= {moment}")
            }
            (TermOperator::Above, Some((_, until))) => {
                parameters.push(until);
                format!("started_at >= {moment}")
            }
            (TermOperator::AtMost, Some((_, until))) => {
                parameters.push(until);
                format!("started_at < {moment}")
            }
            (TermOperator::Below, Some((from, _))) => {
                parameters.push(from);
                format!("started_at < {moment}")
            }
            (TermOperator::IsNot, _) => {
                format!("NOT coalesce(({}), false)", all.into_iter().map(within).collect::<Vec<_>>().join(" OR "))
            }
            (TermOperator::Is | TermOperator::IsOrAddsTo | TermOperator::Between, _) => {
                format!("({})", all.into_iter().map(within).collect::<Vec<_>>().join(" OR "))
            }
        }
    }

    /// Returns SQL for the key's value as a number; the term's values are bound after it.
    fn number(&self, parameters: &mut Vec<String>) -> String {
        let value = self.key.sql(parameters);
        parameters.extend(self.values.iter().map(|value| value.text().to_owned()));
        format!("TRY_CAST({value} AS DOUBLE)")
    }

    /// Returns SQL that checks whether the key's value is one of the term's.
    fn is_one(&self, parameters: &mut Vec<String>) -> String {
        let alternatives: Vec<String> = self.values.iter().map(|value| self.key.is(value, parameters)).collect();
        format!("({})", alternatives.join(" OR "))
    }
}

/// Parses moments into their instants, or into all instants from one moment to another with `..` between.
fn moments_of(text: &str) -> Option<Vec<ValuePattern>> {
    let instants: Vec<String> = match text.split_once("..") {
        Some((first, last)) => vec![moments::parse(first)?.from, moments::parse(last)?.until],
        None => {
            let all: Option<Vec<moments::Moment>> = text.split('|').map(moments::parse).collect();
            all?.into_iter().flat_map(|moment| [moment.from, moment.until]).collect()
        }
    };
    Some(instants.into_iter().map(ValuePattern::Exact).collect())
}
