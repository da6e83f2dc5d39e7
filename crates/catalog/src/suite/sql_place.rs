//! The position in a suite's file of a step that is nested in others.

use crate::located::CatalogText;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Returns the bytes of a step in a list (`steps` or `prepare`) of the test at this position of its file.
pub(super) fn step_span(source: &CatalogText, test: usize, list: &str, path: &[usize]) -> Option<Range<usize>> {
    let document = DeTable::parse(&source.text).ok()?;
    let tests = array(value(document.get_ref(), "test")?)?;
    let (mut steps, mut span) = (value(table(tests.get(test)?.get_ref())?, list)?, None);
    for place in path {
        let step = array(steps)?.get(*place)?;
        span = Some(step.span());
        let inner = table(step.get_ref())?;
        match ["steps", "transaction", "mix"].iter().find_map(|key| value(inner, key)) {
            Some(within) => steps = within,
            None => break,
        }
    }
    span
}

fn value<'d, 'i>(table: &'d DeTable<'i>, name: &str) -> Option<&'d DeValue<'i>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value.get_ref())
}

fn array<'d, 'i>(value: &'d DeValue<'i>) -> Option<&'d toml::de::DeArray<'i>> {
    match value {
        DeValue::Array(array) => Some(array),
        _ => None,
    }
}

fn table<'d, 'i>(value: &'d DeValue<'i>) -> Option<&'d DeTable<'i>> {
    match value {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}
