//! Claims files: published results, with their source and caveats.

use super::{CatalogError, Difference, located::CatalogText};
use dbdyno_engine::size::Size;
use serde::Deserialize;
use std::collections::BTreeSet;
use toml::Spanned;

/// The claims of one publication.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    /// The file's name, without `.toml`.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// The publisher and the date.
    pub source: String,
    /// The machine and setup of the measurement.
    pub setup: String,
    /// Caveats for readers of the published figures.
    pub caveats: Vec<String>,
    pub comparisons: Vec<ClaimedComparison>,
}

/// A comparison of two configurations in a publication.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedComparison {
    /// One line about it.
    pub title: String,
    /// The suite that reproduces it.
    pub suite: String,
    /// The preset that reproduces it, if there is one.
    pub preset: Option<String>,
    /// The published sizes, at which it is judged; empty if it applies to all sizes.
    pub sizes: Vec<Size>,
    /// The selection of stored runs that is A, at any size.
    pub a: String,
    /// The selection of stored runs that is B.
    pub b: String,
    /// The selections of the sides among imported runs, if they have other names there.
    pub imported: Option<(String, String)>,
    /// The publication's name for A.
    pub a_name: String,
    /// The publication's name for B.
    pub b_name: String,
    /// Differences between A and B that the publication compared across.
    pub allow: BTreeSet<Difference>,
    /// The claims, one for each test.
    pub claims: Vec<Claim>,
}

/// One published figure. Machines differ: only the ratio is judged; absolute figures are shown but never judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The test, by number or name in the suite.
    pub test: String,
    /// The publication's name for the test.
    pub name: String,
    /// The claimed ratio of time A / time B.
    pub ratio: ClaimedRatio,
    /// The figure published for A, as published.
    pub a: Option<String>,
    /// The figure published for B.
    pub b: Option<String>,
}

impl Claim {
    /// Whether it is about this test, or an actor's share of it. A number refers to the whole test, a name also to an actor's share.
    pub fn is_of(&self, test: u32, actor: Option<&str>, name: &str) -> bool {
        actor.is_none() && test.to_string() == self.test || name.eq_ignore_ascii_case(&self.test)
    }
}

/// The claimed ratio of time A / time B: below 1, A is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClaimedRatio {
    /// A figure with its published range.
    Figure { ratio: f64, range: Option<(f64, f64)> },
    /// That A is faster, without a figure.
    AFaster,
    /// That B is faster, without a figure.
    BFaster,
    /// Neither is faster: about the same, without a figure.
    Same,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsFile {
    title: String,
    source: String,
    setup: String,
    #[serde(default)]
    caveats: Vec<String>,
    #[serde(rename = "comparison")]
    comparisons: Vec<FileComparison>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileComparison {
    title: String,
    suite: String,
    preset: Option<String>,
    #[serde(default)]
    sizes: Vec<Spanned<FileSize>>,
    a: String,
    b: String,
    imported: Option<FileSides>,
    a_name: String,
    b_name: String,
    #[serde(default)]
    allow: BTreeSet<Difference>,
    #[serde(rename = "claim")]
    claims: Vec<Spanned<FileClaim>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSides {
    a: String,
    b: String,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a size: a whole number, or two as READS,WRITES")]
enum FileSize {
    Number(u64),
    Text(String),
}

impl FileSize {
    fn size(&self) -> Result<Size, String> {
        match self {
            Self::Number(number) => number.to_string().parse(),
            Self::Text(text) => text.parse(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileClaim {
    test: String,
    name: String,
    ratio: Option<f64>,
    range: Option<(f64, f64)>,
    faster: Option<FasterSide>,
    a: Option<String>,
    b: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FasterSide {
    A,
    B,
    Neither,
}

impl Claims {
    /// Reads a claims file.
    pub(super) fn parse(name: &str, source: &CatalogText) -> Result<Self, CatalogError> {
        let file: ClaimsFile = source.parse()?;
        let comparisons = file
            .comparisons
            .into_iter()
            .map(|comparison| {
                let claims =
                    comparison.claims.into_iter().map(|claim| check(claim, source)).collect::<Result<_, _>>()?;
                let size = |size: &Spanned<FileSize>| {
                    size.get_ref().size().map_err(|message| source.wrong(size.span(), format!("sizes: {message}")))
                };
                Ok(ClaimedComparison {
                    sizes: comparison.sizes.iter().map(size).collect::<Result<_, _>>()?,
                    title: comparison.title,
                    suite: comparison.suite,
                    preset: comparison.preset,
                    a: comparison.a,
                    b: comparison.b,
                    imported: comparison.imported.map(|sides| (sides.a, sides.b)),
                    a_name: comparison.a_name,
                    b_name: comparison.b_name,
                    allow: comparison.allow,
                    claims,
                })
            })
            .collect::<Result<_, CatalogError>>()?;
        Ok(Self {
            name: name.to_owned(),
            title: file.title,
            source: file.source,
            setup: file.setup,
            caveats: file.caveats,
            comparisons,
        })
    }
}

fn check(claim: Spanned<FileClaim>, source: &CatalogText) -> Result<Claim, CatalogError> {
    let span = claim.span();
    let claim = claim.into_inner();
    let wrong = |message: &str| Err(source.wrong(span.clone(), message));
    let ratio = match (claim.ratio, claim.faster, claim.range) {
        (Some(ratio), None, range) => {
            let (low, high) = range.unwrap_or((ratio, ratio));
            if !(low > 0.0 && low <= ratio && ratio <= high && high.is_finite()) {
                return wrong("claim: expected a ratio above 0, inside its range [low, high]");
            }
            ClaimedRatio::Figure { ratio, range }
        }
        (None, Some(FasterSide::A), None) => ClaimedRatio::AFaster,
        (None, Some(FasterSide::B), None) => ClaimedRatio::BFaster,
        (None, Some(FasterSide::Neither), None) => ClaimedRatio::Same,
        _ => {
            return wrong(
                "claim: expected either a ratio, with or without a range, or faster = \"a\", \"b\" or \"neither\"",
            );
        }
    };
    Ok(Claim { test: claim.test, name: claim.name, ratio, a: claim.a, b: claim.b })
}
