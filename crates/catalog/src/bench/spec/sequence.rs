//! Presets that run in sequence, as a file among the presets.

use super::Preset;
use crate::{Catalog, CatalogError};
use serde::{Deserialize, de::IgnoredAny};
use toml::Spanned;

/// The contents of a preset.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadyMade {
    Bench(Box<Preset>),
    Sequence(Sequence),
}

/// Presets that run in sequence, and the publication of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// One line about it.
    pub title: String,
    /// At least one.
    pub presets: Vec<Preset>,
    /// The claims files whose figures are shown after the last preset.
    pub claims: Vec<String>,
}

/// The key that distinguishes a sequence from a bench.
#[derive(Deserialize)]
struct SequenceMarker {
    presets: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SequenceFile {
    title: String,
    presets: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    claims: Vec<Spanned<String>>,
}

impl ReadyMade {
    /// Reads and checks a preset's file with everything that it names.
    ///
    /// # Errors
    /// There is no preset of this name, or its file is wrong; the error says where.
    pub fn find(catalog: &Catalog, name: &str) -> Result<Self, CatalogError> {
        let source = catalog.preset_source(name)?;
        if source.parse::<SequenceMarker>()?.presets.is_none() {
            return Preset::parse(name, &source).map(Box::new).map(Self::Bench);
        }
        let file: SequenceFile = source.parse()?;
        if file.presets.get_ref().is_empty() {
            return Err(source.wrong(file.presets.span(), "presets: expected at least one"));
        }
        let mut presets = Vec::new();
        for named in file.presets.get_ref() {
            match Self::of_sequence(catalog, named.get_ref()) {
                Ok(preset) => presets.push(preset),
                Err(message) => return Err(source.wrong(named.span(), message)),
            }
        }
        for named in &file.claims {
            catalog.claims(named.get_ref()).map_err(|error| source.wrong(named.span(), error.to_string()))?;
        }
        let claims = file.claims.into_iter().map(Spanned::into_inner).collect();
        Ok(Self::Sequence(Sequence { title: file.title, presets, claims }))
    }

    /// Returns the line that describes it.
    pub fn title(&self) -> &str {
        match self {
            Self::Bench(preset) => &preset.title,
            Self::Sequence(sequence) => &sequence.title,
        }
    }

    /// Reads a bench of a sequence: sequences cannot be nested.
    fn of_sequence(catalog: &Catalog, name: &str) -> Result<Preset, String> {
        let source = catalog.preset_source(name).map_err(|error| error.to_string())?;
        if source.parse::<SequenceMarker>().is_ok_and(|kind| kind.presets.is_some()) {
            return Err(format!("preset `{name}` is a sequence itself: expected one that is a bench"));
        }
        Preset::parse(name, &source).map_err(|error| error.to_string())
    }
}
