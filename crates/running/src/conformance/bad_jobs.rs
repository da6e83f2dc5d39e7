//! Whether an engine refuses what it cannot do, and gives the reason: doing something else instead would produce a wrong figure.

use super::{
    Check, CheckReceiver, answers,
    workspace::{CheckWorkspace, Errand, Stopped},
};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    settings::Settings,
};
use std::collections::BTreeMap;

/// An option that no engine has.
const NO_OPTION: &str = "no-such-option";
/// A value that no option except a path accepts.
const NO_VALUE: &str = "no such value";
/// A protocol version that does not exist.
const NO_VERSION: u32 = 99;

pub(super) async fn check(workspace: &CheckWorkspace<'_>, tell: CheckReceiver<'_>) {
    let Some(errand) = answers::first(workspace.description()) else { return };
    let settings = &workspace.candidate.settings;
    let unknown = errand.clone().with_settings(with(settings, NO_OPTION, "1"));
    tell(Check::of("unknown option", refused(workspace, unknown, &format!("the option `{NO_OPTION}`")).await));
    let takes_words = |option: &&OptionSpec| option.memory.is_none() && option.kind != OptionKind::Path;
    tell(match workspace.description().options.iter().find(takes_words) {
        Some(option) => {
            let bad = errand.clone().with_settings(with(settings, &option.name, NO_VALUE));
            let what = format!("`{}` with `{NO_VALUE}`", option.name);
            Check::of("bad value of an option", refused(workspace, bad, &what).await)
        }
        None => Check::skipped("bad value of an option", "the engine has no option whose values can be wrong"),
    });
    let newer = Errand { protocol: Some(NO_VERSION), ..errand };
    tell(Check::of("another version", refused(workspace, newer, &format!("protocol {NO_VERSION}")).await));
}

/// Returns the settings with a value that is not checked.
fn with(settings: &Settings, option: &str, value: &str) -> Settings {
    let mut all: BTreeMap<String, String> = settings.to_map();
    all.insert(option.to_owned(), value.to_owned());
    Settings::unchecked(all)
}

/// Gives a worker a job that it must refuse, and returns its message.
///
/// # Errors
/// What the worker did instead.
async fn refused(workspace: &CheckWorkspace<'_>, errand: Errand, what: &str) -> Result<String, String> {
    let mut attempt = workspace.begin(errand)?;
    let said = attempt.next().await;
    let is_gone = attempt.is_gone();
    let ended = attempt.end().await;
    match (said, ended.ending.last_words()) {
        (Ok(event), _) => {
            Err(format!("{what} was accepted: it sent `{}`, expected `failed` with a message", event.word()))
        }
        (Err(Stopped::Refused(message)), _) if message.trim().is_empty() => {
            Err(format!("{what} was refused without a message: expected the reason"))
        }
        (Err(Stopped::Refused(message)), _) => Ok(format!("refused: {message}")),
        (Err(Stopped::Broke(_)), Some(message)) if is_gone => Ok(format!("refused: {message}")),
        (Err(Stopped::Broke(how)), _) => Err(format!("{what} was not refused with a message: {how}")),
    }
}
