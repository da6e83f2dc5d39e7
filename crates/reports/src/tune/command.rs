//! Builds commands that repeat a tuning, with all choices that the user made on screens.

use dbdyno_catalog::{bench::EngineChoice, is_script};
use dbdyno_engine::describe::Description;
use dbdyno_foundation::base::typed::written_duration;
use dbdyno_running::tune::{Trial, TunedWorkload, WhatIf, search::SearchSpec};
use std::collections::BTreeMap;

/// The tuned configuration, as far as a command has to name it.
struct TunedConfiguration<'s> {
    engine: &'s Description,
    /// Options of the base; those at their default can be omitted.
    base: BTreeMap<String, String>,
    suite: &'s str,
    /// The arguments that name the user's own statements, if the suite was built from them.
    files: &'s [String],
    suite_options: &'s BTreeMap<String, String>,
    size: String,
    tests: Vec<u32>,
    ledger: &'s str,
}

impl TunedConfiguration<'_> {
    fn words(&self, command: &str) -> Vec<String> {
        let mut words: Vec<String> = ["dbdyno", "tune", command, "--engine"].map(str::to_owned).to_vec();
        words.push(with_options(&self.engine.name, not_default(self.engine, &self.base)));
        let is_own = is_script(self.suite);
        if is_own {
            words.extend_from_slice(self.files);
        } else {
            words.extend(["--suite".to_owned(), self.suite.to_owned()]);
        }
        words.extend(["--size".to_owned(), self.size.clone()]);
        if !is_own {
            let tests: Vec<String> = self.tests.iter().map(u32::to_string).collect();
            words.extend(["--test".to_owned(), tests.join(",")]);
        }
        for (option, value) in self.suite_options {
            words.extend(["--set".to_owned(), format!("{}.{option}={value}", self.suite)]);
        }
        words.extend(["--name".to_owned(), self.ledger.to_owned()]);
        words
    }
}

/// Returns the options that are not at their default.
fn not_default(engine: &Description, options: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let differs =
        |(name, value): &(&String, &String)| engine.option(name).is_none_or(|option| option.default != **value);
    options.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// `sqlite:journal_mode=wal,synchronous=normal`
fn with_options(name: &str, options: BTreeMap<String, String>) -> String {
    let options = options.into_iter().map(|(option, value)| (option, vec![value])).collect();
    EngineChoice { name: name.to_owned(), options, optional: false }.to_string()
}

/// Formats options as one change: `cache_size=20000,mmap_size=0`.
fn one_change(options: &BTreeMap<String, String>) -> String {
    with_options("", options.clone()).trim_start_matches(':').to_owned()
}

/// Returns the command that tries changes of one base. `files`: the arguments that name the user's own statements.
pub fn try_command(workload: &TunedWorkload, questions: &[WhatIf], files: &[String]) -> Vec<String> {
    let Some(first) = questions.first() else { return Vec::new() };
    let mut words = subject(workload, first.base.to_map(), &first.ledger, files).words("try");
    words.extend(["--rounds".to_owned(), first.rounds.to_string()]);
    words.extend(questions.iter().map(|question| one_change(&question.change.0)));
    words
}

/// Returns the command that repeats a search.
pub fn search_command(workload: &TunedWorkload, spec: &SearchSpec, files: &[String]) -> Vec<String> {
    let mut words = subject(workload, spec.base.to_map(), &spec.ledger, files).words("search");
    words.extend(["--tier".to_owned(), spec.tier.number().unwrap_or_default().to_string()]);
    words.extend(["--budget".to_owned(), written_duration(spec.budget)]);
    words.extend(spec.memory_limit.iter().flat_map(|limit| ["--memory-limit".to_owned(), limit.to_string()]));
    words.extend(spec.rounds.iter().flat_map(|rounds| ["--rounds".to_owned(), rounds.to_string()]));
    words
}

fn subject<'s>(
    workload: &'s TunedWorkload,
    base: BTreeMap<String, String>,
    ledger: &'s str,
    files: &'s [String],
) -> TunedConfiguration<'s> {
    TunedConfiguration {
        engine: &workload.engine.description,
        base,
        suite: &workload.suite.name,
        files,
        suite_options: &workload.suite_options,
        size: workload.size.to_string(),
        tests: workload.tests().into_iter().map(|(number, _)| number).collect(),
        ledger,
    }
}

/// Returns the command that tries a trial's change again: engine, base, suite, size, tests, rounds of its first look, and change.
pub fn trial_command(engine: &Description, trial: &Trial, files: &[String]) -> Vec<String> {
    let subject = TunedConfiguration {
        engine,
        base: trial.base.clone(),
        suite: &trial.suite,
        files,
        suite_options: &trial.suite_options,
        size: trial.size.clone(),
        tests: trial.tests.clone(),
        ledger: &trial.ledger,
    };
    let mut words = subject.words("try");
    if trial.rounds > 0 {
        words.extend(["--rounds".to_owned(), trial.first_rounds().to_string()]);
    }
    words.push(one_change(&trial.change.0));
    words
}
