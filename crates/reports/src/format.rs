//! The formats that outputs are written in. Each output has a list of the formats it supports, defined next to its writer.

use dbdyno_store::StoreError;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Aligned text.
    Table,
    /// GitHub's Markdown.
    Markdown,
    /// Comma-separated values with a header.
    Csv,
    Json,
    /// One self-contained page.
    Html,
    /// Its charts as one picture.
    Svg,
    /// The same as pixels. It is no text: written to files only.
    Png,
    /// The Go benchmark format.
    Benchfmt,
    /// Parquet, which is not text: it is written to files only.
    Parquet,
    /// The lines that the published program of a suite prints.
    Lines,
    /// The answer in one line.
    Summary,
    /// Markdown with the answer, and the rest folded.
    Comment,
}

impl Format {
    /// Returns the word for `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Benchfmt => "benchfmt",
            Self::Parquet => "parquet",
            Self::Lines => "lines",
            Self::Summary => "summary",
            Self::Comment => "comment",
        }
    }

    /// Returns a short description of the format.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Table => "aligned text",
            Self::Markdown => "Markdown as GitHub shows it",
            Self::Csv => "comma-separated values with a header",
            Self::Json => "JSON",
            Self::Html => "one web page that needs no other file",
            Self::Svg => "its chart as a picture; --chart chooses another one",
            Self::Png => "the same picture as pixels, to a file only",
            Self::Benchfmt => "the Go benchmark format, for `benchstat -col side`",
            Self::Parquet => "Parquet with types, to a file only",
            Self::Lines => "the lines that a suite's published program prints, such as `1_simple - insert - NAME - MS`",
            Self::Summary => "the answer in one line, as for the status of a commit",
            Self::Comment => "Markdown with the answer, and the rest folded, as for a comment on a pull request",
        }
    }

    /// Returns the ending of files in this format, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Table => "txt",
            Self::Markdown => "md",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Benchfmt => "bench",
            Self::Parquet => "parquet",
            Self::Lines => "lines",
            Self::Summary => "txt",
            Self::Comment => "md",
        }
    }

    /// Whether a terminal cannot show it.
    pub fn is_for_files(self) -> bool {
        matches!(self, Self::Parquet | Self::Png)
    }

    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Table,
        Self::Markdown,
        Self::Csv,
        Self::Json,
        Self::Html,
        Self::Svg,
        Self::Png,
        Self::Benchfmt,
        Self::Parquet,
        Self::Lines,
        Self::Summary,
        Self::Comment,
    ];

    /// Returns the format whose ending a file has, in upper or lower case; the first of several.
    pub fn by_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.ending() == ending)
    }

    /// Returns the format of `supported` that matches a file's ending, in upper or lower case.
    ///
    /// # Errors
    /// Returns the list of possible endings.
    pub fn of_file(path: &Path, supported: &'static [Self]) -> Result<Self, UnknownEnding> {
        Self::by_ending(path)
            .filter(|format| supported.contains(format))
            .ok_or_else(|| UnknownEnding { path: path.to_owned(), supported })
    }
}

/// A file whose ending matches no format that an output supports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected a name that ends in {}", path.display(), one_of(supported.iter().map(|format| format!(".{}", format.ending()))))]
pub struct UnknownEnding {
    pub path: PathBuf,
    /// The formats that the output supports.
    pub supported: &'static [Format],
}

/// The reason why an output could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output has no such format.
    #[error("{} is not supported here: expected {}", asked.name(), one_of(others(*asked, supported)))]
    Unsupported {
        asked: Format,
        /// The formats that the output supports, some of them in files only.
        supported: &'static [Format],
    },
    #[error(
        "nothing to print: the selection has no results of a suite that defines the lines of its published program, such as `drivers`"
    )]
    NothingPrinted,
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fact that JSON cannot hold.
    #[error("writing JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The template does not fit the report.
    #[error("writing the HTML report: {0:#}")]
    Html(#[from] minijinja::Error),
    #[error("this report has no chart: expected another format")]
    NoChart,
    #[error("no chart has '{words}' in its name: expected words of {}, or `all`", one_of(charts.iter().map(|name| format!("'{name}'"))))]
    UnknownChart {
        words: String,
        /// The names of charts, the last may be a count of more.
        charts: Vec<String>,
    },
    /// Text cannot be drawn.
    #[error("this machine has no fonts to draw text with: --format svg needs none")]
    NoFont,
    #[error("drawing the picture: {0}")]
    Png(String),
    /// The system's error for the file. The caller that named the file adds the name to the message.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

/// Returns the names of the other formats, if the requested one is not supported.
fn others(asked: Format, supported: &'static [Format]) -> impl Iterator<Item = String> {
    supported.iter().filter(move |format| **format != asked).map(|format| format.name().to_owned())
}

/// `a, b or c`
fn one_of(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &[Format] = &[Format::Table, Format::Csv, Format::Parquet];

    #[test]
    fn a_file_is_written_in_the_format_of_its_ending() {
        assert_eq!(Format::of_file(Path::new("a.b/x.CSV"), SOME), Ok(Format::Csv));
        assert_eq!(Format::of_file(Path::new("x.txt"), SOME), Ok(Format::Table));
        for wrong in ["x", "x.", ".csv", "x.md", "csv"] {
            let error = Format::of_file(Path::new(wrong), SOME).unwrap_err();
            assert_eq!(error.to_string(), format!("{wrong}: expected a name that ends in .txt, .csv or .parquet"));
        }
    }

    #[test]
    fn what_is_not_supported_is_told_with_what_is() {
        let error = |asked| WriteError::Unsupported { asked, supported: SOME }.to_string();
        assert_eq!(error(Format::Html), "html is not supported here: expected table, csv or parquet");
        assert_eq!(error(Format::Parquet), "parquet is not supported here: expected table or csv");
    }
}
