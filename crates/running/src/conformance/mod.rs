//! Whether an engine conforms to the worker protocol, and whether a suite's file is valid: small jobs and inspections, each a check with
//! its outcome.
//!
//! Jobs go through the runner's own workers, so whatever passes here is accepted in a session. The answers of an engine are compared with
//! known answers: see `answers`.

mod answers;
mod bad_jobs;
mod description;
mod endings;
mod options;
mod suite_file;
mod turns;
mod workspace;

pub use suite_file::{CheckedFile, SuiteSource, check_file, check_run};

use self::workspace::CheckWorkspace;
use dbdyno_catalog::engines::Engine;
use dbdyno_engine::{describe::Probed, settings::Settings};
use dbdyno_foundation::base::units::{counted, plain};
use serde::Serialize;
use std::{collections::BTreeMap, path::Path};

/// Something that was checked, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    #[serde(rename = "check")]
    pub name: String,
    #[serde(flatten)]
    pub outcome: CheckOutcome,
}

/// The outcome of a check, each with an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "reason", rename_all = "lowercase")]
pub enum CheckOutcome {
    Passed(String),
    Failed(String),
    /// The check does not apply, or was not tried.
    Skipped(String),
}

impl Check {
    fn new(name: impl Into<String>, outcome: CheckOutcome) -> Self {
        Self { name: name.into(), outcome }
    }

    pub fn passed(name: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(name, CheckOutcome::Passed(what.into()))
    }

    pub fn failed(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(name, CheckOutcome::Failed(reason.into()))
    }

    pub fn skipped(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(name, CheckOutcome::Skipped(reason.into()))
    }

    /// Passes or fails according to the result.
    fn of(name: impl Into<String>, came: Result<String, String>) -> Self {
        Self::new(name, came.map_or_else(CheckOutcome::Failed, CheckOutcome::Passed))
    }

    pub fn is_failed(&self) -> bool {
        matches!(self.outcome, CheckOutcome::Failed(_))
    }

    /// Returns a line for people. It includes text from outside, so control characters are escaped.
    pub fn line(&self) -> String {
        let (sign, reason) = match &self.outcome {
            CheckOutcome::Passed(what) => ('✓', what),
            CheckOutcome::Failed(reason) => ('✗', reason),
            CheckOutcome::Skipped(reason) => ('-', reason),
        };
        format!("{sign}  {}: {}\n", plain(&self.name), plain(reason))
    }
}

/// Returns how many checks had each outcome, in words.
pub fn summary(checks: &[Check]) -> String {
    let count = |is: fn(&CheckOutcome) -> bool| checks.iter().filter(|check| is(&check.outcome)).count();
    let (passed, failed) =
        (count(|it| matches!(it, CheckOutcome::Passed(_))), count(|it| matches!(it, CheckOutcome::Failed(_))));
    let all = counted(checks.len(), "check");
    format!("{all}: {passed} passed, {failed} failed, {} not applicable", checks.len() - passed - failed)
}

/// Receives each check when it is done.
pub type CheckReceiver<'t> = &'t mut (dyn FnMut(Check) + 't);

/// The name of the check of an engine's description.
pub const DESCRIPTION: &str = "description";

/// Returns the failed check of an engine without a usable description.
pub fn undescribed(reason: &str) -> Check {
    Check::failed(DESCRIPTION, reason)
}

/// An engine with its settings for the check, and what it reports about the files that they name.
#[derive(Debug, Clone)]
pub struct CheckedEngine {
    engine: Engine,
    settings: Settings,
    probed: Option<Probed>,
}

impl CheckedEngine {
    /// Creates a candidate from the engine's defaults, replaced by `asked` where given.
    ///
    /// # Errors
    /// An unknown option, a value that the option does not accept, or a file that the engine cannot use.
    pub fn new(engine: &Engine, asked: &BTreeMap<String, String>) -> Result<Self, String> {
        let settings = Settings::resolve(&engine.description, asked).map_err(|error| error.to_string())?;
        if let Some(conflict) = engine.description.conflict(&settings) {
            return Err(conflict);
        }
        let probed = engine.probe(&settings)?;
        if let Some(refusal) = probed.as_ref().and_then(|probed| probed.refusal(&engine.description, &settings)) {
            return Err(refusal);
        }
        let engine = probed.clone().map_or_else(|| engine.clone(), |probed| engine.probed(probed));
        Ok(Self { engine, settings, probed })
    }

    /// Returns the settings with another value of an option, or none if a session would refuse it.
    fn settings_with(&self, option: &str, value: &str) -> Option<Settings> {
        let description = &self.engine.description;
        let mut asked = self.settings.to_map();
        asked.insert(option.to_owned(), value.to_owned());
        let settings = Settings::resolve(description, &asked).ok()?;
        let lacks = |probed: &Probed| probed.refusal(description, &settings).is_some();
        let refused = description.conflict(&settings).is_some() || self.probed.as_ref().is_some_and(lacks);
        (!refused).then_some(settings)
    }
}

/// Checks an engine. `work_dir`: where its databases are put.
pub async fn check_engine(candidate: &CheckedEngine, work_dir: &Path, tell: CheckReceiver<'_>) {
    tell(Check::of(DESCRIPTION, description::check(&candidate.engine.description)));
    let workspace = CheckWorkspace::new(candidate, work_dir);
    let opened = opened(&workspace).await;
    let is_open = opened.is_ok();
    tell(Check::of("open", opened));
    if !is_open {
        tell(Check::skipped("everything else", "not tried: it does not open"));
        return;
    }
    options::check(&workspace, tell).await;
    bad_jobs::check(&workspace, tell).await;
    answers::check(&workspace, tell).await;
    endings::check(&workspace, tell).await;
    turns::check(&workspace, tell).await;
}

/// Opens a database with the requested settings.
async fn opened(workspace: &CheckWorkspace<'_>) -> Result<String, String> {
    let errand = answers::first(workspace.description()).ok_or("its description has no kind of suite")?;
    let (version, _) = workspace.opened(errand).await.map_err(|stopped| stopped.to_string())?;
    Ok(format!("version {version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_one_line_and_one_object() {
        let checks = [
            Check::passed("open", "version 1"),
            Check::failed("kv, a\nscan", "answered \u{1b}[2J"),
            Check::skipped("sql", "none"),
        ];
        let lines: String = checks.iter().map(Check::line).collect();
        assert_eq!(lines, "✓  open: version 1\n✗  kv, a\\nscan: answered \\u{1b}[2J\n-  sql: none\n");
        let json = serde_json::to_string(&checks[2]).unwrap();
        assert_eq!(json, r#"{"check":"sql","outcome":"skipped","reason":"none"}"#);
        assert_eq!(summary(&checks), "3 checks: 1 passed, 1 failed, 1 not applicable");
        assert!(checks[1].is_failed() && !checks[2].is_failed());
    }
}
