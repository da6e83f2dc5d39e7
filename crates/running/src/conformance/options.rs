//! Whether each option is in force as requested, with values that the engine's description offers.

use super::{
    Check, CheckReceiver, answers,
    workspace::{CheckWorkspace, Stopped},
};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    settings::Settings,
};
use dbdyno_foundation::base::units::counted;

/// The most values of an option that are worth trying, in addition to its default.
const MOST_TUNED: usize = 3;

pub(super) async fn check(workspace: &CheckWorkspace<'_>, tell: CheckReceiver<'_>) {
    for option in &workspace.description().options {
        let name = format!("option {}", option.name);
        tell(match (&option.memory, &option.kind) {
            (Some(_), _) => Check::skipped(name, "alias of another option"),
            (None, OptionKind::Path) => Check::skipped(name, "it names a file, and no others are known"),
            (None, _) => read_back(workspace, option, name).await,
        });
    }
}

async fn read_back(workspace: &CheckWorkspace<'_>, option: &OptionSpec, name: String) -> Check {
    let (mut told, mut untold, mut refused) = (Vec::new(), Vec::new(), String::new());
    for value in values(option) {
        let Some(settings) = workspace.candidate.settings_with(&option.name, &value) else { continue };
        match in_force(workspace, settings, &option.name).await {
            Ok(true) => told.push(value),
            Ok(false) => untold.push(value),
            // A library that is found at run time may lack what the description offers. The default was accepted before.
            Err(Stopped::Refused(message)) => refused.push_str(&format!("; `{value}` is refused: {message}")),
            Err(stopped) => return Check::failed(name, format!("with `{value}`: {stopped}")),
        }
    }
    let list = |values: &[String]| values.join(", ");
    match (told.is_empty(), untold.is_empty()) {
        (false, true) => Check::passed(name, format!("read back as {}{refused}", list(&told))),
        (false, false) => {
            Check::passed(name, format!("read back as {}; not reported for {}{refused}", list(&told), list(&untold)))
        }
        (true, false) => {
            let taken = counted(untold.len(), "value");
            Check::skipped(name, format!("as given: the engine does not report it ({taken} accepted{refused})"))
        }
        (true, true) => Check::skipped(name, format!("none of its values fits the other options{refused}")),
    }
}

/// Whether the engine itself reads the option back as requested.
async fn in_force(workspace: &CheckWorkspace<'_>, settings: Settings, option: &str) -> Result<bool, Stopped> {
    let Some(errand) = answers::first(workspace.description()) else { return Ok(false) };
    let (_, in_force) = workspace.opened(errand.with_settings(settings)).await?;
    Ok(in_force.contains_key(option))
}

/// Returns harmless values of an option: its default, and others that its description offers.
fn values(option: &OptionSpec) -> Vec<String> {
    let offered = match &option.kind {
        OptionKind::Choice { choices } => choices.clone(),
        OptionKind::Bool => vec!["on".to_owned(), "off".to_owned()],
        OptionKind::Path => Vec::new(),
        OptionKind::Integer { .. } | OptionKind::Size { .. } => {
            let tuned = option.tuning.values.iter().flatten().take(MOST_TUNED).cloned();
            tuned.chain(neighbour(option)).collect()
        }
    };
    let mut values = vec![option.default.clone()];
    for value in offered.iter().filter_map(|value| option.kind.canonical(value).ok()) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// Returns a number next to the default. For sizes it is half the default, because they may have to be powers of two.
fn neighbour(option: &OptionSpec) -> Option<String> {
    let takes = |number: Option<i64>| option.kind.canonical(&number?.to_string()).ok();
    let number: i64 = option.default.parse().ok()?;
    match option.kind {
        OptionKind::Size { .. } => takes(Some(number / 2)).or_else(|| takes(number.checked_mul(2))),
        _ => takes(number.checked_add(1)).or_else(|| takes(number.checked_sub(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_offered_and_a_number_beside_the_default() {
        let choice = OptionSpec::choice("sync", &["full", "off"], "off", "");
        assert_eq!(values(&choice), ["off", "full"]);
        assert_eq!(values(&OptionSpec::integer("n", 1, 8, "1", "")), ["1", "2"]);
        assert_eq!(values(&OptionSpec::integer("n", 1, 8, "8", "")), ["8", "7"]);
        assert_eq!(values(&OptionSpec::size("s", 4096, 1 << 20, &[], "4096", "")), ["4096", "8192"]);
        assert_eq!(values(&OptionSpec::size("s", 0, 1 << 20, &["auto"], "auto", "")), ["auto"]);
        let tuned = OptionSpec::size("s", 0, 1 << 20, &["auto"], "auto", "").tune(&["64KiB", "auto"]);
        assert_eq!(values(&tuned), ["auto", "65536"]);
    }
}
