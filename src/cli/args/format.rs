//! The formats that a command can write, and how CSV is written.

use crate::cli::{error::CliError, output::table_style};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use dbdyno_foundation::{base::csv::Cells, metric::Metric};
use dbdyno_reports::{
    format::{Format, WriteError},
    sheet::{ReportStyle, TableStyle},
    tracked::Tracker,
};
use std::path::Path;

/// A format out of those that an output supports.
pub(in crate::cli) fn format_of(supported: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    one_of(supported.iter().map(|format| (*format, format.name(), format.meaning())))
}

/// A format of dbdyno, or of a benchmark tracker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum OutputFormat {
    Own(Format),
    Tracker(Tracker),
}

impl OutputFormat {
    /// The one of ours that an output supports; else the message says which these are.
    pub(in crate::cli) fn own(self, supported: &'static [Format]) -> Result<Format, String> {
        match self {
            Self::Own(format) if supported.contains(&format) => Ok(format),
            Self::Own(asked) => Err(WriteError::Unsupported { asked, supported }.to_string()),
            Self::Tracker(tracker) => {
                let names: Vec<&str> = supported.iter().map(|format| format.name()).collect();
                Err(format!("{} is not supported here: expected one of {}", tracker.name(), names.join(", ")))
            }
        }
    }
}

/// Chooses an output's format: the requested one, else the one of the file's ending, else the default.
///
/// # Errors
/// The file's ending belongs to another format, or to none that the output supports.
pub(in crate::cli) fn chosen_format(
    requested: Option<OutputFormat>,
    file: Option<&Path>,
    supported: &'static [Format],
    default: Format,
) -> Result<OutputFormat, CliError> {
    let of_ending = file.and_then(Format::by_ending);
    match (requested, file) {
        (Some(OutputFormat::Own(format)), None) if format.is_for_files() => {
            Err(CliError::Usage(format!("--format {} cannot be printed: give --out FILE", format.name())))
        }
        (Some(OutputFormat::Own(format)), Some(file)) => match of_ending {
            // Any text may be in a file that ends in .txt.
            Some(other) if other.ending() != format.ending() && other != Format::Table => {
                Err(CliError::Usage(format!(
                    "--format {} contradicts --out {}: leave --format out, or choose a file name that ends in .{}",
                    format.name(),
                    file.display(),
                    format.ending()
                )))
            }
            _ => Ok(OutputFormat::Own(format)),
        },
        (Some(format), _) => Ok(format),
        (None, Some(file)) if file.extension().is_some() => match Format::of_file(file, supported) {
            Ok(format) => Ok(OutputFormat::Own(format)),
            Err(unknown) => Err(CliError::Usage(format!("--out {unknown}, or --format"))),
        },
        (None, _) => Ok(OutputFormat::Own(default)),
    }
}

/// A format out of those that an output supports, or a tracker's.
pub(in crate::cli) fn format_or_tracker(
    own: &'static [Format],
    trackers: &'static [Tracker],
) -> impl TypedValueParser<Value = OutputFormat> {
    let own = own.iter().map(|format| (OutputFormat::Own(*format), format.name(), format.meaning()));
    let trackers = trackers.iter().map(|tracker| (OutputFormat::Tracker(*tracker), tracker.name(), tracker.meaning()));
    one_of(own.chain(trackers))
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

/// How CSV and pictures are written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct StyleArgs {
    #[command(flatten)]
    csv: CsvArgs,
    /// Chart of --format svg or png: words in its name, or `all` [default: the first].
    #[arg(long, value_name = "WORDS")]
    chart: Option<String>,
}

impl StyleArgs {
    /// How a report is written to a file, or shown on the terminal.
    pub(in crate::cli) fn style(&self, is_file: bool) -> ReportStyle<'_> {
        let table = if is_file { TableStyle::FILE } else { table_style() };
        ReportStyle { table, cells: self.csv.cells, chart: self.chart.as_deref() }
    }

    /// Checks that `--chart` is given with a picture only.
    ///
    /// # Errors
    /// Usage: what has to be changed.
    pub(in crate::cli) fn check(&self, format: OutputFormat) -> Result<(), CliError> {
        let is_picture = matches!(format, OutputFormat::Own(Format::Svg | Format::Png));
        match &self.chart {
            Some(_) if !is_picture => Err(CliError::Usage("--chart: expected --format svg or png with it".to_owned())),
            _ => Ok(()),
        }
    }
}

/// How CSV is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct CsvArgs {
    /// Form of CSV cells.
    #[arg(long = "csv-cells", value_name = "HOW", default_value = "escaped", value_parser = cells())]
    pub(in crate::cli) cells: Cells,
}

fn cells() -> impl TypedValueParser<Value = Cells> {
    let escaped = "with an apostrophe before cells that a spreadsheet would read as a formula; `import` removes it";
    one_of([(Cells::Escaped, "escaped", escaped), (Cells::Raw, "raw", "as they are")].into_iter())
}
