//! The formats that a command can write, and how CSV is written.

use crate::{base::csv::Cells, metric::Metric, report::format::Format};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

/// A format out of those that an output supports.
pub(in crate::cli) fn format_of(supported: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    one_of(supported.iter().map(|format| (*format, format.name(), format.meaning())))
}

/// One of some values, each with its name and its meaning. A name that is none of them is refused with the list of all.
pub(in crate::cli) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl Iterator<Item = (T, &'static str, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<(T, &str, &str)> = choices.collect();
    let known = choices.iter().map(|(_, name, meaning)| PossibleValue::new(*name).help(*meaning));
    PossibleValuesParser::new(known).try_map(move |asked| {
        let choice = choices.iter().find(|(_, name, _)| *name == asked);
        choice.map(|(value, ..)| value.clone()).ok_or("expected one of the values listed by --help")
    })
}

/// A figure of a test by its name, or by its name without the unit: `p99_ns`, `p99`.
pub(in crate::cli) fn metric() -> impl TypedValueParser<Value = Metric> {
    let known = Metric::ALL.iter().map(|metric| {
        let short = metric.name().trim_end_matches("_ns").trim_end_matches("_bytes");
        let value = PossibleValue::new(metric.name()).help(metric.title());
        if short == metric.name() { value } else { value.alias(short) }
    });
    PossibleValuesParser::new(known).try_map(|asked| {
        let is_asked = |metric: &&Metric| {
            let rest = metric.name().strip_prefix(asked.as_str());
            rest.is_some_and(|unit| ["", "_ns", "_bytes"].contains(&unit))
        };
        Metric::ALL.iter().find(is_asked).copied().ok_or("expected one of the values listed by --help")
    })
}

/// How CSV is written.
#[derive(Debug, Args)]
pub(in crate::cli) struct CsvArgs {
    /// How cells of CSV are written.
    #[arg(long = "csv-cells", value_name = "HOW", default_value = "escaped", value_parser = cells())]
    pub(in crate::cli) cells: Cells,
}

fn cells() -> impl TypedValueParser<Value = Cells> {
    let escaped = "with an apostrophe before what a spreadsheet would take for a formula; `import` removes it again";
    one_of([(Cells::Escaped, "escaped", escaped), (Cells::Raw, "raw", "as they are")].into_iter())
}
