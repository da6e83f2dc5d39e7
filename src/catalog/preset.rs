//! Presets: a suite, engines with options, sizes and repeats under one name.

use super::{CatalogError, located::Source};
use dbdyno_engine::size::Size;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A ready-made bench.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// The suite's name.
    pub suite: String,
    /// Sizes; empty for the suite's default.
    pub sizes: Vec<Size>,
    /// Rounds.
    pub repeats: u32,
    /// Options of the suite, with the values to take; several are a sweep.
    pub suite_options: BTreeMap<String, Vec<String>>,
    /// Tests by number or name; empty for all.
    pub tests: Vec<String>,
    /// The claims file whose figures are shown beside the measured ones.
    pub claims: Option<String>,
    /// Of each engine's sweep, only so many stars: each a combination and every change of one option of it. None: all of it.
    pub stars: Option<u32>,
    /// Whether a session ends in how much each option of the sweep matters.
    pub effects: bool,
    /// The engines, in order.
    pub engines: Vec<EngineChoice>,
}

/// An engine with the option values to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine's name.
    pub name: String,
    /// Options with the values to take; several are a sweep.
    pub options: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    suite: String,
    #[serde(default)]
    sizes: Vec<Spanned<Value>>,
    #[serde(default = "default_repeats")]
    repeats: Spanned<u32>,
    #[serde(default)]
    suite_options: BTreeMap<String, Values>,
    #[serde(default)]
    tests: Vec<Value>,
    claims: Option<String>,
    stars: Option<Spanned<u32>>,
    #[serde(default)]
    effects: bool,
    #[serde(rename = "engine")]
    engines: Spanned<Vec<FileEngine>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEngine {
    name: String,
    #[serde(default)]
    options: BTreeMap<String, Values>,
}

fn default_repeats() -> Spanned<u32> {
    Spanned::new(0..0, 6)
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a whole number or a boolean")]
enum Value {
    Text(String),
    Number(i64),
    Flag(bool),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => if *flag { "on" } else { "off" }.to_owned(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a whole number, a boolean, or a list of them")]
enum Values {
    One(Value),
    Several(Vec<Value>),
}

impl Values {
    fn texts(&self) -> Vec<String> {
        match self {
            Self::One(value) => vec![value.text()],
            Self::Several(values) => values.iter().map(Value::text).collect(),
        }
    }
}

fn texts(options: &BTreeMap<String, Values>) -> BTreeMap<String, Vec<String>> {
    options.iter().map(|(name, values)| (name.clone(), values.texts())).collect()
}

impl Preset {
    /// The preset as a file that reads back to the same.
    pub fn to_toml(&self) -> String {
        let texts = |values: &[String]| toml::Value::from(values.to_vec());
        let options = |options: &BTreeMap<String, Vec<String>>| -> toml::Table {
            options.iter().map(|(name, values)| (name.clone(), texts(values))).collect()
        };
        let mut file = toml::Table::new();
        file.insert("title".to_owned(), self.title.clone().into());
        file.insert("suite".to_owned(), self.suite.clone().into());
        let sizes: Vec<String> = self.sizes.iter().map(Size::to_string).collect();
        file.insert("sizes".to_owned(), texts(&sizes));
        file.insert("repeats".to_owned(), i64::from(self.repeats).into());
        if !self.suite_options.is_empty() {
            file.insert("suite_options".to_owned(), options(&self.suite_options).into());
        }
        if !self.tests.is_empty() {
            file.insert("tests".to_owned(), texts(&self.tests));
        }
        if let Some(stars) = self.stars {
            file.insert("stars".to_owned(), i64::from(stars).into());
        }
        if self.effects {
            file.insert("effects".to_owned(), true.into());
        }
        if let Some(claims) = &self.claims {
            file.insert("claims".to_owned(), claims.clone().into());
        }
        let engines = self.engines.iter().map(|engine| {
            let mut table = toml::Table::from_iter([("name".to_owned(), engine.name.clone().into())]);
            table.insert("options".to_owned(), options(&engine.options).into());
            toml::Value::Table(table)
        });
        file.insert("engine".to_owned(), toml::Value::Array(engines.collect()));
        file.to_string()
    }

    /// Reads a preset's file.
    pub(super) fn parse(name: &str, source: &Source) -> Result<Self, CatalogError> {
        let file: File = source.parse()?;
        if !(1..=10_000).contains(file.repeats.get_ref()) {
            return Err(source.wrong(file.repeats.span(), "repeats: expected a whole number from 1 to 10000"));
        }
        if let Some(stars) = file.stars.as_ref().filter(|stars| !(1..=10_000).contains(stars.get_ref())) {
            return Err(source.wrong(stars.span(), "stars: expected a whole number from 1 to 10000"));
        }
        if file.engines.get_ref().is_empty() {
            return Err(source.wrong(file.engines.span(), "engine: expected at least one"));
        }
        let sizes = file
            .sizes
            .iter()
            .map(|size| size.get_ref().text().parse::<Size>().map_err(|message| source.wrong(size.span(), message)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name: name.to_owned(),
            title: file.title,
            suite: file.suite,
            sizes,
            repeats: *file.repeats.get_ref(),
            suite_options: texts(&file.suite_options),
            claims: file.claims,
            stars: file.stars.map(Spanned::into_inner),
            effects: file.effects,
            tests: file.tests.iter().map(Value::text).collect(),
            engines: file
                .engines
                .get_ref()
                .iter()
                .map(|engine| EngineChoice { name: engine.name.clone(), options: texts(&engine.options) })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_preset_reads_back_to_the_same() {
        let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let options = BTreeMap::from([("journal_mode".to_owned(), values(&["wal", "delete"]))]);
        let preset = Preset {
            name: "mine".to_owned(),
            title: "quotes \" and \\ and ]".to_owned(),
            suite: "kv".to_owned(),
            sizes: vec![Size::one(1000), "2,3".parse().unwrap()],
            repeats: 7,
            suite_options: BTreeMap::from([("mixed".to_owned(), values(&["80/20"]))]),
            tests: values(&["Random reads"]),
            claims: Some("snkv".to_owned()),
            stars: Some(3),
            effects: true,
            engines: vec![
                EngineChoice { name: "sqlite".to_owned(), options },
                EngineChoice { name: "sqlite".to_owned(), options: BTreeMap::new() },
            ],
        };
        let source = Source { place: "mine.toml".to_owned(), text: preset.to_toml() };
        assert_eq!(Preset::parse("mine", &source).unwrap(), preset);
    }
}
