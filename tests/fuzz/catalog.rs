//! Files of the catalog: suites, presets, claims, themes. Also presets that a form produces.

use super::{Verdict, files, harness::Target, holds, same, samples, text, told};
use dbdyno::{
    bench::{DataRatio, EngineChoice, Preset, ReadyMade, Spec},
    catalog::{Catalog, CatalogError, Suite, TestPick, UserFolders},
    store::Selection,
};
use dbdyno_engine::{protocol::SuiteJob, size::Size};
use std::{collections::BTreeMap, fs, path::PathBuf};
use tempfile::TempDir;

/// Sizes at which suites are resolved: a usual one, and the extremes.
const SIZES: [Size; 3] = [
    Size { first: 1000, second: None },
    Size { first: u64::MAX, second: Some(1) },
    Size { first: 1, second: Some(u64::MAX) },
];

/// The name in a suite's text.
fn name(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("name = \""));
    line.and_then(|rest| rest.split_once('"')).map_or("mine", |(name, _)| name)
}

fn suite(input: &[u8]) -> Verdict {
    let text = text(input);
    match Catalog::suite_of(name(&text), "mine.toml", text.clone().into_owned()) {
        Ok(suite) => resolved(suite),
        Err(error) => told(&error, "mine.toml:", input),
    }
}

/// Checks that every setting and test of a suite can be requested, and that a worker reads its job as it was written.
fn resolved(suite: Suite) -> Verdict {
    let settings = suite.settings(&BTreeMap::new()).map_err(|error| format!("its own defaults: {error}"))?;
    let all = TestPick::default();
    for size in SIZES {
        let job = suite.resolve(size, &settings, &all);
        let json = serde_json::to_string(&job).map_err(|error| error.to_string())?;
        let read: SuiteJob =
            serde_json::from_str(&json).map_err(|error| format!("a worker cannot read it: {error}"))?;
        holds(read == job, || format!("a worker reads another job: {read:.500?}"))?;
        let tests = (suite.operations(size, &all), suite.data_bytes(size), suite.payload_bytes(size, &all));
        holds(tests.0.len() == job.tests().len(), || format!("operations of other tests: {tests:?}"))?;
    }
    for test in suite.tests() {
        let pick = suite.pick(&[test.number.to_string()])?;
        suite.needs_threads(&pick);
        suite.refusal(&pick);
        suite.known(SIZES[0], &settings, test.number);
        // Most tests cannot be paced, and give the reason.
        if let Ok(paced) = suite.clone().paced(test.number, None) {
            let settings = paced.settings(&BTreeMap::new()).map_err(|error| format!("paced: {error}"))?;
            paced.resolve(SIZES[1], &settings, &pick);
        }
    }
    let again = Catalog::suite_of(&suite.name, "again.toml", suite.text().to_owned());
    again.map(drop).map_err(|error| format!("its text is not read again: {error}"))
}

/// A user's folder with one file of a kind. Each case rewrites the file.
struct Folder {
    root: TempDir,
    kind: &'static str,
}

impl Folder {
    fn new(kind: &'static str) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(kind)).unwrap();
        Self { root, kind }
    }

    fn catalog(&self) -> Catalog {
        Catalog::new(UserFolders { root: self.root.path().to_owned() })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.root.path().join(self.kind).join(format!("{name}.toml"))
    }

    /// Writes the file `mine` and reads it. An error must name the file.
    fn read<T>(
        &self,
        input: &[u8],
        read: impl FnOnce(&Catalog) -> Result<T, CatalogError>,
        taken: impl FnOnce(T) -> Verdict,
    ) -> Verdict {
        let file = self.file("mine");
        fs::write(&file, input).unwrap();
        match read(&self.catalog()) {
            Ok(value) => taken(value),
            Err(error) => told(&error, &file.display().to_string(), input),
        }
    }
}

/// Checks that a preset, written as a file, reads back the same.
fn written(folder: &Folder, preset: &Preset) -> Verdict {
    let text = preset.to_toml();
    fs::write(folder.file("again"), &text).unwrap();
    let again = Preset::find(&folder.catalog(), "again").map_err(|error| format!("{error} in {text}"))?;
    same("written and read", &(&preset.title, &preset.spec), &(&again.title, &again.spec))
}

/// A bench as a form has it, with any text in any field.
fn form(input: &[u8]) -> Preset {
    let text = text(input);
    let mut pieces = text.split(['\n', '|']).map(str::to_owned);
    let mut next = || pieces.next().unwrap_or_default();
    let (title, suite, engine, option, value) = (next(), next(), next(), next(), next());
    let rest: Vec<String> = std::iter::repeat_with(&mut next).take(3).collect();
    let options = BTreeMap::from([(option, vec![value, next()]), (next(), rest.clone())]);
    let byte = u32::from(input.first().copied().unwrap_or(1)) + 1;
    let spec = Spec {
        suite,
        suite_options: options.clone(),
        engines: vec![
            EngineChoice { name: engine, options, optional: byte.is_multiple_of(2) },
            EngineChoice::default(),
        ],
        data_ratios: DataRatio::new(f64::from(byte) / 3e9).into_iter().collect(),
        rounds: byte,
        tests: rest,
        stars: (byte > 9).then_some(byte),
        claims: (byte > 5).then(next),
        seed: (byte > 7).then(|| u64::MAX - u64::from(byte)),
        ..Spec::default()
    };
    Preset { name: "mine".to_owned(), title, spec }
}

#[test]
fn suites() {
    let all = [
        files("suites", "toml"),
        files("tests/catalog/invalid/suites", "toml"),
        files("tests/catalog/valid/suites", "toml"),
    ];
    Target::new("suites", 1500).fuzz(&all.concat(), suite);
}

#[test]
fn presets() {
    let folder = Folder::new("presets");
    let all = [files("presets", "toml"), files("tests/catalog/invalid/presets", "toml")];
    Target::new("presets", 1500).fuzz(&all.concat(), |input| {
        folder.read(
            input,
            |catalog| ReadyMade::find(catalog, "mine"),
            |found| match found {
                ReadyMade::Bench(preset) => written(&folder, &preset),
                ReadyMade::Sequence(sequence) => holds(!sequence.presets.is_empty(), || "it is empty".to_owned()),
            },
        )
    });
}

#[test]
fn forms() {
    let folder = Folder::new("presets");
    let all =
        samples(["title\nkv\nsqlite\njournal_mode\nwal\ndelete\nRandom reads\n1\nsnkv\n-x", "\"\\\n'''\n\u{7f}\n#"]);
    Target::new("forms", 1500).fuzz(&all, |input| {
        let preset = form(input);
        written(&folder, &preset)?;
        // The command that repeats the bench contains the same texts.
        holds(preset.spec.arguments().len() > 4, || "it has no arguments".to_owned())
    });
}

#[test]
fn claims() {
    let folder = Folder::new("claims");
    Target::new("claims", 1000).fuzz(&files("assets/claims", "toml"), |input| {
        folder.read(
            input,
            |catalog| catalog.claims("mine"),
            |claims| {
                for side in claims.comparisons.iter().flat_map(|comparison| [&comparison.a, &comparison.b]) {
                    // The side may be refused later, when it is used.
                    drop(Selection::parse_line(side));
                }
                Ok(())
            },
        )
    });
}

#[test]
fn themes() {
    let folder = Folder::new("themes");
    Target::new("themes", 1000).fuzz(&files("assets/themes", "toml"), |input| {
        folder.read(
            input,
            |catalog| catalog.theme("mine"),
            |theme| {
                let roles = theme.roles.len();
                same("roles", &theme.without_colour().roles.len(), &roles)
            },
        )
    });
}
