//! A bench as a preset file.

use super::{DataRatio, EngineChoice, Slicing, Spec, Values};
use crate::{Catalog, CatalogError, CatalogText, Difference};
use dbdyno_engine::size::Size;
use dbdyno_foundation::base::output::Guarded;
use serde::Deserialize;
use std::{collections::BTreeMap, path::PathBuf};
use toml::Spanned;

/// A ready-made bench.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// One line about it.
    pub title: String,
    pub spec: Spec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetFile {
    title: String,
    suite: String,
    #[serde(default)]
    sizes: Vec<Spanned<Scalar>>,
    data_ratio: Option<Spanned<FileRatios>>,
    memory_limit: Option<Spanned<Scalar>>,
    cache: Option<Spanned<String>>,
    slices: Option<Spanned<String>>,
    #[serde(default = "default_repeats")]
    repeats: Spanned<u32>,
    until_decided: Option<Spanned<u32>>,
    #[serde(default)]
    suite_options: BTreeMap<String, FileValues>,
    #[serde(default)]
    tests: Vec<Scalar>,
    #[serde(default)]
    aa: bool,
    seed: Option<Spanned<Scalar>>,
    claims: Option<String>,
    stars: Option<Spanned<u32>>,
    #[serde(default)]
    effects: bool,
    #[serde(default = "no_rounds")]
    why: Spanned<u32>,
    reference: Option<Spanned<String>>,
    #[serde(default)]
    allow: Vec<Spanned<String>>,
    #[serde(rename = "engine")]
    engines: Spanned<Vec<FileEngine>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEngine {
    name: String,
    #[serde(default)]
    options: BTreeMap<String, FileValues>,
    #[serde(default)]
    optional: bool,
}

fn default_repeats() -> Spanned<u32> {
    Spanned::new(0..0, Spec::DEFAULT_ROUNDS)
}

fn no_rounds() -> Spanned<u32> {
    Spanned::new(0..0, 0)
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a whole number or a boolean")]
enum Scalar {
    Text(String),
    Number(i64),
    Flag(bool),
}

impl Scalar {
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
enum FileValues {
    One(Scalar),
    Several(Vec<Scalar>),
}

impl FileValues {
    fn texts(&self) -> Vec<String> {
        match self {
            Self::One(value) => vec![value.text()],
            Self::Several(values) => values.iter().map(Scalar::text).collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or a list of numbers")]
enum FileRatios {
    One(f64),
    Several(Vec<f64>),
}

impl FileRatios {
    /// Returns `None` if one of them is not a valid ratio.
    fn ratios(&self) -> Option<Vec<DataRatio>> {
        match self {
            Self::One(ratio) => Some(vec![DataRatio::new(*ratio)?]),
            Self::Several(ratios) => ratios.iter().copied().map(DataRatio::new).collect(),
        }
    }
}

fn texts(options: &BTreeMap<String, FileValues>) -> Values {
    options.iter().map(|(name, values)| (name.clone(), values.texts())).collect()
}

impl Preset {
    /// Reads and checks a preset. The plan checks that its engines and options exist.
    ///
    /// # Errors
    /// There is no preset of this name, or its file is wrong; the error says where.
    pub fn find(catalog: &Catalog, name: &str) -> Result<Self, CatalogError> {
        Self::parse(name, &catalog.preset_source(name)?)
    }

    /// Writes it into the user's folder, and returns the path. Returns `None` if a preset of its name exists and `replace` is false.
    /// `guarded`: files that it must not overwrite.
    ///
    /// # Errors
    /// The error says why it cannot be written.
    pub fn save(&self, catalog: &Catalog, replace: bool, guarded: &[Guarded]) -> Result<Option<PathBuf>, String> {
        catalog.save_preset(&self.name, &self.to_toml(), replace, guarded)
    }

    /// Returns the preset as a file that parses back to the same preset.
    pub fn to_toml(&self) -> String {
        let Self { name: _, title, spec } = self;
        let texts = |values: &[String]| toml::Value::from(values.to_vec());
        let options = |options: &Values| -> toml::Table {
            options.iter().map(|(name, values)| (name.clone(), texts(values))).collect()
        };
        let mut file = toml::Table::new();
        let mut add = |key: &str, value: Option<toml::Value>| {
            if let Some(value) = value {
                file.insert(key.to_owned(), value);
            }
        };
        let sizes: Vec<String> = spec.sizes.iter().map(Size::to_string).collect();
        let engines = spec.engines.iter().map(|engine| {
            let mut table = toml::Table::from_iter([("name".to_owned(), engine.name.clone().into())]);
            table.insert("options".to_owned(), options(&engine.options).into());
            if engine.optional {
                table.insert("optional".to_owned(), true.into());
            }
            toml::Value::Table(table)
        });
        add("title", Some(title.clone().into()));
        add("suite", Some(spec.suite.clone().into()));
        add("sizes", Some(texts(&sizes)));
        let ratios = spec.data_ratios.iter().map(|ratio| ratio.get());
        add("data_ratio", (!spec.data_ratios.is_empty()).then(|| ratios.collect::<Vec<f64>>().into()));
        add("memory_limit", spec.memory_limit.map(|limit| limit.to_string().into()));
        add("cache", (!spec.cache.is_warm()).then(|| spec.cache.word().into()));
        add("slices", (spec.slices != Slicing::Off).then(|| spec.slices.word().into()));
        add("repeats", Some(i64::from(spec.rounds).into()));
        add("until_decided", spec.until_decided.map(|rounds| i64::from(rounds).into()));
        add("suite_options", (!spec.suite_options.is_empty()).then(|| options(&spec.suite_options).into()));
        add("tests", (!spec.tests.is_empty()).then(|| texts(&spec.tests)));
        add("aa", spec.twins.then(|| true.into()));
        add("stars", spec.stars.map(|stars| i64::from(stars).into()));
        add("effects", spec.effects.then(|| true.into()));
        add("why", (spec.why > 0).then(|| i64::from(spec.why).into()));
        add("claims", spec.claims.clone().map(Into::into));
        add("reference", spec.reference.as_ref().map(|reference| reference.to_string().into()));
        let allowed: Vec<String> = spec.allow.iter().map(|difference| difference.name().to_owned()).collect();
        add("allow", (!allowed.is_empty()).then(|| texts(&allowed)));
        // TOML's integers end at 2^63 - 1.
        add("seed", spec.seed.map(|seed| seed.to_string().into()));
        add("engine", Some(toml::Value::Array(engines.collect())));
        file.to_string()
    }

    /// Reads a preset's file.
    pub fn parse(name: &str, source: &CatalogText) -> Result<Self, CatalogError> {
        let file: PresetFile = source.parse()?;
        if !(1..=10_000).contains(file.repeats.get_ref()) {
            return Err(source.wrong(file.repeats.span(), "repeats: expected a whole number from 1 to 10000"));
        }
        for (key, number) in [("stars", &file.stars), ("until_decided", &file.until_decided)] {
            if let Some(wrong) = number.as_ref().filter(|number| !(1..=10_000).contains(number.get_ref())) {
                return Err(source.wrong(wrong.span(), format!("{key}: expected a whole number from 1 to 10000")));
            }
        }
        if *file.why.get_ref() > 10_000 {
            return Err(source.wrong(file.why.span(), "why: expected a whole number from 0 to 10000"));
        }
        if file.engines.get_ref().is_empty() {
            return Err(source.wrong(file.engines.span(), "engine: expected at least one"));
        }
        let sizes = file
            .sizes
            .iter()
            .map(|size| size.get_ref().text().parse::<Size>().map_err(|message| source.wrong(size.span(), message)))
            .collect::<Result<Vec<_>, _>>()?;
        let data_ratios = match &file.data_ratio {
            None => Vec::new(),
            Some(ratios) if !sizes.is_empty() => {
                let message =
                    "data_ratio: the preset has sizes too, which a ratio of data to memory would choose: leave one out";
                return Err(source.wrong(ratios.span(), message));
            }
            Some(ratios) => ratios.get_ref().ratios().ok_or_else(|| {
                let expected = format!("data_ratio: expected numbers above 0, at most {}", DataRatio::MOST);
                source.wrong(ratios.span(), expected)
            })?,
        };
        let memory_limit = file.memory_limit.map(|limit| {
            let read = limit.get_ref().text().parse();
            read.map_err(|message: String| source.wrong(limit.span(), format!("memory_limit: {message}")))
        });
        let cache = file.cache.map(|cache| {
            let read = cache.get_ref().parse();
            read.map_err(|message: String| source.wrong(cache.span(), format!("cache: {message}")))
        });
        let slices = file.slices.map(|slices| {
            let read = slices.get_ref().parse();
            read.map_err(|message: String| source.wrong(slices.span(), format!("slices: {message}")))
        });
        let seed = file.seed.map(|seed| {
            let expected = "seed: expected a whole number from 0 to 18446744073709551615";
            seed.get_ref().text().parse::<u64>().map_err(|_| source.wrong(seed.span(), expected))
        });
        let seed = seed.transpose()?;
        let memory_limit = memory_limit.transpose()?;
        let cache = cache.transpose()?.unwrap_or_default();
        let slices = slices.transpose()?.unwrap_or_default();
        let allowed = |name: &Spanned<String>| {
            let found = Difference::named(name.get_ref());
            found.map_err(|message| source.wrong(name.span(), format!("allow: {message}")))
        };
        let allow = file.allow.iter().map(allowed).collect::<Result<_, _>>()?;
        let engine = |engine: &FileEngine| EngineChoice {
            name: engine.name.clone(),
            options: texts(&engine.options),
            optional: engine.optional,
        };
        let mut spec = Spec {
            suite: file.suite,
            suite_options: texts(&file.suite_options),
            engines: file.engines.get_ref().iter().map(engine).collect(),
            sizes,
            data_ratios,
            memory_limit,
            cache,
            slices,
            rounds: *file.repeats.get_ref(),
            until_decided: file.until_decided.map(Spanned::into_inner),
            tests: file.tests.iter().map(Scalar::text).collect(),
            twins: file.aa,
            stars: file.stars.map(Spanned::into_inner),
            effects: file.effects,
            why: file.why.into_inner(),
            claims: file.claims,
            seed,
            reference: None,
            allow,
        };
        if let Some(reference) = file.reference {
            let set = spec.set_reference(reference.get_ref());
            set.map_err(|error| source.wrong(reference.span(), format!("reference: {error}")))?;
        }
        Ok(Self { name: name.to_owned(), title: file.title, spec })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::MemoryLimit;
    use dbdyno_engine::protocol::CacheStart;

    #[test]
    fn a_saved_preset_reads_back_to_the_same() {
        let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let options = BTreeMap::from([("journal_mode".to_owned(), values(&["wal", "delete"]))]);
        let preset = Preset {
            name: "mine".to_owned(),
            title: "quotes \" and \\ and ]".to_owned(),
            spec: Spec {
                suite: "kv".to_owned(),
                sizes: vec![Size::one(1000), "2,3".parse().unwrap()],
                data_ratios: Vec::new(),
                memory_limit: Some(MemoryLimit(64 << 20)),
                cache: CacheStart::Cold,
                slices: Slicing::Auto,
                until_decided: Some(12),
                rounds: 7,
                suite_options: BTreeMap::from([("mixed".to_owned(), values(&["80/20"]))]),
                tests: values(&["Random reads"]),
                claims: Some("snkv".to_owned()),
                stars: Some(3),
                effects: true,
                why: 2,
                twins: true,
                seed: Some(u64::MAX),
                reference: Some("sqlite:journal_mode=wal".parse().unwrap()),
                allow: [Difference::Tiers, Difference::SuiteOptions].into(),
                engines: vec![
                    EngineChoice { name: "sqlite".to_owned(), options, optional: true },
                    EngineChoice { name: "sqlite".to_owned(), ..EngineChoice::default() },
                ],
            },
        };
        let source = CatalogText { place: "mine.toml".to_owned(), text: preset.to_toml() };
        assert_eq!(Preset::parse("mine", &source).unwrap(), preset);
    }

    #[test]
    fn a_ratio_of_data_to_memory_is_a_number_or_some() {
        let parse = |lines: &str| {
            let text = format!("title = \"t\"\nsuite = \"kv\"\n{lines}\n[[engine]]\nname = \"null\"\n");
            Preset::parse("mine", &CatalogText { place: "mine.toml".to_owned(), text })
        };
        let ratios =
            |lines: &str| parse(lines).unwrap().spec.data_ratios.into_iter().map(DataRatio::get).collect::<Vec<_>>();
        assert_eq!(ratios("data_ratio = [0.5, 2, 8]"), [0.5, 2.0, 8.0]);
        assert_eq!(ratios("data_ratio = 4"), [4.0]);
        let refused = |lines: &str| parse(lines).unwrap_err().to_string();
        assert!(refused("data_ratio = [0]").contains("above 0"));
        assert!(refused("data_ratio = 2\nsizes = [10]").contains("leave one out"));
        assert!(refused("memory_limit = \"lots\"").contains("memory_limit: `lots`"));
        assert!(refused("cache = \"hot\"").contains("expected warm or cold"));
        assert!(refused("slices = \"yes\"").contains("expected on, off or auto"));
    }
}
